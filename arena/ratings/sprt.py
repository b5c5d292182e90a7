"""A sequential test of two contestants on blocks: is one stronger, with as few games as possible?

The unit is the block: every game of one deal in all its seatings. Strength is normalized Elo, nElo:
(mean - 1/2) / (standard deviation of one game) in units of 800/ln 10, so that the number of games
needed depends on the hypotheses alone, not on draws or luck (Van den Bergh, "Normalized Elo for
practical purposes"). With G games in a block a game's deviation is sqrt(G) times that of the mean
of a block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import exp, expm1, log, sqrt
from typing import Final, NamedTuple

from arena.ratings.likelihood import llr_of_mean, llr_of_t, smoothed

NELO: Final = 800 / log(10)
"""nElo of one standard deviation."""
LEAST_BLOCKS: Final = 20
"""No verdict before so many blocks: the likelihood ratio is an approximation for many."""


class Verdict(StrEnum):
    """What a test came to."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


class Scale(StrEnum):
    """What the hypotheses are measured in."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


class Hypotheses(NamedTuple):
    """H0 is accepted as ``fail``, H1 as ``pass``."""

    elo0: float
    elo1: float
    scale: Scale = Scale.NORMALIZED
    alpha: float = 0.05
    """How often H1 is accepted if H0 is true."""
    beta: float = 0.05
    """How often H0 is accepted if H1 is true."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which H0 and H1 are accepted (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


GAIN: Final = Hypotheses(0.0, 10.0)
NO_REGRESSION: Final = Hypotheses(-10.0, 0.0)


def llr(counts: Mapping[float, float], games: int, test: Hypotheses) -> float:
    """The log-likelihood ratio of H1 against H0; 0 without blocks.

    ``counts``: blocks by their mean score, 0 to 1. ``games``: in a block.
    """
    if not counts:
        return 0.0
    grid = [step / (2 * games) for step in range(2 * games + 1)]
    blocks, found = smoothed(counts, grid)
    if test.scale is Scale.LOGISTIC:
        return llr_of_mean(blocks, found, expected(test.elo0), expected(test.elo1))
    t0, t1 = (sqrt(games) * elo / NELO for elo in (test.elo0, test.elo1))
    return llr_of_t(blocks, found, t0, t1)


def expected(elo: float) -> float:
    """The expected score of a contestant so much stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def verdict(counts: Mapping[float, float], games: int, test: Hypotheses) -> Verdict | None:
    """The verdict on these blocks; None: more are needed."""
    if sum(counts.values()) < LEAST_BLOCKS:
        return None
    ratio, (lower, upper) = llr(counts, games, test), test.bounds
    if ratio >= upper:
        return Verdict.PASS
    return Verdict.FAIL if ratio <= lower else None


class Expectation(NamedTuple):
    """What a test will come to on average."""

    passes: float
    """Share of tests that end with ``pass``."""
    blocks: float
    """Until the verdict."""


def expectation(t: float, t0: float, t1: float, bounds: Sequence[float]) -> Expectation:
    """Wald's formulas for a true mean of ``t`` block deviations above 1/2.

    The ratio moves like Brownian motion with drift (t1-t0)(t-(t0+t1)/2) and variance (t1-t0)^2.
    """
    lower, upper = bounds
    step = (t1 - t0) ** 2
    h = (2 * t - t0 - t1) / (t1 - t0)
    if abs(h) < 1e-6:
        return Expectation(-lower / (upper - lower), -lower * upper / step)
    passes = expm1(-h * lower) / (exp(-h * lower) - exp(-h * upper))
    return Expectation(passes, 2 / h * (upper * passes + lower * (1 - passes)) / step)
