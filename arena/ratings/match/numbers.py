"""The numbers of a match in one discipline, from its blocks. Pure Python.

Errors rest on blocks, never on single games: those of a block share their deal. Sources: mean,
Elo, nElo and likelihood of superiority as fishtest and fastchess compute them for pairs; the
variance of the standardised mean by the delta method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isinf, log10, sqrt
from typing import Final, NamedTuple

from arena.ratings.match import luck
from arena.ratings.match.likelihood import interval_of_t, smoothed
from arena.ratings.match.luck import Lineup, Scores
from arena.ratings.match.repeats import Repeats, Values
from arena.ratings.match.report import BlockResult, Distinct, Measure, Range
from arena.ratings.match.sprt import NELO
from arena.ratings.probability import quantile_95, superiority, wilson
from arena.results import GameResult

UNSEEN: Final = 0.025
"""Chance below which a value of a perfect score is left out of its one-sided interval."""
_NOTHING: Final = Range(None)
_ROUNDING: Final = 1e-9
"""A sum of weights may be so much below the whole number that it is."""


class Moments(NamedTuple):
    """Of blocks by their value."""

    blocks: float
    """Effective ones: fewer than were played where blocks repeat each other."""
    mean: float
    variance: float
    """Of the population."""
    skewness: float
    excess: float
    """Kurtosis beyond that of a normal distribution."""


class Sum:
    """A mean over blocks with its error."""

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
        """The mean with its interval. ``share``: effective blocks for each that was counted."""
        if not self._count:
            return _NOTHING
        mean = self._total / self._count
        variance = max(0.0, self._squares / self._count - mean * mean)
        return _interval(mean, variance, share * self._count)


class Blocks:
    """What is counted of the blocks of a discipline."""

    def __init__(self, seats: int) -> None:
        self.blocks = 0
        self.games = 0
        self.repeats = Repeats()
        self.results: Counter[int] = Counter()
        """Games by how the candidate did: 1 better than even, 0 even, -1 worse."""
        self._seats = [Sum() for _ in range(seats if seats > 1 else 0)]
        """By seat: mean share of opponents that whoever sits there placed above."""
        self._values = {each: Values() for each in Measure}
        self._scores: Counter[Scores] = Counter()
        """Blocks with a value by what the candidate scored in their games."""

    def add(
        self,
        block: BlockResult,
        scores: Sequence[float | None],
        results: Sequence[GameResult],
        candidate: str,
    ) -> None:
        """Count a block. ``scores`` are those of the candidate in its games."""
        self.blocks += 1
        self.games += len(results)
        before = self.repeats.add(results)
        if block.places is not None:
            self._values[Measure.PLACES].add(block.places, before)
        if block.margin is not None:
            self._values[Measure.MARGIN].add(block.margin, before)
        if not self._seats and block.places is not None:  # alone: the deal is what is compared
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
        """Blocks by their value."""
        return self._values[measure].counts

    def weights(self, measure: Measure) -> Mapping[float, float]:
        """Effective blocks by their value: what errors and tests count."""
        return self._values[measure].weights

    def scored(self, measure: Measure) -> int:
        """Blocks that have a value."""
        return self._values[measure].total

    def effective(self, measure: Measure) -> float:
        """Effective blocks that have a value."""
        return self._values[measure].effective

    def seats_worth(self) -> tuple[Range, ...]:
        """Return the mean share of opponents that a seat placed above, by seat."""
        found = self._values[Measure.PLACES]
        share = found.effective / found.total if found.total else 1.0
        return tuple(each.range(share) for each in self._seats)

    def distinct(self, measure: Measure) -> Distinct | None:
        """Return how much of what was played is different; None if no game repeats another."""
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
        """The least and the greatest value to be reckoned with."""
        if measure is Measure.PLACES:
            return 0.0, 1.0
        most = max((abs(value) for value in self.counts(measure)), default=0.0) or 1.0
        return -most, most

    def is_even(self) -> bool:
        """Whether every block came out even, in places and in scores."""
        return all(
            value == even
            for measure, even in ((Measure.PLACES, 0.5), (Measure.MARGIN, 0.0))
            for value in self.counts(measure)
        )

    def t(self, measure: Measure) -> float | None:
        """How many deviations of a block its mean is above even; None without any spread."""
        found = moments(self.counts(measure))
        if found is None or found.variance <= 0:
            return None
        return (found.mean - even_of(measure)) / sqrt(found.variance)

    def correlation(self) -> Range:
        """Of two games of a block, what their lineups are worth apart; nothing where unknown, and
        where blocks repeat each other: nothing is dealt there."""
        is_dealt = self.repeats.distinct == self.blocks
        return luck.correlation(self._scores) if is_dealt else _NOTHING


def even_of(measure: Measure) -> float:
    """The value of a block between equals."""
    return 0.5 if measure is Measure.PLACES else 0.0


def moments(counts: Mapping[float, float]) -> Moments | None:
    """None without blocks."""
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
    """The mean of the blocks; that of shares with an interval between 0 and 1."""
    found = moments(counts)
    if found is None:
        return _NOTHING
    around = _interval(found.mean, found.variance, found.blocks)
    return _possible(around) if measure is Measure.PLACES else around


def elo_range(counts: Mapping[float, float]) -> Range:
    """Elo by the mean of blocks between 0 and 1; a perfect score has a one-sided bound."""
    found = moments(counts)
    if found is None:
        return _NOTHING
    if found.mean in (0.0, 1.0):
        least = elo_of(float(UNSEEN ** (1 / found.blocks)))
        return Range(None, least, None) if found.mean else Range(None, None, _negative(least))
    around = _share_interval(found)
    limits = (None if each is None else elo_of(each) for each in (around.low, around.high))
    return Range(elo_of(found.mean), *limits)


def nelo_range(counts: Mapping[float, float], games: int, measure: Measure) -> Range:
    """Normalized Elo; ``games`` in a block. Nothing without spread.

    The interval is of every t = (mean - even) / deviation that the likelihood ratio of the
    sequential test does not reject. It agrees with the delta method, whose variance is
    (1 - g t + (k + 2) t^2 / 4) / blocks with g the skewness and k the excess kurtosis, and keeps
    its promise where few blocks make these uncertain.
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
    """The likelihood that the true mean is above even, from a flat prior."""
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


def elo_of(score: float) -> float | None:
    """Elo by an expected score; None for 0 and less, 1 and more."""
    return 400 * log10(score / (1 - score)) if 0 < score < 1 else None


def _negative(elo: float | None) -> float | None:
    return None if elo is None else -elo


def _whole(blocks: float) -> int:
    """Effective blocks, rounded down for tables of Student's distribution."""
    return int(blocks + _ROUNDING)


def _quantile(blocks: float) -> float:
    return quantile_95(_whole(blocks), _whole(blocks) - 1)


def _interval(mean: float, variance: float, blocks: float) -> Range:
    if _whole(blocks) < 2 or variance <= 0:
        return Range(mean)
    half = _quantile(blocks) * sqrt(variance / (blocks - 1))
    return Range(mean, mean - half, mean + half)


def _possible(around: Range) -> Range:
    """Of a share: without what lies beyond 0 and 1."""
    low = None if around.low is None else max(0.0, around.low)
    high = None if around.high is None else min(1.0, around.high)
    return Range(around.value, low, high)


def _share_interval(found: Moments) -> Range:
    """Of a mean between 0 and 1, within these: Wilson's, with the variance that it has relative to
    that of single points, so that it holds near 0 and 1 too."""
    if _whole(found.blocks) < 2 or found.variance <= 0:
        return Range(found.mean)
    mean, freedom = found.mean, found.blocks - 1
    part = _quantile(found.blocks) ** 2 / freedom * found.variance / (mean * (1 - mean))
    return Range(mean, *wilson(mean, part))


def _share(result: GameResult, seat: int) -> float | None:
    """The mean share of the other seats that this one placed above."""
    others = (other for other in range(len(result.places)) if other != seat)
    scores = [score for other in others if (score := result.pair_score(seat, other)) is not None]
    return sum(scores) / len(scores) if scores else None
