"""Who watches a run is told what stands on the terminal of who plays it, at every moment."""

from __future__ import annotations

import json
import math
import random
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from arena.cli.terminal.progress import fewer_words
from arena.extensions.browser.live import read
from arena.extensions.browser.live.read import Reader
from arena.extensions.browser.live.snapshot import RunPhase, Snapshot
from arena.runs.config.tournament import load_tournament
from arena.runs.live import LIVE
from arena.runs.manifest import CurrentRound
from arena.runs.reader import StoredRun
from arena.runs.store import Store
from arena.tournament import progress as told
from arena.tournament.events import BotWithdrawn, Event, Grown, Ticked
from arena.tournament.executor import Lost
from arena.tournament.prepare import opened
from arena.tournament.progress import Figures, Progress
from arena.tournament.run import Run
from arena.tournament.session import Session
from arena.values.results import Evidence, Fault, FaultKind, GameDone, GameSpec, GameVoid, VoidCause
from arena.views.standings import tables
from arena.views.standings.standings import table_of
from tests.cli.shell import bot
from tests.rows import some
from tests.tournament.executors import InMemory, Play, won

pytestmark = [pytest.mark.usefixtures("empty_records"), pytest.mark.slow]

RUN = Path("run")


class Killed(BaseException):
    """As if the process were gone."""


class Clock:
    """Stands still until it is told: so both sides look at the same moment."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        """As time.monotonic."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Clock:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(read, "_TABLE_SECONDS", 0.0)
    monkeypatch.setattr(read, "_TABLE_SHARE", 1e9)
    clock = Clock()
    monkeypatch.setattr(told, "time", clock)
    return clock


def cup(names: str, more: str) -> Path:
    for name in names:
        if not Path(name).exists():
            bot(Path.cwd(), name)
    path = Path("cup.yaml")
    entrants = "".join(f"  - bot: {name}\n" for name in names)
    path.write_text(f"arena: 1\nseed: 1\nisolation: none\n{more}entrants:\n{entrants}")
    return path


def troubled(seed: int, bad: str) -> Play:
    """Bots of ``bad`` have faults in most of their games, and games are void now and then."""
    chance = random.Random(seed)

    def play(spec: GameSpec) -> GameDone | GameVoid | Lost:
        done, luck = won(spec), chance.random()
        if luck < 0.05:
            return GameVoid(spec.game_id, VoidCause.MACHINE, "busy")
        if luck < 0.08:
            return Lost("was switched off", VoidCause.MACHINE)
        faulty = [seat for seat, name in enumerate(spec.entrants) if name in bad]
        kinds = [Fault(seat, FaultKind.CRASH, 1, "") for seat in faulty if chance.random() < 0.9]
        wall_us = chance.randrange(1, 9000)
        result = msgspec.structs.replace(done.result, faults=tuple(kinds), wall_us=wall_us)
        evidence = tuple(Evidence(each.seat) for each in kinds)
        return msgspec.structs.replace(done, result=result, evidence=evidence)

    return play


class Both:
    """Somebody plays a run, again and again, and somebody watches it all the time."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self.reader: Reader | None = None
        self.seen: list[Figures] = []
        """What both told while it was played."""
        self.told: list[str] = []
        """Bots whose withdrawal was told."""

    def session(self, executor: InMemory, until: float = math.inf) -> Run:
        """Play, and compare after every game, void, withdrawal and round.

        Raises Killed after so many games.
        """
        with opened(load_tournament(self._path), RUN, None) as run, Store(RUN) as store:

            def look(progress: Progress) -> None:
                store.flush()
                snapshot = self._agreed(progress)
                if snapshot.phase is RunPhase.PLAYING:
                    self.seen.append(snapshot.figures)
                if progress.played >= until:
                    raise Killed

            def heard(event: Event) -> None:
                match event:
                    case Ticked(progress=progress):
                        look(progress)
                    case BotWithdrawn(withdrawal=withdrawal):
                        self.told.append(withdrawal.name)
                    case Grown() if (RUN / LIVE).exists():
                        look(session.progress)

            session = Session(run, store, heard)
            session.grow()
            self._agreed(session.progress, is_played=False)
            session.play(nullcontext(executor), math.inf)
            self._agreed(session.progress, is_played=False)
        return session.run

    def _agreed(self, progress: Progress, *, is_played: bool = True) -> Snapshot:
        """What both tell now."""
        self._clock.now += 1
        self.reader = self.reader or Reader(RUN)
        snapshot, own = self.reader.refresh(), progress.figures()
        if not is_played:
            own = own._replace(rate=None, left=None)
            assert snapshot.figures._replace(rate=None, left=None) == own
        else:
            assert snapshot.figures == own
        at_once = table_of(StoredRun(RUN)).sections
        assert tables.json_text(snapshot.sections) == tables.json_text(at_once)
        return snapshot


def played(both: Both, bad: str, seed: int, until: int) -> Run:
    """To the end, with kills."""
    for number in range(99):
        executor = InMemory(2, troubled(seed + 1000 * number, bad), away=1)
        try:
            return both.session(executor, until)
        except Killed:
            continue
    raise AssertionError("it never ended")


@pytest.mark.parametrize(("seed", "until"), some([(1, 23), (4, 999), (2, 23), (3, 23)], every=4))
def test_of_a_run_with_faults_voids_withdrawals_and_kills(clock, seed, until) -> None:
    games = "games: [dragonheart, {rules: dragonkrak, seats: 3}]\n"
    path = cup("abcde", f"{games}schedule: {{deals: 4}}\nbreaker: {{after: 6}}\n")
    both = Both(path, clock)
    run = played(both, "de", seed, until)
    first, last = both.seen[0], both.seen[-1]
    assert first.total == first.planned == last.planned == run.schedule.games
    assert (set(last.withdrawn), last.done) == ({"d", "e"}, last.total)
    assert last.total < last.planned
    assert sorted(both.told) == ["d", "e"]
    assert 0 < last.uncounted <= last.faults
    assert sum(last.voids.values()) > 0
    for before, after in pairwise(both.seen):
        assert before.faults <= after.faults
        if (before.total, before.done) > (after.total, after.done):
            assert before.withdrawn != after.withdrawn, "what falls is told"
            assert str(after.planned - (after.total or 0)) in fewer_words(after)


@pytest.mark.extensions("rounds")
@pytest.mark.parametrize("seed", some(range(3), every=3))
def test_of_a_run_that_grows_by_rounds_over_kills(clock: Clock, seed: int) -> None:
    plan = "game: dragonheart\nschedule: {kind: swiss, rounds: 4, deals: 2}\n"
    both = Both(cup("abcdef", f"{plan}breaker: {{after: 4}}\n"), clock)
    run = played(both, "f", seed, 7)
    assert run.manifest.is_over
    assert both.reader is not None
    turns = [figures.turn for figures in both.seen]
    assert list(dict.fromkeys(turns)) == [CurrentRound(number, 4) for number in (1, 2, 3, 4)]
    last = both.reader.refresh().figures
    assert (last.turn, last.withdrawn, last.done) == (CurrentRound(4, 4), ("f",), last.total)
    (section,) = both.reader.refresh().sections
    assert json.loads(tables.json_text([section]))["tables"][0]["panels"]["rounds"]["over"] == 4
