"""Decide when a bot is withdrawn, for its own faults or because it brings workers down.

A bot that could not be built, or was disqualified with its games, is withdrawn before its first
game; the run says so, see ``Manifest.out``. The two other decisions are pure functions of the plan
and the contents of the run folder, so that play, a resumed run, the tables and ``arena verify``
agree.
Faults are judged in the order of the schedule, not of arrival: a game with a bot that was withdrawn
before it is skipped, any other game counts for its entrants. So the outcome depends neither on the
number of workers nor on when a run was stopped.

Bots that bring workers down are found leg by leg (a leg is a group of rounds, see
``schedule.schedule``), from the games up to its end. They are withdrawn from the first game
of that leg on. What followed from earlier legs stands.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Set
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from arena.runs.voids import Void
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Done, Schedule
from arena.values.results import BreakerPolicy, FaultKind, GameResult, Then, VoidCause

_DEATHS: Final = 2
"""Number of workers that must have died in an unfinished game to make it deadly; one worker may
have died of anything."""
_DEADLY_GAMES: Final = 3
"""Number of deadly games from which a bot is suspected."""


class Ground(StrEnum):
    """Reason for a withdrawal."""

    RULING = "ruling"
    BUILD = "build"
    STARTUP = "startup"
    FAULTS = "faults"
    WORKER = "worker"


class Withdrawal(msgspec.Struct, frozen=True):
    """A withdrawn bot, with the reason."""

    name: str
    ground: Ground
    games: int
    """Number of games that led to it: all that counted for the bot so far, or the deadly ones."""
    faults: dict[FaultKind, int] = {}
    """Faults of the bot in these games, by kind in the order of FaultKind."""
    at: int = 0
    """Number in the schedule of the last of these games, but never before the leg in which the
    bot was found out. -1: before all games."""
    why: str = ""
    """Reason why the bot could not be built, or was disqualified."""

    @property
    def reason(self) -> str:
        """Reason in words."""
        match self.ground:
            case Ground.RULING:
                return f"disqualified: {self.why}"
            case Ground.BUILD:
                return f"could not be built: {self.why}"
            case Ground.STARTUP:
                return "could not be started"
            case Ground.WORKER:
                return f"brought its worker down in {self.games} games"
            case Ground.FAULTS:
                kinds = ", ".join(f"{count} {kind}" for kind, count in self.faults.items())
                faulty = sum(self.faults.values())
                return f"{faulty} of {self.games} games with a fault ({kinds})"


class WithdrawalState(NamedTuple):
    """Withdrawals of a run, and whether the run was stopped."""

    withdrawn: Mapping[str, Withdrawal]
    """Withdrawn bots by name, in the order of withdrawal."""
    stopped: Withdrawal | None
    """Bot that stopped the run, if the policy is to stop; else None."""


class Breaker:
    """Judge of withdrawals; it takes results in any order.

    The cost is negligible as long as no bot has enough faults to be withdrawn.
    """

    def __init__(
        self,
        schedule: Schedule,
        policy: BreakerPolicy,
        done: Done,
        out: Mapping[str, Withdrawal] = MappingProxyType({}),
    ) -> None:
        """Create a judge without games.

        ``done``: numbers of finished games; the caller adds a number to it, then calls ``add``.
        ``out``: see ``Manifest.out``.
        """
        self._schedule = schedule
        self._policy = policy
        self._done = done
        self._faults: dict[int, tuple[tuple[str, FaultKind], ...]] = {}
        self._screen = FaultScreen(policy)
        self._deaths: Counter[int] = Counter()
        self._names: dict[int, Pairing] = {}
        self._accused = Accused({}, frozenset())
        self._before = out
        self._fold = _Fold(schedule, policy, {}, out)
        self._is_new = bool(out)
        """True if there are withdrawals that no caller has read yet."""
        self._is_due = False
        """True if the search for bots that bring workers down must be repeated."""

    @property
    def verdict(self) -> WithdrawalState:
        """Verdict of the last ``judge``."""
        return WithdrawalState(self._fold.withdrawn, self._fold.stopped)

    def add(self, number: int, result: GameResult) -> None:
        """Add a finished game."""
        entrants = result.spec.entrants
        if result.faults:
            self._faults[number] = tuple((entrants[f.seat], f.kind) for f in result.faults)
            self._screen.add(result)
        if self._deaths and not self._is_due:
            is_one_less = number in self._deaths
            self._is_due = is_one_less or not self._accused.doubtful.isdisjoint(entrants)

    def add_void(self, void: Void) -> None:
        """Add a game that could not be played. Only dead workers matter here."""
        number = self._schedule.number(void.game)
        if void.cause is VoidCause.WORKER and number is not None:
            self._deaths[number] += 1
            self._names[number] = void.entrants
            self._is_due = True

    def judge(self) -> bool:
        """Judge everything added; return whether the verdict has changed.

        A withdrawal for dead workers is revoked if another bot has become equally suspect.
        """
        was_new, self._is_new = self._is_new, False
        if self._policy.then is Then.IGNORE or not (self._is_due or self._screen.is_raised):
            return was_new
        before = self._fold.withdrawn.copy(), self._fold.stopped
        if self._is_due:
            self._is_due = False
            guilty = self._accused.guilty
            self._accused = brought_down(self._schedule, self._done, self._deadly())
            if self._accused.guilty != guilty:
                guilty = self._accused.guilty
                self._fold = _Fold(self._schedule, self._policy, guilty, self._before)
        if self._screen.is_raised:
            self._fold.advance(self._done, self._faults)
        return was_new or before != (self._fold.withdrawn, self._fold.stopped)

    def _deadly(self) -> dict[int, Pairing]:
        return {
            number: self._names[number]
            for number, deaths in self._deaths.items()
            if deaths >= _DEATHS and number not in self._done
        }


class FaultScreen:
    """Cheap test whether any bot may have enough faults to be withdrawn.

    While ``is_raised`` is false, none has.
    """

    def __init__(self, policy: BreakerPolicy) -> None:
        self._policy = policy
        self._faults: Counter[str] = Counter()
        self._startups: Counter[str] = Counter()
        self.is_raised = False

    def add(self, result: GameResult) -> None:
        """Add a finished game with faults."""
        for fault in result.faults:
            name = result.spec.entrants[fault.seat]
            self._faults[name] += 1
            self._startups[name] += fault.kind is FaultKind.STARTUP
            # withdrawal needs more than that share of faults in ``after`` or more games
            if self._faults[name] > self._policy.faults * self._policy.after:
                self.is_raised = True
            if self._startups[name] >= self._policy.starts:
                self.is_raised = True


class _Fold:
    """A pass through the games in order of play, as far as they are finished."""

    def __init__(
        self,
        schedule: Schedule,
        policy: BreakerPolicy,
        guilty: Mapping[str, Withdrawal],
        out: Mapping[str, Withdrawal],
    ) -> None:
        """Begin before the first game.

        ``guilty``: see ``Accused``; each such bot is withdrawn before the first game of the leg.
        ``out``: bots that are withdrawn before all games.
        """
        self._policy = policy
        self._schedule = schedule
        self._rounds = 0
        """Number of rounds included in ``_order``."""
        self._order: Iterator[tuple[int, Pairing]] = iter(())
        self._next: tuple[int, Pairing] | None = None
        self._step()
        self._games: Counter[str] = Counter()
        self._faults: dict[str, Counter[FaultKind]] = {}
        self.withdrawn: dict[str, Withdrawal] = dict(out)
        self.stopped: Withdrawal | None = None
        self._end = math.inf
        """Number of the first game that no longer counts because the run was stopped."""
        self._since: dict[str, float] = {
            name: math.inf if each.ground is Ground.RULING else 0 for name, each in out.items()
        }
        """Number of the first game that counts for no entrant, by withdrawn bot.

        Faults of others against a bot that was disqualified later count as they did before.
        """
        for withdrawal in guilty.values():
            self._give_up(withdrawal, schedule.leg_of(withdrawal.at))

    def advance(
        self, done: Container[int], faults: Mapping[int, Iterable[tuple[str, FaultKind]]]
    ) -> None:
        """Continue to the first game that is missing and will be played."""
        if self._next is None:  # the schedule may have grown
            self._step()
        while self._next is not None and self._next[0] < self._end:
            number, names = self._next
            if number in done:
                if not self._is_out(number, names):
                    self._count(number, names, faults.get(number, ()))
            elif self.withdrawn.keys().isdisjoint(names) and not self._schedule.gone(number, names):
                return
            self._step()

    def _is_out(self, number: int, names: Pairing) -> bool:
        """Return whether an entrant of a game was withdrawn before it."""
        if self.withdrawn.keys().isdisjoint(names):
            return False
        return any(self._since[name] <= number for name in self.withdrawn.keys() & names)

    def _step(self) -> None:
        """Move to the next game, in a later round if necessary."""
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
                self._give_up(Withdrawal(name, ground, self._games[name], found, number), since=0)

    def _ground(self, name: str) -> Ground | None:
        games, faults, policy = self._games[name], self._faults[name], self._policy
        if games == policy.starts == faults[FaultKind.STARTUP]:
            return Ground.STARTUP
        if games >= policy.after and faults.total() > policy.faults * games:
            return Ground.FAULTS
        return None

    def _give_up(self, withdrawal: Withdrawal, since: int) -> None:
        """Withdraw a bot, or stop the run. ``since``: first affected game not yet counted."""
        name = withdrawal.name
        has_left = bool(self._schedule.gone(withdrawal.at, (name,)))
        if self._policy.then is not Then.STOP or has_left:
            known = self.withdrawn.get(name)
            if known is not None and known.ground is Ground.RULING:
                withdrawal = msgspec.structs.replace(known, at=withdrawal.at)
            self.withdrawn[name] = withdrawal
            self._since[name] = since
        elif since < self._end:
            self.stopped = withdrawal
            self._end = since


class Accused(NamedTuple):
    """Bots that bring workers down, as far as is known."""

    guilty: dict[str, Withdrawal]
    """Guilty bots by name, ordered by leg and then by suspicion."""
    doubtful: Set[str]
    """Bots whose finished games may still change the verdict."""


def brought_down(schedule: Schedule, done: Done, deadly: Mapping[int, Pairing]) -> Accused:
    """Find the bots that bring their workers down.

    ``deadly``: players, by number, of the games in which workers died again and again. Games are
    judged leg by leg, always from the first game to the end of the leg. A bot is guilty if it plays
    in more deadly games than any other suspect, and has finished no game after the first of these
    in the schedule. Of several equally suspect bots, one is guilty only if it has enough deadly
    games without the others. Games of guilty bots are no evidence against others.
    """
    guilty: dict[str, Withdrawal] = {}
    doubtful: Set[str] = frozenset()
    counts = Counter(name for names in deadly.values() for name in names)
    suspects = {name for name, count in counts.items() if count >= _DEADLY_GAMES}
    if not suspects:
        return Accused(guilty, doubtful)
    seen: dict[int, tuple[int, Pairing]] = {}
    """Place in the order, and players, of each deadly game so far."""
    finished: dict[str, int] = {}
    """Place of the last finished game so far, by suspect."""
    places = itertools.count()
    for start, games in schedule.legs():
        for place, (number, names) in zip(places, games, strict=False):
            if number in deadly:
                seen[number] = place, names
            elif number in done:
                finished.update(dict.fromkeys(suspects.intersection(names), place))
        worst, doubtful = _worst(seen, finished, guilty)
        while worst is not None:
            guilty[worst.name] = msgspec.structs.replace(worst, at=max(worst.at, start))
            worst, more = _worst(seen, finished, guilty)
            doubtful |= more
    return Accused(guilty, doubtful)


def _worst(
    seen: Mapping[int, tuple[int, Pairing]],
    finished: Mapping[str, int],
    guilty: Container[str],
) -> tuple[Withdrawal | None, Set[str]]:
    """Return the bot that is more suspect than all others, or None; and all suspects.

    ``seen``, ``finished``: as in ``brought_down``. Games of bots in ``guilty`` are ignored.
    """
    left = {
        number: (place, names)
        for number, (place, names) in seen.items()
        if not any(name in guilty for name in names)
    }
    games: Counter[str] = Counter()
    first: dict[str, int] = {}
    for place, names in left.values():
        games.update(names)
        for name in names:
            first.setdefault(name, place)
    suspects = {
        name
        for name, count in games.items()
        if count >= _DEADLY_GAMES and finished.get(name, -1) < first[name]
    }
    most = max((games[name] for name in suspects), default=0)
    equal = {name for name in suspects if games[name] == most}
    alone = Counter(
        name for _, names in left.values() if len(equal.intersection(names)) == 1 for name in names
    )
    for name in sorted(equal):
        if len(equal) == 1 or alone[name] >= _DEADLY_GAMES:
            last = max(number for number, (_, names) in left.items() if name in names)
            return Withdrawal(name, Ground.WORKER, most, at=last), suspects
    return None, suspects
