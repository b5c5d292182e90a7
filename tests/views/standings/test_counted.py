"""Which stored games count."""

from __future__ import annotations

import math
from contextlib import nullcontext
from pathlib import Path

import pytest

from arena.runs.config.tournament import load_tournament
from arena.runs.reader import StoredRun
from arena.runs.store import Store
from arena.tournament.prepare import opened
from arena.tournament.session import Session
from arena.values.results import GameDone, GameSpec
from arena.views.standings.standings import StandingsTable, table_of
from tests.cli.shell import bot
from tests.tournament.executors import InMemory, won

pytestmark = pytest.mark.usefixtures("empty_records")


def play(home: Path, names: str, most: int, *, schedule: str = "deals: 2") -> StandingsTable:
    """Play so many games of a tournament of three seats; the table."""
    for name in names:
        if not (home / name).exists():
            bot(home, name)
    entrants = "".join(f"  - bot: {name}\n" for name in names)
    path = home / "cup.yaml"
    path.write_text(
        "arena: 1\nseed: 1\nisolation: none\ngame: {rules: dragonkrak, seats: 3}\n"
        f"schedule: {{{schedule}}}\nentrants:\n{entrants}"
    )
    played = 0

    def game(spec: GameSpec) -> GameDone:
        nonlocal played
        played += 1
        if played == most:
            executor.stop()
        return won(spec)

    folder, executor = home / "run", InMemory(play=game)
    with opened(load_tournament(path), folder, None) as run, Store(folder) as store:
        session = Session(run, store)
        session.grow()
        if most:
            session.play(nullcontext(executor), math.inf)
    return table_of(StoredRun(folder))


@pytest.mark.parametrize(
    "schedule",
    [
        "deals: 2",
        pytest.param("kind: swiss, rounds: 1, deals: 2", marks=pytest.mark.extensions("rounds")),
    ],
)
def test_of_a_bot_that_left_whole_blocks_count(tmp_path: Path, schedule: str) -> None:
    """Blocks of three games: the second one lacks its last game."""
    (section,) = play(tmp_path, "abc", 5, schedule=schedule).sections
    assert {row.games for row in section.standings.rows} == {5}
    (tmp_path / "a/main.py").write_text("# another\n")
    (section,) = play(tmp_path, "abc", 0, schedule=schedule).sections
    games = {row.name: row.games for row in section.standings.rows if row.name != "a@2"}
    assert games == {"a": 3, "b": 3, "c": 3}
    text = "2 games of deals that are not played in all seatings do not count"
    assert [each for each in section.notices if "deals" in each] == [text]


def test_a_block_that_is_completed_counts(tmp_path: Path) -> None:
    """Where rounds do not follow from results a bot that returns plays on."""
    play(tmp_path, "abcd", 4)
    (section,) = play(tmp_path, "bcd", 0).sections
    assert {row.name: row.games for row in section.standings.rows}["a"] == 3
    (section,) = play(tmp_path, "abcd", 99).sections
    assert {row.games for row in section.standings.rows} == {18}
    assert not any("deals" in each for each in section.notices)
