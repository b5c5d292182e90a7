"""Estimates of the strength after a sequential test, corrected for its stop.

A test ends when its result is extreme, so the plain estimate lies too far out. The outcomes of a
test have an order: an early fail, a late fail, no verdict, a late pass, an early pass (stagewise
order; Siegmund, Biometrika 1978). A given strength determines the probability of the outcomes up to
the observed one. The median-unbiased estimate is the strength at which this probability is 1/2; the
limits of the 95 % interval are those at which it is 0.975 and 0.025 (Whitehead, "The Design and
Analysis of Sequential Clinical Trials", 1997, chapter 5).

The log-likelihood ratio in units of its deviation per deal is a Brownian motion with drift. It is
first checked after a number of deals, where it is normal, and from then on continuously between its
two bounds. The probability of leaving them on a given side by a given time is a sum over images of
the start (Darling and Siegert, 1953; fishtest's ``stats/brownian.py`` has it as a Fourier series,
which needs many terms for early ends), integrated over the position at the first look. Pure Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erfc, exp, pi, sqrt
from typing import Final, NamedTuple

from arena.extensions.matches.statistics.report import PostStopEstimate, Range, Scale
from arena.ratings.probability import NORMAL_95, normal_cdf


class LastLook(NamedTuple):
    """State of a test at its last look."""

    llr: float
    """Log-likelihood ratio."""
    bounds: tuple[float, float]
    """Ratios of a fail and of a pass."""
    deals: float
    """Mean number of scored deals over the disciplines."""
    least: float
    """Number of scored deals at the first look."""
    scale: Scale
    hypotheses: tuple[float, float]
    """Strength under H0 and H1, in Elo of the scale."""
    is_open: bool
    """True if no bound was reached."""


class FixedLengthFigures(NamedTuple):
    """Figures of a discipline as for a match of fixed length."""

    games: int
    """Weight of the discipline: games in a block, 1 for solo games."""
    elo: Range
    nelo: Range
    los: float | None


def estimate_of(
    test: LastLook, disciplines: Sequence[FixedLengthFigures]
) -> PostStopEstimate | None:
    """Return the estimate that allows for the stop of ``test``.

    Several disciplines have one estimate, the average nElo weighted by games. Return None if a
    discipline has no plain figures, and for several disciplines on the logistic scale.
    """
    if len(disciplines) == 1:
        return _of_one(test, disciplines[0])
    if test.scale is Scale.LOGISTIC:
        return None
    nelo = _average(disciplines)
    if nelo is None:
        return None
    error = _error(nelo, 0.0)
    los = 0.5 if error is None or nelo.value is None else normal_cdf(nelo.value / error)
    return PostStopEstimate(shifted(nelo, _deviations(test, nelo)), Range(None), los)


def shifted(plain: Range, by: Deviations) -> Range:
    """Move a plain range by standard errors, which its limits imply.

    A missing limit stays missing.
    """
    if plain.value is None:
        return plain
    value, low, high = (_below(plain, each) for each in by)
    return Range(plain.value if value is None else value, low, high)


def _of_one(test: LastLook, plain: FixedLengthFigures) -> PostStopEstimate | None:
    if plain.los is None:
        return None
    by = _deviations(test, plain.elo if test.scale is Scale.LOGISTIC else plain.nelo)
    # Stopping does not change a likelihood, so the LOS with its flat prior is unchanged.
    return PostStopEstimate(shifted(plain.nelo, by), shifted(plain.elo, by), plain.los)


def _average(disciplines: Sequence[FixedLengthFigures]) -> Range | None:
    """Return the average nElo by games; None unless each has a value with both limits."""
    games = sum(each.games for each in disciplines)
    value = below = above = 0.0
    for each in disciplines:
        own, share = each.nelo, each.games / games
        if own.value is None or own.low is None or own.high is None:
            return None
        value += share * own.value
        below += (share * (own.value - own.low)) ** 2
        above += (share * (own.high - own.value)) ** 2
    return Range(value, value - sqrt(below), value + sqrt(above))


def _deviations(test: LastLook, plain: Range) -> Deviations:
    """Return the correction, FIXED_LENGTH if ``plain`` implies no standard error."""
    low, high = test.hypotheses
    middle = (low + high) / 2
    error = _error(plain, middle)
    if error is None or plain.value is None:
        return FIXED_LENGTH
    # The walk is the distance from the middle of the hypotheses in deviations of a deal. The ratio
    # grows in proportion to it near the hypotheses and more slowly far from them, so the bound
    # that stopped a test lies at the position of the walk.
    end = (plain.value - middle) / error * sqrt(test.deals)
    if test.is_open:
        unit = error * sqrt(test.deals) / (high - low)
    elif end * test.llr > 0:
        unit = end / test.llr
    else:  # a verdict against the average, possible with several disciplines, fits no walk
        return FIXED_LENGTH
    lower, upper = (bound * unit for bound in test.bounds)
    return deviations(Walk(lower, upper, test.deals, end, test.least, test.is_open))


def _error(plain: Range, towards: float) -> float | None:
    """Return the standard error on the side of ``towards``; None if it is not known."""
    limit = plain.low if plain.value is not None and plain.value > towards else plain.high
    if plain.value is None or limit is None or limit == plain.value:
        return None
    return abs(plain.value - limit) / NORMAL_95


def _below(plain: Range, count: float) -> float | None:
    """Return the number ``count`` standard errors below the value; negative: above it."""
    limit = plain.low if count > 0 else plain.high
    if plain.value is None or limit is None:
        return None
    return plain.value + abs(count) / NORMAL_95 * (limit - plain.value)


_FAR: Final = 9.0
"""Deviations beyond which a normal variable is not expected."""
_OVERFLOW: Final = 700.0
_PANELS: Final = 32
"""Number of pairs of steps of Simpson's rule."""
_ROUNDS: Final = 60
_EXACT: Final = 1e-5
"""Error of a probability at which the search for a drift ends."""


class Walk(NamedTuple):
    """Course of a test: its log-likelihood ratio in units of the deviation per deal."""

    lower: float
    """Bound of a fail, below 0."""
    upper: float
    """Bound of a pass, above 0."""
    deals: float
    """Number of deals played, above 0."""
    end: float
    """Position of the walk after these deals."""
    least: float
    """Number of deals at the first look, at most ``deals``."""
    is_open: bool = False
    """True if no bound was reached."""


class Deviations(NamedTuple):
    """Standard errors by which the corrected numbers lie below the plain estimate."""

    value: float
    """Distance to the median-unbiased estimate; negative if that is higher."""
    low: float
    """Distance to the lower limit of the 95 % interval."""
    high: float
    """Distance to the upper limit of the 95 % interval; negative."""


FIXED_LENGTH: Final = Deviations(0.0, NORMAL_95, -NORMAL_95)
"""Deviations without a correction."""


def deviations(walk: Walk) -> Deviations:
    """Return how far the stop of a test with the course ``walk`` shifts the plain estimate.

    A test that ended at its first look is one of fixed length and needs no correction.
    """
    if walk.deals <= walk.least:
        return FIXED_LENGTH
    return Deviations(*(_solved(walk, share) for share in (0.5, 0.975, 0.025)))


def chance_up_to(walk: Walk, drift: float) -> float:
    """Return the probability of outcomes up to the observed one, at that ``drift`` per deal."""
    if walk.deals <= walk.least:
        return normal_cdf((walk.end - drift * walk.deals) / sqrt(walk.deals))
    if walk.is_open:
        end = min(max(walk.end, walk.lower), walk.upper)
        return min(1.0, _failed_by(walk, walk.deals, drift) + _inside(walk, end, drift))
    # The last block carried the walk beyond its bound, which it reached before the end.
    if walk.end > 0:
        time = walk.deals * min(1.0, walk.upper / walk.end)
        return 1 - _failed_by(_mirrored(walk), time, -drift)
    return _failed_by(walk, walk.deals * min(1.0, walk.lower / walk.end), drift)


def _mirrored(walk: Walk) -> Walk:
    return walk._replace(lower=-walk.upper, upper=-walk.lower, end=-walk.end)


def _solved(walk: Walk, share: float) -> float:
    """Return the correction at which outcomes up to the observed one have probability ``share``."""

    def excess(count: float) -> float:
        root = sqrt(walk.deals)
        return chance_up_to(walk, (walk.end - count * root) / walk.deals) - share

    low, high = _bracket(excess)
    below, above = excess(low), excess(high)
    for _ in range(_ROUNDS):  # false position, Illinois variant
        middle = high - above * (high - low) / (above - below)
        found = excess(middle)
        if abs(found) < _EXACT:
            return middle
        if found < 0:
            low, below, above = middle, found, above / 2
        else:
            high, above, below = middle, found, below / 2
    return (low + high) / 2


def _bracket(excess: Callable[[float], float]) -> tuple[float, float]:
    """Return two counts of standard errors around the root; the excess rises."""
    low, high, step = -1.0, 1.0, 1.0
    while excess(low) > 0 and step < 1e6:
        low, step = low - step, 2 * step
    step = 1.0
    while excess(high) < 0 and step < 1e6:
        high, step = high + step, 2 * step
    return low, high


def _failed_by(walk: Walk, time: float, mu: float) -> float:
    """Return the probability of reaching the lower bound by ``time``, before the upper one.

    ``mu`` is the drift per deal.
    """
    first, root = walk.least, sqrt(walk.least)
    chance = normal_cdf((walk.lower - mu * first) / root)
    if time <= first:
        return chance

    if _leaves_before_first_look(walk, mu) < _EXACT:
        return _left_by(time, -mu, -walk.lower, walk.upper)

    def later(place: float) -> float:
        return _left_by(time - first, -mu, place - walk.lower, walk.upper - place)

    return min(1.0, chance + _expected_at_first_look(walk, mu, later))


def _leaves_before_first_look(walk: Walk, mu: float) -> float:
    """Return the probability that a walk checked always had reached a bound by the first look."""
    failed = _left_by(walk.least, -mu, -walk.lower, walk.upper)
    return failed + _left_by(walk.least, mu, walk.upper, -walk.lower)


def _inside(walk: Walk, end: float, mu: float) -> float:
    """Return the probability of ending between the bounds and not above ``end``."""
    if _leaves_before_first_look(walk, mu) < _EXACT:
        return _between(walk._replace(least=0.0), 0.0, end, mu)

    def later(place: float) -> float:
        return _between(walk, place, end, mu)

    return _expected_at_first_look(walk, mu, later)


def _expected_at_first_look(walk: Walk, mu: float, later: Callable[[float], float]) -> float:
    """Integrate ``later`` over positions between the bounds at the first look (Simpson's rule)."""
    middle, root = mu * walk.least, sqrt(walk.least)
    low, high = max(walk.lower, middle - _FAR * root), min(walk.upper, middle + _FAR * root)
    if low >= high:
        return 0.0
    step, total = (high - low) / (2 * _PANELS), 0.0
    for k in range(2 * _PANELS + 1):
        place = low + k * step
        weight = 1 if k in (0, 2 * _PANELS) else 4 if k % 2 else 2
        total += weight * exp(-(((place - middle) / root) ** 2) / 2) * later(place)
    return total * step / 3 / (root * sqrt(2 * pi))


def _left_by(time: float, mu: float, near: float, far: float) -> float:
    """Return the probability of rising by ``near`` within ``time`` before falling by ``far``."""
    if near <= 0 or far <= 0:
        return float(near <= 0)
    width, total = near + far, 0.0
    for k in _images(time, width):
        place = near + 2 * k * width
        reach, sign = abs(place), 1.0 if place > 0 else -1.0
        total += sign * (
            _weighted(mu * near - abs(mu) * reach, (abs(mu) * time - reach) / sqrt(time))
            + _weighted(mu * near + abs(mu) * reach, (-abs(mu) * time - reach) / sqrt(time))
        )
    return min(1.0, max(0.0, total))


def _between(walk: Walk, place: float, end: float, mu: float) -> float:
    """Return the probability of staying between the bounds from ``place`` to below ``end``."""
    time, width, total = walk.deals - walk.least, walk.upper - walk.lower, 0.0
    start, stand, root = place - walk.lower, end - walk.lower, sqrt(walk.deals - walk.least)
    for k in _images(time, width):
        for sign, image in ((1.0, start - 2 * k * width), (-1.0, -start - 2 * k * width)):
            middle = image + mu * time
            chance = _of_normal(-middle / root, (stand - middle) / root)
            total += sign * _times_exp(mu * (image - start), chance)
    return max(0.0, total)


def _images(time: float, width: float) -> range:
    most = 1 + int(_FAR * sqrt(time) / (2 * width) + 0.5)
    return range(-most, most + 1)


def _of_normal(low: float, high: float) -> float:
    """Return P(low <= Z <= high), exact in the tails."""
    if low > 0:
        low, high = -high, -low
    return normal_cdf(high) - normal_cdf(low)


def _times_exp(exponent: float, chance: float) -> float:
    return chance * exp(min(exponent, _OVERFLOW))


def _weighted(exponent: float, z: float) -> float:
    """Return e to the exponent times P(Z <= z); the product is at most about 1."""
    if z > -_FAR:
        return exp(exponent) * 0.5 * erfc(-z / sqrt(2.0))
    # Mills: the tail is nearly the density divided by |z|.
    return exp(exponent - z * z / 2) / (sqrt(2 * pi) * -z) * (1 - 1 / (z * z) + 3 / z**4)
