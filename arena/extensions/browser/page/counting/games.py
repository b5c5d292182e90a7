"""Statistics of a page beyond the standings: pairings, and notable games.

One pass over results, in the order in which they were stored. A few games are kept, and only sums
of pairings.
"""

from __future__ import annotations

import hashlib
from bisect import insort
from collections import Counter, deque
from collections.abc import Mapping
from itertools import combinations
from typing import Final, TypeAlias

from arena.extensions.browser.page.counting.steps import Steps
from arena.games.base import TableFacts
from arena.runs.reader import StoredGame
from arena.runs.store import Stored
from arena.schedule.pairings import Pairing
from arena.values.numbers import GameCount
from arena.values.results import DISCIPLINE_JOINT, FaultKind, GameResult, Seat

LATEST: Final = 50
"""Number of latest games of all bots."""
OWN_LATEST: Final = 10
"""Number of latest games of a bot."""

Table: TypeAlias = tuple[str, Pairing]
"""A discipline, and the entrants that met in it."""


class Encounter:
    """Sums of some games between the same bots."""

    __slots__ = ("games", "last", "points")

    def __init__(self, seats: int) -> None:
        self.games = 0
        self.last = 0
        """Time when the last one was stored, in seconds since 1970 UTC; 0: unknown."""
        self.points = [0] * seats
        """Points by name in the order of the pairing, 2 for a win in every pair of seats.

        For a bot that plays alone it is the sum of its scores.
        """


class GameSums:
    """Numbers of games of a step, or of an entrant."""

    def __init__(self) -> None:
        self.games = 0
        self.dropped = 0
        """Number of the games that do not count."""

    @property
    def count(self) -> GameCount:
        """The numbers of games that count, and of all."""
        return GameCount(self.games - self.dropped, self.games)


class StepSums(GameSums):
    """Sums of a round, or of a day."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[Table, Encounter] = {}
        self.first = 0
        """Time when its first game was stored, in seconds since 1970 UTC; 0: unknown."""
        self.last = 0
        self.sum = 0
        """Sum of the digests of its games, which does not depend on the order of storage."""


class BotSums(GameSums):
    """Statistics of one entrant: games, faults and notable games."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: Counter[FaultKind] = Counter()
        self.last = 0
        """The last step with a game of the entrant."""
        self.best: list[tuple[int, int, Stored]] = []
        """Triples (margin, negative number, game) in ascending order."""
        self.worst: list[tuple[int, int, Stored]] = []
        self.latest: deque[Stored] = deque(maxlen=OWN_LATEST)


class GameCounter:
    """Counter of the games that may be published; takes them one by one."""

    def __init__(self, steps: Steps, facts: Mapping[str, TableFacts], extremes: int) -> None:
        """Begin without games.

        ``facts``: by discipline. ``extremes``: number of best and of worst games kept for each
        bot.
        """
        self.by_step: dict[int, StepSums] = {}
        self.bots: dict[str, BotSums] = {}
        self.pairs: dict[tuple[str, str], list[int]] = {}
        """Games, games that compare the two, and points of the first in these (2 for a win).

        The keys are two names in order.
        """
        self.latest: deque[Stored] = deque(maxlen=LATEST)
        self.games = 0
        self._steps = steps
        self._facts = facts
        self._extremes = extremes

    def add(self, game: StoredGame, *, is_told: bool) -> int:
        """Count a game and return its step; without ``is_told``, use it for the steps alone."""
        step = self._steps.of(game)
        if not is_told:
            return step
        stored = game.stored
        result, when = stored.result, stored.played_at
        names = result.spec.entrants
        own = self.by_step.get(step)
        if own is None:
            own = self.by_step[step] = StepSums()
            own.first = when
        own.games += 1
        if when < own.first or not own.first:
            own.first = when
        if when > own.last:
            own.last = when
        own.sum += _digest(result)
        self.games += 1
        self.latest.append(stored)
        discipline = result.spec.discipline
        self._add_table(own, discipline, stored)
        less_is_better = self._facts[discipline].less_is_better
        margins = result.margins(less_is_better=less_is_better)
        for seat, name in enumerate(names):
            bot = self.bots.get(name)
            if bot is None:
                bot = self.bots[name] = BotSums()
            bot.games += 1
            if step > bot.last:
                bot.last = step
            bot.latest.append(stored)
            if margins:
                self._keep(bot, margins[seat], game)
        for fault in result.faults:
            self.bots[names[fault.seat]].faults[fault.kind] += 1
        return step

    def drop(self, game: StoredGame) -> None:
        """Note that a game that was added does not count."""
        result = game.result
        self.by_step[self._steps.of(game)].dropped += 1
        for name in result.spec.entrants:
            self.bots[name].dropped += 1
        for (a, one), (b, other) in combinations(enumerate(result.spec.entrants), 2):
            self._add_pair(one, other, _pair_points(result, a, b), -1)

    def _add_table(self, step: StepSums, discipline: str, stored: Stored) -> None:
        result = stored.result
        seated = result.spec.entrants
        names = tuple(sorted(seated))
        key = discipline, names
        met = step.tables.get(key)
        if met is None:
            met = step.tables[key] = Encounter(len(names))
        met.games += 1
        met.last = max(met.last, stored.played_at)
        if len(names) == 1:
            met.points[0] += result.scores[0] if result.scores else 0
            return
        for a, b in combinations(range(len(seated)), 2):
            one, other = seated[a], seated[b]
            points = _pair_points(result, a, b)
            if points is not None:
                met.points[names.index(one)] += points
                met.points[names.index(other)] += 2 - points
            self._add_pair(one, other, points)

    def _add_pair(self, one: str, other: str, points: int | None, games: int = 1) -> None:
        """Add ``games`` of two seats, the first of which took ``points``; -1 takes one back."""
        if one == other:
            return
        if one > other:
            one, other, points = other, one, None if points is None else 2 - points
        pair = self.pairs.get((one, other))
        if pair is None:
            pair = self.pairs[one, other] = [0, 0, 0]
        pair[0] += games
        if points is not None:
            pair[1] += games
            pair[2] += games * points

    def _keep(self, bot: BotSums, margin: int, game: StoredGame) -> None:
        """Keep a game if its margin is among the widest; of equal margins the earliest stay."""
        alone = len(game.stored.result.places) == 1
        if margin > 0 or alone:
            self._insert(bot.best, margin, game)
        if margin < 0 or alone:
            self._insert(bot.worst, -margin, game)

    def _insert(self, found: list[tuple[int, int, Stored]], margin: int, game: StoredGame) -> None:
        if found and margin < found[0][0] and len(found) == self._extremes:
            return  # most games are no extremes
        insort(found, (margin, -game.number, game.stored))
        del found[: max(0, len(found) - self._extremes)]

    def opponents(self) -> dict[str, dict[str, tuple[int, int, int]]]:
        """Return games that count, comparing games and points (2 for a win) by bot and opponent."""
        found: dict[str, dict[str, tuple[int, int, int]]] = {name: {} for name in self.bots}
        for (one, other), (games, rated, points) in self.pairs.items():
            if games:
                found[one][other] = games, rated, points
                found[other][one] = games, rated, 2 * rated - points
        return found


def _pair_points(result: GameResult, seat: Seat, other: Seat) -> int | None:
    """Return ``GameResult.pair_score`` with 2 for a win."""
    if result.faults:
        score = result.pair_score(seat, other)
        return None if score is None else round(2 * score)
    mine, theirs = result.places[seat], result.places[other]
    return (mine <= theirs) + (mine < theirs)


def _digest(result: GameResult) -> int:
    text = f"{result.spec.game_id}{DISCIPLINE_JOINT}{result.digest}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
