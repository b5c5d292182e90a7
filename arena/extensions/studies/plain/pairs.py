"""Two-seat games as columns of numbers, counted by block all at once.

The resulting counts equal those of ``PairCounts.add``, which counts game by game.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Final, NamedTuple

import numpy as np

from arena.extensions.studies.plain.lines import is_name
from arena.ratings.counting.arrays import Ints
from arena.ratings.counting.counts import CELLS, CODES, DRAW, LOSS, MISSING, WIN

_OPPOSITE: Final = np.array([WIN, DRAW, LOSS, *range(WIN + 1, CODES)], np.int64)
_DENSE: Final = 16
"""Ratio of the largest key to the number of keys up to which keys are counted, not sorted."""


_SPREAD: Final = 0x9E3779B97F4A7C1
"""Odd factor that combines a deal and a pair into one key; no two pairs share a multiple of it."""


class RepeatedError(Exception):
    """Seating that its block already holds; ``row`` is the later game."""

    def __init__(self, row: int) -> None:
        super().__init__(f"row {row}")
        self.row = row


class PairBlocks(NamedTuple):
    """Number of blocks of a pair by outcome; cells are in the order of ``PairCounts.cells``."""

    discipline: str
    pair: tuple[str, str]
    cells: list[int]


class PairColumns:
    """Two-seat games between different entrants, one number per game and column."""

    def __init__(self) -> None:
        self._names: defaultdict[str, int] = defaultdict(count().__next__)
        self._disciplines: defaultdict[str, int] = defaultdict(count().__next__)
        self._discipline = array("i")
        self._deal = array("q")
        """Hash per deal, so that names need not be kept. Python's hashes have 64 bits and a new key
        in each process, so that two of a million deals share one with a probability of 3e-8."""
        self._seats = array("i")
        """Two names per game."""
        self._code = array("b")
        self._alone = 0
        """Number of games without a deal so far."""

    def __len__(self) -> int:
        return len(self._code)

    def add(self, discipline: str, deal: str | None, seats: Sequence[str], code: int) -> None:
        """Add one game with the ``code`` of its seat 0."""
        self._discipline.append(self._disciplines[discipline])
        self._deal.append(self._deal_number(deal))
        self._seats.extend(map(self._names.__getitem__, seats))
        self._code.append(code)

    def add_ranked(
        self,
        disciplines: Sequence[str],
        deals: Sequence[str | None],
        seats: Sequence[tuple[str, ...]],
        places: Sequence[tuple[int, ...] | None],
    ) -> bool:
        """Add games without faults and return True; add nothing and return False if one is unfit.

        A game is fit if it has two different names, fit for bots, and places 1, 2 or 1, 1.
        ``disciplines``: one for each game, or one for all.
        """
        games = len(seats)
        ranked = [own for own in places if own is not None]
        if {*map(len, seats)} != {2} or len(ranked) != games or {*map(len, ranked)} != {2}:
            return False
        try:
            by_seat = np.fromiter(chain.from_iterable(ranked), np.int32, 2 * games)
        except OverflowError:
            return False
        flat = chain.from_iterable(seats)
        names = np.fromiter(map(self._names.__getitem__, flat), np.int32, 2 * games)
        low = np.minimum(by_seat[::2], by_seat[1::2])
        high = np.maximum(by_seat[::2], by_seat[1::2])
        sound = (low == 1) & (high <= 2) & (names[::2] != names[1::2])
        if not all(map(is_name, self._names)) or "" in deals or not sound.all():
            return False
        kinds = np.array([self._disciplines[name] for name in disciplines], np.int32)
        number = self._deal_number if None in deals else hash
        numbers = np.fromiter(map(number, deals), np.int64, games)
        self._seats.frombytes(names.tobytes())
        self._code.frombytes((DRAW + by_seat[1::2] - by_seat[::2]).astype(np.int8).tobytes())
        self._deal.frombytes(numbers.tobytes())
        self._discipline.frombytes(np.broadcast_to(kinds, games).tobytes())
        return True

    def _deal_number(self, deal: str | None) -> int:
        if deal is not None:
            return hash(deal)
        self._alone += 1
        return hash((self._alone, ""))

    def blocks(self) -> Iterator[PairBlocks]:
        """Yield the blocks of all games, by discipline and pair. Raises RepeatedError."""
        if not len(self):
            return
        names = sorted(self._names)
        rank = np.empty(len(names), np.int64)
        rank[[self._names[name] for name in names]] = np.arange(len(names))
        seats = rank[np.frombuffer(self._seats, np.int32)]
        first, second = seats[::2], seats[1::2]
        swapped = first > second
        codes = np.frombuffer(self._code, np.int8).astype(np.int64)
        discipline = np.frombuffer(self._discipline, np.int32).astype(np.int64)
        width = len(names)
        pair, pairs = _numbered(
            (discipline * width + np.minimum(first, second)) * width + np.maximum(first, second)
        )
        block, blocks = _sorted(np.frombuffer(self._deal, np.int64) ^ (pair * _SPREAD))
        _refuse_repeated(block * 2 + swapped)
        cell = np.full((2, blocks), MISSING, np.int64)
        cell[swapped.astype(np.int64), block] = np.where(swapped, _OPPOSITE[codes], codes)
        pair_of = np.empty(blocks, np.int64)
        pair_of[block] = pair
        counts = np.bincount(pair_of * CELLS + cell[0] * CODES + cell[1], minlength=pairs * CELLS)
        row_of = np.empty(pairs, np.int64)
        row_of[pair] = np.arange(len(self))
        kinds = [*self._disciplines]
        for row, cells in zip(row_of.tolist(), counts.reshape(-1, CELLS).tolist(), strict=True):
            one, other = sorted((names[first[row]], names[second[row]]))
            yield PairBlocks(kinds[discipline[row]], (one, other), cells)


def _refuse_repeated(keys: Ints) -> None:
    """Raise RepeatedError for the first row whose key occurred before."""
    numbers, size = _numbered(keys)
    if size == len(keys):
        return
    order = np.argsort(numbers, kind="stable")
    again = numbers[order][1:] == numbers[order][:-1]
    raise RepeatedError(int(order[1:][again].min()))


def _numbered(keys: Ints) -> tuple[Ints, int]:
    """Return keys >= 0 as 0, 1, … in their order, and the number of different keys."""
    if int(keys.max()) < _DENSE * len(keys):
        met = np.bincount(keys) > 0
        numbers = np.cumsum(met) - 1
        return numbers[keys], int(numbers[-1]) + 1
    return _sorted(keys)


def _sorted(keys: Ints) -> tuple[Ints, int]:
    """Return the same as ``_numbered``, for any keys."""
    order = np.argsort(keys)
    ordered = keys[order]
    new = np.ones(len(keys), np.int64)
    new[1:] = ordered[1:] != ordered[:-1]
    numbers = np.empty(len(keys), np.int64)
    numbers[order] = np.cumsum(new) - 1
    return numbers, int(new.sum())
