"""Normal and Student quantiles and probabilities, without scipy (its import costs 0.2 s)."""

from __future__ import annotations

from math import atan2, cos, erfc, pi, sin, sqrt, tan
from typing import Final

NORMAL_95: Final = 1.959963984540054
"""A normal variable lies within this many standard deviations with probability 0.95."""

LARGE: Final = 100
"""From this many observations on the normal quantile is used instead of Student's."""


def quantile_95(observations: int, freedom: int) -> float:
    """How many standard errors a 95 % interval reaches to either side of an estimate.

    ``observations`` are the independent ones, ``freedom`` >= 1 those the fit left over.
    """
    return student_95(freedom) if observations < LARGE else NORMAL_95


def superiority(estimate: float, deviation: float, observations: int, freedom: int) -> float:
    """The likelihood that the true value of an ``estimate`` is above 0, from a flat prior.

    Normal or Student as in ``quantile_95``; ``deviation`` > 0.
    """
    z = estimate / deviation
    if observations >= LARGE:
        return normal_cdf(z)
    central = student_central(abs(z), freedom)
    return (1.0 + central) / 2 if z > 0 else (1.0 - central) / 2


def normal_cdf(z: float) -> float:
    """P(Z <= z) of a standard normal variable."""
    return 0.5 * erfc(-z / sqrt(2.0))


def student_central(t: float, freedom: int) -> float:
    """P(-t <= T <= t), t >= 0, ``freedom`` >= 1 (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    return _central(atan2(t, sqrt(freedom)), freedom)


def student_95(freedom: int) -> float:
    """The t with P(-t <= T <= t) = 0.95, by bisection to the last bits."""
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
