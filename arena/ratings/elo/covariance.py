"""The covariance of the strengths, clustered by block.

The games of a block share one deal, so they are not independent: the scores of a block are
added up before they are squared. The block of solo games is the deal.
"""

from __future__ import annotations

import numpy as np

from arena.ratings.counting.arrays import Games, PairCells, TallyArrays
from arena.ratings.counting.codes import CODES, NO_ROW
from arena.ratings.counting.rows import Floats, Ints, added, weight
from arena.ratings.elo.linear import product, solve
from arena.ratings.elo.newton import Point, logistic, scatter


def sandwich(arrays: TallyArrays, point: Point) -> tuple[Floats, Floats]:
    """(covariance clustered by block, covariance if all games were independent), nats².

    The first still lacks the factor blocks / (blocks - free parameters).
    """
    bread = solve(point.information, np.eye(arrays.size))
    meat = np.zeros((arrays.size, arrays.size))
    for cells in arrays.cells:
        meat += _two_seat_meat(cells, point.x)
    for games in arrays.games:
        meat += _table_meat(games, len(arrays.entrants), point.x)
    entrants = len(arrays.entrants)
    strengths = point.x[:entrants]
    expected = logistic(np.subtract.outer(strengths, strengths))
    for deals in arrays.deals:
        residuals = deals.residuals(expected)
        meat[:entrants, :entrants] += product(residuals.T, residuals)
    return product(product(bread, meat), bread), bread


def _two_seat_meat(cells: PairCells, x: Floats) -> Floats:
    """From counts alone: the cost does not depend on the number of games."""
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
    # Each parameter with its sign, and 0 if it goes by entrant, 1 if by seat.
    parts = (
        (cells.first, 1.0, 0),
        (cells.second, -1.0, 0),
        (ones * seats[0], 1.0, 1),
        (ones * seats[1], -1.0, 1),
    )
    meat = np.zeros((size, size))
    for a, sign, kind in parts:
        for b, other_sign, other_kind in parts:
            meat += sign * other_sign * scatter(squares[kind + other_kind], a, b, size)
    return meat


def _residuals(difference: Floats) -> Floats:
    """[pair, code]: score minus expected score, 0 where nothing was decided."""
    residuals = np.zeros((len(difference), CODES))
    residuals[:, :NO_ROW] = np.array([0.0, 0.5, 1.0]) - logistic(difference)[:, None]
    return residuals


def _table_meat(games: Games, entrants: int, x: Floats) -> Floats:
    """From the sums of each block, which are few: its entrants' and its seats'."""
    size = len(x)
    by_seat = _by_seat(games, x)
    columns = _seat_columns(games, by_seat) + _entrant_columns(games, entrants, by_seat)
    meat = np.zeros((size, size))
    for a, first in columns:
        for b, second in columns:
            meat += scatter(first * second, a, b, size)
    return meat


def _by_seat(games: Games, x: Floats) -> Floats:
    """[game, seat]: weighted score minus expected score against the other seats."""
    total = np.zeros(games.entrants.shape)
    seats = games.seats
    for a, b, codes in games.pairs():
        first, second = games.entrants[:, a], games.entrants[:, b]
        edge = x[seats.first + a] - x[seats.first + b]
        expected = logistic(x[first] - x[second] + edge)
        residual = weight(seats.seats) * np.where(codes == NO_ROW, 0.0, codes / 2 - expected)
        total[:, a] += residual
        total[:, b] -= residual
    return total


def _seat_columns(games: Games, by_seat: Floats) -> list[tuple[Ints, Floats]]:
    """One (parameter, sum) by block for each seat."""
    blocks = int(games.block[-1]) + 1
    ones = np.ones(blocks, np.int64)
    return [
        (ones * (games.seats.first + seat), added(games.block, by_seat[:, seat], blocks))
        for seat in range(games.seats.seats)
    ]


def _entrant_columns(games: Games, entrants: int, by_seat: Floats) -> list[tuple[Ints, Floats]]:
    """(parameter, sum) by block: its first entrant, its second, …; sum 0 if it has fewer."""
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
