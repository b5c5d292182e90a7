"""What is refused, and said, before a cluster plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.extensions.machines.dask_cluster import open_to
from arena.runs.config.tournament import Tournament, load_tournament
from arena.tournament.prepare import with_workers
from arena.values.bad_input import BadInput
from tests.tournament.folders import league, write

TEXT = """\
arena: 1
game: dragonheart
entrants: [bot: ../bots/random, bot: ../bots/greedy]
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))


def load(*overrides: str) -> Tournament:
    return load_tournament(write(Path("cups/t.yaml"), TEXT), overrides)


def test_an_address_open_to_everybody_is_refused_before_anything_is_begun() -> None:
    open_one = "tcp://10.0.0.5:8786"
    for given, overrides in ((open_one, ()), (None, (f"execution.on={open_one}",))):
        with pytest.raises(BadInput, match="expected tls://"):
            with_workers(load(*overrides), None, given)
    assert with_workers(load(), None, "tls://10.0.0.5:8786").execution.on == "tls://10.0.0.5:8786"


@pytest.mark.parametrize(
    ("level", "named"),
    [("none", True), ("limits", True), ("landlock", False), ("bubblewrap", False)],
)
def test_who_could_use_a_cluster_without_tls_is_told(level: str, named: bool) -> None:
    told = open_to(load(f"isolation={level}").entrants)
    assert ("random, greedy" in told) is named
    assert bool(told) is named
