"""What is known of a run while it is played."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from arena.hosting.sandbox.isolation import Level
from arena.results import BreakerPolicy, FaultKind, GameResult, Seat, Then, VoidCause
from arena.runs.live import Pace
from arena.runs.manifest import Manifest, Turn
from arena.runs.voids import Void
from arena.runs.withdrawals import Verdict, Withdrawal
from arena.schedule.schedule import Done, Schedule


class Trouble(NamedTuple):
    """What most often goes wrong with a bot."""

    kind: FaultKind
    times: int
    """Games with a fault of that kind."""
    game: str
    """Id of the first of them that came in."""
    seat: Seat
    """Where the bot sat in it."""


class Figures(NamedTuple):
    """How far a run is, in numbers: for those who play it and for those who watch."""

    done: int
    """Games that count."""
    total: int | None
    """Games that shall be played; None: nobody can know."""
    planned: int
    """The same with those of bots that were withdrawn; 0: nobody can know."""
    rate: float | None
    """Games per second in this session; None: nobody plays, or none was played yet."""
    left: float | None
    """Seconds until all that is planned by now is played."""
    faults: int
    """In all games that are stored."""
    uncounted: int
    """Of these, in games of bots that were withdrawn."""
    voids: Mapping[str, int]
    """How often games could not be played, by cause."""
    withdrawn: tuple[str, ...]
    turn: Turn | None
    """See ``Manifest.turn``."""


class Progress:
    """The state of a run; counts games of earlier sessions too.

    Whoever plays a run and whoever watches it tell what stands here.
    """

    @classmethod
    def of(cls, manifest: Manifest, schedule: Schedule) -> Progress:
        """Of a run that is played to the end of its schedule, before its games are added."""
        progress = cls(schedule.games)
        names = [each.name for each in manifest.disciplines]
        progress._planned_of = {name: schedule.games_of(name) for name in names}
        progress.totals = progress._planned_of.copy()
        progress.turn = manifest.turn
        return progress

    def __init__(self, total: int) -> None:
        self.total = total
        """Games that shall be played: those planned, without the ones of withdrawn bots."""
        self.planned = total
        """The same with the games of withdrawn bots."""
        self.done = 0
        """Of these."""
        self.earlier = 0
        """Of these, stored before this session."""
        self.pace = Pace(time.monotonic())
        """Of this session."""
        self.turn: Turn | None = None
        """See ``Manifest.turn``."""
        self.totals: dict[str, int] = {}
        """``total`` by discipline."""
        self._planned_of: dict[str, int] = {}
        """The same with all games, also those that were given up."""
        self.done_of: Counter[str] = Counter()
        """``done`` by discipline."""
        self.finished: Counter[str] = Counter()
        """By discipline, games of withdrawn bots too, ..."""
        self.wall_us: Counter[str] = Counter()
        """... and how long they took together."""
        self.faults: Counter[str] = Counter()
        """By entrant."""
        self._troubles: dict[tuple[str, FaultKind], Trouble] = {}
        self.voids: Counter[VoidCause] = Counter()
        """How often games could not be played, in earlier sessions too."""
        self.waiting: dict[str, VoidCause] = {}
        """Games, by id, that could not be played in this session and have not been since."""
        self.withdrawn: Mapping[str, Withdrawal] = {}
        """By name."""
        self.levels: Mapping[str, Level] = {}
        """How far each bot is kept apart in this session."""
        self.places = 0
        """Where games were played at once in this session."""
        self.has_more = False
        """Whether all is played, and tables of withdrawn bots are still to be filled again."""
        self.stopped = ""
        """Why the run was stopped before its end, if it was not by a person."""
        self._tables: Counter[frozenset[str]] = Counter()
        """Finished games by who sat there."""
        self._faults_at: Counter[frozenset[str]] = Counter()
        """Faults in these."""
        self._faulty: Counter[tuple[str, frozenset[str]]] = Counter()
        """Those with a fault of the entrant."""
        self._points: defaultdict[str, float] = defaultdict(float)
        self._games: Counter[str] = Counter()

    @property
    def left(self) -> int:
        """Games still to be played."""
        return self.total - self.done

    @property
    def played(self) -> int:
        """Games of this session."""
        return self._since(self.pace)

    def _since(self, pace: Pace) -> int:
        return self.finished.total() - sum(pace.finished.values())

    @property
    def is_finished(self) -> bool:
        """Whether all is played that shall be."""
        return self.left == 0 and not self.stopped

    @property
    def is_complete(self) -> bool:
        """Whether all is played that shall be, and any of it counts where bots were withdrawn."""
        return self.is_finished and bool(self.done or not self.withdrawn)

    @property
    def failed(self) -> list[str]:
        """Entrants that played and had a fault in every one of their games, by name.

        Games of withdrawn bots count for nobody, here too.
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
        """All that was stored before this session has been added."""
        self.earlier = self.done
        self.pace = Pace(time.monotonic(), dict(self.finished), dict(self.wall_us))

    def grow(self, manifest: Manifest, schedule: Schedule) -> None:
        """The schedule has more rounds."""
        self.turn = manifest.turn
        for name, before in self._planned_of.items():
            more = schedule.games_of(name) - before
            self._planned_of[name] += more
            self.totals[name] += more
            self.planned += more
            self.total += more

    def figures(self, now: float | None = None, pace: Pace | None = None) -> Figures:
        """In numbers, at a time of ``time.monotonic``; None: now.

        ``pace``: of the session that is looked at; None: of this one.
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

    def _seconds_left(self, pace: Pace, elapsed: float) -> float | None:
        """Of each discipline as long for a game as so far; None: of one no game is known yet."""
        played = self._since(pace)
        work = self.wall_us.total() - sum(pace.wall_us.values())
        if not work or len(self.totals) < 2:
            return self.left * elapsed / played
        to_come = 0.0
        for name, total in self.totals.items():
            left = total - self.done_of[name]
            games = self.finished[name] - pace.finished.get(name, 0)
            wall_us = self.wall_us[name] - pace.wall_us.get(name, 0)
            if not games:  # but perhaps in an earlier session
                games, wall_us = self.finished[name], self.wall_us[name]
            if left and not games:
                return None
            if left:
                to_come += left * wall_us / games
        return to_come / work * elapsed

    def add(self, result: GameResult) -> None:
        """Count a finished game; one of a bot that was withdrawn is no progress."""
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
        if len(seats) == 1:  # nobody to score off
            return
        for seat, name in enumerate(result.spec.entrants):
            others = [result.pair_score(seat, other) or 0.0 for other in seats if other != seat]
            self._points[name] += sum(others) / len(others)
            self._games[name] += 1

    def trouble(self, name: str) -> Trouble | None:
        """The commonest fault of an entrant in all its games; None: it had none."""
        found = (own for (whose, _), own in self._troubles.items() if whose == name)
        return max(found, key=lambda own: own.times, default=None)

    def suspects(self, policy: BreakerPolicy) -> set[str]:
        """Who would be given up if the games that are done were all there are, more or less."""
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

    def judged(self, verdict: Verdict, schedule: Schedule, done: Done) -> None:
        """Count anew without the games of bots that were given up."""
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
        """Find out what is to be played without games of who left and of who was withdrawn."""
        out = self.withdrawn.keys()
        self.planned = schedule.games - schedule.given_up(done, frozenset())
        self.total = schedule.games - schedule.games_with(out) - schedule.given_up(done, out)
        for name in self.totals:
            planned = schedule.games_of(name) - schedule.games_with(out, name)
            self.totals[name] = planned - schedule.given_up(done, out, name)

    def leaders(self, count: int) -> list[tuple[str, float]]:
        """The best entrants so far with their points per game, best first."""
        shares = [
            (name, self._points[name] / games)
            for name, games in self._games.items()
            if name not in self.withdrawn
        ]
        return sorted(shares, key=lambda item: (-item[1], item[0]))[:count]
