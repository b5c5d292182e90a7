"""What a sequential test has shown of the strength, allowing for that it stopped where it did.

A match ends when its result is extreme, so its plain estimate lies too far out. Here the outcomes
of a test are put in an order, from a fail after few blocks over a late fail, an end without a
verdict and a late pass to a pass after few blocks (stagewise order; Siegmund, Biometrika 1978), and
the strength is estimated by how likely the outcomes up to the one seen are: with ½ for the
estimate, which is too high as often as too low, and 0.975 and 0.025 for its interval.

The log-likelihood ratio in units of its deviation per deal is a Brownian motion W with the drift
that is asked for, between a lower bound -x and an upper bound A-x. The chance to have left it on a
given side by a given time is a sum over images of the start (Darling and Siegert, 1953; fishtest's
``stats/brownian.py`` has it as a Fourier series, which needs many terms for early ends). Pure
Python.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erfc, exp, pi, sqrt
from typing import Final, NamedTuple

from arena.ratings.probability import NORMAL_95, normal_cdf

_FAR: Final = 9.0
"""Deviations beyond which nothing is to be expected."""
_OVERFLOW: Final = 700.0
_ROUNDS: Final = 60
_FINEST: Final = 1e-12


class Walk(NamedTuple):
    """How a test went: its ratio in units of the deviation per deal."""

    lower: float
    """The bound below 0."""
    upper: float
    """The bound above 0."""
    deals: float
    """Played, above 0."""
    end: float
    """Where the ratio stands."""
    least: float
    """Deals before which nobody looked, at most as many as were played."""


class Drift(NamedTuple):
    """Of the walk per deal."""

    value: float
    low: float
    high: float
    """Of 95 %."""


def drift(walk: Walk) -> Drift:
    """The median-unbiased estimate with its interval.

    A test that ended when it was first looked at is one of fixed length: there the ordinary
    estimate is the one that allows for everything.
    """
    plain, error = walk.end / walk.deals, 1 / sqrt(walk.deals)
    if walk.deals <= walk.least:
        return Drift(plain, plain - NORMAL_95 * error, plain + NORMAL_95 * error)
    ends = (_solved(walk, share, plain, error) for share in (0.5, 0.975, 0.025))
    return Drift(*ends)


def chance_up_to(walk: Walk, drift_per_deal: float) -> float:
    """The chance of an outcome like the one seen or one that speaks less for strength."""
    mu = drift_per_deal
    if walk.deals <= walk.least:
        return normal_cdf((walk.end - mu * walk.deals) / sqrt(walk.deals))
    if walk.end >= walk.upper:
        return 1 - _left_by(_time(walk, walk.upper), mu, walk.upper, -walk.lower)
    if walk.end <= walk.lower:
        return _left_by(_time(walk, walk.lower), -mu, -walk.lower, walk.upper)
    failed = _left_by(walk.deals, -mu, -walk.lower, walk.upper)
    return min(1.0, failed + _inside(walk, mu))


def _time(walk: Walk, bound: float) -> float:
    """When the walk got to the bound: the last block has carried it beyond."""
    return max(walk.least, walk.deals * bound / walk.end)


def _solved(walk: Walk, share: float, plain: float, error: float) -> float:
    """The drift with that chance of the outcomes up to the one seen; the chance falls in it."""

    def above(mu: float) -> float:
        return chance_up_to(walk, mu) - share

    low, high = _bracket(above, plain, error)
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if above(middle) > 0:
            low = middle
        else:
            high = middle
        if high - low < _FINEST * max(1.0, abs(middle)):
            break
    return (low + high) / 2


def _bracket(above: Callable[[float], float], start: float, step: float) -> tuple[float, float]:
    low = high = start
    for _ in range(_ROUNDS):
        if above(low) > 0:
            break
        low, step = low - step, 1.3 * step
    for _ in range(_ROUNDS):
        if above(high) < 0:
            break
        high, step = high + step, 1.3 * step
    return low, high


def _left_by(time: float, mu: float, near: float, far: float) -> float:
    """The chance to have got ``near`` above the start by then, and not ``far`` below it before."""
    width, total = near + far, 0.0
    for k in _images(time, width):
        place = near + 2 * k * width
        reach, sign = abs(place), 1.0 if place > 0 else -1.0
        total += sign * (
            _weighted(mu * near - abs(mu) * reach, (abs(mu) * time - reach) / sqrt(time))
            + _weighted(mu * near + abs(mu) * reach, (-abs(mu) * time - reach) / sqrt(time))
        )
    return min(1.0, max(0.0, total))


def _inside(walk: Walk, mu: float) -> float:
    """The chance to be between the bounds after all deals, and not above where the walk stands."""
    time, width, total = walk.deals, walk.upper - walk.lower, 0.0
    start, stand = -walk.lower, walk.end - walk.lower
    root = sqrt(time)
    for k in _images(time, width):
        for sign, place in ((1.0, start - 2 * k * width), (-1.0, -start - 2 * k * width)):
            middle = place + mu * time
            low, high = -middle / root, (stand - middle) / root
            total += sign * _times_exp(mu * (place - start), _between(low, high))
    return max(0.0, total)


def _images(time: float, width: float) -> range:
    most = 1 + int(_FAR * sqrt(time) / (2 * width) + 0.5)
    return range(-most, most + 1)


def _between(low: float, high: float) -> float:
    """P(low <= Z <= high), exact in the tails."""
    if low > 0:
        low, high = -high, -low
    return normal_cdf(high) - normal_cdf(low)


def _times_exp(exponent: float, chance: float) -> float:
    return chance * exp(min(exponent, _OVERFLOW))


def _weighted(exponent: float, z: float) -> float:
    """e to the exponent times P(Z <= z); the product is at most about 1 where neither factor is."""
    if z > -_FAR:
        return exp(exponent) * 0.5 * erfc(-z / sqrt(2.0))
    # Mills: the tail is the density over |z|, nearly
    return exp(exponent - z * z / 2) / (sqrt(2 * pi) * -z) * (1 - 1 / (z * z) + 3 / z**4)
