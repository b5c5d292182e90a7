"""Correlation of a bot's scores between the seatings of a deal: how much luck decides."""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from arena.ratings.counting.arrays import (
    Bools,
    Floats,
    Ints,
    MultiSeatArrays,
    PairCells,
    TallyArrays,
)
from arena.ratings.counting.counts import NO_ROW
from arena.ratings.elo.rating import stable

LEAST: Final = 1e-9
"""Variance, in blocks, that rounding of identical scores can reach."""


def luck_correlation(arrays: TallyArrays) -> float | None:
    """Return the correlation r of a bot's scores in two games of a deal, -1 … 1.

    It is pooled over sets of entrants, after subtracting the mean score of each bot and seat, so
    that neither strength nor the seat adds to it. Only blocks with all games decided count. The
    mean of the g games of a block varies 1 + (g-1) r times as much as that of g games on deals of
    their own: r is 0 where deals do not matter and -1/(g-1) where a deal and a seat decide
    everything.

    Return None if scores do not vary, or unless exactly one discipline has at least two seats.
    """
    if len(arrays.seats) != 1:
        return None
    return _of_pairs(arrays.cells[0]) if arrays.cells else _of_tables(arrays.games[0])


def _of_pairs(cells: PairCells) -> float | None:
    """Return the correlation of the first name's scores; the second name mirrors them."""
    score = np.array([0.0, 0.5, 1.0])
    counts = cells.counts[:, :NO_ROW, :NO_ROW]
    blocks = np.maximum(counts.sum(axis=(1, 2)), 1.0)
    one, two = counts.sum(axis=2), counts.sum(axis=1)
    totals = (one * score).sum(axis=1), (two * score).sum(axis=1)
    both = (counts * np.multiply.outer(score, score)).sum(axis=(1, 2))
    covariance = float((both - totals[0] * totals[1] / blocks).sum())
    variances = [
        float(((by_code * score**2).sum(axis=1) - total**2 / blocks).sum())
        for by_code, total in zip((one, two), totals, strict=True)
    ]
    if min(variances) < LEAST:
        return None
    return stable(max(-1.0, min(1.0, covariance / sqrt(variances[0] * variances[1]))))


def _of_tables(games: MultiSeatArrays) -> float | None:
    """Return the intraclass correlation of a bot's scores within the blocks with most games."""
    whole = _whole_blocks(games)
    if not whole.any():
        return None
    entrants, points = games.entrants[whole], _points(games)[whole]
    table = np.unique(np.sort(entrants, axis=1), axis=0, return_inverse=True)[1].reshape(-1, 1)
    bots = int(entrants.max()) + 1
    seat = (table * bots + entrants) * games.seats.seats + np.arange(games.seats.seats)
    score = _centred(seat.ravel(), points.ravel())
    bot = (games.block[whole][:, None] * bots + entrants).ravel()
    squares = float((score**2).sum())
    if squares < LEAST:
        return None
    products = float((np.bincount(bot, score) ** 2).sum()) - squares
    others = int(np.bincount(games.block[whole]).max()) - 1
    return stable(products / (others * squares))


def _whole_blocks(games: MultiSeatArrays) -> Bools:
    """Return, per game, whether it is part of a whole block.

    A block is whole if its bots differ and all of its games were played and decided.
    """
    alone = (np.diff(np.sort(games.entrants, axis=1), axis=1) > 0).all(axis=1)
    decided = alone & (games.codes != NO_ROW).all(axis=1)
    by_block = np.bincount(games.block, decided)
    most = by_block.max()
    whole: Bools = decided & (by_block[games.block] == most) & (most > 1)
    return whole


def _points(games: MultiSeatArrays) -> Floats:
    """Return the sum of scores against the other seats, by [game, seat]."""
    points = np.zeros(games.entrants.shape)
    for a, b, codes in games.pairs():
        points[:, a] += codes / 2
        points[:, b] += 1.0 - codes / 2
    return points


def _centred(keys: Ints, values: Floats) -> Floats:
    """Return each value minus the mean of the values with the same key."""
    places = np.unique(keys, return_inverse=True)[1].ravel()
    means = np.bincount(places, values) / np.bincount(places)
    centred: Floats = values - means[places]
    return centred
