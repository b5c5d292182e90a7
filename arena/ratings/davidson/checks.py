"""Whether the second model holds: clustered tests of it and of its strengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.ratings.counting.rows import Floats, Ints, added
from arena.ratings.davidson.fit import Piece, Solution, pieces, scores, squares
from arena.ratings.davidson.games import Placings
from arena.ratings.elo.linear import product
from arena.ratings.elo.linear import solve as solved
from arena.ratings.elo.rating import stable
from arena.ratings.full.chi_square import chi_square_tail
from arena.ratings.full.p_values import digits

BLOCKS_PER_FREEDOM: Final = 10
"""A test with fewer blocks is not made: its distribution would not be chi-square."""
_DEPENDENT: Final = 1e-8
"""Of a variance of 1: less of it left is rounding, and no freedom."""


@dataclass(frozen=True)
class ChiSquare:
    """A test; small p speaks against what is tested."""

    statistic: float
    freedom: int
    p: float


@dataclass(frozen=True)
class Equality(ChiSquare):
    """The likelihood ratio of strengths of their own in each discipline against common ones.

    ``statistic`` is ``ratio`` divided by ``scale``: what the ratio would be, on average and per
    degree of freedom, if strengths were common. It is 1 where the games of a block are
    independent.
    """

    ratio: float
    scale: float


def equality(
    disciplines: Sequence[Placings], joint: Solution, own: Sequence[Solution]
) -> Equality | None:
    """Of several disciplines; None if they share no two entrants or have too few blocks.

    ``joint``: their common fit, ``own``: a fit of each by itself.

    The scale is that of Rotnitzky and Jewell (1990): traces of information^-1 times the
    clustered variance.
    """
    met = [{*np.unique(each.entrants).tolist()} for each in disciplines]
    freedom = sum(len(names) - 1 for names in met) - (len(set.union(*met)) - 1)
    if freedom < 1 or joint.blocks < BLOCKS_PER_FREEDOM * freedom:
        return None
    ratio = max(0.0, 2 * (sum(each.likelihood for each in own) - joint.likelihood))
    scale = (sum(map(_trace, own)) - _trace(joint)) / freedom
    if scale <= _DEPENDENT:
        return None
    p = chi_square_tail(ratio / scale, freedom)
    return Equality(stable(ratio / scale), freedom, digits(p), stable(ratio), stable(scale))


def _trace(solution: Solution) -> float:
    return float(np.trace(solved(solution.information, solution.meat)))


def goodness(solution: Solution, k: int, placings: Placings, entrants: int) -> ChiSquare | None:
    """Whether each entrant comes first, alone and shared, as often as the model says.

    A conditional moment test (Newey 1985), clustered by block; what the fit has made equal
    already takes no degree of freedom. ``k`` is the number of the discipline in the solution.
    None with too few blocks, or if nothing is left to test.
    """
    size = solution.layout.size
    moments = _Moments(placings, entrants, size)
    games = placings.games
    gradient = np.zeros(size)
    for piece in pieces(solution.layout, k, placings, solution.x):
        weight = games[piece.game]
        for a, parameter in piece.parameters:
            gradient += added(parameter, weight * piece.slope[:, a], size)
        if piece.stages.seats.shape[1] == placings.seats:
            moments.add(piece, weight)
    through = product(moments.derivative, _pseudo_inverse(solution.plain))
    columns = size + 2 * entrants
    by_block = scores(solution.layout, k, placings, solution.x)
    block, column, value = _joined(by_block, moments.entries(), size, columns)
    second = squares(block, column, value, placings.weight, columns)
    influence = np.hstack([-through, np.eye(2 * entrants)])
    variance = product(product(influence, second), influence.T)
    found = moments.total - product(through, gradient[:, None])[:, 0]
    return _quadratic(found, variance, float(placings.weight[np.unique(block)].sum()))


def _quadratic(found: Floats, variance: Floats, blocks: float) -> ChiSquare | None:
    deviation = np.sqrt(np.maximum(np.diagonal(variance), 0.0))
    varies = deviation > _DEPENDENT * max(1.0, float(deviation.max(initial=0.0)))
    if not varies.any():
        return None
    deviation = deviation[varies]
    scaled = variance[np.ix_(varies, varies)] / np.multiply.outer(deviation, deviation)
    values, vectors = np.linalg.eigh(scaled)
    free = values > _DEPENDENT * len(values)
    freedom = int(free.sum())
    if not freedom or blocks < BLOCKS_PER_FREEDOM * freedom:
        return None
    parts = product((found[varies] / deviation)[None, :], vectors[:, free])[0]
    statistic = float((parts**2 / values[free]).sum())
    p = chi_square_tail(statistic, freedom)
    return ChiSquare(float(f"{statistic:.6g}"), freedom, digits(p))


def _pseudo_inverse(matrix: Floats) -> Floats:
    """Of a positive semidefinite matrix, 0 in directions without information."""
    scale = np.sqrt(np.maximum(np.diagonal(matrix), 0.0))
    scale = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    values, vectors = np.linalg.eigh(matrix * np.multiply.outer(scale, scale))
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values > _DEPENDENT)
    vectors = vectors * scale[:, None]
    return product(vectors * inverse, vectors.T)


class _Moments:
    """By entrant: first places alone, then shared, each less what the model expects."""

    def __init__(self, placings: Placings, entrants: int, size: int) -> None:
        self.total = np.zeros(2 * entrants)
        self.derivative = np.zeros((2 * entrants, size))
        """Of the expected numbers by the parameters."""
        self._placings = placings
        self._entrants = entrants
        self._size = size
        self._keys: list[Ints] = []
        self._values: list[Floats] = []

    def add(self, piece: Piece, weight: Floats) -> None:
        """First stages of games."""
        seats = self._placings.seats
        members = piece.features[:, :seats] > 0
        alone = members.sum(axis=1, keepdims=True) == 1
        first = np.hstack([members & alone, members & ~alone]).astype(np.float64)
        sets, width = first.shape
        mean = np.einsum("ij,jk->ik", piece.shares, first)
        slope = np.einsum("ij,jk->ik", piece.shares, piece.features)
        both = (first[:, :, None] * piece.features[:, None, :]).reshape(sets, -1)
        bend = np.einsum("ij,jk->ik", piece.shares, both).reshape(-1, width, slope.shape[1])
        bend -= mean[:, :, None] * slope[:, None, :]
        found = first[piece.stages.chosen] - mean
        block = self._placings.block[piece.game]
        flat = np.zeros(self.derivative.size)
        for s in range(width):
            entrant = self._placings.entrants[piece.game, s % seats]
            moment = entrant + (s >= seats) * self._entrants
            self.total += added(moment, weight * found[:, s], len(self.total))
            self._keys.append(block * len(self.total) + moment)
            self._values.append(found[:, s])
            for a, parameter in piece.parameters:
                flat += added(moment * self._size + parameter, weight * bend[:, s, a], len(flat))
        self.derivative += flat.reshape(self.derivative.shape)

    def entries(self) -> tuple[Ints, Ints, Floats]:
        """(block, moment, value) of single blocks."""
        keys, values = np.concatenate(self._keys), np.concatenate(self._values)
        return keys // len(self.total), keys % len(self.total), values


def _joined(
    by_parameter: tuple[Ints, Ints, Floats],
    by_moment: tuple[Ints, Ints, Floats],
    shift: int,
    columns: int,
) -> tuple[Ints, Ints, Floats]:
    """Both as one sparse matrix, moments from column ``shift`` on; entries sorted by block."""
    keys = np.concatenate(
        [by_parameter[0] * columns + by_parameter[1], by_moment[0] * columns + by_moment[1] + shift]
    )
    different, place = np.unique(keys, return_inverse=True)
    values = np.concatenate([by_parameter[2], by_moment[2]])
    return different // columns, different % columns, added(place.ravel(), values, len(different))
