"""Spread and duration of games already played, as a forecast of further games.

A pilot is any set of whole blocks in which two contestants met, or of deals that both played alone.
Pure Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, sqrt
from typing import Final

from arena.ratings.match.blocks import MatchDiscipline, block_result, game_score
from arena.ratings.match.numbers import Blocks, Moments, elo_range, moments, nelo_range
from arena.ratings.match.planner import PlanBasis
from arena.ratings.match.report import Measure, Range
from arena.ratings.probability import NORMAL_95
from arena.results import GameResult

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
        discipline=table.name,
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
