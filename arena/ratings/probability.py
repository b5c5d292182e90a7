"""Probabilities and quantiles of intervals and tests, without scipy (its import costs 0.2 s)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import atan2, cos, erfc, exp, lgamma, log, log1p, pi, sin, sqrt, tan
from typing import Final

NORMAL_95: Final = 1.959963984540054
"""Number of standard deviations within which a normal variable lies with probability 0.95."""

LARGE: Final = 100
"""Least number of observations from which the normal quantile replaces Student's."""


def quantile_95(observations: int, freedom: int) -> float:
    """Return the half-width of a 95 % interval in standard errors.

    ``observations``: number of independent observations. ``freedom``: degrees of freedom that the
    fit left over, at least 1.
    """
    return student_95(freedom) if observations < LARGE else NORMAL_95


def superiority(estimate: float, deviation: float, observations: int, freedom: int) -> float:
    """Return the likelihood that the true value of an ``estimate`` is above 0, from a flat prior.

    The distribution is normal or Student's, by ``observations`` and ``freedom`` as in
    ``quantile_95``. ``deviation`` is the standard error, above 0.
    """
    z = estimate / deviation
    if observations >= LARGE:
        return normal_cdf(z)
    central = student_central(abs(z), freedom)
    return (1.0 + central) / 2 if z > 0 else (1.0 - central) / 2


def normal_cdf(z: float) -> float:
    """Return P(Z <= z) of a standard normal variable."""
    return 0.5 * erfc(-z / sqrt(2.0))


def student_central(t: float, freedom: int) -> float:
    """Return P(-t <= T <= t) of Student's distribution, t >= 0, ``freedom`` >= 1.

    Source: Abramowitz and Stegun 26.7.3, 26.7.4.
    """
    return min(1.0, _central(atan2(t, sqrt(freedom)), freedom))


@cache
def student_95(freedom: int) -> float:
    """Return the t with P(-t <= T <= t) = 0.95, found by bisection to the last bits."""
    low, high = 0.0, pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if _central(middle, freedom) < 0.95:
            low = middle
        else:
            high = middle
    return tan(low) * sqrt(freedom)


def _central(angle: float, freedom: int) -> float:
    odd = freedom % 2 == 1
    total, term = 0.0, cos(angle) if odd else 1.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= cos(angle) ** 2 * k / (k + 1)
    return (angle + sin(angle) * total) * 2 / pi if odd else sin(angle) * total


def wilson(share: float, part: float) -> tuple[float, float]:
    """Return the interval of a ``share``, limited to 0 … 1 (Wilson 1927).

    ``part``: the square of the quantile, divided by the number of independent observations.
    """
    half = sqrt(part * share * (1 - share) + part * part / 4)
    low, high = ((share + part / 2 + sign * half) / (1 + part) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)


def perfect_share(blocks: float) -> float:
    """Return the share at which ``blocks`` perfect ones in a row have a probability of 2.5 %."""
    return float(0.025 ** (1 / blocks))


def share_of_blocks(share: float, part: float, blocks: float) -> tuple[float, float]:
    """Return the interval of a ``share`` of the points of ``blocks``.

    A share of 0 or 1 has a limit on one side. No other result has a limit beyond it: where few
    blocks are not perfect their spread is hardly known. ``part``: see ``wilson``.
    """
    least = perfect_share(blocks)
    if share in (0.0, 1.0):
        return (least, 1.0) if share else (0.0, 1.0 - least)
    low, high = wilson(share, part)
    return min(low, least), max(high, 1.0 - least)


LEVEL: Final = 0.05
"""Probability that any of a family of true hypotheses is rejected."""
LEAST_P: Final = 1e-16
"""Least p-value that is reported for a difference to 1, whose rounding error is of this size."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the adjusted p-values in the same order.

    The hypotheses with an adjusted p-value up to the level of the family are rejected. Source: Holm
    1979, "A simple sequentially rejective multiple test procedure".
    """
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted, least = [1.0] * len(order), 0.0
    for rank, k in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p_values[k]))
        adjusted[k] = least
    return adjusted


def digits(p: float) -> float:
    """Round a number to six significant digits, because further digits differ between machines."""
    return float(f"{p:.6g}")


_EXACT: Final = 1e-15
_TINY: Final = 1e-300


def binomial_tail(least: int, trials: int, share: float) -> float:
    """Return P(X >= least) of a binomial variable, at least 1e-300.

    ``share`` is above 0 and below 1, ``least`` at least the mean and at most ``trials``.
    """
    odds = share / (1.0 - share)
    ways = lgamma(trials + 1) - lgamma(least + 1) - lgamma(trials - least + 1)
    first = ways + least * log(share) + (trials - least) * log1p(-share)
    total = term = 1.0
    for k in range(least, trials):
        term *= odds * (trials - k) / (k + 1)
        total += term
        if term < total * _EXACT:
            break
    return min(1.0, max(_TINY, exp(max(first, -690.0)) * total))
