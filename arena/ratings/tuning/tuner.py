"""A search for the strongest point, stage by stage.

A stage is a dozen pairs of points with the same number of deals each. It is chosen when all games
before it are known, and by nothing else: not by the time games take, nor by who played them. So a
search comes to the same answer whatever the number of workers and however often it was stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.tuning.design import Pair, best, pairs
from arena.ratings.tuning.space import Floats, Space
from arena.ratings.tuning.surface import Basis, Games, Surface, fitted

PAIRS: Final = 12
"""Of points, in each stage."""
_FIRST: Final = 192
"""Games of the first stage, about; each further one has a fifth more."""
_GROWTH: Final = 1.2
_BELIEVED: Final = 10
"""So many blocks say beforehand that the games of a block are independent."""


class Stage(NamedTuple):
    """How much is played at one time."""

    planned: int
    """Deals of each pair in each discipline."""
    deals: int
    """Of these, so many within the games that are allowed: fewer in the last stage at most."""


def stages(games: int, deal_games: int) -> Iterator[Stage]:
    """The stages of a search with so many games; those of a longer one begin alike.

    ``deal_games``: games that one pair plays on one deal of every discipline.
    """
    wanted, left, each = float(_FIRST), games, PAIRS * deal_games
    while left >= each:
        planned = max(1, round(wanted / each))
        deals = min(planned, left // each)
        yield Stage(planned, deals)
        left -= deals * each
        wanted *= _GROWTH


class Tuner:
    """What all stages so far have told."""

    def __init__(self, space: Space, seed: int) -> None:
        """``seed``: of the points that are looked at; not of games."""
        self._space = space
        self._seed = seed
        self._basis = Basis(space)
        self._games: list[Games] = []
        self.surface: Surface = fitted(self._basis, None)

    def pairs(self, weight: float) -> list[Pair]:
        """What to play in the next stage, each pair so long that it tells as much as so many
        independent games without draws."""
        return pairs(self._space, self.surface, PAIRS, weight, self._chance())

    def add(self, games: Games) -> None:
        """All games of a stage."""
        self._games.append(games)
        everything = (np.concatenate(parts) for parts in zip(*self._games, strict=True))
        self.surface = fitted(self._basis, Games(*everything))

    def best(self) -> Floats:
        """The strongest point, as far as is known."""
        return best(self._space, self.surface, self._chance())

    def _chance(self) -> np.random.Generator:
        """The same after the same stages."""
        return np.random.default_rng([self._seed, len(self._games)])


def games_of_block(blocks: Sequence[Sequence[float]], rounds: int) -> float:
    """How many independent games without draws tell as much as one block.

    ``blocks``: the values of the blocks of each pair, 0 to 1. ``rounds``: how often the two meet in
    a block.
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
