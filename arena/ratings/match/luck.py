"""The influence of luck on a game, from the blocks of a match. Pure Python.

The mean of the g games of a block varies 1 + (g-1) r times as much as that of g games on deals of
their own, with r the correlation of two games of a block. The number of games needed has the same
factor: r is below 0 if the deal decides and mirroring pays.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, sqrt
from typing import Final, TypeAlias

from arena.ratings.match.report import Range
from arena.ratings.probability import quantile_95

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
