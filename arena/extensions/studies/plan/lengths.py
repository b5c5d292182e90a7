"""Number of games that a question about two contestants needs, and the report on it.

Everything counts games, not blocks: with G games in a block the deviation of "one game" is sqrt(G)
times that of the mean of a block, so that it includes the saving by mirrored deals. A *width* is
the distance of a 95 % interval to either side. Pure Python.

A *pilot* gives the spread and duration of games already played, as a forecast of further games. It
is any set of whole blocks in which two contestants met, or of deals that both played alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil, exp, log, pi, sin, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import msgspec

from arena.extensions.matches.statistics.blocks import MatchDiscipline, block_result, game_score
from arena.extensions.matches.statistics.numbers import (
    Blocks,
    Moments,
    elo_range,
    moments,
    nelo_range,
)
from arena.extensions.matches.statistics.report import Hypotheses, Measure, Range, Scale
from arena.extensions.matches.statistics.sprt import (
    LEAST_BLOCKS,
    NELO,
    expectation,
    expected,
    length,
)
from arena.ratings.probability import NORMAL_95, normal_cdf
from arena.values.results import GameResult

SCHEMA: Final = "arena.plan/1"


class PlanBasis(msgspec.Struct, frozen=True):
    """Basis of a plan: how much games scatter, measured by a pilot or stated."""

    kind: str
    """``pilot`` or ``stated``."""
    deviation: Range
    """Deviation of one game, in scores from 0 to 1, or in points for margins. It has a 95 %
    interval if it was measured."""
    measure: Measure
    block_games: int
    run: str | None = None
    pair: tuple[str, str] | None = None
    """Names of the two contestants; the fields below are from the side of the first."""
    discipline: str | None = None
    score: str | None = None
    """Unit of margins, as a plural noun; None for places."""
    blocks: int | None = None
    unscored: int | None = None
    draws: float | None = None
    correlation: Range = Range(None)
    luck_ratio: float | None = None
    elo: Range | None = None
    nelo: Range | None = None
    seconds: float | None = None
    """Wall time of one game in seconds; measured."""
    title: str = ""
    """Title of the discipline for people."""


class PlanRow(msgspec.Struct, frozen=True):
    """Line of the table of a plan."""

    true: float | None
    """True difference, in ``unit``; None if it does not matter."""
    elo: float | None
    """True difference in Elo, if the deviation is as in ``source``."""
    width: float | None
    """Distance of the 95 % interval to either side: Elo, or points for margins."""
    passes: float | None
    """Share of tests that pass, or show the difference."""
    games: int
    """Number of games in whole blocks; the mean number if the test is sequential."""
    rarely: int | None
    """Number of games that one sequential test in twenty exceeds."""
    blocks: int
    seconds: float | None
    """Wall time in seconds with the given number of ``workers``."""
    needs: int | None = None
    """Games of a fixed-length test that shows this difference; None without a difference."""
    is_pilot: bool = False
    """True if ``true`` is the strength seen in the pilot."""


class PlanMode(msgspec.Struct, frozen=True):
    """Games of one way to compare two bots, to choose from."""

    mode: str
    """``gain``, ``no-regression``, or ``fixed`` for a number of games fixed before."""
    elo0: float
    elo1: float
    games: tuple[int, int, int]
    """Mean number of games if the true difference is -d, 0 and d, d the distance of the bounds."""


class Plan(msgspec.Struct, frozen=True):
    """Report of ``arena plan``."""

    schema: str
    arena: str
    question: str
    """``precision``, ``difference`` or ``sequential``."""
    unit: str
    """``Elo``, ``nElo``, or for widths of margins the name of what is counted."""
    asked: float | None
    """Given width or difference."""
    elo0: float | None
    elo1: float | None
    alpha: float | None
    beta: float | None
    fixed_length: int | None
    """Games of a fixed-length test with the same error rates."""
    workers: int
    source: PlanBasis
    rows: tuple[PlanRow, ...]
    remarks: tuple[str, ...]
    modes: tuple[PlanMode, ...]
    """All modes side by side, for a sequential test of which one bound is 0."""
    command: str
    """Command that plays these games; NEW, OLD and GAME stand for the bots and the game."""


FIXED: Final = "fixed"
"""Mode of a number of games that is fixed before."""
ELO: Final = 400 / log(10)
"""Elo of one unit of log odds."""
RARELY: Final = 0.05
"""Share of sequential tests that need more games than ``ExpectedCourse.rarely``."""
_FAR: Final = 6.0
"""Distance of a strength from the middle of the hypotheses, in halves of their distance, from which
on a test ends at the near bound alone."""
_TERMS: Final = 200


def deviation_of_draws(share: float) -> float:
    """Return the deviation of one game between equals on a deal of its own.

    ``share``: share of drawn games.
    """
    return sqrt(1 - share) / 2


def elo_of_nelo(nelo: float, deviation: float) -> float | None:
    """Return the Elo of a normalized Elo; None if no score is so high.

    ``deviation``: of one game between equals.
    """
    mean = 0.5 + nelo / NELO * deviation
    return -ELO * log(1 / mean - 1) if 0 < mean < 1 else None


def nelo_of(elo: float, deviation: float) -> float:
    """Return the normalized Elo of an Elo.

    ``deviation``: of one game between equals.
    """
    return (expected(elo) - 0.5) / deviation * NELO


def games_for_width(width: float, deviation: float, elo: float = 0.0) -> float:
    """Return the number of games until the 95 % interval reaches ``width`` Elo to either side.

    ``width`` is above 0. ``deviation``: of one game between equals. At a true difference of ``elo``
    scores spread less, but a point is worth more Elo; the second effect is larger.
    """
    mean = expected(elo)
    narrow = 4 * mean * (1 - mean)
    return games_for_margin(width, deviation * 4 * ELO) / narrow


def even_deviation(deviation: float, elo: float) -> float:
    """Return the deviation of one game between equals from that at a difference of ``elo``.

    It is exact for games without draws on deals of their own, and close for others.
    """
    mean = expected(elo)
    return deviation / sqrt(4 * mean * (1 - mean))


def games_for_margin(width: float, deviation: float) -> float:
    """Return the number of games until the 95 % interval of a mean reaches ``width`` > 0.

    The interval reaches as far to either side.
    """
    return (NORMAL_95 * deviation / width) ** 2


def games_for_difference(nelo: float, alpha: float, beta: float) -> float:
    """Return the number of games of a fixed-length test that shows a difference of ``nelo`` > 0.

    The test is one-sided: between equals it shows a difference with probability ``alpha``, and it
    misses the difference with ``beta``.
    """
    return ((_quantile(1 - alpha) + _quantile(1 - beta)) * NELO / nelo) ** 2


def power(nelo: float, games: float, alpha: float) -> float:
    """Return the probability that a fixed-length test shows a true difference of ``nelo``."""
    return normal_cdf(nelo / NELO * sqrt(games) - _quantile(1 - alpha))


class ExpectedCourse(NamedTuple):
    """Expected course of a sequential test."""

    passes: float
    """Share of tests that pass."""
    games: float
    """Mean number of games until the verdict."""
    rarely: float
    """Number of games that one test in twenty exceeds."""


def course(
    test: Hypotheses, true: float, *, deviation: float = 0.5, block_games: int = 2
) -> ExpectedCourse:
    """Return the course of a sequential test if the true difference is ``true``.

    ``true`` is in the scale of the test. ``deviation``: of one game between equals; it matters for
    the logistic scale alone. Raises ValueError for hypotheses that cannot be tested.
    """
    if test.elo0 >= test.elo1:
        raise ValueError(f"found elo0 {test.elo0:g} and elo1 {test.elo1:g}, expected elo0 < elo1")
    low, high, at = (_t(elo, test.scale, deviation) for elo in (test.elo0, test.elo1, true))
    least = float(LEAST_BLOCKS * block_games)
    far = (2 * at - low - high) / (high - low)
    if abs(far) > _FAR:
        mean, rarely = _near_bound(far, high - low, test.bounds)
        return ExpectedCourse(float(far > 0), max(least, mean), max(least, rarely))
    wald = expectation(at, low, high, test.bounds)
    rarely = _exceeded(_survival(far, high - low, test.bounds), wald.blocks)
    return ExpectedCourse(wald.passes, max(least, wald.blocks), max(least, rarely))


def games_left(
    test: Hypotheses, nelo: float, ratio: float, *, deviation: float, block_games: int
) -> int:
    """Return the mean number of games until the verdict at a true difference of ``nelo``.

    ``ratio``: the log-likelihood ratio so far. Return 0 if it is outside the bounds.
    """
    low, high = (_t(elo, test.scale, deviation) for elo in (test.elo0, test.elo1))
    drift = (high - low) * (nelo / NELO - (low + high) / 2)
    games = length(drift, (high - low) ** 2, [bound - ratio for bound in test.bounds])
    return whole_blocks(games, block_games) * block_games if games else 0


def whole_blocks(games: float, block_games: int) -> int:
    """Return the number of blocks that hold at least ``games`` games."""
    return max(1, ceil(games / block_games - 1e-9))


def _t(elo: float, scale: Scale, deviation: float) -> float:
    """Return the mean of one game above even for a difference of ``elo``, in its deviations."""
    nelo = elo if scale is Scale.NORMALIZED else nelo_of(elo, deviation)
    return nelo / NELO


def _quantile(probability: float) -> float:
    return NormalDist().inv_cdf(probability)


def _near_bound(far: float, step: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the mean and the late end of a test with strong drift to one bound.

    The drift is so strong that the test never reaches the other bound.
    """
    distance = bounds[1] if far > 0 else -bounds[0]
    drift = abs(far) / 2
    mean = distance / drift

    def survival(time: float) -> float:
        late = normal_cdf((distance - drift * time) / sqrt(time))
        again = 2 * drift * distance
        back = normal_cdf(-(distance + drift * time) / sqrt(time))
        return late - (exp(again) * back if again < 500 else 0.0)

    return mean / step**2, _exceeded(survival, mean) / step**2


def _survival(far: float, step: float, bounds: tuple[float, float]) -> Callable[[float], float]:
    """Return the probability that a test is still open, as a function of the number of games.

    Brownian motion from 0 with drift ``far / 2`` and variance 1 per unit of time, absorbed at both
    bounds: its density as a series of sines, integrated between the bounds.
    """
    start, width, drift = -bounds[0], bounds[1] - bounds[0], far / 2

    def survival(games: float) -> float:
        time = games * step**2
        total = 0.0
        for k in range(1, _TERMS):
            w = k * pi / width
            decay = exp(-(w**2 + drift**2) * time / 2 - drift * start)
            ends = w * (1 - (-1) ** k * exp(drift * width)) / (drift**2 + w**2)
            total += decay * sin(w * start) * ends
        return total * 2 / width

    return survival


def _exceeded(survival: Callable[[float], float], mean: float) -> float:
    """Return the length that a share RARELY exceeds, by bisection; it is beyond ``mean``."""
    low, high = mean, 2 * mean
    while survival(high) > RARELY:
        low, high = high, 2 * high
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if survival(middle) > RARELY else (low, middle)
    return (low + high) / 2


LEAST_SPREAD: Final = 1e-12
"""Variance that rounding of equal blocks can reach."""


def pilot(
    blocks: Iterable[Sequence[GameResult]], one: str, other: str, table: MatchDiscipline
) -> PlanBasis | None:
    """Return the pilot of two contestants; None if no block has a value.

    ``blocks``: the games of each whole block in which both have a seat; alone, the games of both on
    each deal. ``one`` and ``other`` may be the two names of the same bot.
    """
    found = Blocks(table.seats)
    unscored = size = micros = games = 0
    for results in blocks:
        size = len(results)
        games += size
        micros += sum(result.wall_us for result in results)
        scores = [game_score(result, one, other) for result in results]
        value = block_result(results, scores, one, table)
        if value.places is None:
            unscored += 1
            continue
        shares = [None if score is None else float(score) for score in scores]
        found.add(value, shares, results, one)
    if not found.blocks:
        return None
    measure = table.measure
    counts = found.weights(measure)
    spread = moments(counts)
    is_places = measure is Measure.PLACES
    luck = found.correlation() if is_places else Range(None)
    return PlanBasis(
        kind="pilot",
        deviation=Range(None) if spread is None else deviation_of(spread, size),
        measure=measure,
        block_games=size,
        pair=(one, other),
        discipline=table.discipline,
        title=table.title,
        blocks=found.blocks,
        unscored=unscored,
        draws=found.results[0] / total if (total := found.results.total()) else None,
        correlation=luck,
        luck_ratio=None if luck.value is None else 1 + (size - 1) * luck.value,
        elo=elo_range(counts) if is_places else None,
        nelo=nelo_range(counts, size, measure),
        seconds=micros / games / 1e6 if micros else None,
    )


def deviation_of(spread: Moments, games: int) -> Range:
    """Return the deviation of one game from blocks of ``games`` games; empty without spread.

    The error of a variance is sqrt((k + 2) / blocks) of it, k the excess kurtosis; that of the
    deviation is half of this. The interval is taken on the logarithm.
    """
    if spread.variance <= LEAST_SPREAD:
        return Range(None)
    deviation = sqrt(games * spread.variance)
    reach = exp(NORMAL_95 * sqrt(max(0.0, spread.excess + 2) / spread.blocks) / 2)
    return Range(deviation, deviation / reach, deviation * reach)
