"""Score matching: the strengths at which every expected score equals the observed one.

A game of n seats, or a solo deal that n entrants played, is split into its pairs. A pair scores 1,
1/2 or 0; its expected score is logistic in the difference of strength plus seat terms; its weight
is 3/(n+1). The strengths maximise

    sum w [y ln s(d) + (1-y) ln s(-d)]  +  prior * sum over parameters [ln s(x) + ln s(-x)]

The prior gives each entrant, and each seat, ``prior`` wins and as many losses against a ghost of
strength 0. It keeps all strengths finite and the information matrix invertible.

The covariance of the strengths is computed from blocks (``meat``). The games of a block share one
deal, so they are not independent: the scores of a block are added up before they are squared. The
block of solo games is the deal.

Equations are solved without BLAS. A threaded BLAS is ten times slower on a machine whose cores are
busy with games. Its last bits depend on the number of threads (from about a hundred unknowns on)
and on the processor. Its threads can be limited only before numpy is loaded, by an environment
variable that bots would inherit. ``arena verify`` compares tables byte by byte, also on other
machines. So linear algebra is element-wise numpy alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.ratings.counting.arrays import (
    Floats,
    Ints,
    MultiSeatArrays,
    PairCells,
    Rows,
    TallyArrays,
    added,
    scatter,
    weight,
)
from arena.ratings.counting.counts import CODES, NO_ROW
from arena.ratings.elo.scale import Hold

STEP: Final = 2.0
"""Greatest change of a parameter in one iteration, in nats."""
TOLERANCE: Final = 1e-10
ITERATIONS: Final = 200


@dataclass(frozen=True)
class ObjectivePoint:
    """Objective at ``x`` with its first and (negative) second derivatives."""

    x: Floats
    objective: float
    gradient: Floats
    information: Floats
    """Information in the games and the ghost, without that of further constraints."""
    bread: Floats
    """Matrix from a change of the gradient to the movement of ``x``: the inverse of
    ``information``, if there are no further constraints. Known at the maximum; empty elsewhere."""


def logistic(difference: Floats) -> Floats:
    """Return the expected score for a difference of strength in nats; safe for any size."""
    return 1.0 / (1.0 + np.exp(-np.clip(difference, -40.0, 40.0)))


def log_logistic(difference: Floats) -> Floats:
    """Return the logarithm of ``logistic``; safe for any size."""
    return -np.logaddexp(0.0, -difference)


def solve(
    arrays: TallyArrays,
    prior: float | Floats,
    hold: Hold | None = None,
    start: Floats | None = None,
) -> ObjectivePoint:
    """Return the maximum, found by Newton steps from ``start``, by default 0.

    ``prior``: of each parameter, or of all: the number of wins, and of losses, against the ghost.
    Steps are capped, and halved while they do not climb. ``hold``: further constraints. Bots that
    they tie together begin, and stay, at the distances of their targets.
    """
    held = None if hold is None or hold.is_loose else hold
    if start is None:
        start = np.zeros(arrays.size) if held is None else held.target
    point = _evaluate(arrays.rows, start, prior, held)
    for _ in range(ITERATIONS if arrays.size else 0):
        step = _bread(point, point.gradient, held)
        length = float(np.abs(step).max())
        step *= min(1.0, STEP / max(length, TOLERANCE))
        slack = 1e-12 * abs(point.objective)
        following = _evaluate(arrays.rows, point.x + step, prior, held)
        while following.objective < point.objective - slack:
            step = step / 2
            following = _evaluate(arrays.rows, point.x + step, prior, held)
        point = following
        if length < TOLERANCE:
            break
    return replace(point, bread=_bread(point, np.eye(arrays.size), held))


def _bread(point: ObjectivePoint, right: Floats, held: Hold | None) -> Floats:
    """Return the inverse of the second derivatives times ``right``, under constraints if any.

    ``right`` is a vector or a matrix.
    """
    if held is None:
        return solve_linear(point.information, right)
    within = held.reduced(point.information + held.precision)
    return held.spread(solve_linear(within, held.gathered(right)))


def _evaluate(rows: Rows, x: Floats, prior: float | Floats, held: Hold | None) -> ObjectivePoint:
    difference = rows.difference(x)
    expected = logistic(difference)
    ghost = logistic(x)
    fits = rows.score * log_logistic(difference)
    fits += (rows.games - rows.score) * log_logistic(-difference)
    objective = (rows.weight * fits).sum() + (prior * (log_logistic(x) + log_logistic(-x))).sum()
    residual = rows.weight * (rows.score - rows.games * expected)
    slope = rows.weight * rows.games * expected * (1.0 - expected)
    # One more than the number of parameters: the last one stands for no seat.
    gradient = _added([(a, sign * residual) for a, sign in rows.parameters()], len(x) + 1)
    slopes = gradient[:-1] + prior * (1.0 - 2.0 * ghost)
    if held is not None:
        pull = (held.precision * (held.target - x)).sum(axis=1)
        objective -= (pull * (held.target - x)).sum() / 2
        slopes += pull
    return ObjectivePoint(
        x,
        float(objective),
        slopes,
        information_of(rows, slope, len(x)) + np.diag(2.0 * prior * ghost * (1.0 - ghost)),
        np.empty((0, 0)),
    )


def information_of(rows: Rows, slope: Floats, size: int) -> Floats:
    """Return the matrix of second derivatives over ``size`` parameters, negative.

    ``slope``: second derivative of each row by its difference of strength.
    """
    size, parts = size + 1, rows.parameters()
    both = [(a * size + b, sign * other * slope) for a, sign in parts for b, other in parts]
    return _added(both, size * size).reshape(size, size)[:-1, :-1]


def _added(parts: Sequence[tuple[Ints, Floats]], size: int) -> Floats:
    """Return the sums of all values by key 0 … size-1."""
    keys, values = zip(*parts, strict=True)
    return added(np.concatenate(keys), np.concatenate(values), size)


def meat(arrays: TallyArrays, x: Floats, share: Floats | None = None) -> Floats:
    """Return the sum over blocks of the products of their first derivatives at ``x``.

    This is the covariance of the first derivatives. Multiplied by the inverse of the information on
    both sides, it gives the covariance of strengths. ``share``: factor of the variance of each
    pair, by [entrant, entrant].
    """
    meat = np.zeros((arrays.size, arrays.size))
    entrants = len(arrays.entrants)
    share = np.ones((entrants, entrants)) if share is None else share
    for cells in arrays.cells:
        counts = cells.counts * share[cells.first, cells.second][:, None, None]
        meat += _two_seat_meat(replace(cells, counts=counts), x)
    root = np.sqrt(share)
    for games in arrays.games:
        meat += _table_meat(games, entrants, x, root)
    strengths = x[:entrants]
    expected = logistic(np.subtract.outer(strengths, strengths))
    for deals in arrays.deals:
        residuals = deals.residuals(expected, root)
        meat[:entrants, :entrants] += product(residuals.T, residuals)
    return meat


def _two_seat_meat(cells: PairCells, x: Floats) -> Floats:
    """Return the ``meat`` of a two-seat discipline from its counts.

    The cost does not depend on the number of games.
    """
    size = len(x)
    seats = (cells.seats.first, cells.seats.first + 1)
    strength = x[cells.first] - x[cells.second]
    edge = x[seats[0]] - x[seats[1]]
    one = _residuals(strength + edge)[:, :, None]
    two = _residuals(strength - edge)[:, None, :]
    by_entrant, by_seat = weight(2) * (one + two), weight(2) * (one - two)
    squares = [
        (cells.counts * first * second).sum(axis=(1, 2))
        for first, second in ((by_entrant, by_entrant), (by_entrant, by_seat), (by_seat, by_seat))
    ]
    ones = np.ones_like(cells.first)
    # Each parameter with its sign and its kind: 0 for an entrant, 1 for a seat.
    parts = (
        (cells.first, 1.0, 0),
        (cells.second, -1.0, 0),
        (ones * seats[0], 1.0, 1),
        (ones * seats[1], -1.0, 1),
    )
    return _added(
        [
            (a * size + b, sign * other_sign * squares[kind + other_kind])
            for a, sign, kind in parts
            for b, other_sign, other_kind in parts
        ],
        size * size,
    ).reshape(size, size)


def _residuals(difference: Floats) -> Floats:
    """Return score minus expected score by [pair, code], 0 where nothing was decided."""
    residuals = np.zeros((len(difference), CODES))
    residuals[:, :NO_ROW] = np.array([0.0, 0.5, 1.0]) - logistic(difference)[:, None]
    return residuals


def _table_meat(games: MultiSeatArrays, entrants: int, x: Floats, root: Floats) -> Floats:
    """Return the ``meat`` of larger tables, from the few sums of each block by entrant and seat."""
    size = len(x)
    by_seat = _by_seat(games, x, root)
    columns = _seat_columns(games, by_seat) + _entrant_columns(games, entrants, by_seat)
    meat = np.zeros((size, size))
    for a, first in columns:
        for b, second in columns:
            meat += scatter(first * second, a, b, size)
    return meat


def _by_seat(games: MultiSeatArrays, x: Floats, root: Floats) -> Floats:
    """Return weighted score minus expected score against the other seats, by [game, seat].

    ``root``: further weight of each pair, by [entrant, entrant].
    """
    total = np.zeros(games.entrants.shape)
    seats = games.seats
    for a, b, codes in games.pairs():
        first, second = games.entrants[:, a], games.entrants[:, b]
        edge = x[seats.first + a] - x[seats.first + b]
        expected = logistic(x[first] - x[second] + edge)
        residual = np.where(codes == NO_ROW, 0.0, codes / 2 - expected)
        residual *= weight(seats.seats) * root[first, second]
        total[:, a] += residual
        total[:, b] -= residual
    return total


def _seat_columns(games: MultiSeatArrays, by_seat: Floats) -> list[tuple[Ints, Floats]]:
    """Return (parameter, sum) per block for each seat."""
    blocks = int(games.block[-1]) + 1
    ones = np.ones(blocks, np.int64)
    return [
        (ones * (games.seats.first + seat), added(games.block, by_seat[:, seat], blocks))
        for seat in range(games.seats.seats)
    ]


def _entrant_columns(
    games: MultiSeatArrays, entrants: int, by_seat: Floats
) -> list[tuple[Ints, Floats]]:
    """Return (parameter, sum) per block for its first entrant, its second, and so on.

    The sum is 0 for a block with fewer entrants.
    """
    blocks = int(games.block[-1]) + 1
    keys = games.block[:, None] * entrants + games.entrants
    held, where = np.unique(keys.ravel(), return_inverse=True)
    total = added(where, by_seat.ravel(), len(held))
    block, entrant = held // entrants, held % entrants
    place = np.arange(len(held)) - np.searchsorted(block, block)
    columns = []
    for k in range(int(place.max()) + 1):
        parameter, value = np.zeros(blocks, np.int64), np.zeros(blocks)
        parameter[block[place == k]] = entrant[place == k]
        value[block[place == k]] = total[place == k]
        columns.append((parameter, value))
    return columns


_PANEL: Final = 32
"""Number of columns that are eliminated at a time, because the rest does not fit into a cache."""
_TILE: Final = 128


def solve_linear(matrix: Floats, right: Floats) -> Floats:
    """Return x with ``matrix`` x = ``right``, which is a vector or a matrix of columns.

    ``matrix`` must be symmetric and positive definite (L D L' factors, no pivoting).
    """
    size = len(matrix)
    factors = _factors(matrix)
    x = right.astype(np.float64).reshape(size, *right.shape[1:] or (1,))
    for start in range(0, size, _PANEL):
        end = min(start + _PANEL, size)
        for k in range(start, end):
            x[k + 1 : end] -= np.multiply.outer(factors[k + 1 : end, k], x[k])
        x[end:] -= product(factors[end:, start:end], x[start:end])
    x /= np.diagonal(factors)[:, None]
    for start in reversed(range(0, size, _PANEL)):
        end = min(start + _PANEL, size)
        for k in range(end - 1, start, -1):
            x[start:k] -= np.multiply.outer(factors[k, start:k], x[k])
        x[:start] -= product(np.ascontiguousarray(factors[start:end, :start].T), x[start:end])
    return x.reshape(right.shape)


def _factors(matrix: Floats) -> Floats:
    """Return L below the diagonal and D on it; the part above the diagonal is unused."""
    rest = matrix.copy()
    size = len(rest)
    for start in range(0, size, _PANEL):
        end = min(start + _PANEL, size)
        columns = np.empty((end - start, size - end))
        for k in range(start, end):
            column = rest[k + 1 :, k].copy()
            factor = column / rest[k, k]
            rest[k + 1 :, k + 1 : end] -= np.multiply.outer(factor, column[: end - k - 1])
            rest[k + 1 :, k] = factor
            columns[k - start] = column[end - k - 1 :]
        for left in range(end, size, _TILE):  # the lower half of the remaining matrix
            tile = slice(left, min(left + _TILE, size))
            rest[left:, tile] -= product(
                rest[left:, start:end],
                np.ascontiguousarray(columns[:, tile.start - end : tile.stop - end]),
            )
    return rest


def product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product."""
    return np.asarray(np.einsum("ij,jk->ik", a, b), np.float64)


def thin_product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product, faster the more elements of ``b`` are 0."""
    found, columns = np.zeros((len(a), b.shape[1])), np.ascontiguousarray(a.T)
    for k in range(b.shape[1]):
        known = np.flatnonzero(b[:, k])
        found[:, k] = np.einsum("j,ji->i", b[known, k], columns[known])
    return found
