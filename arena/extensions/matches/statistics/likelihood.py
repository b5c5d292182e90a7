"""Likelihood ratios of hypotheses on the scores of blocks.

Scores of blocks are given as a distribution: values with their counts. Under a hypothesis the
likeliest distribution on the same values is taken (empirical likelihood), so nothing is assumed
about draws, luck or the number of games in a block. Formulas: Van den Bergh, "The generalized
maximum likelihood ratio for the expectation value of a distribution" and "Normalized Elo for
practical purposes" (sections 4.1, 4.2), as fishtest uses them. Pure Python, because it is evaluated
after every block.

A hypothesis is a constraint "the mean of the gaps is zero", with one gap for every value. Of the
distributions that satisfy it, the likeliest has the shares p / (1 + x gap). For a mean m the gaps
are value - m. For t = (mean - ref) / deviation write u = value - ref; then t says

    mean(u) = tau sqrt(mean(u^2)),  tau = t / sqrt(1 + t^2),

and the root is the least of (mean(u^2)/c + c)/2 over c > 0, attained at c = sqrt(mean(u^2)). So the
gaps are u - tau (u^2/c + c)/2 with the c that agrees with the shares that result from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import copysign, inf, log, sqrt
from typing import Final, NamedTuple

EMPTY: Final = 1e-3
"""Number of blocks added to each grid value that never occurred, so that no likelihood is zero."""
FARTHEST: Final = 10.0
"""Greatest t at which an interval can end."""
_ROUNDS: Final = 100
_STARTS: Final = 8
_NOTHING: Final = 1e-9
"""Share of the greatest score below which a score is treated as 0."""
_EXACT: Final = 1e-6
"""Relative precision. The last, smaller step is still made, and Newton steps square the error. The
likelihood is stationary in x and c, so its own error is of the square of theirs again."""


class MeanVariance(NamedTuple):
    """Mean and variance of a distribution."""

    mean: float
    variance: float


class Distribution(NamedTuple):
    """Scores and their shares, ascending; the shares are above 0 and sum to 1."""

    values: tuple[float, ...]
    shares: tuple[float, ...]

    @property
    def moments(self) -> MeanVariance:
        """Mean and population variance."""
        mean = sum(v * p for v, p in zip(self.values, self.shares, strict=True))
        variance = sum(p * (v - mean) ** 2 for v, p in zip(self.values, self.shares, strict=True))
        return MeanVariance(mean, variance)


def smoothed(
    counts: Mapping[float, float], grid: Iterable[float] = ()
) -> tuple[float, Distribution]:
    """Return the number of blocks and their distribution.

    A missing value of the ``grid`` gets EMPTY blocks.
    """
    filled = {value: counts.get(value, 0.0) or EMPTY for value in {*grid, *counts}}
    total = sum(filled.values())
    values = tuple(sorted(filled))
    return total, Distribution(values, tuple(filled[value] / total for value in values))


def llr_of_mean(blocks: float, found: Distribution, mean0: float, mean1: float) -> float:
    """Return the log-likelihood ratio of a mean of ``mean1`` against ``mean0``.

    Raises ValueError unless both lie between the least and the greatest value.
    """
    return blocks * _ratio(found, with_mean(found, mean0), with_mean(found, mean1))


def llr_of_t(blocks: float, found: Distribution, t0: float, t1: float, ref: float = 0.5) -> float:
    """Return the log-likelihood ratio of t = ``t1`` against ``t0``.

    t is (mean - ref) / deviation. Raises ValueError unless there are values on both sides of
    ``ref``.
    """
    return blocks * _ratio(found, with_t(found, t0, ref), with_t(found, t1, ref))


def interval_of_t(
    blocks: float, found: Distribution, quantile: float, ref: float = 0.5
) -> tuple[float, float]:
    """Return the interval of the t = (mean - ref) / deviation that the blocks do not reject.

    It holds every t with a deviance of at most ``quantile`` squared, and is open beyond FARTHEST on
    either side. Raises ValueError unless there are values on both sides of ``ref``.
    """

    def excess(t: float) -> float:
        deviance = -2 * blocks * _ratio(found, found, with_t(found, t, ref))
        return sqrt(max(0.0, deviance)) - quantile

    mean, variance = found.moments
    t = (mean - ref) / sqrt(variance)
    width = quantile * sqrt((1 + t * t / 2) / blocks)
    return _crossing(excess, t, -width), _crossing(excess, t, width)


def _crossing(excess: Callable[[float], float], start: float, step: float) -> float:
    """Return the point towards ``step`` where the excess rises above 0.

    The excess is below 0 at ``start`` and nearly linear. The method is false position, Illinois
    variant.
    """
    last = copysign(FARTHEST, step)
    near = max(-FARTHEST, min(FARTHEST, start))
    below = excess(near)
    if below >= 0:  # the estimate is beyond FARTHEST, and so is the interval
        return near if near != last else copysign(inf, step)
    far, above = near, below
    while above < 0:
        if far == last:
            return copysign(inf, step)
        near, below, far = far, above, max(-FARTHEST, min(FARTHEST, far + step))
        above, step = excess(far), 2 * step
    for _ in range(_ROUNDS):
        t = far - above * (far - near) / (above - below)
        value = excess(t)
        if abs(value) < _EXACT:
            return t
        if value < 0:
            near, below, above = t, value, above / 2
        else:
            far, above, below = t, value, below / 2
    return far


def with_mean(found: Distribution, mean: float) -> Distribution:
    """Return the likeliest distribution with the given mean."""
    gaps = [value - mean for value in found.values]
    return Distribution(found.values, _tilted(found.shares, gaps, _root(gaps, found.shares, 0.0)))


def with_t(found: Distribution, t: float, ref: float = 0.5) -> Distribution:
    """Return the likeliest distribution in which (mean - ref) / deviation is ``t``.

    Raises ValueError unless there are values on both sides of ``ref``.
    """
    if not found.values[0] < ref < found.values[-1]:
        least, greatest = found.values[0], found.values[-1]
        raise ValueError(f"values from {least:g} to {greatest:g} are not on both sides of {ref:g}")
    reach = max(abs(value - ref) for value in found.values) * (1 if t >= 0 else -1)
    scores = [(value - ref) / reach for value in found.values]
    tau = abs(t) / sqrt(1 + t * t)
    gaps, x = _scaled(scores, found.shares, tau) if tau else (scores, 0.0)
    return Distribution(found.values, _tilted(found.shares, gaps, _root(gaps, found.shares, x)))


def _scaled(
    scores: Sequence[float], shares: Sequence[float], tau: float
) -> tuple[Sequence[float], float]:
    """Return the gaps for ``tau`` > 0 and their x, found by Newton steps within a bracket."""
    squares = [u * u for u in scores]
    low, c, high = _bracket(scores, squares, shares, tau)
    x = 0.0
    for _ in range(_ROUNDS):
        gaps = _gaps(scores, squares, tau, c)
        x = _root(gaps, shares, x)
        excess, slope = _excess(squares, gaps, shares, tau, c, x)
        low, high = (c, high) if excess > 0 else (low, c)
        step = -excess / slope if slope < 0 else high - low
        if abs(step) <= _EXACT * c:
            break
        c = c + step if low < c + step < high else sqrt(low * high)
    return gaps, x


def _gaps(
    scores: Sequence[float], squares: Sequence[float], tau: float, c: float
) -> Sequence[float]:
    half, level = tau / (2 * c), tau * c / 2
    return [u - half * s - level for u, s in zip(scores, squares, strict=True)]


def _bracket(
    scores: Sequence[float], squares: Sequence[float], shares: Sequence[float], tau: float
) -> tuple[float, float, float]:
    """Return the least c, a first guess and the greatest c.

    If the mean is too high for ``tau``, it stays so in the bracket, and there is one solution.
    Otherwise there may be several, one near tau times each score above 0; the likeliest start is
    taken. A gap is above 0 only for c within a factor of some score; the bracket is the range of
    such c.
    """
    mean = sum(u * p for u, p in zip(scores, shares, strict=True))
    square = sum(s * p for s, p in zip(squares, shares, strict=True))
    guess = sqrt(square)
    if mean > tau * guess:
        high = (mean + sqrt(max(0.0, mean * mean - tau * tau * square))) / tau
        return square / high, guess, high
    factor = (1 + sqrt(1 - tau * tau)) / tau * (1 - _EXACT)
    above = sorted(u for u in scores if u > _NOTHING)
    every = 1 + len(above) // _STARTS
    starts = [guess, *(tau * u for u in above[::-every])]
    best, start = -inf, guess
    for c in starts:
        if any(u / factor < c < u * factor for u in above):
            gaps = _gaps(scores, squares, tau, c)
            x = _root(gaps, shares, 0.0)
            tilted = _tilted(shares, gaps, x)
            likelihood = sum(p * log(q) for p, q in zip(shares, tilted, strict=True))
            best, start = max((best, start), (likelihood, c))
    low = high = start
    for u in above:
        high = max(high, u * factor) if u / factor < high else high
    for u in reversed(above):
        low = min(low, u / factor) if u * factor > low else low
    return low, start, high


def _excess(
    squares: Sequence[float],
    gaps: Sequence[float],
    shares: Sequence[float],
    tau: float,
    c: float,
    x: float,
) -> tuple[float, float]:
    """Return the excess of the mean square of the scores over c^2, and its derivative by c."""
    mean = moves = gap_gap = square_gap = square_move = 0.0
    for s, gap, p in zip(squares, gaps, shares, strict=True):
        part = 1 + x * gap
        move = tau * (s / (c * c) - 1) / 2
        weight = p / (part * part)
        mean += s * p / part
        gap_gap += weight * gap * gap
        moves += weight * move
        square_gap += weight * s * gap
        square_move += weight * s * move
    slope = -square_gap * moves / gap_gap - x * square_move - 2 * c
    return mean - c * c, slope


def _tilted(shares: Sequence[float], gaps: Sequence[float], x: float) -> tuple[float, ...]:
    """Return the shares p / (1 + x gap), of which none is above 1 even with rounding."""
    return tuple(p / max(p, 1 + x * gap) for p, gap in zip(shares, gaps, strict=True))


def _root(gaps: Sequence[float], shares: Sequence[float], x: float) -> float:
    """Return the unique x for which the shares p / (1 + x gap) have mean gap 0.

    Newton steps start from ``x`` on the mean gap times the distances from its two poles, which is
    nearly linear. They stay within a bracket, because no share is above 1. Raises ValueError unless
    there are gaps on both sides of 0.
    """
    least, greatest = min(gaps), max(gaps)
    if not least < 0 < greatest:
        raise ValueError(f"no distribution on values from {least:g} to {greatest:g} has mean 0")
    left, right = -1 / greatest, -1 / least
    low = max((p - 1) / gap for gap, p in zip(gaps, shares, strict=True) if gap > 0)
    high = min((p - 1) / gap for gap, p in zip(gaps, shares, strict=True) if gap < 0)
    for _ in range(_ROUNDS):
        if not low < x < high:
            x = (low + high) / 2
        mean = slope = 0.0
        for gap, p in zip(gaps, shares, strict=True):
            part = gap / (1 + x * gap)
            mean += p * part
            slope -= p * part * part
        low, high = (x, high) if mean > 0 else (low, x)
        room = (x - left) * (right - x)
        fall = slope * room + mean * (left + right - 2 * x)
        step = -mean * room / fall if fall < 0 else high - low
        x += step
        if abs(step) <= _EXACT * min(x - left, right - x):
            break
    return x


def _ratio(found: Distribution, null: Distribution, other: Distribution) -> float:
    return sum(
        p * (log(b) - log(a))
        for p, a, b in zip(found.shares, null.shares, other.shares, strict=True)
    )
