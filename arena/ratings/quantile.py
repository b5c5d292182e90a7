"""Normal and Student quantiles and probabilities, without scipy (its import costs 0.2 s)."""

from __future__ import annotations

from math import atan2, cos, erfc, pi, sin, sqrt, tan
from typing import Final

NORMAL_95: Final = 1.959963984540054
"""A normal variable lies within this many standard deviations with probability 0.95."""


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
