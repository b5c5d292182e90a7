"""Count the games, faults and voids of a run while the run is played."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from arena.hosting.sandbox.isolation import Level
from arena.runs.live import SessionStart
from arena.runs.manifest import CurrentRound, Manifest
from arena.runs.voids import Void
from arena.runs.withdrawals import Withdrawal, WithdrawalState
from arena.schedule.schedule import Done, Schedule
from arena.values.results import BreakerPolicy, FaultKind, GameResult, Seat, Then, VoidCause


class Trouble(NamedTuple):
    """The most frequent fault of a bot."""

    kind: FaultKind
    times: int
    """Number of faults of this kind."""
    game: str
    """Id of the first finished game with such a fault."""
    seat: Seat
    """Seat of the bot in ``game``."""


class Figures(NamedTuple):
    """The progress of a run in numbers, for the process that plays the run and for observers."""

    done: int
    """Number of finished games that count."""
    total: int | None
    """Number of games that are to be played; None: unknown."""
    planned: int
    """Number of games to be played including those of withdrawn bots; 0: unknown."""
    rate: float | None
    """Games per second in this session; None: no session plays, or no game was played yet."""
    left: float | None
    """Seconds until all games planned at present are played; None: unknown."""
    faults: int
    """Number of faults in all stored games."""
    uncounted: int
    """Number of ``faults`` in games of withdrawn bots."""
    voids: Mapping[str, int]
    """Number of void games, by cause."""
    withdrawn: tuple[str, ...]
    turn: CurrentRound | None
    """See ``Manifest.turn``."""


class Progress:
    """The state of a run, in which games of earlier sessions count too.

    The process that plays a run and its observers report this state.
    """

    @classmethod
    def of(cls, manifest: Manifest, schedule: Schedule) -> Progress:
        """Return the progress of a run that plays its whole schedule, before games are added."""
        progress = cls(schedule.games)
        names = [each.name for each in manifest.disciplines]
        progress._planned_of = {name: schedule.games_of(name) for name in names}
        progress.totals = progress._planned_of.copy()
        progress.turn = manifest.turn
        return progress

    def __init__(self, total: int) -> None:
        self.total = total
        """Number of games that are to be played: those planned, without those of withdrawn bots."""
        self.planned = total
        """Number of games that are to be played, including those of withdrawn bots."""
        self.done = 0
        """Number of games of ``total`` that are finished."""
        self.earlier = 0
        """Number of games of ``done`` that were stored before this session."""
        self.pace = SessionStart(time.monotonic())
        """Pace of this session."""
        self.turn: CurrentRound | None = None
        """See ``Manifest.turn``."""
        self.totals: dict[str, int] = {}
        """``total`` by discipline."""
        self._planned_of: dict[str, int] = {}
        """Number of games in the whole schedule by discipline, including those not to be played."""
        self.done_of: Counter[str] = Counter()
        """``done`` by discipline."""
        self.finished: Counter[str] = Counter()
        """Number of finished games by discipline, including those of withdrawn bots."""
        self.wall_us: Counter[str] = Counter()
        """Wall time of the ``finished`` games, in microseconds, by discipline."""
        self.faults: Counter[str] = Counter()
        """Number of faults, by entrant."""
        self._troubles: dict[tuple[str, FaultKind], Trouble] = {}
        self.voids: Counter[VoidCause] = Counter()
        """Number of void games by cause, including those of earlier sessions."""
        self.waiting: dict[str, VoidCause] = {}
        """Causes of the games that were void in this session and not played since, by game id."""
        self.withdrawn: Mapping[str, Withdrawal] = {}
        """Withdrawals, by name of the bot."""
        self.levels: Mapping[str, Level] = {}
        """Isolation level of each bot in this session."""
        self.has_more = False
        """True if all games are played but refills for tables of withdrawn bots follow."""
        self.stopped = ""
        """Reason why the run was stopped before its end, other than by a person; else empty."""
        self._tables: Counter[frozenset[str]] = Counter()
        """Number of finished games, by set of entrants at the table."""
        self._faults_at: Counter[frozenset[str]] = Counter()
        """Number of faults in finished games, by set of entrants at the table."""
        self._faulty: Counter[tuple[str, frozenset[str]]] = Counter()
        """Number of finished games with a fault of an entrant, by entrant and table."""
        self._points: defaultdict[str, float] = defaultdict(float)
        self._games: Counter[str] = Counter()

    @property
    def left(self) -> int:
        """Number of games still to be played."""
        return self.total - self.done

    @property
    def played(self) -> int:
        """Number of games played in this session."""
        return self._since(self.pace)

    def _since(self, pace: SessionStart) -> int:
        return self.finished.total() - sum(pace.finished.values())

    @property
    def is_finished(self) -> bool:
        """True if all games that are to be played are finished."""
        return self.left == 0 and not self.stopped

    @property
    def is_complete(self) -> bool:
        """True if the run is finished and, where bots were withdrawn, at least one game counts."""
        return self.is_finished and bool(self.done or not self.withdrawn)

    @property
    def failed(self) -> list[str]:
        """Names, in order, of the entrants with a fault in every one of their games.

        Games with a withdrawn bot are left out.
        """
        games, faulty = Counter[str](), Counter[str]()
        out = self.withdrawn.keys()
        for table, count in self._tables.items():
            if out.isdisjoint(table):
                games.update(dict.fromkeys(table, count))
        for (name, table), count in self._faulty.items():
            if out.isdisjoint(table):
                faulty[name] += count
        return sorted(name for name in faulty if faulty[name] == games[name])

    def begin(self) -> None:
        """Begin the pace of this session, once all games stored before have been added."""
        self.earlier = self.done
        self.pace = SessionStart(time.monotonic(), dict(self.finished), dict(self.wall_us))

    def grow(self, manifest: Manifest, schedule: Schedule) -> None:
        """Add the games of new rounds of the schedule."""
        self.turn = manifest.turn
        for name, before in self._planned_of.items():
            more = schedule.games_of(name) - before
            self._planned_of[name] += more
            self.totals[name] += more
            self.planned += more
            self.total += more

    def figures(self, now: float | None = None, pace: SessionStart | None = None) -> Figures:
        """Return the progress in numbers.

        ``now``: a time of ``time.monotonic``; None: the present. ``pace``: the pace of the session
        that is observed; None: that of this session.
        """
        pace = self.pace if pace is None else pace
        elapsed = max(1e-9, (time.monotonic() if now is None else now) - pace.began)
        played = self._since(pace)
        out = self.withdrawn.keys()
        uncounted = (n for table, n in self._faults_at.items() if not out.isdisjoint(table))
        return Figures(
            done=self.done,
            total=self.total,
            planned=self.planned,
            rate=played / elapsed if played > 0 else None,
            left=self._seconds_left(pace, elapsed) if played > 0 else None,
            faults=self.faults.total(),
            uncounted=sum(uncounted) if out else 0,
            voids={cause.value: times for cause, times in sorted(self.voids.items())},
            withdrawn=tuple(out),
            turn=self.turn,
        )

    def _seconds_left(self, pace: SessionStart, elapsed: float) -> float | None:
        """Estimate the seconds until the end, from the time per game of each discipline.

        Returns None if a discipline with games left has no finished game.
        """
        played = self._since(pace)
        work = self.wall_us.total() - sum(pace.wall_us.values())
        if not work or len(self.totals) < 2:
            return self.left * elapsed / played
        to_come = 0.0
        for name, total in self.totals.items():
            left = total - self.done_of[name]
            games = self.finished[name] - pace.finished.get(name, 0)
            wall_us = self.wall_us[name] - pace.wall_us.get(name, 0)
            if not games:  # fall back on earlier sessions
                games, wall_us = self.finished[name], self.wall_us[name]
            if left and not games:
                return None
            if left:
                to_come += left * wall_us / games
        return to_come / work * elapsed

    def add(self, result: GameResult) -> None:
        """Count a finished game; a game of a withdrawn bot is no progress."""
        discipline = result.spec.discipline
        if self.withdrawn.keys().isdisjoint(result.spec.entrants):
            self.done += 1
            self.done_of[discipline] += 1
        self.finished[discipline] += 1
        self.wall_us[discipline] += result.wall_us
        table = frozenset(result.spec.entrants)
        self._tables[table] += 1
        if result.faults:
            self._faults_at[table] += len(result.faults)
        for name in {result.spec.entrants[fault.seat] for fault in result.faults}:
            self._faulty[name, table] += 1
        self.waiting.pop(result.spec.game_id, None)
        for fault in result.faults:
            name, kind = result.spec.entrants[fault.seat], fault.kind
            self.faults[name] += 1
            fresh = Trouble(kind, 0, result.spec.game_id, fault.seat)
            known = self._troubles.get((name, kind), fresh)
            self._troubles[name, kind] = known._replace(times=known.times + 1)
        seats = range(len(result.places))
        if len(seats) == 1:  # no opponent to score against
            return
        for seat, name in enumerate(result.spec.entrants):
            others = [result.pair_score(seat, other) or 0.0 for other in seats if other != seat]
            self._points[name] += sum(others) / len(others)
            self._games[name] += 1

    def trouble(self, name: str) -> Trouble | None:
        """Return the most frequent fault of an entrant in all its games; None: no fault."""
        found = (own for (whose, _), own in self._troubles.items() if whose == name)
        return max(found, key=lambda own: own.times, default=None)

    def suspects(self, policy: BreakerPolicy) -> set[str]:
        """Return the entrants that would be withdrawn, roughly, if no more games were played."""
        if policy.then is Then.IGNORE:
            return set()
        return {
            name
            for name, faults in self.faults.items()
            if faults >= policy.starts
            and faults > policy.faults * self._games[name]
            and name not in self.withdrawn
        }

    def add_void(self, void: Void) -> None:
        """Count a game that could not be played in this session."""
        self.voids[void.cause] += 1
        if self.withdrawn.keys().isdisjoint(void.entrants):
            self.waiting[void.game] = void.cause

    def judged(self, verdict: WithdrawalState, schedule: Schedule, done: Done) -> None:
        """Set the withdrawn bots and count again without their games."""
        was_out = self.withdrawn.keys()
        self.withdrawn = dict(verdict.withdrawn)
        if verdict.stopped is not None:
            self.stopped = f"{verdict.stopped.name}: {verdict.stopped.reason}"
        out = verdict.withdrawn.keys()
        if out or was_out:
            self.settle(schedule, done)
            self.done_of = Counter(
                schedule.discipline_of(number)
                for number, names in schedule.order()
                if number in done and out.isdisjoint(names)
            )
            self.done = self.done_of.total()
            self.waiting = {
                game: cause
                for game, cause in self.waiting.items()
                if (spec := schedule.game(game)) is None or out.isdisjoint(spec.entrants)
            }

    def settle(self, schedule: Schedule, done: Done) -> None:
        """Set the numbers of games to be played, without bots that left or are withdrawn."""
        out = self.withdrawn.keys()
        self.planned = schedule.games - schedule.given_up(done, frozenset())
        self.total = schedule.games - schedule.games_with(out) - schedule.given_up(done, out)
        for name in self.totals:
            planned = schedule.games_of(name) - schedule.games_with(out, name)
            self.totals[name] = planned - schedule.given_up(done, out, name)

    def leaders(self, count: int) -> list[tuple[str, float]]:
        """Return the ``count`` best entrants so far with their points per game, best first."""
        shares = [
            (name, self._points[name] / games)
            for name, games in self._games.items()
            if name not in self.withdrawn
        ]
        return sorted(shares, key=lambda item: (-item[1], item[0]))[:count]
