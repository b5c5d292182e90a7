"""How many games a question about two contestants takes.

Everything counts games, not blocks: with G games in a block the deviation of "one game" is sqrt(G)
times that of the mean of a block, so that what mirrored deals save is in it. A *width* is how far
a 95 % interval reaches to either side. Pure Python.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, exp, log, pi, sin, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

from arena.ratings.match.report import Scale
from arena.ratings.match.sprt import (
    LEAST_BLOCKS,
    NELO,
    Hypotheses,
    expectation,
    expected,
    length,
)
from arena.ratings.probability import NORMAL_95, normal_cdf

ELO: Final = 400 / log(10)
"""Elo of one unit of log odds."""
RARELY: Final = 0.05
"""Share of sequential tests that need more games than ``Course.rarely``."""
_FAR: Final = 6.0
"""Strengths beyond the hypotheses, in halves of their distance, from which on a test ends at the
near bound alone."""
_TERMS: Final = 200


def deviation_of_draws(share: float) -> float:
    """Of one game between equals of which a ``share`` is drawn, on a deal of its own."""
    return sqrt(1 - share) / 2


def elo_of(nelo: float, deviation: float) -> float | None:
    """The Elo of a normalized Elo; None where no score is so good."""
    mean = 0.5 + nelo / NELO * deviation
    return -ELO * log(1 / mean - 1) if 0 < mean < 1 else None


def nelo_of(elo: float, deviation: float) -> float:
    """The normalized Elo of an Elo."""
    return (expected(elo) - 0.5) / deviation * NELO


def games_for_width(width: float, deviation: float, elo: float = 0.0) -> float:
    """Games until the 95 % interval reaches ``width`` Elo > 0 to either side.

    ``deviation``: of one game between equals. At a true difference of ``elo`` scores spread less,
    but a point is worth more Elo; the second weighs more.
    """
    mean = expected(elo)
    narrow = 4 * mean * (1 - mean)
    return games_for_margin(width, deviation * 4 * ELO) / narrow


def even_deviation(deviation: float, elo: float) -> float:
    """That of one game between equals, from that at a difference of ``elo``.

    Exact for games without draws on deals of their own, near it for others.
    """
    mean = expected(elo)
    return deviation / sqrt(4 * mean * (1 - mean))


def games_for_margin(width: float, deviation: float) -> float:
    """Games until the 95 % interval of a mean reaches ``width`` > 0 to either side."""
    return (NORMAL_95 * deviation / width) ** 2


def games_for_difference(nelo: float, alpha: float, beta: float) -> float:
    """Games of a test of fixed length that shows a difference of ``nelo`` > 0.

    One-sided: between equals it is shown with probability ``alpha``, and missed with ``beta``.
    """
    return ((_quantile(1 - alpha) + _quantile(1 - beta)) * NELO / nelo) ** 2


def power(nelo: float, games: float, alpha: float) -> float:
    """How often a test of fixed length shows a difference when the true one is ``nelo``."""
    return normal_cdf(nelo / NELO * sqrt(games) - _quantile(1 - alpha))


class Course(NamedTuple):
    """What a sequential test will come to."""

    passes: float
    """Share of tests that pass."""
    games: float
    """On average, until the verdict."""
    rarely: float
    """One test in twenty needs more."""


def course(
    test: Hypotheses, true: float, *, deviation: float = 0.5, block_games: int = 2
) -> Course:
    """How a sequential test goes if the true difference is ``true``, in the scale of the test.

    ``deviation`` matters for the logistic scale alone. Raises ValueError for hypotheses that
    cannot be tested.
    """
    if test.elo0 >= test.elo1:
        raise ValueError(f"found elo0 {test.elo0:g} and elo1 {test.elo1:g}, expected elo0 < elo1")
    low, high, at = (_t(elo, test.scale, deviation) for elo in (test.elo0, test.elo1, true))
    least = float(LEAST_BLOCKS * block_games)
    far = (2 * at - low - high) / (high - low)
    if abs(far) > _FAR:
        mean, rarely = _near_bound(far, high - low, test.bounds)
        return Course(float(far > 0), max(least, mean), max(least, rarely))
    wald = expectation(at, low, high, test.bounds)
    rarely = _exceeded(_survival(far, high - low, test.bounds), wald.blocks)
    return Course(wald.passes, max(least, wald.blocks), max(least, rarely))


def games_left(
    test: Hypotheses, nelo: float, ratio: float, *, deviation: float, block_games: int
) -> int:
    """Games until the verdict on average, if the true difference is ``nelo``.

    ``ratio``: the log-likelihood ratio by now. 0 outside of the bounds.
    """
    low, high = (_t(elo, test.scale, deviation) for elo in (test.elo0, test.elo1))
    drift = (high - low) * (nelo / NELO - (low + high) / 2)
    games = length(drift, (high - low) ** 2, [bound - ratio for bound in test.bounds])
    return whole_blocks(games, block_games) * block_games if games else 0


def whole_blocks(games: float, block_games: int) -> int:
    """How many blocks hold so many games."""
    return max(1, ceil(games / block_games - 1e-9))


def _t(elo: float, scale: Scale, deviation: float) -> float:
    """The mean of one game above even, in its deviations."""
    nelo = elo if scale is Scale.NORMALIZED else nelo_of(elo, deviation)
    return nelo / NELO


def _quantile(probability: float) -> float:
    return NormalDist().inv_cdf(probability)


def _near_bound(far: float, step: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Mean and late end of a test that drifts so fast to one bound that it never sees the other."""
    distance = bounds[1] if far > 0 else -bounds[0]
    drift = abs(far) / 2
    mean = distance / drift

    def survival(time: float) -> float:
        late = normal_cdf((distance - drift * time) / sqrt(time))
        again = 2 * drift * distance
        back = normal_cdf(-(distance + drift * time) / sqrt(time))
        return late - (exp(again) * back if again < 500 else 0.0)

    return mean / step**2, _exceeded(survival, mean) / step**2


def _survival(far: float, step: float, bounds: tuple[float, float]) -> Callable[[float], float]:
    """How likely a test is still open after so many games.

    Brownian motion from 0 with drift ``far / 2`` and variance 1 per unit of time, absorbed at
    both bounds: its density as a series of sines, integrated between the bounds.
    """
    start, width, drift = -bounds[0], bounds[1] - bounds[0], far / 2

    def survival(games: float) -> float:
        time = games * step**2
        total = 0.0
        for k in range(1, _TERMS):
            w = k * pi / width
            decay = exp(-(w**2 + drift**2) * time / 2 - drift * start)
            ends = w * (1 - (-1) ** k * exp(drift * width)) / (drift**2 + w**2)
            total += decay * sin(w * start) * ends
        return total * 2 / width

    return survival


def _exceeded(survival: Callable[[float], float], mean: float) -> float:
    """The length that a share RARELY exceeds; it is beyond ``mean``. By bisection."""
    low, high = mean, 2 * mean
    while survival(high) > RARELY:
        low, high = high, 2 * high
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if survival(middle) > RARELY else (low, middle)
    return (low + high) / 2
