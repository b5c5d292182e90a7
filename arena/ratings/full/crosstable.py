"""Head-to-head results of every pair that met, with the errors of their blocks.

A cell says what two entrants made of each other, whoever else they played; ``differences`` says
what all games together say about the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log, sqrt

import msgspec
import numpy as np
from msgspec.structs import replace

from arena.ratings.counting.encounters import Encounters
from arena.ratings.elo.fit import TAIL
from arena.ratings.elo.rating import ELO, stable
from arena.ratings.probability import (
    LARGE,
    LEAST_P,
    LEVEL,
    NORMAL_95,
    digits,
    holm,
    quantile_95,
    superiority,
)


class Cell(msgspec.Struct, frozen=True):
    """One entrant against another. All numbers are from the side of ``name``."""

    name: str
    other: str
    blocks: int
    """In which the two were compared; the games of one are not independent."""
    games: int
    """Comparisons: one per game, more where one of them holds several seats."""
    wins: int
    draws: int
    losses: int
    score: float
    """Per game, 0 … 1."""
    score_error: float | None
    """Half-width of the 95 % interval of ``score``; None with one block or without spread."""
    elo: float | None
    """Of ``score``; None for a perfect or zero one."""
    low: float | None
    """The 95 % interval of ``elo``; None: open on that side, or not known on either. For a
    perfect or zero score the one-sided 97.5 % limit: it takes a block as one observation."""
    high: float | None
    superiority: float | None
    """The likelihood that ``name`` does better against ``other`` in the long run (LOS)."""
    p: float
    """Two-sided, of an even match; 1 where nothing can be said."""
    p_holm: float
    """Adjusted for all pairs that met."""
    significant: bool
    """Whether ``p_holm`` is at most 0.05."""

    def mirrored(self) -> Cell:
        """The same from the side of ``other``."""
        return replace(
            self,
            name=self.other,
            other=self.name,
            wins=self.losses,
            losses=self.wins,
            score=stable(1.0 - self.score),
            elo=_negated(self.elo),
            low=_negated(self.high),
            high=_negated(self.low),
            superiority=None if self.superiority is None else stable(1.0 - self.superiority),
        )


def crosstable(names: Sequence[str], met: Encounters) -> tuple[Cell, ...]:
    """Every pair that met, once: the names and the cells in the order of ``names``."""
    first, second = np.nonzero(np.triu(met.blocks))
    columns = (met.blocks, met.games, met.wins, met.draws, met.mean, met.variance)
    numbers = zip(*(column[first, second].tolist() for column in columns), strict=True)
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    cells = [_cell(names[i], names[j], *own) for (i, j), own in zip(pairs, numbers, strict=True)]
    adjusted = holm([cell.p for cell in cells])
    return tuple(
        replace(cell, p=digits(cell.p), p_holm=digits(p), significant=p <= LEVEL)
        for cell, p in zip(cells, adjusted, strict=True)
    )


def _cell(
    name: str,
    other: str,
    blocks: float,
    games: float,
    wins: float,
    draws: float,
    mean: float,
    variance: float,
) -> Cell:
    deviation, observed = sqrt(variance), int(blocks)
    reach = _quantile(observed) * deviation
    los = _superiority(mean, deviation, observed)
    low, high = _interval(mean, reach, observed)
    return Cell(
        name=name,
        other=other,
        blocks=observed,
        games=int(games),
        wins=int(wins),
        draws=int(draws),
        losses=int(games - wins - draws),
        score=stable(mean),
        score_error=stable(reach) if reach else None,
        elo=_elo(mean),
        low=low,
        high=high,
        superiority=None if los is None else stable(los),
        p=_p(mean, deviation, observed),
        p_holm=1.0,
        significant=False,
    )


def _superiority(mean: float, deviation: float, blocks: int) -> float | None:
    """From blocks with spread, or from a whitewash: a flat prior on winning a block."""
    if mean in (0.0, 1.0):
        unlikely = 0.5 ** (blocks + 1)
        return 1.0 - unlikely if mean else unlikely
    if not deviation:
        return None
    return superiority(mean - 0.5, deviation, blocks, blocks - 1)


def _p(mean: float, deviation: float, blocks: int) -> float:
    """Of a whitewash by the sign test: it is as likely as so many coins that all fall alike."""
    if mean in (0.0, 1.0):
        return max(LEAST_P, 2.0 ** (1 - blocks))
    if not deviation:
        return 1.0
    return max(LEAST_P, 2.0 * superiority(-abs(mean - 0.5), deviation, blocks, blocks - 1))


def _interval(mean: float, reach: float, blocks: int) -> tuple[float | None, float | None]:
    if mean == 1.0:
        return _elo(TAIL ** (1 / blocks)), None
    if mean == 0.0:
        return None, _negated(_elo(TAIL ** (1 / blocks)))
    return (_elo(mean - reach), _elo(mean + reach)) if reach else (None, None)


def _elo(score: float) -> float | None:
    """The Elo difference with this expected score; None where it is not finite."""
    return stable(ELO * log(score / (1.0 - score))) if 0.0 < score < 1.0 else None


@lru_cache(LARGE)
def _student(blocks: int) -> float:
    return quantile_95(blocks, blocks - 1)


def _quantile(blocks: int) -> float:
    return _student(blocks) if 1 < blocks < LARGE else NORMAL_95


def _negated(number: float | None) -> float | None:
    return None if number is None else stable(-number)
