"""Files and run folders whose kind of schedule needs an extension that is not here say so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.runs.config.tournament import load_tournament
from arena.runs.disk import StoreError
from arena.runs.manifest import read_manifest
from arena.schedule.keys import KIND_NAMES
from arena.schedule.kinds.kind import KINDS
from arena.values import bad_input
from arena.values.problems import ConfigError
from tests.runs.manifests import identity_of, manifest_of
from tests.runs.test_manifest import TWO, played, write
from tests.tournament.folders import lines

ABSENT = ("swiss", "knockout", "groups", "stages", "ladder")
LACKING = "it needs the extension rounds, which is not here: pip install botarena"


@pytest.fixture(autouse=True)
def _without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "ladder").mkdir()
    monkeypatch.setattr(bad_input, "_EXTENSIONS", tmp_path)
    kinds, names = dict(KINDS), [*KIND_NAMES]
    for name in ABSENT:
        KINDS.pop(name, None)
    KIND_NAMES[:] = [*KINDS]
    yield
    KINDS.clear()
    KINDS.update(kinds)
    KIND_NAMES[:] = names


@pytest.mark.parametrize(
    "schedule",
    ["kind: swiss, rounds: 3", "kind: knockout", "rounds: 3", "stages: [{kind: round_robin}]"],
)
def test_a_tournament_file_is_refused_in_one_line(schedule: str, tmp_path: Path) -> None:
    entrants = "entrants: [{bot: builtin:greedy}, {bot: builtin:random}]"
    file = tmp_path / "cup.yaml"
    file.write_text(f"arena: 1\ngame: dragonheart\nschedule: {{{schedule}}}\n{entrants}\n")
    with pytest.raises(ConfigError) as caught:
        load_tournament(file)
    (line,) = lines(caught.value)
    assert line.endswith(f"({LACKING})")


@pytest.mark.parametrize("kind", ABSENT)
def test_a_run_folder_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    write(tmp_path, manifest_of(identity_of(**({"entrants": TWO} | played(kind=kind)))))
    with pytest.raises(StoreError, match=f"found the kind of schedule {kind}: {LACKING}"):
        read_manifest(tmp_path)
