"""What is known of a run while it is played."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from arena.hosting.sandbox.isolation import Level
from arena.results import BreakerPolicy, FaultKind, GameResult, Seat, Then, VoidCause
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


class Progress:
    """The state of a run; counts games of earlier sessions too."""

    def __init__(self, total: int) -> None:
        self.total = total
        """Games that shall be played: those planned, without the ones of withdrawn bots."""
        self.planned = total
        """The same with the games of withdrawn bots."""
        self.done = 0
        """Of these."""
        self.earlier = 0
        """Of these, stored before this session."""
        self.played = 0
        """In this session."""
        self.totals: dict[str, int] = {}
        """``total`` by discipline."""
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
        """How often games could not be played in this session."""
        self.waiting: dict[str, VoidCause] = {}
        """Games, by id, that could not be played in this session and have not been since."""
        self.withdrawn: Mapping[str, Withdrawal] = {}
        """By name."""
        self.levels: Mapping[str, Level] = {}
        """How far each bot is kept apart in this session."""
        self.places = 0
        """Where games were played at once in this session."""
        self.stopped = ""
        """Why the run was stopped before its end, if it was not by a person."""
        self._tables: Counter[frozenset[str]] = Counter()
        """Finished games by who sat there."""
        self._faulty: Counter[tuple[str, frozenset[str]]] = Counter()
        """Those with a fault of the entrant."""
        self._points: defaultdict[str, float] = defaultdict(float)
        self._games: Counter[str] = Counter()

    @property
    def left(self) -> int:
        """Games still to be played."""
        return self.total - self.done

    @property
    def is_finished(self) -> bool:
        """Whether all is played that shall be."""
        return self.left == 0 and not self.stopped

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

    def add(self, result: GameResult) -> None:
        """Count a finished game."""
        self.done += 1
        discipline = result.spec.discipline
        for counted in (self.done_of, self.finished):
            counted[discipline] += 1
        self.wall_us[discipline] += result.wall_us
        table = frozenset(result.spec.entrants)
        self._tables[table] += 1
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
        """Count a game that could not be played."""
        self.voids[void.cause] += 1
        if self.withdrawn.keys().isdisjoint(void.entrants):
            self.waiting[void.game] = void.cause

    def judged(self, verdict: Verdict, schedule: Schedule, done: Done) -> None:
        """Count anew without the games of bots that were given up."""
        self.withdrawn = verdict.withdrawn
        if verdict.stopped is not None:
            self.stopped = f"{verdict.stopped.name}: {verdict.stopped.reason}"
        out = verdict.withdrawn.keys()
        if out:
            self.planned = schedule.games
            planned = schedule.games - schedule.games_with(out)
            self.total = planned - schedule.given_up(done, out)
            for name in self.totals:
                planned = schedule.games_of(name) - schedule.games_with(out, name)
                self.totals[name] = planned - schedule.given_up(done, out, name)
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

    def leaders(self, count: int) -> list[tuple[str, float]]:
        """The best entrants so far with their points per game, best first."""
        shares = [
            (name, self._points[name] / games)
            for name, games in self._games.items()
            if name not in self.withdrawn
        ]
        return sorted(shares, key=lambda item: (-item[1], item[0]))[:count]
