"""Random histories of runs: each line of entries.jsonl follows, and what was published stands.

Games come from memory. Bots fail, bring their workers down, leave, return and are replaced; runs
are stopped between rounds; the process is killed anywhere, also while a line is written.

``ARENA_HISTORIES=1002 pytest tests/tournament/test_histories.py -k published --timeout 0`` checks
1002 histories (15 minutes on one core); without the variable there are 60.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.views.bracket import KnockoutData
from arena.extensions.rounds.views.groups import GroupData
from arena.extensions.rounds.views.places import RoundsData
from arena.runs.config.tournament import Tournament, load_tournament
from arena.runs.disk import StoreError
from arena.runs.field import ENTRIES, FieldChange, read_changes
from arena.runs.manifest import is_run, read_manifest
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES, Store
from arena.runs.verify import RunVerifier
from arena.runs.voids import VOIDS
from arena.runs.withdrawals import Ground
from arena.tournament import run as runs
from arena.tournament import session as sessions
from arena.tournament.events import RoundLimit
from arena.tournament.executor import Lost
from arena.tournament.run import open_run
from arena.tournament.session import Session
from arena.values.results import (
    Fault,
    FaultKind,
    GameDone,
    GameResult,
    GameSpec,
    SeatUsage,
    Termination,
    player_of,
)
from arena.views.standings.standings import table_of
from tests.cli.shell import bot
from tests.rows import some
from tests.tournament.executors import InMemory

NAMES: Final = "abcdefgh"
KINDS: Final = {
    "swiss": ("dragonheart", "kind: swiss, rounds: 4, deals: 2"),
    "tables": ("{rules: dragonkrak, seats: 3}", "kind: swiss, rounds: 3, deals: 1"),
    "knockout": ("dragonheart", "kind: knockout, deals: 2, most: 4, third_place: true"),
    "lives": ("dragonheart", "kind: knockout, deals: 1, most: 2, lives: 2"),
    "heats": ("{rules: dragonkrak, seats: 3}", "kind: knockout, deals: 1, most: 2"),
    "ladder": ("dragonheart", "kind: ladder, rounds: 8, deals: 1"),
    "stages": (
        "dragonheart",
        "deals: 1, stages: [{kind: swiss, rounds: 2}, {kind: round_robin, first: 4}, "
        "{kind: knockout, first: 3}]",
    ),
    "groups": (
        "dragonheart",
        "deals: 1, stages: [{kind: groups, of: 4, advance: 2, draw: seeded}, "
        "{kind: knockout, first: 4, deals: 1, most: 2}]",
    ),
    "refills": ("{rules: dragonkrak, seats: 3}", "max_pairings: 10, deals: 1"),
}

PUBLISHED: Final = ("swiss", "tables", "knockout", "lives", "heats", "stages", "groups")
"""Kinds in which rounds that are over decide what follows."""
HISTORIES: Final = int(os.environ.get("ARENA_HISTORIES", "60")) // len(PUBLISHED)

pytestmark = [pytest.mark.usefixtures("empty_records"), pytest.mark.slow]


class Killed(BaseException):
    """The process is no more."""


class Bot(NamedTuple):
    """What a bot is like."""

    strength: float
    faults: float
    """The share of games with one of its own."""
    kind: FaultKind
    deadly: float
    """The share of games in which it brings its worker down, each time, ..."""
    until: int
    """... of those of rounds from this one on."""


class History:
    """A run that is played in one session after another."""

    def __init__(self, folder: Path, kind: str, seed: int, *, hard: bool = True) -> None:
        """``hard``: with killed processes, dead workers, and a field that changes."""
        self.folder = folder
        (folder / "run").mkdir()
        self.kind = kind
        self.chance = Random(seed)
        self.seed = seed
        self.hard = hard
        for version in range(1, 4):
            for name in NAMES:
                self._bot(name, version)
        size = max(self.chance.randint(4, 7), 6 if kind == "groups" else 0)  # two groups
        self.there = dict.fromkeys(NAMES[:size], 1)
        """By player the version that plays."""
        self.before: dict[str, int] = {}
        """By player a version that left."""
        self.is_dead = False
        """Whether the process was killed in this session."""
        self.then = self.chance.choice(["withdraw", "withdraw", "stop"]) if hard else "withdraw"

    def _bot(self, name: str, version: int) -> None:
        home = self.folder / str(version)
        home.mkdir(exist_ok=True)
        if not (home / name).exists():
            bot(home, name, f"# {version}")

    def character(self, name: str) -> Bot:
        """Of an entrant, the same each time."""
        own = Random(f"{self.seed} {name}")
        faults = own.choice([0.0, 0.1, 0.3, 0.5, 0.8])
        kind = own.choice([FaultKind.CRASH, FaultKind.STARTUP])
        deadly = own.choice([0.0, 0.0, 0.0, 0.6, 1.0]) if self.hard else 0.0
        return Bot(own.random(), faults, kind, deadly, own.randint(1, 4))

    def tournament(self, there: dict[str, int]) -> Tournament:
        """As its file has it, with these."""
        game, schedule = KINDS[self.kind]
        entrants = "".join(f"  - bot: {version}/{name}\n" for name, version in there.items())
        path = self.folder / "cup.yaml"
        path.write_text(
            f"arena: 1\ngame: {game}\nseed: 1\nisolation: none\nschedule: {{{schedule}}}\n"
            f"breaker: {{faults: 40 %, after: 4, starts: 2, then: {self.then}}}\n"
            f"entrants:{'' if there else ' []'}\n{entrants}"
        )
        tournament = load_tournament(path, has_begun=is_run(self.folder / "run"))
        entrants = [
            msgspec.structs.replace(each, unbuilt=self._unbuilt(each.name))
            for each in tournament.entrants
        ]
        return msgspec.structs.replace(tournament, entrants=tuple(entrants))

    def _unbuilt(self, name: str) -> str:
        """Return why a version of a bot cannot be built, the same each time; mostly nothing."""
        version = self.there.get(name, 1)
        fails = Random(f"{self.seed} {version}/{name}").random() < 0.1
        return "no compiler" if fails and self.kind != "ladder" else ""

    def change(self) -> None:
        """Somebody comes, goes, or is another one by now, if that may be."""
        there = dict(self.there)
        name = self.chance.choice(NAMES)
        if self.before and self.chance.random() < 0.5:
            name = self.chance.choice(sorted(self.before))
            there[name] = self.before[name]
        elif name in there and self.chance.random() < 0.5:
            del there[name]
        else:
            there[name] = self.chance.randint(1, 3)
        if len(there) < 3:
            return
        self.before |= {n: v for n, v in self.there.items() if there.get(n) != v}
        self.there = there

    def kill(self) -> None:
        """End the process."""
        self.is_dead = True
        raise Killed

    def play(self, places: int, cut: float, rounds: int | None = None) -> bool:
        """Play one session.

        ``cut``: probability of a kill at each game; eight times that at each change of the chain.
        ``rounds``: stop after so many. Returns whether the run is over.
        """
        self.is_dead = False
        with pytest.MonkeyPatch.context() as patch:
            self._make_mortal(patch, 8 * cut)
            try:
                return self._play(places, cut, None if rounds is None else RoundLimit(rounds))
            except Killed:
                return False

    def _make_mortal(self, patch: pytest.MonkeyPatch, risk: float) -> None:
        """Kill the process before, within and after a write of a change, with a probability."""

        def mortal(write: Callable[..., None]) -> Callable[..., None]:
            def written(*given: object) -> None:
                if self.chance.random() < risk / 3:
                    self.kill()
                write(*given)
                if self.chance.random() < risk / 3:
                    self.kill()

            return written

        def torn(folder: Path, change: FieldChange) -> None:
            if self.chance.random() < risk / 3:
                with (folder / ENTRIES).open("ab") as file:
                    file.write(change.line[: self.chance.randrange(len(change.line))])
                self.kill()
            add_change(folder, change)

        def kept(folder: Path, *given: object) -> None:
            if not self.is_dead:
                keep_seed(folder, *given)

        add_change, keep_seed = runs.add_change, sessions.keep_seed
        patch.setattr(runs, "add_change", mortal(torn))
        patch.setattr(runs, "write_atomically", mortal(runs.write_atomically))
        patch.setattr(sessions, "keep_seed", kept)

    def _play(self, places: int, cut: float, judge: RoundLimit | None) -> bool:
        folder = self.folder / "run"
        there, before = self.there, dict(self.before)
        if is_run(folder) and self.hard and self.chance.random() < 0.6:
            self.change()
        try:
            run = open_run(self.tournament(self.there), folder, None)
        except StoreError:
            self.there, self.before = there, before
            run = open_run(self.tournament(self.there), folder, None)
        store = Store(folder)

        def kill() -> None:
            store._broken = True  # what waits to be put on disk is lost
            self.kill()

        session = Session(run, store, judge=judge)

        def played(spec: GameSpec) -> GameDone | Lost:
            if self.chance.random() < cut:
                kill()
            if self.chance.random() < 0.2:
                store.flush()
            return self.game(spec)

        with store:
            session.grow()
            if not session.is_done:
                session.play(nullcontext(InMemory(places, played)), math.inf)
        if not session.progress.is_finished and self.chance.random() < 0.7 and len(self.there) > 4:
            stuck = [n for n in self.there if self.character(n).deadly]  # somebody takes it out
            if stuck:
                out = self.chance.choice(stuck)
                self.there = {n: v for n, v in self.there.items() if n != out}
        return session.progress.is_finished and session.run.manifest.is_over

    def game(self, spec: GameSpec) -> GameDone | Lost:
        """The same each time, but for workers that die of something else."""
        number = next((int(p[5:]) for p in spec.game_id.split("/") if p.startswith("round")), 1)
        bots = [self.character(name) for name in spec.entrants]
        own = Random(f"{self.seed} {spec.game_id}")
        if any(own.random() < each.deadly and number >= each.until for each in bots):
            return Lost("died")
        if self.hard and self.chance.random() < 0.02:
            return Lost("died")
        seats = range(len(bots))
        faults = tuple(
            Fault(s, bots[s].kind, 0, "") for s in seats if own.random() < bots[s].faults
        )
        shown = {seat: own.random() * bots[seat].strength for seat in seats}
        faulty = {fault.seat for fault in faults}
        order = sorted(seats, key=lambda seat: (seat in faulty, -shown[seat]))
        places = tuple(order.index(seat) + 1 for seat in seats)
        completed = Termination.FORFEITED if faults else Termination.COMPLETED
        result = GameResult(spec, completed, places, 1, "0" * 64, faults=faults)
        spent = tuple(SeatUsage((), 0, 1, own.randint(0, 100) * 1_000_000, 1) for _ in seats)
        return GameDone(result, b"r", ("",) * len(bots), spent=spent)

    def tear(self) -> None:
        """Append what a kill may have left of a last line."""
        for name in (GAMES, VOIDS):
            path = self.folder / "run" / name
            if path.exists():
                with path.open("ab") as file:
                    file.write(b'{"torn": ')

    def differences(self) -> list[str]:
        """What of the lines does not follow from what is stored."""
        folder = self.folder / "run"
        verifier = RunVerifier(folder)
        found = [finding for each in verifier.games() for finding in each.findings]
        found += verifier.findings
        return [str(each) for each in found if each.where.startswith(ENTRIES)]

    def published(self) -> dict[object, object]:
        """Return what the tables of the run show as decided: matches, ties, places of losers."""
        folder = self.folder / "run"
        if not is_run(folder):
            return {}
        found: dict[object, object] = {}
        for number, line in enumerate(self.entries().splitlines(keepends=True)):
            found["line", number] = line
        (section,) = table_of(StoredRun(folder)).sections
        for panel in () if section.rounds is None else section.rounds():
            if isinstance(panel.data, RoundsData | GroupData):
                for met in panel.data.meetings:
                    if met.points is not None:
                        found["match", met.round, met.names] = met.points, met.blocks, met.is_played
            if isinstance(panel.data, KnockoutData):
                for tie in panel.data.ties:
                    if tie.order:
                        sides = [(player_of(side.name), side.points) for side in tie.sides]
                        order = [*map(player_of, tie.order)]
                        found["tie", tie.name] = sides, order, tie.by, tie.deals
                for place in panel.data.places:
                    found["place", player_of(place.name)] = place.place
        return found

    def entries(self) -> bytes:
        """Return the whole lines of entries.jsonl."""
        path = self.folder / "run" / ENTRIES
        data = path.read_bytes() if path.exists() else b""
        return data[: data.rfind(b"\n") + 1]

    def undetected(self) -> list[int]:
        """Return the lines of entries.jsonl that can be removed, and verification finds nothing."""
        lines = self.entries().splitlines(keepends=True)
        path = self.folder / "run" / ENTRIES
        found = []
        for number in range(len(lines)):
            path.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
            try:
                if not self.differences():
                    found.append(number)
            except StoreError:
                pass
        path.write_bytes(b"".join(lines))
        return found

    def lines(self) -> list[object]:
        """What followed, of all lines."""
        changes = read_changes(self.folder / "run", read_manifest(self.folder / "run").commitment)
        return [(each.follows, each.refills, each.pairings) for each in changes]


@pytest.mark.parametrize("kind", some([*KINDS], every=2))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_every_line_follows_from_what_was_there(kind, seed, tmp_path_factory) -> None:
    history = History(tmp_path_factory.mktemp(kind), kind, seed)
    for _ in range(8):
        is_over = history.play(history.chance.randint(1, 4), history.chance.choice([0, 0.01, 0.1]))
        assert history.differences() == []
        if is_over and kind != "refills":
            break
        history.tear()


@pytest.mark.parametrize("kind", some(PUBLISHED, every=2))
@given(seed=st.integers(0, 2**32))
@example(seed=269)  # of heats: two are left, and one leaves before the final is on disk
@settings(max_examples=HISTORIES, deadline=None)
def test_what_was_published_stands_and_no_decision_can_be_removed(
    kind: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    history = History(tmp_path_factory.mktemp(kind), kind, seed)
    before: dict[object, object] = {}
    for _ in range(10):
        rounds = history.chance.choice([None, 1, 1])
        risk = history.chance.choice([0, 0.01, 0.1])
        is_over = history.play(history.chance.randint(1, 4), risk, rounds)
        now = history.published()
        assert {key: now.get(key) for key in before} == before
        before = now
        if is_over:
            break
        history.tear()
    history.play(1, 0)  # a line that a kill came after is bound by the next session
    assert history.differences() == []
    assert history.undetected() == []


@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_ends_when_too_few_are_left(kind: str, left: int, tmp_path: Path) -> None:
    history = History(tmp_path, kind, 1, hard=False)
    history.play(1, 0, None if kind == "refills" else 1)
    history.there = dict([*history.there.items()][:left])
    assert history.play(1, 0) == (kind != "ladder")  # a ladder waits for others
    assert history.differences() == []


@pytest.mark.parametrize("kind", some([*reversed(KINDS)], every=2))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None)
def test_neither_workers_nor_kills_change_what_follows(kind, seed, tmp_path_factory) -> None:
    straight = History(tmp_path_factory.mktemp(kind), kind, seed, hard=False)
    straight.play(1, 0)
    other = History(tmp_path_factory.mktemp(kind), kind, seed, hard=False)
    for _ in range(12):
        if other.play(other.chance.randint(1, 4), 0.05):
            break
        other.tear()
    other.play(4, 0)
    assert other.lines() == straight.lines()
    assert other.differences() == []


def test_histories_have_all_that_can_happen(tmp_path_factory: pytest.TempPathFactory) -> None:
    grounds: set[Ground] = set()
    lines = 0
    for seed in range(12):
        kind = "tables" if seed % 4 == 3 else "ladder"
        history = History(tmp_path_factory.mktemp("all"), kind, seed)
        for _ in range(8):
            history.play(2, history.chance.choice([0, 0.1]))
            history.tear()
        withdrawn = StoredRun(history.folder / "run").withdrawals().withdrawn
        grounds |= {each.ground for each in withdrawn.values()}
        lines += len(history.lines())
    assert grounds == {*Ground} - {Ground.RULING}  # nobody rules here
    assert lines > 50
