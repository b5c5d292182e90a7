"""Ladders in a temporary folder: bots that are only numbers, games from memory, a clock of ours."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import random
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from itertools import repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import pytest

from arena.extensions.ladder.admission import AdmissionResult
from arena.extensions.ladder.book import LadderBot
from arena.extensions.ladder.file import load_ladder
from arena.extensions.ladder.keeper import Keeper, LadderContext
from arena.extensions.ladder.store import place_of
from arena.games.registry import make_rules
from arena.referee.play import GameConditions, play_game
from arena.runs.config.tournament import Tournament
from arena.runs.manifest import read_manifest
from arena.runs.store import Store
from arena.tournament.events import Event, Judge, Stoppable
from arena.tournament.prepare import PlayResult
from arena.tournament.run import Run
from arena.tournament.session import Session
from arena.values.results import (
    Fault,
    FaultKind,
    GameDone,
    GameResult,
    GameSpec,
    SeatUsage,
    Termination,
    TimeControl,
)
from tests.referee.scripted import FakeTime, Scripted, action, seated
from tests.tournament.executors import InMemory, Play
from tests.tournament.folders import write

FILE: Final = """\
arena: 1
game: dragonheart
seed: 1
schedule: {{deals: 1{schedule}}}
isolation: none
anchors:
  - {{bot: anchors/rock, elo: 1000}}
  - bot: anchors/sand
{more}
"""
Strength: TypeAlias = tuple[int, float, FaultKind]
"""Elo, the share of games with a fault, and which."""
START: Final = datetime.datetime(2030, 1, 1, 12, tzinfo=datetime.UTC)
SECRET: Final = "a word for the author alone"
_MOST_SLEPT: Final = 1000
_PER_GAME: Final = 0.01
"""Seconds on the clock."""


class FakeClock:
    """A clock that passes by what is slept, and by what is played."""

    def __init__(self, start: datetime.datetime = START) -> None:
        self._start = start
        self.passed = 0.0
        self._slept = 0
        self.slept: Callable[[float], None] = lambda seconds: None
        """Called with each sleep."""

    def now(self) -> datetime.datetime:
        """See Clock."""
        return self._start + datetime.timedelta(seconds=self.passed)

    def seconds(self) -> float:
        """See Clock."""
        return self.passed

    def sleep(self, seconds: float) -> None:
        """See Clock."""
        self._slept += 1
        assert self._slept < _MOST_SLEPT, "nothing happens any more"
        self.passed += seconds
        self.slept(seconds)

    def next_day(self) -> None:
        """To 0:00 UTC."""
        now = self.now()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self.passed += (midnight + datetime.timedelta(days=1) - now).total_seconds()


def bot(folder: Path, elo: int, faults: float = 0.0, kind: FaultKind = FaultKind.CRASH) -> Path:
    """A bot of that strength, which commits a fault in such a share of its games."""
    write(folder / "main.py", f"# {elo} {faults}\n")
    write(folder / "strength", f"{elo} {faults} {kind}\n")
    write(folder / "bot.yaml", f"bot: 1\nname: {folder.name}\ncommand: [python3, main.py]\n")
    return folder


def ladder(folder: Path, more: str = "", schedule: str = "", *, seeded: bool = True) -> Path:
    """Two anchors and a ladder file."""
    file = FILE if seeded else FILE.replace("seed: 1\n", "")
    folder.mkdir(exist_ok=True)
    bot(folder / "anchors" / "rock", 1000)
    bot(folder / "anchors" / "sand", 800)
    write(folder / "ladder.yaml", file.format(more=more, schedule=schedule))
    return folder


def submit(
    folder: Path,
    author: str,
    name: str,
    elo: int,
    faults: float = 0.0,
    kind: FaultKind = FaultKind.CRASH,
    version: int = 1,
) -> Path:
    """Put a bot there at once, in place of what is there."""
    target = folder / "submissions" / author / name
    if target.exists():
        shutil.rmtree(target)
    bot(target, elo, faults, kind)
    write(target / "notes", f"{author} {version}\n")
    return target


class World:
    """What keepers of a ladder live in: one after another, as processes would."""

    def __init__(self, folder: Path, clock: FakeClock | None = None) -> None:
        self.folder = folder
        self.clock = clock or FakeClock()
        self.said: list[str] = []
        self.reported: list[str] = []
        """What the organiser was told of bugs."""
        self.unfit: dict[str, Sequence[str]] = {}
        """By name of a bot, what is found when it is examined."""
        self.fails: dict[str, Callable[[], object]] = {}
        """By name of a bot, what happens when it is examined."""
        self.examined: list[str] = []
        self.games = 0
        """Played in all."""
        self.still = 0.0
        self.file_time: Callable[[], float] = lambda: 4e9
        self.kill_at: int | None = None
        """Before which of these games the process dies."""
        self.interrupt_at: int | None = None

    def keeper(self, overrides: Iterable[str] = ()) -> Keeper:
        """A new one, which finds what is on disk."""
        found = load_ladder(self.folder, tuple(overrides))
        terms = LadderContext(
            clock=self.clock,
            play=self.play,
            examine=self.examine,
            say=self.said.append,
            report=self.reported.append,
            still=self.still,
            file_time=self.file_time,
        )
        return Keeper(found, terms)

    def keep(self, overrides: Iterable[str] = (), **asked: int | bool) -> str:
        """Keep it for a while; why it ended."""
        with self.keeper(overrides) as keeper:
            return keeper.keep(**asked).name  # type: ignore[arg-type]

    def examine(self, folder: Path, own: LadderBot) -> AdmissionResult:
        """See ``admission.Examine``."""
        self.examined.append(own.name)
        self.fails.get(own.name, lambda: None)()
        said = self.unfit.get(own.name, ())
        return AdmissionResult(not said, tuple(said))

    def play(self, tournament: Tournament, run: Run, judge: Judge) -> PlayResult:
        """See ``keeper.Play``."""
        strengths = {
            name: self.strength(name, each.digest) for name, each in run.manifest.players.items()
        }
        due = self.interrupt_at is not None
        with Store(run.folder) as store:

            def heard(event: Event) -> None:
                if isinstance(event, Stoppable):
                    self._stop = event.stop

            session = Session(run, store, heard, judge)
            session.grow()
            if not session.is_done:
                executor = InMemory(2, self._player(strengths))
                session.play(nullcontext(executor), 10.0)
        is_interrupted = due and self.interrupt_at is None
        return PlayResult(session.progress, is_interrupted, session.run)

    def strength(self, name: str, digest: str) -> Strength:
        """Of an entrant."""
        folder = place_of(self.folder, digest)
        if not folder.is_dir():
            folder = self.folder / "anchors" / name
        elo, faults, kind = (folder / "strength").read_text().split()
        return int(elo), float(faults), FaultKind(kind)

    def _player(self, strengths: dict[str, Strength]) -> Play:
        def play(spec: GameSpec) -> GameDone:
            if self.games == self.kill_at:
                self.kill_at = None
                raise Killed
            self.games += 1
            self.clock.passed += _PER_GAME
            if self.games == self.interrupt_at:
                self.interrupt_at = None
                self._stop()
            return played(spec, [strengths[name] for name in spec.entrants])

        return play


class Dealt(World):
    """Its games are dealt and played in truth, by bots that take the first legal action.

    What they write says ``SECRET``.
    """

    def play(self, tournament: Tournament, run: Run, judge: Judge) -> PlayResult:
        """See ``keeper.Play``."""
        self._schedule, self._rules = run.schedule, make_rules(run.manifest.disciplines[0].rules)
        return super().play(tournament, run, judge)

    def _player(self, strengths: dict[str, Strength]) -> Play:
        counted = super()._player(strengths)

        def play(spec: GameSpec) -> GameDone:
            spent = counted(spec)
            assert isinstance(spent, GameDone)
            number = self._schedule.number(spec.game_id)
            assert number is not None
            seeds = self._schedule.seeds_at(number)
            bots = [Scripted(repeat(_first)) for _ in spec.entrants]
            if seeds.bot(spec, 0) % 3 == 0:
                bots[0] = Scripted([_first, f"{SECRET}\n".encode()])
            told = tuple(seeds.bot(spec, seat) for seat in range(len(bots)))
            own = GameConditions(TimeControl(), "opaque", told, ({},) * len(bots), None)
            players = [seated(each) for each in bots]
            for each in bots:
                each.errors = SECRET
            done = play_game(self._rules, players, spec, seeds.deal(spec.deal), own, FakeTime())
            return GameDone(done.result, done.record, done.stderr, done.evidence, spent=spent.spent)

        return play


def _first(asked: dict[str, Any]) -> bytes:
    return action(asked["id"], 0, info=SECRET)


class Killed(BaseException):
    """The process is no more."""


def played(spec: GameSpec, strengths: Sequence[Strength]) -> GameDone:
    """A game of bots of these strengths; the same each time it is played."""
    rng = random.Random(hashlib.sha256(spec.game_id.encode()).digest())
    seats = range(len(strengths))
    faulty = next((seat for seat in seats if rng.random() < strengths[seat][1]), None)
    order = sorted(seats, key=lambda seat: -_shown(strengths[seat][0], rng))
    places = [order.index(seat) + 1 for seat in seats]
    faults: tuple[Fault, ...] = ()
    if faulty is not None:
        places = [1 if seat != faulty else len(places) for seat in seats]
        faults = (Fault(faulty, strengths[faulty][2], 1, "ended"),)
    completed = Termination.FORFEITED if faults else Termination.COMPLETED
    scores = None if faults else tuple(len(places) - place for place in places)
    result = GameResult(spec, completed, tuple(places), 1, "0" * 64, scores, faults)
    stderr = ["trace of mine" if seat == faulty else "" for seat in seats]
    spent = tuple(SeatUsage((), 0, 1, 2000, 1 << 20) for _ in seats)
    return GameDone(result, b"r" * 5000, tuple(stderr), spent=spent)


def _shown(elo: int, rng: random.Random) -> float:
    """What it plays like in one game: the difference of two has the logistic law of Elo."""
    return elo - 400 * math.log10(-math.log(1.0 - rng.random()))


def made(folder: Path, more: str = "budget: {games: 12}", **terms: str) -> World:
    """A world with a ladder in a folder."""
    return World(ladder(folder / "l", more, terms.get("schedule", "")))


def enter(world: World, *authors: str) -> World:
    """Submit a bot of each author, all of different strength."""
    for author in authors:
        submit(world.folder, author, "x", 1000 + ord(author[0]))
    return world


def of_two(folder: Path, more: str = "") -> World:
    """A world with a ladder in which two have submitted."""
    world = made(folder, more)
    submit(world.folder, "anna", "x", 1100)
    submit(world.folder, "bert", "x", 1200)
    return world


def table(world: World) -> dict[str, Any]:
    """Its rows, by name."""
    found = json.loads((world.folder / "table.json").read_text())
    return {each["name"]: each for each in found["data"]["bots"]}


def told(world: World, author: str, name: str = "") -> str:
    """What an author was told of a bot."""
    folder = world.folder / "answers"
    return folder.joinpath(*([author, f"{name}.txt"] if name else [f"{author}.txt"])).read_text()


def events(world: World) -> list[tuple[str, str]]:
    """The book: what happened, and to which bot."""
    lines = (world.folder / "submissions.jsonl").read_text().splitlines()
    return [(each["what"], f"{each['author']}.{each['bot']}") for each in map(json.loads, lines)]


def active(world: World) -> set[str]:
    """Who plays."""
    field = read_manifest(world.folder / "run").field
    return set(field.identities) - field.left


def dated(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are stored at the time of the world's clock."""
    now = SimpleNamespace(now=lambda zone: world.clock.now())
    clock = SimpleNamespace(datetime=now, UTC=datetime.UTC)
    monkeypatch.setattr("arena.runs.store.datetime", clock)
