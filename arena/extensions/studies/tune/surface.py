"""Strength of a bot at every point: a polynomial, fitted to games between points.

Strength is a sum of products of Legendre polynomials, one for each option (for a choice: an
indicator of each value), up to a total degree. The coefficients have normal priors: wide for degree
1 and 2, the response surface of Box and Wilson, and narrower from degree to degree, so that games
have to show any deviation from a parabola. Several widths are taken, each with the weight that the
evidence of the games gives it (MacKay, *Bayesian interpolation*, 1992). The score of a point
against another is logistic in the difference of their strengths (Bradley and Terry); the posterior
is normal around its mode (Laplace).

The search space has an axis for each option. A point is a row with a coordinate for each axis: for
a number -1 at the low end of its range and 1 at the high end, for a choice the index of the value.
Only points that a bot can receive occur: whole numbers are whole, and others are rounded so that
they have few digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import floor, log10
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

_MOST_TERMS: Final = 100
_HIGHEST: Final = 4
"""Highest total degree of a term."""
_WIDTHS: Final = (0.1, 0.3, 1.0, 3.0)
"""Candidate prior deviations of coefficients of degree 1 and 2, in units of 174 Elo."""
_DECAYS: Final = (0.03, 0.1, 0.3)
"""Candidate factors of the prior deviation for every further degree."""
_ROUNDS: Final = 12
_TOLERANCE: Final = 1e-4


class PointGames(NamedTuple):
    """Games between pairs of points."""

    first: Floats
    """Point in each row."""
    second: Floats
    scores: Floats
    """Mean score of ``first``, 0 to 1."""
    weights: Floats
    """Number of independent games without draws with the same information."""


class Basis:
    """Terms of the polynomial, computed at any points."""

    def __init__(self, space: Space) -> None:
        self._space = space
        sizes = [len(a.values) if isinstance(a, CategoricalOption) else 0 for a in space.axes]
        degree = _HIGHEST
        while degree > 1 and _count(sizes, degree) > _MOST_TERMS:
            degree -= 1
        self._degree = degree
        self._terms = list(_terms(sizes, degree))
        self.degrees = np.array([_cost(sizes, term) for term in self._terms])

    def __call__(self, points: Floats) -> Floats:
        """Return the terms at each point, a row each."""
        tables = []
        for k, axis in enumerate(self._space.axes):
            u = points[:, k]
            if isinstance(axis, CategoricalOption):
                rows = [np.ones_like(u)]
                rows += [(u == place) - 1 / len(axis.values) for place in range(len(axis.values))]
            else:
                rows = list(np.polynomial.legendre.legvander(u, self._degree).T)
            tables.append(rows)
        columns = []
        for term in self._terms:
            column = np.ones(len(points))
            for table, power in zip(tables, term, strict=True):
                if power:
                    column = column * table[power]
            columns.append(column)
        return np.stack(columns, axis=1)


def _cost(sizes: Sequence[int], term: Sequence[int]) -> int:
    """Return the degree of a term, in which each indicator counts 1."""
    return sum(min(power, 1) if size else power for size, power in zip(sizes, term, strict=True))


def _terms(sizes: Sequence[int], degree: int) -> Iterator[tuple[int, ...]]:
    """Yield the terms: for each number its power, for each choice the index of a value.

    Indices begin with 1; 0 stands for no value. ``sizes``: number of values of each choice, 0 for a
    number.
    """

    def below(axis: int, left: int) -> Iterator[tuple[int, ...]]:
        if axis == len(sizes):
            yield ()
            return
        for power in range((sizes[axis] if left else 0) + 1 if sizes[axis] else left + 1):
            cost = min(power, 1) if sizes[axis] else power
            for rest in below(axis + 1, left - cost):
                yield (power, *rest)

    yield from (term for term in below(0, degree) if any(term))


def _count(sizes: Sequence[int], degree: int) -> int:
    return sum(1 for _ in zip(_terms(sizes, degree), range(_MOST_TERMS + 1), strict=False))


class Surface(NamedTuple):
    """Posterior of the strengths: normal coefficients of the terms."""

    basis: Basis
    mean: Floats
    covariance: Floats

    def strengths(self, points: Floats) -> Floats:
        """Return the strength at each point, in units of 174 Elo.

        Only differences of strengths have a meaning.
        """
        return np.asarray(self.basis(points) @ self.mean)

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Return ``count`` draws of the coefficients from the posterior, a column each."""
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        return np.asarray(self.mean[:, None] + root @ rng.standard_normal((len(self.mean), count)))


def fitted(basis: Basis, games: PointGames | None) -> Surface:
    """Return the posterior of ``games``, or the prior without games.

    It is averaged over widths and decays of the prior, weighted by their evidence.
    """
    if games is None:
        variances = _prior(basis, 1.0, 0.3)
        return Surface(basis, np.zeros(len(variances)), np.diag(variances))
    rows = basis(games.first) - basis(games.second)
    found = [
        _posterior(rows, games.scores, games.weights, _prior(basis, width, decay))
        for width, decay in product(_WIDTHS, _DECAYS)
    ]
    evidence = np.array([each[2] for each in found])
    shares = np.exp(evidence - evidence.max())
    shares /= shares.sum()
    mean = sum((share * each[0] for share, each in zip(shares, found, strict=True)), np.zeros(1))
    covariance = np.zeros((len(mean), len(mean)))
    for share, (own, spread, _) in zip(shares, found, strict=True):
        covariance += share * (spread + np.outer(own - mean, own - mean))
    return Surface(basis, mean, covariance)


def _prior(basis: Basis, width: float, decay: float) -> Floats:
    """Return the prior variances of the coefficients."""
    return np.asarray((width * decay ** np.maximum(basis.degrees - 2, 0)) ** 2, dtype=np.float64)


def _posterior(
    rows: Floats, scores: Floats, weights: Floats, variances: Floats
) -> tuple[Floats, Floats, float]:
    """Return mode and covariance of the coefficients, and the logarithm of the evidence."""
    scale = np.sqrt(variances)
    scaled = rows * scale
    x = np.zeros(len(variances))
    identity = np.eye(len(x))

    def value(x: Floats) -> float:
        d = scaled @ x
        return float(weights @ (scores * d - np.logaddexp(0, d)) - x @ x / 2)

    best = value(x)
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-(scaled @ x)))
        precision = identity + (scaled.T * (weights * p * (1 - p))) @ scaled
        step = np.linalg.solve(precision, scaled.T @ (weights * (scores - p)) - x)
        size = 1.0
        while size > _TOLERANCE and (reached := value(x + size * step)) < best:
            size /= 2
        if size <= _TOLERANCE:
            break
        x = x + size * step
        gain, best = reached - best, reached
        if gain < _TOLERANCE:
            break
    p = 1 / (1 + np.exp(-(scaled @ x)))
    precision = identity + (scaled.T * (weights * p * (1 - p))) @ scaled
    covariance = np.linalg.inv(precision) * np.outer(scale, scale)
    evidence = best - np.linalg.slogdet(precision)[1] / 2
    return scale * x, covariance, float(evidence)


Floats = npt.NDArray[np.float64]
Value = bool | int | float | str

_STEPS: Final = 100
"""Least number of different values of a range that is not of whole numbers; 1000 at most."""


class Number(NamedTuple):
    """Option that is a number from ``low`` to ``high``, ``low`` below ``high``."""

    name: str
    low: float
    high: float
    is_whole: bool

    def tidy(self, coordinates: Floats) -> Floats:
        """Return the nearest coordinates that a bot can receive."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        step = self._step
        values = np.round((middle + half * coordinates) / step) * step
        return (np.clip(values, self.low, self.high) - middle) / half

    def value(self, coordinate: float) -> Value:
        """Return the value of the option at a coordinate."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        found = middle + half * coordinate
        rounded = round(found) if self.is_whole else round(found, self._digits)
        return min(max(rounded, type(rounded)(self.low)), type(rounded)(self.high))

    def coordinate(self, value: Value) -> float:
        """Return the coordinate of a value; outside of the range that of the nearest end."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return min(1.0, max(-1.0, (float(value) - middle) / half))

    @property
    def _digits(self) -> int:
        return 0 if self.is_whole else -floor(log10((self.high - self.low) / _STEPS))

    @property
    def _step(self) -> float:
        return float(10.0**-self._digits)


class CategoricalOption(NamedTuple):
    """Option that is one of at least two values."""

    name: str
    values: tuple[Value, ...]

    def tidy(self, coordinates: Floats) -> Floats:
        """Return the nearest indices of values."""
        return np.clip(np.round(coordinates), 0, len(self.values) - 1)

    def value(self, coordinate: float) -> Value:
        """Return the value of the option at a coordinate."""
        return self.values[round(coordinate)]

    def coordinate(self, value: Value) -> float:
        """Return the coordinate of a value; 0 for an unknown value."""
        return float(self.values.index(value)) if value in self.values else 0.0


Axis = Number | CategoricalOption


class Space:
    """All axes together."""

    def __init__(self, axes: Sequence[Axis]) -> None:
        self.axes = tuple(axes)
        self._is_choice = np.array([isinstance(axis, CategoricalOption) for axis in axes])
        self._sizes = np.array(
            [len(axis.values) if isinstance(axis, CategoricalOption) else 0 for axis in axes]
        )

    def point(self, values: Mapping[str, Value]) -> Floats:
        """Return the point of these options, or the nearest one within the ranges."""
        return np.array([axis.coordinate(values[axis.name]) for axis in self.axes])

    def values(self, point: Floats) -> dict[str, Value]:
        """Return the options at a point."""
        return {
            axis.name: axis.value(float(coordinate))
            for axis, coordinate in zip(self.axes, point, strict=True)
        }

    def tidy(self, points: Floats) -> Floats:
        """Return the nearest points that a bot can receive."""
        columns = [axis.tidy(points[:, k]) for k, axis in enumerate(self.axes)]
        return np.stack(columns, axis=1)

    def anywhere(self, count: int, rng: np.random.Generator) -> Floats:
        """Return ``count`` points, uniformly distributed."""
        drawn = rng.uniform(-1, 1, (count, len(self.axes)))
        places = np.floor((drawn + 1) / 2 * np.maximum(self._sizes, 1))
        return self.tidy(np.where(self._is_choice, places, drawn))

    def around(self, centres: Floats, moves: Floats, rng: np.random.Generator) -> Floats:
        """Return one point beside each of ``centres``: numbers moved, one choice in four redrawn.

        ``moves``: change of each coordinate.
        """
        redrawn = self._is_choice & (rng.random(centres.shape) < 0.25)
        places = np.floor(rng.random(centres.shape) * np.maximum(self._sizes, 1))
        moved = np.where(self._is_choice, centres, np.clip(centres + moves, -1, 1))
        return self.tidy(np.where(redrawn, places, moved))
