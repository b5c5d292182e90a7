"""Choice of the points to play each other next, and of the best point.

Bad points may be played without loss, so pairs are chosen for their information. The possible
places of the best point are drawn from the posterior (Thompson): the best points of some dozens of
surfaces that may be the true one. Of many pairs those are chosen, one after another, that leave the
least variance in the differences between these points and the best one of the mean.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from arena.ratings.tuning.space import Floats, Space
from arena.ratings.tuning.surface import Surface

_EVERYWHERE: Final = 600
"""Number of points searched for the best one, and as many around the best so far."""
_DRAWS: Final = 48
_PAIRS: Final = 800
"""Number of pairs to choose from."""
_NEAREST, _FARTHEST = 0.25, 0.8
"""Distances of a pair from its middle; for numbers, in units of half the range."""


class PointPair(NamedTuple):
    """Two points that play each other."""

    first: Floats
    second: Floats


def best(space: Space, surface: Surface, rng: np.random.Generator) -> Floats:
    """Return the strongest point by the posterior mean."""
    points = _candidates(space, surface, rng)
    return np.asarray(points[np.argmax(surface.strengths(points))])


def _candidates(space: Space, surface: Surface, rng: np.random.Generator) -> Floats:
    """Return points everywhere, and closer and closer around the best one."""
    points = space.anywhere(_EVERYWHERE, rng)
    for reach in (0.3, 0.1, 0.03):
        top = points[np.argmax(surface.strengths(points))]
        centres = np.tile(top, (_EVERYWHERE // 3, 1))
        moves = reach * rng.standard_normal(centres.shape)
        points = np.concatenate([points, space.around(centres, moves, rng), top[None]])
    return points


def pairs(
    space: Space, surface: Surface, count: int, weight: float, rng: np.random.Generator
) -> list[PointPair]:
    """Return ``count`` pairs to play next, each with the information of ``weight`` games."""
    points = _candidates(space, surface, rng)
    terms = surface.basis(points)
    mean = terms @ surface.mean
    tops = np.argmax(terms @ surface.draws(_DRAWS, rng), axis=0)
    contrasts = terms[tops] - terms[np.argmax(mean)]
    centres = points[tops][rng.integers(_DRAWS, size=_PAIRS)]
    moves = rng.standard_normal(centres.shape)
    reach = rng.uniform(_NEAREST, _FARTHEST, (_PAIRS, 1))
    moves *= reach / np.abs(moves).max(axis=1, keepdims=True)
    first, second = space.around(centres, moves, rng), space.around(centres, -moves, rng)
    same = (first == second).all(axis=1)  # possible if a range has few whole numbers
    second[same] = space.anywhere(int(same.sum()), rng)
    differ = (first != second).any(axis=1)
    first, second = first[differ], second[differ]
    rows = surface.basis(first) - surface.basis(second)
    p = 1 / (1 + np.exp(-(rows @ surface.mean)))
    noise = 1 / (weight * p * (1 - p))
    covariance = surface.covariance
    chosen = []
    for _ in range(count):
        spread = rows @ covariance
        total = noise + np.einsum("ij,ij->i", spread, rows)
        gains = ((spread @ contrasts.T) ** 2).sum(axis=1) / total
        k = int(np.argmax(gains))
        chosen.append(PointPair(first[k], second[k]))
        covariance = covariance - np.outer(spread[k], spread[k]) / total[k]
    return chosen
