"""Compact counts of the games of one discipline with at least two seats.

Everything is an integer or a fraction of integers, so nothing read from here depends on the order
in which games were added, not even in the last bit.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from operator import add
from typing import Final, TypeAlias

from arena.values.results import FaultKind, GameResult, Seat, Termination

Names: TypeAlias = Callable[[str], str]
"""Function that maps the name of an entrant to its name in another tally."""

LOSS: Final = 0
DRAW: Final = 1
WIN: Final = 2
NO_ROW: Final = 3
"""Code of two seats that are not compared: both were faulty, or play stopped before."""
MISSING: Final = 4
"""Code of a seating of the block that was not played (yet)."""
CODES: Final = 5
"""Number of codes; the code of a decided pair is twice its score."""
CELLS: Final = CODES * CODES
"""Number of counts per pair of entrants: one for each pair of codes in the two seatings."""


def placement(result: GameResult, seat: Seat, other: Seat) -> int:
    """Return LOSS, DRAW or WIN of ``seat`` against ``other`` by their places.

    Return NO_ROW if both were faulty, regardless of their places.
    """
    if result.faults and result.faulty(seat) and result.faulty(other):
        return NO_ROW
    mine, theirs = result.places[seat], result.places[other]
    return WIN if mine < theirs else DRAW if mine == theirs else LOSS


def comparison(result: GameResult, seat: Seat, other: Seat) -> int:
    """Return the code of ``seat`` against ``other`` that counts for their strengths.

    This is ``placement``, except in a game of at least three seats that a fault ended. Such a game
    compares the faulty seats with the others, but not the others with each other.
    """
    stopped = result.termination is Termination.FORFEITED and len(result.places) > 2
    if stopped and not result.faulty(seat) and not result.faulty(other):
        return NO_ROW
    return placement(result, seat, other)


def opposite(code: int) -> int:
    """Return the code of the same game from the other seat."""
    return code if code > WIN else WIN - code


_OPPOSITE: Final = tuple(map(opposite, range(CODES)))


def _turned(cells: Sequence[int]) -> list[int]:
    """Return the cells of a pair from the side of the second name."""
    return [cells[CODES * _OPPOSITE[b] + _OPPOSITE[a]] for a in range(CODES) for b in range(CODES)]


class EntrantRecord:
    """Results of one entrant in a number of games."""

    def __init__(self) -> None:
        self.games = 0
        self.wins = 0
        self.draws = 0
        self.losses = 0
        self._half_points: Counter[int] = Counter()

    @property
    def contested(self) -> int:
        """Number of games against other entrants."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> Fraction:
        """Sum over games of the mean score against the other entrants."""
        parts = (Fraction(total, 2 * rows) for rows, total in self._half_points.items())
        return sum(parts, Fraction(0))

    def add_points(self, half_points: int, rows: int) -> None:
        """Add ``half_points`` won in games of ``rows`` comparisons with others each."""
        self._half_points[rows] += half_points

    def add(self, other: EntrantRecord) -> None:
        """Add the games of another record."""
        self.games += other.games
        self.wins += other.wins
        self.draws += other.draws
        self.losses += other.losses
        self._half_points.update(other._half_points)


class PairCounts:
    """Two-seat games between two entrants, kept as 25 counts per pair of entrants."""

    def __init__(self) -> None:
        self._bases: dict[tuple[str, str], int] = {}
        self._cells = array("q")
        self._open: dict[str, tuple[tuple[str, ...], int]] = {}

    @property
    def entrants(self) -> set[str]:
        """Set of all names that occur."""
        met = [*self._bases, *(entrants for entrants, _ in self._open.values())]
        return {name for entrants in met for name in entrants}

    def cells(self) -> dict[tuple[str, str], list[int]]:
        """Return the counted blocks, by pair of names in sorted order.

        Element ``CODES * a + b`` is the number of blocks in which the first name got code ``a`` on
        seat 0 and code ``b`` on seat 1. A block with one seating counts as a block of one game.
        """
        counts = {
            pair: self._cells[base : base + CELLS].tolist() for pair, base in self._bases.items()
        }
        for entrants, code in self._open.values():
            pair, cell = _cell(entrants, code, MISSING)
            counts.setdefault(pair, [0] * CELLS)[cell] += 1
        return dict(sorted(counts.items()))

    def add(self, block: str, entrants: tuple[str, ...], code: int) -> None:
        """Count one game with the ``code`` of its seat 0.

        Raises ValueError if the block already holds this seating, or other entrants.
        """
        earlier = self._open.pop(block, None)
        if earlier is None:
            self._open[block] = (entrants, code)
            return
        seated, earlier_code = earlier
        if seated[0] != entrants[1] or seated[1] != entrants[0]:
            self._open[block] = earlier
            raise ValueError(
                f"block {block!r}: expected {seated!r} with seats swapped, found {entrants!r}"
            )
        pair, cell = _cell(seated, earlier_code, code)
        base = self._bases.get(pair)
        if base is None:
            base = self._bases[pair] = len(self._cells)
            self._cells.extend([0] * CELLS)
        self._cells[base + cell] += 1

    def add_blocks(self, pair: tuple[str, str], cells: Sequence[int]) -> None:
        """Count complete blocks, to which no game will be added.

        ``pair`` is sorted, ``cells`` are in the order of ``PairCounts.cells``.
        """
        base = self._bases.get(pair)
        if base is None:
            self._bases[pair] = len(self._cells)
            self._cells.extend(cells)
        else:
            before = self._cells[base : base + CELLS]
            self._cells[base : base + CELLS] = array("q", map(add, before, cells))

    def absorb(self, other: PairCounts, names: Names) -> None:
        """Count the blocks of ``other`` as complete, with its entrants renamed by ``names``.

        Raises ValueError if two entrants of a block get the same name.
        """
        for pair, cells in other.cells().items():
            one, two = names(pair[0]), names(pair[1])
            if one == two:
                raise ValueError(f"{pair[0]!r} and {pair[1]!r} are both {one!r}")
            if one < two:
                self.add_blocks((one, two), cells)
            else:
                self.add_blocks((two, one), _turned(cells))


class MultiSeatCounts:
    """Games with more than two seats, one row of numbers each."""

    def __init__(self) -> None:
        self.block_ids: dict[str, int] = {}
        self.entrant_ids: dict[str, int] = {}
        self.blocks = array("q")
        """Block id per game."""
        self.entrants = array("q")
        """Entrant id per game and seat."""
        self.codes = array("q")
        """Code per game and pair of seats, in the order of ``itertools.combinations``."""

    def add(self, block: str, entrants: Iterable[str], codes: Iterable[int]) -> None:
        """Append one game."""
        ids = self.entrant_ids
        self.blocks.append(self.block_ids.setdefault(block, len(self.block_ids)))
        self.entrants.extend(ids.setdefault(name, len(ids)) for name in entrants)
        self.codes.extend(codes)

    def absorb(self, other: MultiSeatCounts, names: Names, scope: str) -> None:
        """Append the games of ``other``, with its entrants renamed by ``names``.

        ``scope`` is a prefix that keeps its block names apart from those of other tallies.
        """
        blocks = {number: scope + name for name, number in other.block_ids.items()}
        entrants = {number: names(name) for name, number in other.entrant_ids.items()}
        ids, held = self.entrant_ids, self.block_ids
        as_here = {k: ids.setdefault(name, len(ids)) for k, name in entrants.items()}
        among = {k: held.setdefault(name, len(held)) for k, name in blocks.items()}
        self.blocks.extend(map(among.__getitem__, other.blocks))
        self.entrants.extend(map(as_here.__getitem__, other.entrants))
        self.codes.extend(other.codes)


class DisciplineCounts:
    """Counts of the games of one discipline.

    Games with more than two seats are kept one by one (8 bytes per seat and pair of seats), because
    such a block has too many possible outcomes to count. A game that one entrant plays against
    itself counts as a game and for its faults; it compares nobody.
    """

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.pairs = PairCounts()
        self.tables = MultiSeatCounts()
        self.records: dict[str, EntrantRecord] = {}
        """Results per entrant that ``pairs`` does not hold."""
        self.faults: dict[str, Counter[FaultKind]] = {}

    @property
    def entrants(self) -> set[str]:
        """Set of all names that occur."""
        return self.pairs.entrants | self.records.keys()

    def add(self, result: GameResult) -> None:
        """Count one game. Raises ValueError as ``PairCounts.add`` does."""
        entrants = result.spec.entrants
        if len(entrants) == 2 and entrants[0] != entrants[1]:
            if result.faults:
                value = comparison(result, 0, 1)
            else:
                first, second = result.places
                value = WIN if first < second else DRAW if first == second else LOSS
            self.pairs.add(result.spec.block, entrants, value)
        else:
            self._add_table(result)
        for fault in result.faults:
            self.add_fault(entrants[fault.seat], fault.kind)

    def add_fault(self, name: str, kind: FaultKind) -> None:
        """Count a fault of an entrant."""
        self.faults.setdefault(name, Counter())[kind] += 1

    def absorb(self, other: DisciplineCounts, names: Names, scope: str) -> None:
        """Count the games of ``other``, which has the same table size, as in ``Tally.absorb``."""
        self.pairs.absorb(other.pairs, names)
        self.tables.absorb(other.tables, names, scope)
        for name, record in other.records.items():
            self.records.setdefault(names(name), EntrantRecord()).add(record)
        for name, kinds in other.faults.items():
            self.faults.setdefault(names(name), Counter()).update(kinds)

    def _add_table(self, result: GameResult) -> None:
        entrants = result.spec.entrants
        names = set(entrants)
        for name in names:
            if name not in self.records:
                self.records[name] = EntrantRecord()
            self.records[name].games += 1
        if len(names) == 1:
            return
        codes = [comparison(result, a, b) for a, b in combinations(range(len(entrants)), 2)]
        self.tables.add(result.spec.block, entrants, codes)
        self._count_points(result)
        self._count_places(result)

    def _count_points(self, result: GameResult) -> None:
        """Add the points of a game; two faulty seats score nothing off each other."""
        entrants = result.spec.entrants
        won, rows = dict.fromkeys(entrants, 0), dict.fromkeys(entrants, 0)
        for (a, one), (b, other) in combinations(enumerate(entrants), 2):
            if one == other:
                continue
            rows[one] += 1
            rows[other] += 1
            placed = placement(result, a, b)
            if placed != NO_ROW:
                won[one] += placed
                won[other] += opposite(placed)
        for name, half_points in won.items():
            self.records[name].add_points(half_points, rows[name])

    def _count_places(self, result: GameResult) -> None:
        """Count a win, draw or loss of each entrant.

        An entrant wins if no other entrant shares the first place. A faulty seat is never first.
        """
        entrants, places = result.spec.entrants, result.places
        best = min(places)
        seats = [seat for seat, place in enumerate(places) if place == best]
        first = {entrants[seat] for seat in seats}
        clean = {entrants[seat] for seat in seats if not result.faulty(seat)}
        for name in set(entrants):
            record = self.records[name]
            if name not in clean:
                record.losses += 1
            elif len(first) == 1:
                record.wins += 1
            else:
                record.draws += 1


def _cell(seated: Sequence[str], code: int, swapped_code: int) -> tuple[tuple[str, str], int]:
    """Return the sorted pair and its cell number.

    ``code`` is that of seat 0 in the seating ``seated``, ``swapped_code`` in the swapped seating.
    """
    first, second = seated
    if first < second:
        return (first, second), CODES * code + _OPPOSITE[swapped_code]
    return (second, first), CODES * swapped_code + _OPPOSITE[code]
