"""When a bot is given up: because of its own faults, or because it brings its workers down.

Both are pure functions of the plan and of what the run folder holds, so that play, a resumed
run, the tables and ``arena verify`` agree. Faults are judged in the order of the schedule, not
of arrival: a game with a bot that is given up already is skipped, any other counts for its
entrants. So the outcome depends neither on the number of workers nor on when a run was stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from arena.results import BreakerPolicy, FaultKind, GameResult, Then, VoidCause
from arena.runs.voids import Void
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Done, Schedule

_DEATHS: Final = 2
"""A game that was never finished is deadly when so many workers died in it: one may have died
of anything."""
_DEADLY_GAMES: Final = 3
"""A bot is not suspected for fewer."""


class Ground(StrEnum):
    """Why a bot was given up."""

    STARTUP = "startup"
    FAULTS = "faults"
    WORKER = "worker"


class Withdrawal(msgspec.Struct, frozen=True):
    """A bot that was given up, and what for."""

    name: str
    ground: Ground
    games: int
    """That led to it: those that counted for the bot until then, or the deadly ones."""
    faults: dict[FaultKind, int] = {}
    """Its own in these games, by kind in the order of FaultKind."""
    at: int = 0
    """The number of the last of these games in the schedule."""

    @property
    def reason(self) -> str:
        """In words."""
        match self.ground:
            case Ground.STARTUP:
                return "could not be started"
            case Ground.WORKER:
                return f"brought its worker down in {self.games} games"
            case Ground.FAULTS:
                kinds = ", ".join(f"{count} {kind}" for kind, count in self.faults.items())
                faulty = sum(self.faults.values())
                return f"{faulty} of {self.games} games with a fault ({kinds})"


class Verdict(NamedTuple):
    """What became of the bots of a run."""

    withdrawn: Mapping[str, Withdrawal]
    """By name, in the order in which it happened."""
    stopped: Withdrawal | None
    """The bot because of which the run was stopped, where that is the policy."""


class Breaker:
    """Judges while results arrive, in any order.

    It costs next to nothing as long as no bot has faults enough to be given up.
    """

    def __init__(self, schedule: Schedule, policy: BreakerPolicy, done: Done) -> None:
        """``done``: the numbers of finished games; the caller adds to it, then calls ``add``."""
        self._schedule = schedule
        self._policy = policy
        self._done = done
        self._faults: dict[int, tuple[tuple[str, FaultKind], ...]] = {}
        self._screen = Screen(policy)
        self._deaths: Counter[int] = Counter()
        self._names: dict[int, Pairing] = {}
        self._fold = _Fold(schedule, policy, {})
        self._died = False

    @property
    def verdict(self) -> Verdict:
        """As of the last ``judge``."""
        return Verdict(self._fold.withdrawn, self._fold.stopped)

    def add(self, number: int, result: GameResult) -> None:
        """Take a finished game."""
        if result.faults:
            entrants = result.spec.entrants
            self._faults[number] = tuple((entrants[f.seat], f.kind) for f in result.faults)
            self._screen.add(result)

    def add_void(self, void: Void) -> None:
        """Take a game that could not be played. Only dead workers matter here."""
        number = self._schedule.number(void.game)
        if void.cause is VoidCause.WORKER and number is not None:
            self._deaths[number] += 1
            self._names[number] = void.entrants
            self._died = True

    def judge(self) -> bool:
        """Consider all that arrived; whether the verdict is another one than before."""
        if self._policy.then is Then.IGNORE or not (self._died or self._screen.is_raised):
            return False
        before = self._fold.withdrawn.copy(), self._fold.stopped
        if self._died:
            self._died = False
            guilty = self._guilty()
            if guilty.keys() - self._fold.withdrawn.keys():
                self._fold = _Fold(self._schedule, self._policy, guilty)
        if self._screen.is_raised:
            self._fold.advance(self._done, self._faults)
        return before != (self._fold.withdrawn, self._fold.stopped)

    def _guilty(self) -> dict[str, Withdrawal]:
        deadly = {
            number: self._names[number]
            for number, deaths in self._deaths.items()
            if deaths >= _DEATHS and number not in self._done
        }
        return brought_down(self._schedule, self._done, deadly)


class Screen:
    """Whether any bot has faults enough to be looked at. Cheap, and never wrong with no."""

    def __init__(self, policy: BreakerPolicy) -> None:
        self._policy = policy
        self._faults: Counter[str] = Counter()
        self._startups: Counter[str] = Counter()
        self.is_raised = False

    def add(self, result: GameResult) -> None:
        """Take a finished game with faults."""
        for fault in result.faults:
            name = result.spec.entrants[fault.seat]
            self._faults[name] += 1
            self._startups[name] += fault.kind is FaultKind.STARTUP
            # of at least so many games, more than the share: by no more games can it be less
            if self._faults[name] > self._policy.faults * self._policy.after:
                self.is_raised = True
            if self._startups[name] >= self._policy.starts:
                self.is_raised = True


class _Fold:
    """Goes through the games in order of play, as far as they are done."""

    def __init__(
        self, schedule: Schedule, policy: BreakerPolicy, guilty: Mapping[str, Withdrawal]
    ) -> None:
        """``guilty`` are given up before the first game."""
        self._policy = policy
        self._schedule = schedule
        self._rounds = 0
        """So many are in the order by now."""
        self._order: Iterator[tuple[int, Pairing]] = iter(())
        self._next: tuple[int, Pairing] | None = None
        self._step()
        self._games: Counter[str] = Counter()
        self._faults: dict[str, Counter[FaultKind]] = {}
        self.withdrawn: dict[str, Withdrawal] = {}
        self.stopped: Withdrawal | None = None
        for withdrawal in guilty.values():
            self._give_up(withdrawal)

    def advance(
        self, done: Container[int], faults: Mapping[int, Iterable[tuple[str, FaultKind]]]
    ) -> None:
        """Go on up to the first game that is missing and will be played."""
        if self._next is None:  # rounds may have been added
            self._step()
        while self._next is not None and self.stopped is None:
            number, names = self._next
            if self.withdrawn.keys().isdisjoint(names):
                if number in done:
                    self._count(number, names, faults.get(number, ()))
                elif not self._schedule.has_left(number, names):
                    return
            self._step()

    def _step(self) -> None:
        """Look at the next game, that of a later round too."""
        self._next = next(self._order, None)
        while self._next is None and self._rounds < self._schedule.rounds:
            self._order = self._schedule.order(self._rounds)
            self._rounds = self._schedule.rounds
            self._next = next(self._order, None)

    def _count(self, number: int, names: Pairing, faults: Iterable[tuple[str, FaultKind]]) -> None:
        for name in names:
            self._games[name] += 1
        for name, kind in faults:
            self._faults.setdefault(name, Counter())[kind] += 1
        for name in names:
            if name in self._faults and (ground := self._ground(name)) is not None:
                kinds = {kind: self._faults[name][kind] for kind in FaultKind}
                found = {kind: count for kind, count in kinds.items() if count}
                self._give_up(Withdrawal(name, ground, self._games[name], found, number))

    def _ground(self, name: str) -> Ground | None:
        games, faults, policy = self._games[name], self._faults[name], self._policy
        if games == policy.starts == faults[FaultKind.STARTUP]:
            return Ground.STARTUP
        if games >= policy.after and faults.total() > policy.faults * games:
            return Ground.FAULTS
        return None

    def _give_up(self, withdrawal: Withdrawal) -> None:
        if self._policy.then is Then.STOP and withdrawal.name not in self._schedule.left:
            self.stopped = self.stopped or withdrawal
        else:
            self.withdrawn[withdrawal.name] = withdrawal


def brought_down(
    schedule: Schedule, done: Done, deadly: Mapping[int, Pairing]
) -> dict[str, Withdrawal]:
    """The bots that bring their workers down, worst first.

    ``deadly``: who plays the games, by number, in which workers died again and again. A bot is
    guilty if it plays in more of them than any other suspect, and has finished no game that
    comes later in the schedule than the first of them. Nobody is if two are equally suspect.
    """
    guilty: dict[str, Withdrawal] = {}
    while True:
        left = {n: names for n, names in deadly.items() if guilty.keys().isdisjoint(names)}
        games = Counter(name for names in left.values() for name in names)
        suspects = {name for name, count in games.items() if count >= _DEADLY_GAMES}
        suspects -= _cleared(schedule, done, left, suspects)
        worst = max((games[name] for name in suspects), default=0)
        names = [name for name in suspects if games[name] == worst]
        if len(names) != 1:
            return guilty
        last = max(number for number, playing in left.items() if names[0] in playing)
        guilty[names[0]] = Withdrawal(names[0], Ground.WORKER, worst, at=last)


def _cleared(
    schedule: Schedule, done: Done, deadly: Mapping[int, Pairing], suspects: set[str]
) -> set[str]:
    """Those who have finished a later game than their first deadly one."""
    if not suspects:
        return set()
    begun: set[str] = set()
    cleared: set[str] = set()
    for number, names in schedule.order():
        if number in deadly:
            begun.update(suspects.intersection(names))
        elif begun and number in done:
            cleared.update(begun.intersection(names))
    return cleared
