"""Head-to-head results of every pair that met, with the errors of their blocks.

A cell shows only the results between two entrants; ``differences`` shows what all games together
imply for the two.

The dispersion of a cell, which is the variance of its score as a share of that of independent
games, is shrunk towards that of all cells as that of a rating is (``elo/spread.py``). Interval,
likelihood and p-value follow from it by one test, of the score against its expectation: Wilson's
interval holds all expectations that this test does not reject.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from arena.ratings.counting.arrays import Floats, TallyArrays
from arena.ratings.counting.encounters import EncounterArrays, encounters
from arena.ratings.elo.rating import EntrantPair, stable
from arena.ratings.elo.scale import ELO
from arena.ratings.elo.spread import INDEPENDENT, NO_SPREAD, POOL
from arena.ratings.probability import (
    LARGE,
    LEAST_P,
    LEVEL,
    digits,
    holm,
    quantile_95,
    share_of_blocks,
    superiority,
)


class PairResult(EntrantPair, frozen=True):
    """Results of one entrant against another."""

    blocks: int
    """Number of blocks that compared the two; the games of a block are not independent."""
    games: int
    """Number of comparisons: one per game, more if an entrant holds several seats."""
    wins: int
    draws: int
    losses: int
    score: float
    """Score per game, 0 … 1."""
    score_error: float | None
    """Half the width of the 95 % interval of ``score``; None if no cell shows any spread."""
    score_low: float | None
    """Lower end of the interval, 0 … 1; it and ``score_high`` are None if ``score_error`` is."""
    score_high: float | None
    elo: float | None
    """Elo of ``score``; None for a perfect or zero score."""
    low: float | None
    """Lower end of the 95 % interval of ``elo``. It and ``high`` are None if open or not known. For
    a perfect or zero score the finite one is the one-sided 97.5 % limit, with each block as one
    observation."""
    high: float | None
    superiority: float | None
    """Likelihood that ``name`` does better against ``other`` in the long run (LOS)."""
    p: float
    """Two-sided p-value of an even match; 1 if nothing is known."""
    p_holm: float
    """``p`` adjusted for all pairs that met (Holm)."""
    significant: bool
    """True if ``p_holm`` is at most 0.05."""

    def mirrored(self) -> PairResult:
        """Return the cell from the side of ``other``."""
        return replace(
            self,
            name=self.other,
            other=self.name,
            wins=self.losses,
            losses=self.wins,
            score=stable(1.0 - self.score),
            score_low=_rest(self.score_high),
            score_high=_rest(self.score_low),
            elo=_negated(self.elo),
            low=_negated(self.high),
            high=_negated(self.low),
            superiority=_rest(self.superiority),
        )


def pairs_of(arrays: TallyArrays) -> tuple[PairResult, ...]:
    """Return the cells of a tally, with its entrants in the order of their names."""
    return crosstable(arrays.entrants, encounters(arrays))


class _Scatter(NamedTuple):
    """Error of the score of a cell."""

    dispersion: float
    """Dispersion of ``score``; 0 if it is not known."""
    observations: int
    freedom: int

    @property
    def quantile(self) -> float:
        """Quantile of 95 % intervals."""
        return quantile_95(self.observations, self.freedom)


def crosstable(names: Sequence[str], met: EncounterArrays) -> tuple[PairResult, ...]:
    """Return every pair that met once; ``names`` and cells have the same order.

    ``met``: the encounters of the entrants ``names``.
    """
    first, second = np.nonzero(np.triu(met.blocks))
    columns = (met.blocks, met.games, met.wins, met.draws, met.mean, met.variance)
    numbers = [*zip(*(column[first, second].tolist() for column in columns), strict=True)]
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    pool = _pool(
        *(column[first, second] for column in (met.blocks, met.games, met.mean, met.variance))
    )
    cells = [
        _cell(names[i], names[j], pool, *own) for (i, j), own in zip(pairs, numbers, strict=True)
    ]
    adjusted = holm([cell.p for cell in cells])
    return tuple(
        replace(cell, p=digits(cell.p), p_holm=digits(p), significant=p <= LEVEL)
        for cell, p in zip(cells, adjusted, strict=True)
    )


def _pool(blocks: Floats, games: Floats, mean: Floats, variance: Floats) -> float:
    """Return the dispersion of all cells with several blocks; 0 if they have no spread."""
    several = blocks > 1
    found = float((games**2 * variance)[several].sum())
    single = float((games * (mean * (1 - mean) + variance))[several].sum())
    if found <= NO_SPREAD * single:
        return 0.0
    freedom = float((blocks - 1)[several].sum())
    return (INDEPENDENT + freedom * found / single) / (INDEPENDENT + freedom)


def _cell(
    name: str,
    other: str,
    pool: float,
    blocks: float,
    games: float,
    wins: float,
    draws: float,
    mean: float,
    variance: float,
) -> PairResult:
    observed = int(blocks)
    scatter = _scatter(pool, observed, games, mean, variance)
    los = _superiority(mean, games, observed, scatter)
    low, high = _interval(mean, games, observed, scatter)
    return PairResult(
        name=name,
        other=other,
        blocks=observed,
        games=int(games),
        wins=int(wins),
        draws=int(draws),
        losses=int(games - wins - draws),
        score=stable(mean),
        score_error=None if low is None or high is None else stable((high - low) / 2),
        score_low=None if low is None else stable(low),
        score_high=None if high is None else stable(high),
        elo=_elo(mean),
        low=None if low is None else _elo(low),
        high=None if high is None else _elo(high),
        superiority=None if los is None else stable(los),
        p=_p(mean, games, observed, scatter),
        p_holm=1.0,
        significant=False,
    )


def _scatter(pool: float, blocks: int, games: float, mean: float, variance: float) -> _Scatter:
    own = variance * games / (mean * (1 - mean)) if 0 < mean < 1 else 0.0
    if blocks >= LARGE:
        return _Scatter(own, blocks, blocks - 1)
    freedom = POOL + blocks - 1
    return _Scatter((POOL * pool + (blocks - 1) * own) / freedom, blocks, freedom)


def _superiority(mean: float, games: float, blocks: int, scatter: _Scatter) -> float | None:
    """Return the likelihood of superiority; None if the dispersion is not known.

    For a whitewash it follows from a flat prior on winning a block.
    """
    if mean in (0.0, 1.0):
        unlikely = 0.5 ** (blocks + 1)
        return 1.0 - unlikely if mean else unlikely
    if not scatter.dispersion:
        return None
    return superiority(mean - 0.5, sqrt(scatter.dispersion / games) / 2, *scatter[1:])


def _p(mean: float, games: float, blocks: int, scatter: _Scatter) -> float:
    """Return the two-sided p-value of an even match.

    For a whitewash it is that of the sign test: as many coins that all fall alike.
    """
    if mean in (0.0, 1.0):
        return max(LEAST_P, 2.0 ** (1 - blocks))
    behind = _superiority(0.5 - abs(mean - 0.5), games, blocks, scatter)
    return 1.0 if behind is None else max(LEAST_P, 2.0 * behind)


def _interval(
    mean: float, games: float, blocks: int, scatter: _Scatter
) -> tuple[float | None, float | None]:
    if 0.0 < mean < 1.0 and not scatter.dispersion:
        return None, None
    return share_of_blocks(mean, scatter.quantile**2 * scatter.dispersion / games, blocks)


def _elo(score: float) -> float | None:
    """Return the Elo difference with this expected score; None if it is not finite."""
    return stable(ELO * log(score / (1.0 - score))) if 0.0 < score < 1.0 else None


def _negated(number: float | None) -> float | None:
    return None if number is None else stable(-number)


def _rest(share: float | None) -> float | None:
    return None if share is None else stable(1.0 - share)
