"""A kind of schedule is one module and one line, on every way from a file to a proof."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from itertools import count, repeat
from pathlib import Path

import pytest

from arena.cli.documents import schema_tournament
from arena.games.registry import make_rules
from arena.referee.play import GameConditions, play_game
from arena.runs.config.tournament import load_tournament
from arena.runs.reader import StoredRun
from arena.runs.store import Store
from arena.runs.verify import RunVerifier
from arena.schedule.keys import KIND_NAMES
from arena.schedule.kinds.kind import KINDS
from arena.schedule.kinds.registry import register
from arena.tournament.prepare import opened
from arena.tournament.run import Run
from arena.tournament.session import Session
from arena.values.problems import ConfigError
from arena.values.results import GameDone, GameSpec, TimeControl
from arena.views.standings.standings import render, table_of
from tests.referee.scripted import FakeTime, Scripted, seated
from tests.tournament.executors import InMemory, Play
from tests.tournament.folders import lines, write, write_bot
from tests.toy_kind.hill import HillKind
from tests.toy_kind.ring import RingKind


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register(RingKind())
    register(HillKind())
    yield
    for kind in (RingKind, HillKind):
        del KINDS[kind.name]
        KIND_NAMES.remove(kind.name)


def cup(folder: Path, schedule: str, names: str = "abcd") -> Path:
    for name in names:
        write_bot(folder / name, f"bot: 1\nname: {name}\ncommand: [python3, main.py]\n")
    entrants = "".join(f"  - bot: {name}\n" for name in names)
    text = f"arena: 1\nseed: 1\ngame: dragonheart\nschedule: {{{schedule}}}\nisolation: none\n"
    return write(folder / "cup.yaml", f"{text}entrants:\n{entrants}")


class KilledError(Exception):
    """The session ends in the middle of a game."""


def player(run: Run, most: float) -> Play:
    """Plays a game in truth, without processes: everybody takes the first legal action."""
    rules, games = make_rules(run.manifest.disciplines[0].rules), count(1)

    def play(spec: GameSpec) -> GameDone:
        if next(games) > most:
            raise KilledError
        number = run.schedule.number(spec.game_id)
        assert number is not None
        seeds, seats = run.schedule.seeds_at(number), range(len(spec.entrants))
        told = tuple(seeds.bot(spec, seat) for seat in seats)
        terms = GameConditions(TimeControl(), "opaque", told, ({},) * len(seats), None)
        players = [seated(Scripted(repeat(0))) for _ in seats]
        return play_game(rules, players, spec, seeds.deal(spec.deal), terms, FakeTime())

    return play


def played(folder: Path, schedule: str) -> Path:
    """A run that was killed in its second round, and resumed."""
    run_folder = folder / "run"
    tournament = load_tournament(cup(folder, schedule))
    for most in (3, math.inf):
        with (
            suppress(KilledError),
            opened(tournament, run_folder, None) as run,
            Store(run_folder) as store,
        ):
            session = Session(run, store)
            session.grow()
            play = player(session.run, most)
            session.play(nullcontext(InMemory(1, play)), math.inf)
    return run_folder


def findings(folder: Path) -> list[str]:
    verifier = RunVerifier(folder)
    found = [str(each) for each in verifier.findings]
    return found + [str(each) for checked in verifier.games() for each in checked.findings]


@pytest.mark.parametrize(
    ("schedule", "pairs", "games"),
    [
        ("kind: ring, deals: 2", {"ab", "bc", "cd", "ad"}, 16),
        ("kind: hill, deals: 1", None, 6),
    ],
)
def test_it_is_played_rated_and_verified(
    schedule: str, pairs: set[str] | None, games: int, tmp_path: Path
) -> None:
    folder = played(tmp_path, schedule)
    run = StoredRun(folder)
    results = [game.result for game in run.games()]
    assert len(results) == games
    met = {"".join(sorted(each.spec.entrants)) for each in results}
    assert met == pairs if pairs else len(met) == 3
    assert {row.name for row in table_of(run).sections[0].standings.rows} == set("abcd")
    assert findings(folder) == []
    text = render(table_of(run), "md")
    assert ("places after 3 of 3 rounds" in text) == (pairs is None)


@pytest.mark.parametrize(
    ("schedule", "names", "told"),
    [
        ("kind: ring, deals: 3", "abcd", "schedule.deals: found 3 in a ring, expected an even"),
        ("kind: ring, rounds: 3", "abcd", "schedule.rounds: found rounds with the kind ring (it"),
        ("kind: ring", "ab", "entrants: found 2 entrants, expected at least 3"),
        ("kind: rings", "abc", '"ladder", "ring" or "hill" (did you mean "ring"?)'),
        (
            "stages: [{kind: ring}]",
            "abc",
            "found ring, expected round_robin, swiss, knockout or groups",
        ),
    ],
)
def test_what_it_cannot_be_is_told(schedule: str, names: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_tournament(cup(tmp_path, schedule, names))
    assert told in lines(caught.value)[0]


def test_the_schema_lists_it() -> None:
    assert {"ring", "hill"} < set(schema_tournament()["$defs"]["ScheduleKind"]["enum"])
