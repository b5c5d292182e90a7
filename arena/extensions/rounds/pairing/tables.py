"""Swiss rounds for three and four seats: who sits together next.

There is no standard for these, so this module defines the goals, in strict order:

1. fewest repeated meetings, each counted as often as the two have met before;
2. no two newcomers at a table, so that each meets established players;
3. scores at a table that are close: the smallest sum of differences over all pairs.

Up to twelve players the best of all partitions is found. Above that, a local search with a fixed
number of moves looks for it. Remaining ties are decided by a draw from the seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Final

import msgspec

from arena.extensions.rounds.pairing.history import Result
from arena.games.luck import Luck

EXACT: Final = 12
"""Largest number of players for which every partition is examined, at most 15,400."""
MOVES: Final = 120_000
"""Number of swaps of two players that the search examines."""
_ONE: Final = Fraction(1)
_KICK: Final = 6
"""Number of random swaps from the best tables so far, before the search climbs again."""


class TableResult(msgspec.Struct, frozen=True):
    """The results of a table."""

    names: tuple[str, ...]
    points: tuple[Fraction, ...]
    """Points of each player, 0 to 1: see ``shares``."""
    blocks: tuple[int, ...] = ()
    """Points from the blocks of each, in a unit that is the same in all rounds."""
    is_played: bool = True
    """False for a forfeit: an absent player has 0 points, a present opponent 1."""
    margins: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    """Sum of the margins of the games of each; unset if none count, or not all are known."""


class FinishedRound(msgspec.Struct, frozen=True):
    """A finished round, as far as the next pairing depends on it."""

    tables: tuple[TableResult, ...]
    byes: tuple[str, ...] = ()
    away: dict[str, Result] = {}
    """Requested byes at two seats; players that the round does not name were absent."""


class TableContender(msgspec.Struct, frozen=True):
    """A player of the next round, with the facts of earlier rounds that count for it."""

    name: str
    score: Fraction
    byes: int = 0
    is_new: bool = False
    """True if it has not played yet, though others have."""


class Tables(msgspec.Struct, frozen=True):
    """The tables and byes of the next round."""

    tables: tuple[tuple[str, ...], ...]
    """Tables by the sum of scores, highest first."""
    byes: tuple[str, ...] = ()


def shares(scores: Sequence[Fraction | int]) -> tuple[Fraction, ...]:
    """Return for each seat the share of its opponents that it is ahead of, ties half.

    So a table of three weighs as much as one of four. There are two seats or more.
    """
    return tuple(
        Fraction(
            sum((own > other) * 2 + (own == other) for other in scores) - 1, 2 * (len(scores) - 1)
        )
        for own in scores
    )


def contenders(
    names: Sequence[str],
    rounds: Sequence[FinishedRound],
    points_of: Callable[[TableResult], Sequence[Fraction]] = lambda table: table.points,
    bye: Fraction = _ONE,
) -> list[TableContender]:
    """Return the players of the next round, with the facts of ``rounds`` that count for it.

    ``points_of``: returns the points of each at a table. ``bye``: points of a bye.
    """
    played: Counter[str] = Counter()
    byes: Counter[str] = Counter()
    points: dict[str, Fraction] = {}
    for each in rounds:
        byes.update(each.byes)
        for table in each.tables:
            played.update(table.names if table.is_played else ())
            for name, own in zip(table.names, points_of(table), strict=True):
                points[name] = points.get(name, Fraction()) + own
    return [
        TableContender(
            name,
            points.get(name, Fraction()) + byes[name] * bye,
            byes[name],
            bool(rounds) and not played[name],
        )
        for name in names
    ]


def tables(
    players: Sequence[TableContender],
    met: Mapping[frozenset[str], int],
    seats: int,
    luck: Luck,
    *,
    number: int,
) -> Tables:
    """Return the tables of round ``number``, a pure function of the arguments.

    ``met``: how often two have sat at a table. Names are distinct, ``seats`` is 2 or more. Players
    who are left over have a bye.
    """
    lot = luck.shuffle("tables", number, sorted(each.name for each in players))
    rank = {name: place for place, name in enumerate(lot)}
    order = sorted(players, key=lambda each: (-each.score, rank[each.name]))
    byes = len(order) % seats
    idle = sorted(order, key=lambda each: (each.byes, each.score, -rank[each.name]))[:byes]
    field = [each for each in order if each not in idle]
    cost = _Cost(field, met, seats)
    found = _best(cost) if len(field) <= EXACT else _Search(cost, luck, number).best()
    ordered = sorted(found, key=lambda each: (-sum(field[n].score for n in each), each))
    return Tables(
        tuple(tuple(field[n].name for n in sorted(each)) for each in ordered),
        tuple(each.name for each in order if each in idle),
    )


def meetings(rounds: Sequence[FinishedRound]) -> Counter[frozenset[str]]:
    """Return for every two players how often they have sat at one table."""
    return Counter(
        frozenset(pair)
        for each in rounds
        for table in each.tables
        if table.is_played
        for pair in combinations(table.names, 2)
    )


class _Cost:
    """The cost of a table: the objective as one whole number, over pairs."""

    def __init__(
        self, field: Sequence[TableContender], met: Mapping[frozenset[str], int], seats: int
    ) -> None:
        self.players, self.seats = len(field), seats
        unit = lcm(*(each.score.denominator for each in field))
        scores = [int(each.score * unit) for each in field]
        spreads = 1 + seats * sum(abs(a - b) for a, b in combinations(scores, 2))
        news = 1 + len(field) * seats
        self.pair = [[0] * len(field) for _ in field]
        for a, b in combinations(range(len(field)), 2):
            repeats = met.get(frozenset((field[a].name, field[b].name)), 0)
            new = field[a].is_new and field[b].is_new
            weight = (repeats * news + new) * spreads + abs(scores[a] - scores[b])
            self.pair[a][b] = self.pair[b][a] = weight

    def of(self, table: Sequence[int]) -> int:
        """Return the cost of the whole table."""
        return sum(self.pair[a][b] for a, b in combinations(table, 2))

    def with_member(self, member: int, others: Sequence[int]) -> int:
        """Return the cost that a member adds to a table of others."""
        own = self.pair[member]
        return sum(own[other] for other in others)


def _best(cost: _Cost) -> list[tuple[int, ...]]:
    """Return the cheapest partition, the first in the order of the players among equal ones."""
    bound: int | None = None
    best: list[tuple[int, ...]] = []

    def go(left: tuple[int, ...], done: list[tuple[int, ...]], sum_: int) -> None:
        nonlocal bound, best
        if not left:
            bound, best = sum_, list(done)
            return
        first, *others = left
        for rest in combinations(others, cost.seats - 1):
            table = (first, *rest)
            total = sum_ + cost.of(table)
            if bound is None or total < bound:
                done.append(table)
                go(tuple(each for each in left if each not in table), done, total)
                done.pop()

    go(tuple(range(cost.players)), [], 0)
    return best


class _Search:
    """A local search by swaps of two players, near ones first, restarted from random swaps."""

    def __init__(self, cost: _Cost, luck: Luck, number: int) -> None:
        self._cost = cost
        self._luck = luck
        self._number = number
        self._moves = 0
        self._drawn = 0
        self._players, seats = cost.players, cost.seats
        self._tables = [list(range(at, at + seats)) for at in range(0, self._players, seats)]
        self._at = [n for n, table in enumerate(self._tables) for _ in table]

    def best(self) -> list[tuple[int, ...]]:
        """Return the best tables found."""
        self._climb()
        best, least = self._copy(), self._total()
        while self._moves < MOVES:
            self._kick()
            self._climb()
            total = self._total()
            if total < least:
                best, least = self._copy(), total
            else:
                self._tables = [list(each) for each in best]
                for number, table in enumerate(best):
                    for member in table:
                        self._at[member] = number
        return best

    def _climb(self) -> None:
        """Swap while any swap improves the cost and moves are left."""
        improved = True
        while improved and self._moves < MOVES:
            improved = False
            for one, other in self._swaps():
                if self._at[one] != self._at[other]:
                    self._moves += 1
                    if self._gain(one, other) > 0:
                        self._swap(one, other)
                        improved = True
                    if self._moves >= MOVES:
                        break

    def _swaps(self) -> Iterator[tuple[int, int]]:
        for distance in range(1, self._players):
            for one in range(self._players - distance):
                yield one, one + distance

    def _kick(self) -> None:
        for _ in range(_KICK):
            one, other = (self._draw() for _ in range(2))
            if self._at[one] != self._at[other]:
                self._swap(one, other)
        self._moves += _KICK

    def _draw(self) -> int:
        self._drawn += 1
        return self._luck.below(f"kicks of round {self._number}", self._drawn, self._players)

    def _gain(self, one: int, other: int) -> int:
        here, there = self._tables[self._at[one]], self._tables[self._at[other]]
        with_one = [each for each in here if each != one]
        with_other = [each for each in there if each != other]
        cost = self._cost
        return (
            cost.with_member(one, with_one)
            + cost.with_member(other, with_other)
            - cost.with_member(other, with_one)
            - cost.with_member(one, with_other)
        )

    def _swap(self, one: int, other: int) -> None:
        here, there = self._tables[self._at[one]], self._tables[self._at[other]]
        here[here.index(one)], there[there.index(other)] = other, one
        self._at[one], self._at[other] = self._at[other], self._at[one]

    def _total(self) -> int:
        return sum(map(self._cost.of, self._tables))

    def _copy(self) -> list[tuple[int, ...]]:
        return [tuple(sorted(each)) for each in self._tables]
