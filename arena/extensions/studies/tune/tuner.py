"""Search for the strongest point, stage by stage: the points to play next, and the best one.

A stage is a dozen pairs of points with the same number of deals each. It depends only on all games
before it: not on the time of games, nor on the worker that played them. So a search gives the same
answer for any number of workers and any interruptions.

Bad points may be played without loss, so pairs are chosen for their information. The possible
places of the best point are drawn from the posterior (Thompson): the best points of some dozens of
surfaces that may be the true one. Of many pairs those are chosen, one after another, that leave the
least variance in the differences between these points and the best one of the mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from arena.extensions.studies.tune.surface import Basis, Floats, PointGames, Space, Surface, fitted

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


PAIRS: Final = 12
"""Number of pairs of points in each stage."""
_FIRST: Final = 192
"""Approximate number of games of the first stage; each further stage has a fifth more."""
_GROWTH: Final = 1.2
_BELIEVED: Final = 10
"""Number of blocks that the prior of independent games within a block is equivalent to."""


class StageSize(NamedTuple):
    """Numbers of deals that each pair of a stage plays."""

    planned: int
    """Number of deals of each pair in each discipline."""
    deals: int
    """Number of these deals within the allowed games: fewer in the last stage at most."""


def stages(games: int, deal_games: int) -> Iterator[StageSize]:
    """Yield the stages of a search with ``games`` games; those of a longer search begin alike.

    ``deal_games``: games that one pair plays on one deal of every discipline.
    """
    wanted, left, each = float(_FIRST), games, PAIRS * deal_games
    while left >= each:
        planned = max(1, round(wanted / each))
        deals = min(planned, left // each)
        yield StageSize(planned, deals)
        left -= deals * each
        wanted *= _GROWTH


class Tuner:
    """State of a search: the games of all stages so far, and the surface fitted to them."""

    def __init__(self, space: Space, seed: int) -> None:
        """Create a search; ``seed`` is for the examined points, not for games."""
        self._space = space
        self._seed = seed
        self._basis = Basis(space)
        self._games: list[PointGames] = []
        self.surface: Surface = fitted(self._basis, None)

    def pairs(self, weight: float) -> list[PointPair]:
        """Return the pairs of the next stage, each with the information of ``weight`` games.

        The games are independent and without draws.
        """
        return pairs(self._space, self.surface, PAIRS, weight, self._chance())

    def add(self, games: PointGames) -> None:
        """Add all games of a stage."""
        self._games.append(games)
        everything = (np.concatenate(parts) for parts in zip(*self._games, strict=True))
        self.surface = fitted(self._basis, PointGames(*everything))

    def best(self) -> Floats:
        """Return the strongest point, as far as is known."""
        return best(self._space, self.surface, self._chance())

    def _chance(self) -> np.random.Generator:
        """Return the random generator of a stage, equal after the same stages."""
        return np.random.default_rng([self._seed, len(self._games)])


def games_of_block(blocks: Sequence[Sequence[float]], rounds: int) -> float:
    """Return the number of independent games without draws with the information of a block.

    ``blocks``: the values of the blocks of each pair, 0 to 1. ``rounds``: number of comparisons of
    the two in a block.
    """
    freedom = spread = expected = 0.0
    for values in blocks:
        mean = float(np.mean(values)) if values else 0.5
        freedom += max(0, len(values) - 1)
        spread += float(((np.array(values) - mean) ** 2).sum())
        expected += max(0, len(values) - 1) * mean * (1 - mean)
    if not expected:
        return float(rounds)
    share = (_BELIEVED / rounds + freedom * spread / expected) / (_BELIEVED + freedom)
    return 1 / share
