"""The strength after a sequential test, from how its ratio went."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final, NamedTuple

from arena.ratings.match.numbers import Moments, elo_of
from arena.ratings.match.report import Estimate, Measure, Range, Scale
from arena.ratings.match.sprt import NELO
from arena.ratings.match.stopping import Walk, chance_up_to, drift

_WITHIN: Final = 1 - 1e-9
"""Of a bound, that the ratio of a test without a verdict has not come to."""
_STRAIGHT: Final = 2.0
"""Times that the ratio may differ from what it is near the hypotheses; where it is near 0 it says
nothing of how it is bent."""


class Ended(NamedTuple):
    """Where a test stands."""

    llr: float
    bounds: tuple[float, float]
    deals: float
    """That count, on average of the disciplines."""
    least: float
    """After which it was looked at first."""
    scale: Scale
    is_open: bool
    """There is no verdict."""


class Stretch(NamedTuple):
    """The blocks of a discipline."""

    t0: float
    """Of the hypotheses, in deviations of a block above even."""
    t1: float
    games: int
    """In a block; alone one comparison."""
    moments: Moments | None
    even: float

    @property
    def step(self) -> float:
        """The deviation of the ratio that a block adds."""
        return self.t1 - self.t0

    @property
    def middle(self) -> float:
        """Half-way."""
        return (self.t0 + self.t1) / 2


class Seen(NamedTuple):
    """The plain numbers of a discipline."""

    measure: Measure
    deviation: float | None
    elo: Range
    nelo: Range
    los: float | None


def estimate_of(
    test: Ended, stretches: Sequence[Stretch], games: Sequence[Seen]
) -> Estimate | None:
    """None where nothing is known: without spread, or of several disciplines by Elo."""
    if test.scale is Scale.LOGISTIC and len(stretches) > 1:
        return None
    alone = games[0] if len(games) == 1 else None
    found = _walk(test, stretches)
    if found is None:
        return None
    walk, unit = found
    rounds = sum(each.games for each in stretches)
    scale = NELO / sqrt(rounds)
    middle = scale * sum(each.step * each.middle for each in stretches)
    middle /= sqrt(sum(each.step**2 for each in stretches))
    los = 1 - chance_up_to(walk, -middle / scale / unit)
    if (
        alone is not None and walk.deals <= walk.least
    ):  # as of a fixed length, where these are exact
        return Estimate(alone.nelo, alone.elo, los if alone.los is None else alone.los)
    nelo = Range(*(middle + scale * unit * each for each in drift(walk)))
    if alone is None or alone.measure is not Measure.PLACES:
        return Estimate(nelo, Range(None), los)
    return Estimate(nelo, _elo(nelo, alone), los)


def _walk(test: Ended, stretches: Sequence[Stretch]) -> tuple[Walk, float] | None:
    """The ratio in units of its deviation per deal, and how many times that of the hypotheses this
    is. Far from the hypotheses the ratio grows more slowly than straight, and the bounds are as
    much farther off as it fell behind."""
    step = sqrt(sum(each.step**2 for each in stretches))
    straight = variance = 0.0
    for each in stretches:
        found = each.moments
        if found is None or found.variance <= 0:
            return None
        t = (found.mean - each.even) / sqrt(found.variance)
        straight += found.blocks * each.step * (t - each.middle)
        uncertain = 1 - found.skewness * t + (found.excess + 2) * t * t / 4
        share = 1.0 if test.scale is Scale.LOGISTIC else uncertain
        variance += each.step**2 * max(share, 1 / _STRAIGHT)
    bent = straight / test.llr if test.llr else 1.0
    if not 1 / _STRAIGHT < bent < _STRAIGHT:
        bent = 1.0
    unit = sqrt(variance) / step
    lower, upper, end = (bent * each / step / unit for each in (*test.bounds, test.llr))
    if test.is_open:
        end = min(max(end, lower * _WITHIN), upper * _WITHIN)
    return Walk(lower, upper, test.deals, end, test.least), unit


def _elo(nelo: Range, game: Seen) -> Range:
    """By the deviation of a game, as it was seen."""
    shares = (
        None if each is None else 0.5 + each * (game.deviation or 0.0) / NELO
        for each in (nelo.value, nelo.low, nelo.high)
    )
    return Range(*(None if share is None else elo_of(share) for share in shares))
