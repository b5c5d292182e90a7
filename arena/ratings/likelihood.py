"""How much likelier one hypothesis on the mean score of a block makes what was seen than another.

Scores of blocks are given as a distribution: values with their counts. Under a hypothesis the
likeliest distribution on the same values is taken (empirical likelihood), so nothing is assumed
about draws, luck or the number of games in a block. Formulas: Van den Bergh, "The generalized
maximum likelihood ratio for the expectation value of a distribution" and "Normalized Elo for
practical purposes" (sections 4.1, 4.2), as fishtest uses them. Pure Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import Final, NamedTuple

EMPTY: Final = 1e-3
"""Blocks added to a value of the grid that never occurred, so that no likelihood is zero."""
_ROUNDS: Final = 60
_EXACT: Final = 1e-12
_STEADY: Final = 1e-11


class Moments(NamedTuple):
    """Of a distribution."""

    mean: float
    variance: float


class Distribution(NamedTuple):
    """Scores and their shares, ascending; the shares sum to 1."""

    values: tuple[float, ...]
    shares: tuple[float, ...]

    @property
    def moments(self) -> Moments:
        """Mean and population variance."""
        mean = sum(v * p for v, p in zip(self.values, self.shares, strict=True))
        variance = sum(p * (v - mean) ** 2 for v, p in zip(self.values, self.shares, strict=True))
        return Moments(mean, variance)


def smoothed(
    counts: Mapping[float, float], grid: Sequence[float] = ()
) -> tuple[float, Distribution]:
    """How many blocks, and their distribution; a value of the grid that is missing gets EMPTY."""
    filled = {value: counts.get(value, 0.0) or EMPTY for value in {*grid, *counts}}
    total = sum(filled.values())
    values = tuple(sorted(filled))
    return total, Distribution(values, tuple(filled[value] / total for value in values))


def llr_of_mean(blocks: float, found: Distribution, mean0: float, mean1: float) -> float:
    """Log-likelihood ratio of a mean of ``mean1`` against ``mean0``.

    Raises ValueError unless both lie between the least and the greatest value.
    """
    return blocks * _ratio(found, with_mean(found, mean0), with_mean(found, mean1))


def llr_of_t(blocks: float, found: Distribution, t0: float, t1: float, ref: float = 0.5) -> float:
    """Log-likelihood ratio of (mean - ref) / deviation being ``t1`` against ``t0``."""
    return blocks * _ratio(found, with_t(found, t0, ref), with_t(found, t1, ref))


def with_mean(found: Distribution, mean: float) -> Distribution:
    """The likeliest distribution with that mean."""
    return _tilted(found, [value - mean for value in found.values])


def with_t(found: Distribution, t: float, ref: float = 0.5) -> Distribution:
    """The likeliest distribution in which (mean - ref) / deviation is ``t``.

    The constraint is linearised at the last solution until the shares no longer move. Raises
    ValueError where no distribution on the values comes near, as for ``t`` beyond about 1.
    """
    solution = Distribution(found.values, (1 / len(found.values),) * len(found.values))
    for _ in range(_ROUNDS):
        mean, variance = solution.moments
        deviation = sqrt(variance)
        gaps = [
            v - ref - t * deviation * (1 + ((mean - v) / deviation) ** 2) / 2 for v in found.values
        ]
        before, solution = solution, _tilted(found, gaps)
        moved = max(abs(a - b) for a, b in zip(before.shares, solution.shares, strict=True))
        if moved < _STEADY:
            break
    return solution


def _tilted(found: Distribution, gaps: Sequence[float]) -> Distribution:
    """Shares p / (1 + x gap) with x such that the mean of the gaps is zero."""
    x = _root(gaps, found.shares)
    return Distribution(
        found.values,
        tuple(p / (1 + x * gap) for p, gap in zip(found.shares, gaps, strict=True)),
    )


def _root(gaps: Sequence[float], shares: Sequence[float]) -> float:
    """The x for which the shares p / (1 + x gap) have mean gap 0; it is unique. By bisection."""
    least, greatest = min(gaps), max(gaps)
    if not least < 0 < greatest:
        raise ValueError(f"no distribution on values from {least:g} to {greatest:g} has mean 0")
    low, high = -1 / greatest, -1 / least
    width = high - low
    below, above = 0.0, 1.0
    while above - below > _EXACT:
        middle = (below + above) / 2
        x = low + middle * width
        excess = sum(p * gap / (1 + x * gap) for p, gap in zip(shares, gaps, strict=True))
        below, above = (middle, above) if excess > 0 else (below, middle)
    return low + (below + above) / 2 * width


def _ratio(found: Distribution, null: Distribution, other: Distribution) -> float:
    return sum(
        p * (log(b) - log(a))
        for p, a, b in zip(found.shares, null.shares, other.shares, strict=True)
    )
