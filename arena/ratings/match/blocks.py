"""The value of a block of a match to the candidate, computed from its games."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from arena.ratings.counting.counts import NO_ROW, comparison
from arena.ratings.match.report import BlockResult, Measure
from arena.results import GameResult


class MatchDiscipline(NamedTuple):
    """Properties of a discipline in a match."""

    name: str
    seats: int
    lineup: str
    """Lineup for display, such as ``2 v 2``."""
    block_games: int
    measure: Measure
    less_is_better: bool
    worst_score: int
    """Score that a forfeit counts as where scores alone are compared."""

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
