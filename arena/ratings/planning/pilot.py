"""Spread and duration of games already played, as a forecast of further games.

A pilot is any set of whole blocks in which two contestants met, or of deals that both played alone.
Pure Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, sqrt
from typing import Final, NamedTuple

from arena.ratings.match.blocks import block_mean, game_score, solo_result
from arena.ratings.match.numbers import Blocks, Moments, elo_range, mean_range, moments, nelo_range
from arena.ratings.match.report import BlockResult, Measure, Range
from arena.ratings.probability import NORMAL_95
from arena.results import GameResult

LEAST_SPREAD: Final = 1e-12
"""Variance that rounding of equal blocks can reach."""


class Solo(NamedTuple):
    """Meaning of scores in games with one seat."""

    less_is_better: bool
    worst_score: int
    """Score that a forfeit counts as."""


class Pilot(NamedTuple):
    """Results of the blocks, from the side of the first contestant."""

    measure: Measure
    block_games: int
    blocks: int
    unscored: int
    """Number of further blocks without a value."""
    mean: Range
    """Mean of the measure."""
    elo: Range
    """Elo of the mean; unknown for margins."""
    nelo: Range
    deviation: Range
    """Deviation of one game in the units of the measure; no value if all blocks are alike."""
    draws: float | None
    """Share of draws in the games between the two, or in deals played alone; None without games."""
    correlation: Range
    luck_ratio: float | None
    seconds: float | None
    """Mean wall time of a game in seconds."""


def pilot(
    blocks: Iterable[Sequence[GameResult]], one: str, other: str, solo: Solo | None = None
) -> Pilot | None:
    """Return the pilot of two contestants; None if no block has a value.

    ``blocks``: the games of each whole block in which both have a seat; with ``solo`` for each deal
    the game of either. ``one`` and ``other`` may be the two names of the same bot.
    """
    found, unscored, size, micros, games = None, 0, 0, 0, 0
    for results in blocks:
        found = found or Blocks(len(results[0].places))
        scores = [game_score(result, one, other) for result in results]
        value = BlockResult(block_mean(scores), None)
        if solo:
            value = solo_result(results, one, **solo._asdict())
        micros += sum(result.wall_us for result in results)
        games += len(results)
        size = len(results)
        unscored += value.places is None
        if value.places is not None:
            shares = [None if score is None else float(score) for score in scores]
            found.add(value, shares, results, one)
    if found is None or not found.blocks:
        return None
    seconds = micros / games / 1e6 if micros else None
    return _summary(found, Measure.MARGIN if solo else Measure.PLACES, size, unscored, seconds)


def _summary(
    found: Blocks, measure: Measure, size: int, unscored: int, seconds: float | None
) -> Pilot:
    counts = found.weights(measure)
    places = measure is Measure.PLACES
    spread = moments(counts)
    luck = found.correlation() if places else Range(None)
    return Pilot(
        measure=measure,
        block_games=size,
        blocks=found.blocks,
        unscored=unscored,
        mean=mean_range(counts, measure),
        elo=elo_range(counts) if places else Range(None),
        nelo=nelo_range(counts, size, measure),
        deviation=Range(None) if spread is None else deviation_of(spread, size),
        draws=found.results[0] / total if (total := found.results.total()) else None,
        correlation=luck,
        luck_ratio=None if luck.value is None else 1 + (size - 1) * luck.value,
        seconds=seconds,
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
