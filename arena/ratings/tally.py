"""Counts results one by one, in any order, and keeps only what ratings and tables need.

Everything kept is an integer, so what is read from a tally never depends on the order
in which results were added, not even in the last bit.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from arena.results import FaultKind, GameResult, Seat, Termination

LOSS: Final = 0
DRAW: Final = 1
WIN: Final = 2
NO_ROW: Final = 3
"""The two seats say nothing about each other: both were faulty, or play stopped before."""
MISSING: Final = 4
"""This seating of the block was not played (yet)."""
CODES: Final = 5
"""How many codes there are; twice the score of a decided pair is its code."""
CELLS: Final = CODES * CODES
"""Counts per pair of entrants: code in one seating by code in the other."""


class Record:
    """How one entrant fared in games that are not two-seat games between two entrants."""

    def __init__(self) -> None:
        self.games = 0
        self.wins = 0
        self.draws = 0
        self.losses = 0
        self._half_points: Counter[int] = Counter()

    @property
    def points(self) -> Fraction:
        """The sum over games of the mean score against the seats of other entrants."""
        parts = (Fraction(total, 2 * rows) for rows, total in self._half_points.items())
        return sum(parts, Fraction(0))

    def add_points(self, half_points: int, rows: int) -> None:
        """Count one game: ``half_points`` won in ``rows`` comparisons with other seats."""
        self._half_points[rows] += half_points


class Tables:
    """The contested games of one table size above two, one row of numbers each."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.block_ids: dict[str, int] = {}
        self.blocks = array("q")
        """Block id by game."""
        self.entrants = array("q")
        """Entrant id by game and seat."""
        self.codes = array("q")
        """Code by game and pair of seats, in the order of ``itertools.combinations``."""

    def add(self, block: str, entrants: Iterable[int], codes: Iterable[int]) -> None:
        """Append one game."""
        self.blocks.append(self.block_ids.setdefault(block, len(self.block_ids)))
        self.entrants.extend(entrants)
        self.codes.extend(codes)


class Tally:
    """Sufficient statistics of any number of games.

    Two-seat games take 25 counts per pair of entrants, however many games there are, and
    one entry per block of which only one seating has come in. Larger tables are kept game
    by game (8 bytes per seat and pair of seats), because a block of theirs has too many
    possible outcomes to count. A game held by one entrant alone (a solo game, or one
    against itself) counts as a game and for its faults; it compares nobody.
    """

    def __init__(self, entrants: Iterable[str] = ()) -> None:
        """Start empty; ``entrants`` shall be listed even if they never play."""
        self._ids: dict[str, int] = {}
        self._pairs: dict[tuple[str, str], int] = {}
        self._cells = array("q")
        self._open: dict[str, tuple[tuple[str, ...], int]] = {}
        self._tables: dict[int, Tables] = {}
        self._records: dict[str, Record] = {}
        self._faults: dict[str, Counter[FaultKind]] = {}
        for name in entrants:
            self._id(name)

    @property
    def entrants(self) -> tuple[str, ...]:
        """Every name listed or met, sorted."""
        return tuple(sorted(self._ids))

    @property
    def tables(self) -> tuple[Tables, ...]:
        """The games of each table size above two, smallest size first."""
        return tuple(self._tables[seats] for seats in sorted(self._tables))

    def id(self, name: str) -> int:
        """The number that stands for an entrant in ``Tables.entrants``."""
        return self._ids[name]

    def record(self, name: str) -> Record:
        """What the two-seat counts do not hold; all zero for a name never met."""
        return self._records.get(name) or Record()

    def faults(self, name: str) -> dict[FaultKind, int]:
        """Faults by kind, in the order of ``FaultKind``, kinds that did not occur left out."""
        counts = self._faults.get(name, Counter())
        return {kind: counts[kind] for kind in FaultKind if counts[kind]}

    def cells(self) -> dict[tuple[str, str], list[int]]:
        """Two-seat blocks counted, by pair of names in sorted order.

        Element ``CODES * a + b``: blocks in which the first name got code ``a`` on seat 0
        and code ``b`` on seat 1. A block with one seating counts as a block of one game.
        """
        counts = {
            pair: self._cells[base : base + CELLS].tolist() for pair, base in self._pairs.items()
        }
        for entrants, code in self._open.values():
            pair, cell = _cell(entrants, code, MISSING)
            counts.setdefault(pair, [0] * CELLS)[cell] += 1
        return dict(sorted(counts.items()))

    def add(self, result: GameResult) -> None:
        """Count one game. Void games are ignored; each game may be added only once.

        Raises ValueError if a two-seat block holds one seating twice or other entrants.
        """
        if result.termination is Termination.VOID:
            return
        entrants = result.spec.entrants
        if len(entrants) != 2 or entrants[0] == entrants[1]:
            self._add_table(result)
            return
        if result.faults:
            self._count_faults(result)
            code = _code(result, 0, 1)
        else:
            first, second = result.places
            code = WIN if first < second else DRAW if first == second else LOSS
        block = result.spec.block
        earlier = self._open.pop(block, None)
        if earlier is None:
            self._open[block] = (entrants, code)
            if entrants[0] not in self._ids or entrants[1] not in self._ids:
                self._id(entrants[0])
                self._id(entrants[1])
        else:
            self._close(block, earlier, entrants, code)

    def _close(
        self, block: str, earlier: tuple[tuple[str, ...], int], entrants: tuple[str, ...], code: int
    ) -> None:
        seated, earlier_code = earlier
        if seated[0] != entrants[1] or seated[1] != entrants[0]:
            self._open[block] = earlier
            raise ValueError(
                f"block {block!r}: expected {seated!r} with seats swapped, found {entrants!r}"
            )
        pair, cell = _cell(seated, earlier_code, code)
        base = self._pairs.get(pair)
        if base is None:
            base = self._pairs[pair] = len(self._cells)
            self._cells.extend([0] * CELLS)
        self._cells[base + cell] += 1

    def _add_table(self, result: GameResult) -> None:
        entrants = result.spec.entrants
        ids = [self._id(name) for name in entrants]
        self._count_faults(result)
        for name in set(entrants):
            self._records.setdefault(name, Record()).games += 1
        if len(set(entrants)) == 1:
            return
        for name in set(entrants):
            _score(self._records[name], result, name)
        seats = len(entrants)
        codes = [_code(result, a, b) for a, b in combinations(range(seats), 2)]
        self._tables.setdefault(seats, Tables(seats)).add(result.spec.block, ids, codes)

    def _count_faults(self, result: GameResult) -> None:
        for fault in result.faults:
            name = result.spec.entrants[fault.seat]
            self._faults.setdefault(name, Counter())[fault.kind] += 1

    def _id(self, name: str) -> int:
        return self._ids.setdefault(name, len(self._ids))


def _cell(seated: Sequence[str], code: int, swapped_code: int) -> tuple[tuple[str, str], int]:
    """The sorted pair and its cell, from seat 0's code in a seating and in the swapped one."""
    if seated[0] < seated[1]:
        return (seated[0], seated[1]), CODES * code + _opposite(swapped_code)
    return (seated[1], seated[0]), CODES * swapped_code + _opposite(code)


def _opposite(code: int) -> int:
    """The same game seen from the other seat."""
    return code if code > WIN else WIN - code


def _code(result: GameResult, seat: Seat, other: Seat) -> int:
    """The code of ``seat`` against ``other``."""
    score = result.pair_score(seat, other)
    stopped = result.termination is Termination.FORFEITED
    undecided = stopped and not result.faulty(seat) and not result.faulty(other)
    if score is None or (undecided and len(result.places) > 2):
        return NO_ROW
    return int(2 * score)


def _score(record: Record, result: GameResult, name: str) -> None:
    """Count points and win, draw or loss of a game with seats of more than one entrant.

    Win: no seat of another entrant shares the first place with ours. Draw: one does.
    A faulty seat is never first. Two faulty seats score nothing off each other.
    """
    entrants = result.spec.entrants
    ours = [seat for seat, entrant in enumerate(entrants) if entrant == name]
    others = [seat for seat, entrant in enumerate(entrants) if entrant != name]
    scores = [result.pair_score(seat, other) or 0.0 for seat in ours for other in others]
    record.add_points(int(2 * sum(scores)), len(scores))
    best = min(result.places)
    first = {entrants[s] for s in ours + others if result.places[s] == best}
    clean = any(result.places[s] == best and not result.faulty(s) for s in ours)
    record.wins += clean and first == {name}
    record.draws += clean and first != {name}
    record.losses += not clean
