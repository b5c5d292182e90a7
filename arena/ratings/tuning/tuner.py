"""Search for the strongest point, stage by stage.

A stage is a dozen pairs of points with the same number of deals each. It depends only on all games
before it: not on the time of games, nor on the worker that played them. So a search gives the same
answer for any number of workers and any interruptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.tuning.design import PointPair, best, pairs
from arena.ratings.tuning.space import Floats, Space
from arena.ratings.tuning.surface import Basis, PointGames, Surface, fitted

PAIRS: Final = 12
"""Number of pairs of points in each stage."""
_FIRST: Final = 192
"""Approximate number of games of the first stage; each further stage has a fifth more."""
_GROWTH: Final = 1.2
_BELIEVED: Final = 10
"""Number of blocks that the prior of independent games within a block is equivalent to."""


class StageSize(NamedTuple):
    """Size of a stage."""

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
