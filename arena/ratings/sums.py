"""The numbers of a tally as arrays, in an order that does not depend on how it was filled.

Entrants are numbered by sorted name. Parameters are the entrants' strengths, then one
seat term per seat of each table size met. Scores are halves and counts are integers, so
every sum of them is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.ratings.tally import CODES, NO_ROW, Tables, Tally

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]


def weight(seats: int) -> float:
    """Of one pair of seats at a table of ``seats``.

    With it the information of independent games equals the variance of their scores at
    equal strength: a game has sensitivity n/4 and score variance n(n+1)/12 per contrast.
    """
    return 3.0 / (seats + 1)


@dataclass(frozen=True)
class Rows:
    """Comparisons of ``first`` with ``second``, equal ones joined; one element per row."""

    first: Ints
    """Parameter of the entrant whose score is counted."""
    second: Ints
    first_seat: Ints
    """Parameter of the seat term of ``first``."""
    second_seat: Ints
    weight: Floats
    games: Floats
    score: Floats
    """Sum of scores of ``first``: 0 … games."""

    def parameters(self) -> tuple[tuple[Ints, float], ...]:
        """The four parameters in a difference of strength, each with its sign."""
        return (
            (self.first, 1.0),
            (self.second, -1.0),
            (self.first_seat, 1.0),
            (self.second_seat, -1.0),
        )

    def difference(self, x: Floats) -> Floats:
        """The difference of strength in each row, nats, for parameters ``x``."""
        return x[self.first] - x[self.second] + x[self.first_seat] - x[self.second_seat]


@dataclass(frozen=True)
class PairCells:
    """Two-seat blocks: counts[k, a, b] as ``Tally.cells`` says, for pair first[k] < second[k]."""

    first: Ints
    second: Ints
    counts: Floats


@dataclass(frozen=True)
class Games:
    """Games of one table size above two, sorted by block and content."""

    seats: int
    block: Ints
    """By game: 0, 1, … in the order of block names."""
    entrants: Ints
    """[game, seat]"""
    codes: Ints
    """[game, pair of seats]"""

    def pairs(self) -> Iterator[tuple[int, int, Ints]]:
        """Each pair of seats with the codes of its games."""
        for k, (a, b) in enumerate(combinations(range(self.seats), 2)):
            yield a, b, self.codes[:, k]


@dataclass(frozen=True)
class Sums:
    """Everything a fit reads."""

    entrants: tuple[str, ...]
    sizes: tuple[int, ...]
    """Table sizes met, two first."""
    cells: PairCells
    games: tuple[Games, ...]
    rows: Rows

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return len(self.entrants) + sum(self.sizes)

    def seat(self, seats: int, seat: int) -> int:
        """The parameter of a seat at a table of ``seats``."""
        smaller = sum(size for size in self.sizes if size < seats)
        return len(self.entrants) + smaller + seat

    def blocks_against(self, opponents: npt.NDArray[np.bool_]) -> Ints:
        """By entrant: blocks in which it was compared with one of the ``opponents``."""
        cells, size = self.cells, len(self.entrants)
        blocks = compared(cells.counts)
        counts = np.bincount(cells.first, blocks * opponents[cells.second], size)
        counts += np.bincount(cells.second, blocks * opponents[cells.first], size)
        for games in self.games:
            met = [np.empty(0, np.int64)]
            for a, b, codes in games.pairs():
                for mine, other in ((a, b), (b, a)):
                    valid = (codes != NO_ROW) & opponents[games.entrants[:, other]]
                    met.append((games.block * size + games.entrants[:, mine])[valid])
            counts += np.bincount(np.unique(np.concatenate(met)) % size, minlength=size)
        return counts.astype(np.int64)

    def blocks_among(self, members: npt.NDArray[np.bool_]) -> int:
        """Blocks in which two of the ``members`` were compared."""
        cells = self.cells
        inside = members[cells.first] & members[cells.second]
        total = int(compared(cells.counts)[inside].sum())
        for games in self.games:
            held = members[games.entrants]
            valid = np.zeros(len(games.block), bool)
            for a, b, codes in games.pairs():
                valid |= (codes != NO_ROW) & held[:, a] & held[:, b]
            total += len(np.unique(games.block[valid]))
        return total


def added(keys: Ints, values: Floats, size: int) -> Floats:
    """Values added up by key 0 … size-1, in their order."""
    return np.bincount(keys, values, size).astype(np.float64, copy=False)


def compared(counts: Floats) -> Floats:
    """By pair: two-seat blocks with at least one decided game."""
    undecided = counts[:, NO_ROW:, NO_ROW:].sum(axis=(1, 2))
    blocks: Floats = counts.sum(axis=(1, 2)) - undecided
    return blocks


def sums(tally: Tally) -> Sums:
    """The arrays of a tally."""
    entrants = tally.entrants
    rank = {name: k for k, name in enumerate(entrants)}
    cells = _pair_cells(tally, rank)
    ranks = np.empty(len(entrants), np.int64)
    ranks[[tally.id(name) for name in entrants]] = np.arange(len(entrants))
    games = tuple(_games(tables, ranks) for tables in tally.tables)
    sizes = ((2,) if len(cells.first) else ()) + tuple(table.seats for table in games)
    empty = Sums(entrants, sizes, cells, games, _join([]))
    parts = _two_seat_rows(empty) + [row for table in games for row in _table_rows(empty, table)]
    return Sums(entrants, sizes, cells, games, _join(parts))


def _pair_cells(tally: Tally, rank: dict[str, int]) -> PairCells:
    counted = tally.cells()
    pairs = np.array([(rank[a], rank[b]) for a, b in counted], np.int64).reshape(-1, 2)
    counts = np.array(list(counted.values()), np.float64).reshape(-1, CODES, CODES)
    return PairCells(pairs[:, 0], pairs[:, 1], counts)


def _games(tables: Tables, ranks: Ints) -> Games:
    by_name = np.empty(len(tables.block_ids), np.int64)
    by_name[[tables.block_ids[name] for name in sorted(tables.block_ids)]] = np.arange(len(by_name))
    games = len(tables.blocks)
    block = by_name[np.array(tables.blocks)]
    entrants = ranks[np.array(tables.entrants)].reshape(games, -1)
    codes = np.array(tables.codes).reshape(games, -1)
    order = np.lexsort((*codes.T, *entrants.T, block))
    return Games(tables.seats, block[order], entrants[order], codes[order])


def _two_seat_rows(sums: Sums) -> list[Rows]:
    cells = sums.cells
    parts = []
    for other_axis, seat in ((2, 0), (1, 1)):
        by_code = cells.counts.sum(axis=other_axis)[:, :NO_ROW]
        met = np.flatnonzero(by_code.sum(axis=1))
        if len(met):
            games, score = by_code.sum(axis=1)[met], (0.5 * by_code[:, 1] + by_code[:, 2])[met]
            seats = (sums.seat(2, seat), sums.seat(2, 1 - seat))
            parts.append(_rows(cells.first[met], cells.second[met], seats, weight(2), games, score))
    return parts


def _table_rows(sums: Sums, games: Games) -> Iterator[Rows]:
    size = len(sums.entrants)
    for a, b, codes in games.pairs():
        valid = codes != NO_ROW
        key = (games.entrants[:, a] * size + games.entrants[:, b])[valid]
        count = np.bincount(key, minlength=size * size).astype(np.float64)
        score = added(key, codes[valid] / 2, size * size)
        met = np.flatnonzero(count)
        seats = (sums.seat(games.seats, a), sums.seat(games.seats, b))
        yield _rows(met // size, met % size, seats, weight(games.seats), count[met], score[met])


def _rows(
    first: Ints, second: Ints, seats: tuple[int, int], weight: float, games: Floats, score: Floats
) -> Rows:
    ones = np.ones_like(first)
    return Rows(
        first, second, ones * seats[0], ones * seats[1], weight * np.ones_like(games), games, score
    )


def _join(parts: list[Rows]) -> Rows:
    ints = [np.empty(0, np.int64)]
    floats = [np.empty(0, np.float64)]
    return Rows(
        np.concatenate(ints + [part.first for part in parts]),
        np.concatenate(ints + [part.second for part in parts]),
        np.concatenate(ints + [part.first_seat for part in parts]),
        np.concatenate(ints + [part.second_seat for part in parts]),
        np.concatenate(floats + [part.weight for part in parts]),
        np.concatenate(floats + [part.games for part in parts]),
        np.concatenate(floats + [part.score for part in parts]),
    )
