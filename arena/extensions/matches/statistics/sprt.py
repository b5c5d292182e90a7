"""Sequential test of two contestants on blocks, which needs as few games as possible.

The unit is the block: every game of one deal in all its seatings. Strength is normalized Elo, nElo:
(mean - 1/2) / (standard deviation of one game) in units of 800/ln 10, so that the number of games
needed depends on the hypotheses alone, not on draws or luck (Van den Bergh, "Normalized Elo for
practical purposes"). With G games in a block the deviation of a game is sqrt(G) times that of the
mean of a block. A match decides in ``match.Match``; ``verdict`` is for counted results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, expm1, inf, isfinite, log, sqrt
from typing import Final, NamedTuple

from arena.extensions.matches.statistics.likelihood import llr_of_mean, llr_of_t, smoothed
from arena.extensions.matches.statistics.report import Hypotheses, Scale, Verdict

NELO: Final = 800 / log(10)
"""nElo of one standard deviation."""
LEAST_BLOCKS: Final = 20
"""Least number of blocks for a verdict; the likelihood ratio is an approximation for many."""
LARGEST_T: Final = 2.0
"""Greatest hypothesis in block deviations above even; larger differences need no test."""
LARGEST_ELO: Final = 1200.0
"""Greatest hypothesis in Elo on the logistic scale: an expected score of 0.999."""
_CERTAIN: Final = 200
"""Drift in variances, over the distance of the bounds, from which chance plays no part. Wald's
formulas overflow at larger drifts."""


def between(
    elo0: float,
    elo1: float,
    scale: Scale = Scale.NORMALIZED,
    alpha: float = 0.05,
    beta: float = 0.05,
    mode: str = "custom",
) -> Hypotheses:
    """Return the hypotheses that the difference is ``elo0``, or ``elo1``."""
    return Hypotheses(mode, scale, elo0, elo1, alpha, beta)


def check(test: Hypotheses, games: int) -> None:
    """Raise ValueError, with a message for people, if these hypotheses cannot be tested.

    ``games``: number of games in a block.
    """
    if not (isfinite(test.elo0) and isfinite(test.elo1) and test.elo0 < test.elo1):
        raise ValueError(f"expected elo0 below elo1, found {test.elo0:g} and {test.elo1:g}")
    for name, risk in (("alpha", test.alpha), ("beta", test.beta)):
        if not 0 < risk < 0.5:
            raise ValueError(f"expected {name} above 0 and below 0.5, found {risk:g}")
    logistic = test.scale is Scale.LOGISTIC
    unit, most = ("Elo", LARGEST_ELO) if logistic else ("nElo", LARGEST_T * NELO / sqrt(games))
    for elo in (test.elo0, test.elo1):
        if abs(elo) > most:
            raise ValueError(
                f"expected at most {most:.0f} {unit} either way with {games} games in a block, "
                f"found {elo:g}"
            )


GAIN: Final = between(0.0, 40.0, mode="gain")
NO_REGRESSION: Final = between(-40.0, 0.0, mode="no-regression")
MODES: Final = {"gain": GAIN, "no-regression": NO_REGRESSION}
"""Hypotheses by the name that users give."""


def llr(
    counts: Mapping[float, float],
    games: int,
    test: Hypotheses,
    *,
    ref: float = 0.5,
    grid: Iterable[float] | None = None,
) -> float:
    """Return the log-likelihood ratio of H1 against H0; 0 without blocks, always finite.

    ``counts``: number of blocks by value. ``games``: number of games in a block. ``ref``: value of
    a block between equals. ``grid``: possible values of a block, if more than those that occurred;
    None for those of a mean score, 0 to 1. The greatest distance from ``ref`` is always assumed to
    be possible on either side of it. The logistic scale needs mean scores.
    """
    if not counts:
        return 0.0
    values = _mean_scores(games) if grid is None else grid
    values = {*values, *counts}
    reach = max(abs(value - ref) for value in values) or 0.5
    blocks, found = smoothed(counts, {*values, ref - reach, ref + reach})
    if test.scale is Scale.LOGISTIC:
        return llr_of_mean(blocks, found, expected(test.elo0), expected(test.elo1))
    t0, t1 = (sqrt(games) * elo / NELO for elo in (test.elo0, test.elo1))
    return llr_of_t(blocks, found, t0, t1, ref)


def _mean_scores(games: int) -> list[float]:
    return [step / (2 * games) for step in range(2 * games + 1)]


def expected(elo: float) -> float:
    """Return the expected score of a contestant that is ``elo`` stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def verdict(
    counts: Mapping[float, float],
    games: int,
    test: Hypotheses,
    *,
    ref: float = 0.5,
    grid: Iterable[float] | None = None,
) -> Verdict | None:
    """Return the verdict on these blocks, or None if more are needed; arguments as for ``llr``."""
    if sum(counts.values()) < LEAST_BLOCKS:
        return None
    ratio, (lower, upper) = llr(counts, games, test, ref=ref, grid=grid), test.bounds
    if ratio >= upper:
        return Verdict.PASS
    return Verdict.FAIL if ratio <= lower else None


class Expectation(NamedTuple):
    """Average outcome of a test."""

    passes: float
    """Share of tests that end with ``pass``."""
    blocks: float
    """Mean number of blocks until the verdict."""


def expectation(t: float, t0: float, t1: float, bounds: Sequence[float]) -> Expectation:
    """Return Wald's expectation for a true mean of ``t`` block deviations above 1/2.

    The ratio moves like Brownian motion with drift (t1-t0)(t-(t0+t1)/2) and variance (t1-t0)^2.
    """
    lower, upper = bounds
    step = (t1 - t0) ** 2
    h = (2 * t - t0 - t1) / (t1 - t0)
    if abs(h) < 1e-6:
        return Expectation(-lower / (upper - lower), -lower * upper / step)
    passes = expm1(-h * lower) / (exp(-h * lower) - exp(-h * upper))
    return Expectation(passes, 2 / h * (upper * passes + lower * (1 - passes)) / step)


def length(drift: float, variance: float, bounds: Sequence[float]) -> float:
    """Return the mean number of blocks until the verdict.

    ``drift`` and ``variance`` are those of the ratio per block. ``bounds`` are relative to the
    present ratio. Return 0 if the ratio is outside the bounds.
    """
    lower, upper = bounds
    if not lower < 0 < upper:
        return 0.0
    if abs(drift) * (upper - lower) > _CERTAIN * variance:
        return (upper if drift > 0 else lower) / drift
    if not variance:  # hypotheses too close to be distinguished
        return inf
    step = sqrt(variance)
    return expectation(step / 2 + drift / step, 0.0, step, bounds).blocks
