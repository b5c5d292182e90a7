"""Estimates of the strength after a sequential test.

A test stops when its result is extreme, so the plain estimate of the strength lies too far out.
``stopping`` gives the correction in standard errors of the plain estimate; this module moves the
estimate and its limits by that amount. If no correction is needed, the plain numbers remain.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from arena.ratings.match.report import PostStopEstimate, Range, Scale
from arena.ratings.match.stopping import FIXED_LENGTH, Deviations, Walk, deviations
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
