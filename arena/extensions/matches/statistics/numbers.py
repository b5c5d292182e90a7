"""Statistics of a match in one discipline, from its blocks. Pure Python.

Errors are computed from blocks, never from single games, because the games of a block share their
deal. Sources: mean, Elo, nElo and likelihood of superiority as fishtest and fastchess compute them
for pairs; the variance of the standardised mean by the delta method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isinf, log10, sqrt
from typing import Final, NamedTuple

from arena.extensions.matches.statistics import blocks
from arena.extensions.matches.statistics.blocks import Lineup, Repeats, Scores, Values
from arena.extensions.matches.statistics.likelihood import interval_of_t, smoothed
from arena.extensions.matches.statistics.report import BlockResult, Distinct, Measure, Range
from arena.extensions.matches.statistics.sprt import NELO
from arena.ratings.probability import perfect_share, quantile_95, share_of_blocks, superiority
from arena.values.results import GameResult

_NOTHING: Final = Range(None)
_ROUNDING: Final = 1e-9
"""Amount by which a sum of weights may fall below a whole number by rounding."""


class Moments(NamedTuple):
    """Moments of the values of blocks."""

    blocks: float
    """Number of effective blocks: fewer than were played if blocks repeat each other."""
    mean: float
    variance: float
    """Variance of the population."""
    skewness: float
    excess: float
    """Kurtosis minus that of a normal distribution."""


class Sum:
    """Mean over blocks with its error."""

    __slots__ = ("_count", "_squares", "_total")

    def __init__(self) -> None:
        self._count = 0
        self._total = 0.0
        self._squares = 0.0

    def add(self, value: float) -> None:
        """Count the value of a block."""
        self._count += 1
        self._total += value
        self._squares += value * value

    def range(self, share: float = 1.0) -> Range:
        """Return the mean with its interval.

        ``share``: number of effective blocks per counted block.
        """
        if not self._count:
            return _NOTHING
        mean = self._total / self._count
        variance = max(0.0, self._squares / self._count - mean * mean)
        return _interval(mean, variance, share * self._count)


class Blocks:
    """Counts of the blocks of a discipline."""

    def __init__(self, seats: int) -> None:
        self.blocks = 0
        self.games = 0
        self.repeats = Repeats()
        self.results: Counter[int] = Counter()
        """Number of games by result of the candidate: 1 better than even, 0 even, -1 worse."""
        self._seats = [Sum() for _ in range(seats if seats > 1 else 0)]
        """Mean share of opponents that a player on the seat placed above, by seat."""
        self._values = {each: Values() for each in Measure}
        self._scores: Counter[Scores] = Counter()
        """Number of blocks with a value, by the candidate's scores in their games."""

    def add(
        self,
        block: BlockResult,
        scores: Sequence[float | None],
        results: Sequence[GameResult],
        candidate: str,
    ) -> None:
        """Count a block; ``scores`` are those of the candidate in its games."""
        self.blocks += 1
        self.games += len(results)
        before = self.repeats.add(results)
        if block.places is not None:
            self._values[Measure.PLACES].add(block.places, before)
        if block.margin is not None:
            self._values[Measure.MARGIN].add(block.margin, before)
        if not self._seats and block.places is not None:  # solo games are compared by deal
            self.results[(block.places > 0.5) - (block.places < 0.5)] += 1
        known: list[tuple[Lineup, float]] = []
        for score, result in zip(scores, results, strict=True):
            if score is not None:
                self.results[(score > 0.5) - (score < 0.5)] += 1
                known.append((tuple(name == candidate for name in result.spec.entrants), score))
        if self._seats and len(known) == len(results):
            self._scores[tuple(known)] += 1
        for seat, total in enumerate(self._seats):
            shares = [share for each in results if (share := _share(each, seat)) is not None]
            if shares:
                total.add(sum(shares) / len(shares))

    def counts(self, measure: Measure) -> Mapping[float, int]:
        """Return the number of blocks by value."""
        return self._values[measure].counts

    def weights(self, measure: Measure) -> Mapping[float, float]:
        """Return the number of effective blocks by value, which errors and tests use."""
        return self._values[measure].weights

    def scored(self, measure: Measure) -> int:
        """Return the number of blocks that have a value."""
        return self._values[measure].total

    def effective(self, measure: Measure) -> float:
        """Return the number of effective blocks that have a value."""
        return self._values[measure].effective

    def seats_worth(self) -> tuple[Range, ...]:
        """Return the mean share of opponents that a player on a seat placed above, by seat."""
        found = self._values[Measure.PLACES]
        share = found.effective / found.total if found.total else 1.0
        return tuple(each.range(share) for each in self._seats)

    def distinct(self, measure: Measure) -> Distinct | None:
        """Return the numbers of different games and blocks; None if no game repeats another."""
        repeated = self.repeats.games
        if not repeated:
            return None
        return Distinct(
            self.games - repeated,
            self.repeats.distinct,
            self.effective(measure),
            self.repeats.since_new,
        )

    def ends(self, measure: Measure) -> tuple[float, float]:
        """Return the least and the greatest possible value of a block."""
        if measure is Measure.PLACES:
            return 0.0, 1.0
        most = max((abs(value) for value in self.counts(measure)), default=0.0) or 1.0
        return -most, most

    def is_even(self) -> bool:
        """Return whether every block was even, in places and in scores."""
        return all(
            value == even
            for measure, even in ((Measure.PLACES, 0.5), (Measure.MARGIN, 0.0))
            for value in self.counts(measure)
        )

    def t(self, measure: Measure) -> float | None:
        """Return how many deviations of a block its mean is above even; None without spread."""
        found = moments(self.counts(measure))
        if found is None or found.variance <= 0:
            return None
        return (found.mean - even_of(measure)) / sqrt(found.variance)

    def correlation(self) -> Range:
        """Return the correlation of two games of a block, as ``blocks.correlation`` defines it.

        The range is empty if it is not known, and if blocks repeat each other: nothing is dealt
        there.
        """
        is_dealt = self.repeats.distinct == self.blocks
        return blocks.correlation(self._scores) if is_dealt else _NOTHING


def even_of(measure: Measure) -> float:
    """Return the value of a block between equals."""
    return 0.5 if measure is Measure.PLACES else 0.0


def moments(counts: Mapping[float, float]) -> Moments | None:
    """Return the moments of the values of blocks; None without blocks."""
    blocks = sum(counts.values())
    if not blocks:
        return None
    values = sorted(counts.items())
    mean = sum(value * count for value, count in values) / blocks
    second, third, fourth = (
        sum(count * (value - mean) ** power for value, count in values) / blocks
        for power in (2, 3, 4)
    )
    if len(values) == 1:
        return Moments(blocks, mean, 0.0, 0.0, 0.0)
    return Moments(blocks, mean, second, third / second**1.5, fourth / second**2 - 3)


def mean_range(counts: Mapping[float, float], measure: Measure = Measure.PLACES) -> Range:
    """Return the mean of the blocks; for places with an interval within 0 and 1."""
    found = moments(counts)
    if found is None:
        return _NOTHING
    around = _interval(found.mean, found.variance, found.blocks)
    return _possible(around) if measure is Measure.PLACES else around


def elo_range(counts: Mapping[float, float]) -> Range:
    """Return the Elo of a mean of blocks between 0 and 1.

    A perfect score has a one-sided bound.
    """
    found = moments(counts)
    if found is None:
        return _NOTHING
    if found.mean in (0.0, 1.0):
        least = _elo_of(perfect_share(found.blocks))
        return Range(None, least, None) if found.mean else Range(None, None, _negative(least))
    around = _share_interval(found)
    limits = (None if each is None else _elo_of(each) for each in (around.low, around.high))
    return Range(_elo_of(found.mean), *limits)


def nelo_range(counts: Mapping[float, float], games: int, measure: Measure) -> Range:
    """Return the normalized Elo, for blocks of ``games`` games; empty without spread.

    The interval holds every t = (mean - even) / deviation that the likelihood ratio of the
    sequential test does not reject. It agrees with the delta method, whose variance is (1 - g t +
    (k + 2) t^2 / 4) / blocks with g the skewness and k the excess kurtosis. It keeps the 95 % even
    where few blocks make these uncertain.
    """
    found = moments(counts)
    if found is None or found.variance <= 0 or _whole(found.blocks) < 2:
        return _NOTHING
    scale, even = NELO / sqrt(games), even_of(measure)
    reach = max(0.5 if measure is Measure.PLACES else 0.0, *(abs(v - even) for v in counts))
    quantile = _quantile(found.blocks)
    ends = interval_of_t(*smoothed(counts, (even - reach, even + reach)), quantile, even)
    low, high = (None if isinf(end) else scale * end for end in ends)
    return Range(scale * (found.mean - even) / sqrt(found.variance), low, high)


def superiority_of(counts: Mapping[float, float], measure: Measure) -> float | None:
    """Return the likelihood that the true mean is above even, from a flat prior."""
    found = moments(counts)
    if found is None:
        return None
    above = found.mean - even_of(measure)
    if found.variance <= 0 or _whole(found.blocks) < 2:
        if not above:
            return None
        unlikely = float(0.5 ** (found.blocks + 1))
        return 1 - unlikely if above > 0 else unlikely
    error = sqrt(found.variance / (found.blocks - 1))
    return superiority(above, error, _whole(found.blocks), _whole(found.blocks) - 1)


def _elo_of(score: float) -> float | None:
    """Return the Elo of an expected score; None unless it is above 0 and below 1."""
    return 400 * log10(score / (1 - score)) if 0 < score < 1 else None


def _negative(elo: float | None) -> float | None:
    return None if elo is None else -elo


def _whole(blocks: float) -> int:
    """Return the number of effective blocks, rounded down for Student's distribution."""
    return int(blocks + _ROUNDING)


def _quantile(blocks: float) -> float:
    return quantile_95(_whole(blocks), _whole(blocks) - 1)


def _interval(mean: float, variance: float, blocks: float) -> Range:
    if _whole(blocks) < 2 or variance <= 0:
        return Range(mean)
    half = _quantile(blocks) * sqrt(variance / (blocks - 1))
    return Range(mean, mean - half, mean + half)


def _possible(around: Range) -> Range:
    """Return the interval of a share, limited to 0 and 1."""
    low = None if around.low is None else max(0.0, around.low)
    high = None if around.high is None else min(1.0, around.high)
    return Range(around.value, low, high)


def _share_interval(found: Moments) -> Range:
    """Return the interval of a mean within 0 and 1.

    This is Wilson's interval with the variance relative to that of single points, so that it is
    valid near 0 and 1 too.
    """
    if _whole(found.blocks) < 2 or found.variance <= 0:
        return Range(found.mean)
    mean, freedom = found.mean, found.blocks - 1
    part = _quantile(found.blocks) ** 2 / freedom * found.variance / (mean * (1 - mean))
    return Range(mean, *share_of_blocks(mean, part, found.blocks))


def _share(result: GameResult, seat: int) -> float | None:
    """Return the mean share of the other seats that ``seat`` placed above."""
    others = (other for other in range(len(result.places)) if other != seat)
    scores = [score for other in others if (score := result.pair_score(seat, other)) is not None]
    return sum(scores) / len(scores) if scores else None
