"""The blocks of a match: their value to the candidate, repeated ones, and the influence of luck.

Games without chance between bots that repeat their moves are one game, however often they are
played. Equal blocks form a cluster. With m blocks in each cluster the mean of all blocks has the
variance of the mean of n = (sum m)² / sum m² independent ones (Kish, *Survey Sampling*, 1965,
11.7): the effective number of blocks. Every block counts in a score; errors and tests count n of
them.

The mean of the g games of a block varies 1 + (g-1) r times as much as that of g games on deals of
their own, with r the correlation of two games of a block. The number of games needed has the same
factor: r is below 0 if the deal decides and mirroring pays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import exp, sqrt
from typing import Final, TypeAlias

from arena.extensions.matches.statistics.report import BlockResult, ComparedDiscipline, Range
from arena.ratings.counting.counts import NO_ROW, comparison
from arena.ratings.probability import quantile_95
from arena.values.results import GameResult


class MatchDiscipline(ComparedDiscipline, frozen=True):
    """Properties of a discipline in a match."""

    less_is_better: bool
    worst_score: int
    """Score that a forfeit counts as where scores alone are compared."""
    title: str = ""
    """Title for people; empty: ``discipline``."""

    @property
    def rounds(self) -> int:
        """Number of comparisons in a block; two solo games on a deal are one comparison."""
        return self.block_games if self.seats > 1 else 1


def block_result(
    results: Sequence[GameResult],
    scores: Sequence[Fraction | None],
    candidate: str,
    table: MatchDiscipline,
) -> BlockResult:
    """Return the value of a block to the candidate; ``scores`` are the candidate's by game."""
    if table.seats == 1:
        return solo_result(
            results,
            candidate,
            less_is_better=table.less_is_better,
            worst_score=table.worst_score,
        )
    margins = [game_margin(result, candidate, table) for result in results]
    return BlockResult(block_mean(scores), block_mean(margins))


def game_score(result: GameResult, candidate: str, baseline: str | None = None) -> Fraction | None:
    """Return the share of seat pairs in which the candidate placed above, ties counting half.

    ``baseline``: name of the opponent; None for everybody else. Return None if no pair can be
    compared, because both seats were faulty or play stopped before.
    """
    halves, pairs = 0, 0
    entrants = result.spec.entrants
    for seat, name in enumerate(entrants):
        if name != candidate:
            continue
        for other, opponent in enumerate(entrants):
            if opponent == candidate or baseline not in (None, opponent):
                continue
            code = comparison(result, seat, other)
            if code != NO_ROW:
                halves += code
                pairs += 1
    return Fraction(halves, 2 * pairs) if pairs else None


def game_margin(result: GameResult, candidate: str, table: MatchDiscipline) -> Fraction | None:
    """Return how much better the candidate's seats scored on average; None without scores."""
    if result.scores is None or result.faults:
        return None
    mine: list[int] = []
    others: list[int] = []
    for score, name in zip(result.scores, result.spec.entrants, strict=True):
        (mine if name == candidate else others).append(score)
    margin = Fraction(sum(mine), len(mine)) - Fraction(sum(others), len(others))
    return -margin if table.less_is_better else margin


def solo_result(
    results: Sequence[GameResult], candidate: str, *, less_is_better: bool, worst_score: int
) -> BlockResult:
    """Return the value of a deal that both played alone; a forfeit counts as the worst score."""
    own, other = sorted(results, key=lambda each: each.spec.entrants[0] != candidate)
    mine, others = (worst_score if each.scores is None else each.scores[0] for each in (own, other))
    margin = others - mine if less_is_better else mine - others
    return BlockResult(0.5 + 0.5 * ((margin > 0) - (margin < 0)), float(margin))


def block_mean(values: Sequence[Fraction | None]) -> float | None:
    """Return the mean, or None if any value is missing, because half a block would be unfair."""
    known = [value for value in values if value is not None]
    return float(sum(known) / len(known)) if len(known) == len(values) else None


Played: TypeAlias = tuple[tuple[tuple[str, ...], str], ...]
"""Content of a block: entrants by seat and digest of the moves of each game, sorted."""


class Repeats:
    """Counts of equal blocks of a discipline. A block with a game of chance equals no other."""

    def __init__(self) -> None:
        self.distinct = 0
        """Number of different blocks."""
        self.since_new = 0
        """Number of blocks since the last one that differed from all earlier blocks."""
        self.games = 0
        """Number of games that repeat an earlier one."""
        self._blocks: Counter[Played] = Counter()
        self._seen: set[tuple[tuple[str, ...], str]] = set()

    def add(self, results: Sequence[GameResult]) -> int:
        """Count a block and return the number of equal blocks before it."""
        known = [(each.spec.entrants, each.moves_digest) for each in results if each.moves_digest]
        self.games += len(known) - len(set(known) - self._seen)
        self._seen.update(known)
        played = tuple(sorted(known)) if len(known) == len(results) else None
        before = 0 if played is None else self._blocks[played]
        if played is not None:
            self._blocks[played] += 1
        self.distinct += not before
        self.since_new = self.since_new + 1 if before else 0
        return before


class Values:
    """Blocks by value, with weights that allow for repeated blocks."""

    def __init__(self) -> None:
        self.counts: Counter[float] = Counter()
        """Number of blocks by value."""
        self.total = 0
        """Number of blocks."""
        self._squares = 0
        """Sum over clusters of the square of their number of blocks."""

    def add(self, value: float, before: int) -> None:
        """Count a block; ``before`` is the number of equal blocks that were counted earlier."""
        self.counts[value] += 1
        self.total += 1
        self._squares += 2 * before + 1

    @property
    def effective(self) -> float:
        """Number of independent blocks whose mean would vary as much as that of these blocks."""
        return self.total**2 / self._squares if self.total else 0.0

    @property
    def weights(self) -> Mapping[float, float]:
        """Number of effective blocks by value: the counts themselves without repeated blocks."""
        if self._squares == self.total:
            return self.counts
        share = self.total / self._squares
        return {value: share * count for value, count in self.counts.items()}


Lineup: TypeAlias = tuple[bool, ...]
"""Truth value per seat: True if the candidate has the seat."""
Scores: TypeAlias = tuple[tuple[Lineup, float], ...]
"""Lineup and score of the candidate for each game of a block."""

_NOTHING: Final = 1e-12
"""Variance that rounding of equal scores can reach."""


def correlation(blocks: Mapping[Scores, int]) -> Range:
    """Return the correlation of two games of a block, after subtracting the mean of each lineup.

    ``blocks``: number of blocks by their scores. The range is empty without spread. The ratio of
    the variances of blocks and of single games is estimated with degrees of freedom. Its error is
    that of a ratio of means over blocks (delta method). The interval is taken on its logarithm,
    which keeps the 95 % from two dozen blocks on.
    """
    number = sum(blocks.values())
    games = sum(len(block) * count for block, count in blocks.items())
    means = _lineup_means(blocks)
    if number < 2 or games < 2 * number or games <= len(means):
        return Range(None)
    size = games / number
    centre = sum(_mean(block) * count for block, count in blocks.items()) / number
    between = {block: (_mean(block) - centre) ** 2 / (number - 1) for block in blocks}
    within = {
        block: sum((score - means[lineup]) ** 2 for lineup, score in block) / (games - len(means))
        for block in blocks
    }
    of_blocks = sum(between[block] * count for block, count in blocks.items())
    of_games = sum(within[block] * count for block, count in blocks.items())
    if of_games <= _NOTHING:
        return Range(None)
    ratio = of_blocks / of_games
    if of_blocks <= _NOTHING:
        return Range(_correlation(ratio, size))
    squares = sum(
        count * (between[block] / of_blocks - within[block] / of_games) ** 2
        for block, count in blocks.items()
    )
    if squares <= _NOTHING:  # the blocks show no error of the ratio
        return Range(_correlation(ratio, size))
    half = quantile_95(number, number - 1) * sqrt(squares * number / (number - 1))
    low, high = (_correlation(ratio * exp(end), size) for end in (-half, half))
    return Range(_correlation(ratio, size), low, high)


def _lineup_means(blocks: Mapping[Scores, int]) -> dict[Lineup, float]:
    sums: dict[Lineup, list[float]] = {}
    for block, count in blocks.items():
        for lineup, score in block:
            total = sums.setdefault(lineup, [0.0, 0.0])
            total[0] += count
            total[1] += count * score
    return {lineup: total / games for lineup, (games, total) in sums.items()}


def _mean(block: Scores) -> float:
    return sum(score for _, score in block) / len(block)


def _correlation(ratio: float, size: float) -> float:
    """Return the correlation, at most 1, from the variance of blocks divided by that of games.

    ``size``: number of games in a block.
    """
    return min(1.0, (size * ratio - 1) / (size - 1))
