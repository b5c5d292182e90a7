"""Correction of the test for cycles for games and deals that order several bots at once.

Pairs of one game, or of one solo deal, are not independent: if a beat b and b beat c, a beat c. So
chance makes fewer cycles there than among pairs that meet alone. The mean of the statistic under
chance follows from the covariance of the pairs within the blocks. A statistic divided by its mean
per degree of freedom is a chi-square to the first order (Rao and Scott 1981).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from arena.ratings.counting.arrays import (
    Bools,
    Deals,
    Floats,
    Ints,
    MultiSeatArrays,
    PairCells,
    TallyArrays,
    added,
    scatter,
)
from arena.ratings.counting.counts import CELLS, CODES, NO_ROW
from arena.ratings.counting.encounters import EncounterArrays
from arena.ratings.elo.linear import product, solve

LEAST: Final = 20
"""Least number of blocks for a correction; with fewer the covariance is too uncertain."""
TINY: Final = 1e-9
"""Mean that rounding alone can reach."""


def has_tables(arrays: TallyArrays) -> bool:
    """Return whether any game or deal compares more than two entrants."""
    return bool(arrays.games) or any(deals.players > 2 for deals in arrays.deals)


def scale(
    arrays: TallyArrays, met: EncounterArrays, weight: Floats, slope: Floats, matrix: Floats
) -> float | None:
    """Return the mean of the statistic under chance, divided by that for pairs that meet alone.

    ``weight`` is that of the logit of each pair by [entrant, other], 0 for pairs that are left out.
    ``slope`` is the derivative of the score by the logit. ``matrix`` is that of the least squares,
    over the entrants with a pair. Return None with fewer than LEAST blocks or without spread.
    """
    met_any: Bools = np.asarray((weight > 0).any(axis=1), bool)
    members = np.flatnonzero(met_any)
    if arrays.blocks_among(met_any) < LEAST:
        return None
    inflation = np.sqrt(met.blocks / np.maximum(met.blocks - 1.0, 1.0)) * (met.blocks > 1)
    factor = weight * inflation / (np.maximum(met.games, 1.0) * slope)
    squares = weight * met.variance / slope**2
    alone = np.diag((weight * squares).sum(axis=1)) - weight * squares
    together = np.zeros_like(alone)
    for cells in arrays.cells:
        together += _of_pairs(cells, met.mean, factor)
    for games in arrays.games:
        together += _of_tables(games, met.mean, factor)
    for deals in arrays.deals:
        together += _of_deals(deals, met.mean, factor)
    total, among = float(squares.sum()) / 2, np.ix_(members, members)
    expected, independent = (
        total - float(np.trace(solve(matrix, products[among]))) for products in (together, alone)
    )
    return expected / independent if min(expected, independent) > TINY else None


def _of_pairs(cells: PairCells, mean: Floats, factor: Floats) -> Floats:
    """Return the sum over blocks of the products of the entrants' excess scores."""
    codes = np.divmod(np.arange(CELLS), CODES)
    own = mean[cells.first, cells.second][:, None]
    excess = sum(np.where(code < NO_ROW, code / 2 - own, 0.0) for code in codes)
    counts = cells.counts.reshape(-1, CELLS)
    squares = (counts * excess**2).sum(axis=1) * factor[cells.first, cells.second] ** 2
    size = len(mean)
    crossed = scatter(squares, cells.first, cells.second, size)
    crossed += crossed.T
    products: Floats = np.diag(crossed.sum(axis=1)) - crossed
    return products


def _of_tables(games: MultiSeatArrays, mean: Floats, factor: Floats) -> Floats:
    size, excess = len(mean), np.zeros(games.entrants.shape)
    for a, b, codes in games.pairs():
        one, other = games.entrants[:, a], games.entrants[:, b]
        valid = (codes != NO_ROW) & (one != other)
        own = np.where(valid, factor[one, other] * (codes / 2 - mean[one, other]), 0.0)
        excess[:, a] += own
        excess[:, b] -= own
    keys = (games.block[:, None] * size + games.entrants).ravel()
    held, where = np.unique(keys, return_inverse=True)
    total = added(where.ravel(), excess.ravel(), len(held))
    return _products(held // size, held % size, total, size)


def _products(block: Ints, entrant: Ints, total: Floats, size: int) -> Floats:
    """Return the sum over blocks of the products of their totals, which are sorted by block."""
    products = scatter(total**2, entrant, entrant, size)
    for apart in range(1, len(block)):
        same = np.flatnonzero(block[apart:] == block[:-apart])
        if not len(same):
            break
        one, other = entrant[same], entrant[same + apart]
        crossed = scatter(total[same] * total[same + apart], one, other, size)
        products += crossed + crossed.T
    return products


def _of_deals(deals: Deals, mean: Floats, factor: Floats) -> Floats:
    excess = np.zeros(deals.values.shape)
    for k, codes in enumerate(deals.codes()):
        own = np.where(codes == NO_ROW, 0.0, codes / 2 - mean[k])
        excess[:, k] = (factor[k] * own).sum(axis=1)
    return product(excess.T, excess)
