"""The second model: places and ties predicted, by Davidson and Luce's model of stages.

Strengths, seat terms and the ln delta of each size of tie maximise the likelihood of all
stages plus the prior of the first model on every parameter. Ratings do not come from here:
the strength of this model is the logarithm of odds of games that are decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.ratings.counting.rows import Floats, Ints, added
from arena.ratings.davidson.games import Placings, Stages
from arena.ratings.davidson.sets import sets_of
from arena.ratings.elo import linear
from arena.ratings.elo.newton import ITERATIONS, STEP, TOLERANCE, log_logistic, logistic

_AT_ONCE: Final = 1 << 16
"""Stages whose numbers are held at the same time."""
_CLOSE: Final = 1e-7
"""Nats: after a step of this length Newton's method is exact to the last bits."""


@dataclass(frozen=True)
class Layout:
    """Where the parameters are: strengths, then seat terms and ln deltas of each discipline."""

    entrants: int
    first: tuple[int, ...]
    """By discipline: the parameter of seat 0; the ln deltas follow the seats."""
    size: int

    def deltas(self, k: int, placings: Placings) -> slice:
        """The ln deltas of a discipline."""
        start = self.first[k] + placings.seats
        return slice(start, start + len(placings.ties))

    def seats(self, k: int, placings: Placings) -> slice:
        """The seat terms of a discipline."""
        return slice(self.first[k], self.first[k] + placings.seats)


@dataclass(frozen=True)
class Solution:
    """The maximum."""

    layout: Layout
    x: Floats
    likelihood: float
    """Its logarithm, without the prior."""
    objective: float
    """With the prior."""
    information: Floats
    """The prior's included."""
    plain: Floats
    """Information without the prior's."""
    meat: Floats
    """Sum over blocks of the squares of their first derivatives."""
    blocks: float

    @property
    def bread(self) -> Floats:
        """The inverse of the information."""
        return linear.solve(self.information, np.eye(len(self.x)))

    def clustered(self, bread: Floats) -> Floats:
        """The covariance, clustered by block, without the factor for few blocks."""
        return linear.product(linear.product(bread, self.meat), bread)


def layout(entrants: int, disciplines: Sequence[Placings]) -> Layout:
    """Of a fit of these disciplines together."""
    first, size = [], entrants
    for each in disciplines:
        first.append(size)
        size += each.seats + len(each.ties)
    return Layout(entrants, tuple(first), size)


def solve(entrants: int, disciplines: Sequence[Placings], prior: float = 0.5) -> Solution:
    """Newton steps from 0, capped, and halved while they do not climb."""
    where = layout(entrants, disciplines)
    x = np.zeros(where.size)
    point = _evaluate(where, disciplines, x, prior)
    for _ in range(ITERATIONS):
        step = linear.solve(point.information, point.gradient)
        length = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, STEP / max(length, TOLERANCE))
        slack = 1e-12 * abs(point.objective)
        following = _evaluate(where, disciplines, x + step, prior)
        while following.objective < point.objective - slack:
            step = step / 2
            following = _evaluate(where, disciplines, x + step, prior)
        x, point = x + step, following
        if length < _CLOSE:
            break
    meat = np.zeros((where.size, where.size))
    blocks = 0.0
    for k, each in enumerate(disciplines):
        meat += _meat(where, k, each, x)
        blocks += float(each.weight[np.unique(each.block)].sum())
    return Solution(
        layout=where,
        x=x,
        likelihood=point.likelihood,
        objective=point.objective,
        information=point.information,
        plain=point.information - np.diag(_prior_information(x, prior)),
        meat=meat,
        blocks=blocks,
    )


@dataclass(frozen=True)
class _Point:
    likelihood: float
    objective: float
    gradient: Floats
    information: Floats


def _evaluate(where: Layout, disciplines: Sequence[Placings], x: Floats, prior: float) -> _Point:
    size = where.size
    likelihood, gradient = 0.0, np.zeros(size)
    diagonal, upper = np.zeros(size), np.zeros(size * size)
    for k, each in enumerate(disciplines):
        games = each.games
        for piece in pieces(where, k, each, x):
            weight = games[piece.game]
            likelihood += float((weight * piece.likelihood).sum())
            slope, bend = weight[:, None] * piece.slope, weight[:, None, None] * piece.bend
            for place, (a, by) in enumerate(piece.parameters):
                gradient += added(by, slope[:, a], size)
                diagonal += added(by, bend[:, a, a], size)
                for b, other in piece.parameters[place + 1 :]:
                    upper += added(by * size + other, bend[:, a, b], size * size)
    ghost, half = logistic(x), upper.reshape(size, size)
    return _Point(
        likelihood,
        likelihood + prior * float((log_logistic(x) + log_logistic(-x)).sum()),
        gradient + prior * (1.0 - 2.0 * ghost),
        half + half.T + np.diag(diagonal + _prior_information(x, prior)),
    )


def _prior_information(x: Floats, prior: float) -> Floats:
    ghost = logistic(x)
    return 2.0 * prior * ghost * (1.0 - ghost)


@dataclass(frozen=True)
class Piece:
    """Some stages with as many seats left at given parameters."""

    game: Ints
    stages: Stages
    shares: Floats
    """[stage, set]: the chance of each set."""
    likelihood: Floats
    """Logarithms."""
    slope: Floats
    """[stage, seat left or tie]: first derivatives."""
    parameters: list[tuple[int, Ints]]
    """(seat left or tie, parameter by stage); a seat has two: its entrant's and its own."""
    features: Floats
    """[set, seat left or tie]"""

    @property
    def bend(self) -> Floats:
        """[stage, seat left or tie, the same]: negative second derivatives."""
        sets, width = self.features.shape
        squares = (self.features[:, :, None] * self.features[:, None, :]).reshape(sets, -1)
        second = np.einsum("ij,jk->ik", self.shares, squares).reshape(-1, width, width)
        mean = np.einsum("ij,jk->ik", self.shares, self.features)
        bend: Floats = second - mean[:, :, None] * mean[:, None, :]
        return bend


def pieces(where: Layout, k: int, placings: Placings, x: Floats) -> Iterator[Piece]:
    """All stages of a discipline, the ``k``-th of the layout, at parameters ``x``."""
    deltas = where.deltas(k, placings)
    for found in placings.stages:
        left = found.seats.shape[1]
        sets = sets_of(left, placings.ties)
        for start in range(0, len(found.game), _AT_ONCE):
            part = Stages(*(column[start : start + _AT_ONCE] for column in found))
            entrant = placings.entrants[part.game[:, None], part.seats]
            seat = where.first[k] + part.seats
            ones = np.ones(len(part.game), np.int64)
            local = np.hstack([x[entrant] + x[seat], x[deltas] * ones[:, None]])
            logs = np.einsum("ij,kj->ik", local, sets.features)
            logs -= logs.max(axis=1, keepdims=True)
            total = np.log(np.exp(logs).sum(axis=1, keepdims=True))
            shares = np.exp(logs - total)
            chosen = np.take_along_axis(logs - total, part.chosen[:, None], axis=1)[:, 0]
            slope = sets.features[part.chosen] - np.einsum("ij,jk->ik", shares, sets.features)
            parameters = [(s, entrant[:, s]) for s in range(left)]
            parameters += [(s, seat[:, s]) for s in range(left)]
            parameters += [(left + t, (deltas.start + t) * ones) for t in range(len(placings.ties))]
            yield Piece(part.game, part, shares, chosen, slope, parameters, sets.features)


def scores(where: Layout, k: int, placings: Placings, x: Floats) -> tuple[Ints, Ints, Floats]:
    """(block, parameter, first derivative) of single blocks, each pair once, by block."""
    keys, values = [], []
    for piece in pieces(where, k, placings, x):
        block = placings.block[piece.game]
        for a, parameter in piece.parameters:
            keys.append(block * where.size + parameter)
            values.append(piece.slope[:, a])
    different, place = np.unique(np.concatenate(keys), return_inverse=True)
    total = added(place.ravel(), np.concatenate(values), len(different))
    return different // where.size, different % where.size, total


def _meat(where: Layout, k: int, placings: Placings, x: Floats) -> Floats:
    block, parameter, value = scores(where, k, placings, x)
    return squares(block, parameter, value, placings.weight, where.size)


def squares(block: Ints, column: Ints, value: Floats, weight: Floats, size: int) -> Floats:
    """The sum over blocks of ``weight`` v v', v the row of a block in a sparse matrix.

    The matrix is given by its entries, sorted by row.
    """
    widest = int(np.bincount(block).max(initial=0))
    total = np.zeros(size * size)
    for shift in range(widest):
        same = np.flatnonzero(block[shift:] == block[: len(block) - shift])
        a, b = column[same], column[same + shift]
        products = weight[block[same]] * value[same] * value[same + shift]
        total += added(a * size + b, products, size * size)
        if shift:
            total += added(b * size + a, products, size * size)
    return total.reshape(size, size)
