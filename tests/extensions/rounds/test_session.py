"""A run that grows: what is put down, and where play stops."""

from __future__ import annotations

import math
from contextlib import nullcontext
from pathlib import Path

import pytest

from arena.runs.config.tournament import load_tournament
from arena.runs.field import Following
from arena.runs.manifest import read_manifest
from arena.runs.store import Store
from arena.tournament.events import RoundLimit
from arena.tournament.prepare import opened
from arena.tournament.session import Session
from tests.cli.shell import bot
from tests.tournament.executors import InMemory


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    for name in "abcd":
        bot(tmp_path, name)
    path = tmp_path / "cup.yaml"
    path.write_text(
        "arena: 1\nseed: 1\nisolation: none\ngame: dragonheart\n"
        "schedule: {kind: swiss, rounds: 3, deals: 1}\n"
        "entrants: [bot: a, bot: b, bot: c, bot: d]\n"
    )
    return path


def played(cup: Path, rounds: int) -> int:
    """Play so many; how many there are."""
    folder = cup.parent / "run"
    with opened(load_tournament(cup), folder, None) as run, Store(folder) as store:
        judge = RoundLimit(rounds)
        session = Session(run, store, judge=judge)
        session.play(nullcontext(InMemory()), math.inf)
        return len(session.run.manifest.field.rounds) - 1


@pytest.mark.usefixtures("empty_records")
def test_so_many_rounds_and_the_end_is_put_down_at_once(cup: Path) -> None:
    assert [played(cup, 1), played(cup, 1)] == [1, 2]
    assert not read_manifest(cup.parent / "run").is_over
    assert played(cup, 1) == 4  # a third one, and that nothing follows
    assert read_manifest(cup.parent / "run").is_over
    assert played(cup, 5) == 4


def test_what_nobody_could_read_is_not_put_down(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def strange(*_: object) -> object:
        return Following(0, (), "", ""), {"dragonheart-2": (("a", "stranger"),)}

    monkeypatch.setattr("arena.extensions.rounds.runs.following", strange)
    with pytest.raises(AssertionError, match="somebody plays who is not there"):
        played(cup, 1)
    assert read_manifest(cup.parent / "run").changes == ()
