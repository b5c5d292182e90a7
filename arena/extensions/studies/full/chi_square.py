"""The tail of the chi-square distribution, without scipy (its import costs 0.2 s)."""

from __future__ import annotations

from math import exp, lgamma, log
from typing import Final

_ROUNDS: Final = 100_000
_EXACT: Final = 1e-15
_TINY: Final = 1e-300


def chi_square_tail(value: float, freedom: int) -> float:
    """Return P(X >= value) of a chi-square variable, at least 1e-300; ``freedom`` >= 1.

    This is the regularised incomplete gamma function: its series below the mean, its continued
    fraction (Lentz) above (Abramowitz and Stegun 26.4.19, 6.5.29, 6.5.31).
    """
    a, x = freedom / 2, value / 2
    if x <= 0.0:
        return 1.0
    front = a * log(x) - x - lgamma(a)
    if x < a + 1:
        return max(_TINY, 1.0 - exp(front) * _series(a, x))
    return max(_TINY, exp(max(front, -690.0)) * _fraction(a, x))


def _series(a: float, x: float) -> float:
    term = total = 1.0 / a
    for k in range(1, _ROUNDS):
        term *= x / (a + k)
        total += term
        if term < total * _EXACT:
            break
    return total


def _fraction(a: float, x: float) -> float:
    b = x + 1.0 - a
    c, d = 1.0 / _TINY, 1.0 / b
    found = d
    for k in range(1, _ROUNDS):
        factor = -k * (k - a)
        b += 2.0
        d = 1.0 / _nonzero(factor * d + b)
        c = _nonzero(b + factor / c)
        found *= d * c
        if abs(d * c - 1.0) < _EXACT:
            break
    return found


def _nonzero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
