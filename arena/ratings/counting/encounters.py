"""Head-to-head results of every pair of entrants, as sums over blocks.

Scores are halves and counts are integers, so every sum is exact and nothing depends on the order in
which games were added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.counting.arrays import (
    Deals,
    Floats,
    Ints,
    MultiSeatArrays,
    PairCells,
    TallyArrays,
    added,
    scatter,
)
from arena.ratings.counting.counts import CELLS, CODES, DRAW, LOSS, NO_ROW, WIN

ALIKE: Final = 1e-9
"""Sum of squares, per square of a game, that rounding alone can reach."""


@dataclass(frozen=True)
class EncounterArrays:
    """Arrays by [entrant, other], entrants as in ``TallyArrays``; the diagonal is 0.

    A game counts once for each pair of seats that the two entrants hold and that the game compares.
    """

    blocks: Floats
    """Number of blocks with at least one comparison of the two entrants."""
    games: Floats
    wins: Floats
    draws: Floats
    score_squares: Floats
    """Sum over blocks of the square of the entrant's score in the block."""
    score_games: Floats
    """Sum over blocks of the entrant's score times the number of games of the block."""
    games_squares: Floats
    """Sum over blocks of the square of the number of games."""

    @property
    def score(self) -> Floats:
        """Sum of the entrant's scores, 0 … ``games``."""
        return self.wins + self.draws / 2

    @property
    def mean(self) -> Floats:
        """Score of the entrant per game, 0 … 1; 1/2 if the two never met."""
        mean: Floats = np.where(self.games > 0, self.score, 0.5) / np.maximum(self.games, 1.0)
        return mean

    @property
    def variance(self) -> Floats:
        """Variance of ``mean``, with blocks as units; 0 with one block or without spread.

        This is the variance of a ratio of sums over blocks. With blocks of equal size it is the
        variance of the mean of their means.
        """
        mean, games = self.mean, np.maximum(self.games, 1.0)
        squares = self.score_squares - 2 * mean * self.score_games + mean**2 * self.games_squares
        squares = np.where(squares < ALIKE * self.games_squares, 0.0, squares)
        variance: Floats = squares / games**2 * self.blocks / np.maximum(self.blocks - 1.0, 1.0)
        return np.where(self.blocks > 1, variance, 0.0)


class _Blocks(NamedTuple):
    """Kinds of blocks, one element each: their frequency and the results of the first name."""

    first: Ints
    second: Ints
    times: Floats
    wins: Floats
    draws: Floats
    losses: Floats

    def swapped(self) -> _Blocks:
        """Return the blocks from the side of the second name."""
        return _Blocks(self.second, self.first, self.times, self.losses, self.draws, self.wins)


def encounters(arrays: TallyArrays) -> EncounterArrays:
    """Count every pair of a tally, all disciplines together."""
    size = len(arrays.entrants)
    parts = chain(
        (_of_pairs(cells) for cells in arrays.cells),
        (_of_tables(games, size) for games in arrays.games if len(games.block)),
        (blocks for deals in arrays.deals for blocks in _of_deals(deals)),
    )
    totals = np.zeros((7, size, size))
    for blocks in parts:
        for own in (blocks, blocks.swapped()):
            totals += _summed(own, size)
    return EncounterArrays(*totals)


def _summed(own: _Blocks, size: int) -> Floats:
    games, score = own.wins + own.draws + own.losses, own.wins + own.draws / 2
    met = (games > 0).astype(np.float64)
    values = (met, games, own.wins, own.draws, score**2, score * games, games**2)
    return np.stack([scatter(own.times * value, own.first, own.second, size) for value in values])


def _of_pairs(cells: PairCells) -> _Blocks:
    """Return the blocks of a two-seat discipline; each non-empty cell is a kind of block."""
    pair, cell = np.nonzero(cells.counts.reshape(-1, CELLS))
    codes = np.stack(np.divmod(cell, CODES))
    wins, draws, losses = ((codes == code).sum(axis=0) * 1.0 for code in (WIN, DRAW, LOSS))
    count = cells.counts.reshape(-1, CELLS)[pair, cell]
    return _Blocks(cells.first[pair], cells.second[pair], count, wins, draws, losses)


def _of_tables(games: MultiSeatArrays, size: int) -> _Blocks:
    """Return the blocks of larger tables, with pairs of seats summed by pair of names."""
    keys, codes = [], []
    for a, b, code in games.pairs():
        one, other = games.entrants[:, a], games.entrants[:, b]
        valid = (code != NO_ROW) & (one != other)
        first, second = np.minimum(one, other), np.maximum(one, other)
        keys.append(((games.block * size + first) * size + second)[valid])
        codes.append(np.where(one < other, code, WIN - code)[valid])
    held, where = np.unique(np.concatenate(keys), return_inverse=True)
    found = np.concatenate(codes)
    wins, draws, losses = (
        added(where.ravel()[found == code], np.ones(int((found == code).sum())), len(held))
        for code in (WIN, DRAW, LOSS)
    )
    return _Blocks(held // size % size, held % size, np.ones(len(held)), wins, draws, losses)


def _of_deals(deals: Deals) -> Iterator[_Blocks]:
    """Yield the pairs of each first name; each deal is a block with one comparison per pair."""
    for k, codes in enumerate(deals.codes()):
        later = codes[:, k + 1 :]
        for code in (WIN, DRAW, LOSS):
            count = (later == code).sum(axis=0)
            other = np.flatnonzero(count)
            is_code = [np.full(len(other), float(kind == code)) for kind in (WIN, DRAW, LOSS)]
            first = np.full(len(other), k, np.int64)
            yield _Blocks(first, other + k + 1, count[other] * 1.0, *is_code)
