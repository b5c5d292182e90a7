"""What a block of a match is worth to the candidate, from its games."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from arena.ratings.counting.counts import NO_ROW, comparison
from arena.ratings.match.report import BlockResult, Measure
from arena.results import GameResult


class Table(NamedTuple):
    """What has to be known of a discipline."""

    name: str
    seats: int
    lineup: str
    """For people: ``2 v 2``."""
    block_games: int
    measure: Measure
    less_is_better: bool
    worst_score: int
    """What a forfeit counts where scores alone are compared."""

    @property
    def rounds(self) -> int:
        """How often the two meet in a block: alone, their two games are one comparison."""
        return self.block_games if self.seats > 1 else 1


def block_result(
    results: Sequence[GameResult],
    scores: Sequence[Fraction | None],
    candidate: str,
    table: Table,
) -> BlockResult:
    """What a block is worth to the candidate; ``scores`` are its own in the games."""
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
    """The share of pairs of their seats in which the candidate placed above, ties half.

    ``baseline``: None for everybody else.

    None if no pair can be compared: the two of each were faulty, or play stopped before.
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


def game_margin(result: GameResult, candidate: str, table: Table) -> Fraction | None:
    """By how much the candidate's seats scored better on average; None without scores."""
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
    """What a deal that both played alone is worth; a forfeit counts the worst score."""
    own, other = sorted(results, key=lambda each: each.spec.entrants[0] != candidate)
    mine, others = (worst_score if each.scores is None else each.scores[0] for each in (own, other))
    margin = others - mine if less_is_better else mine - others
    return BlockResult(0.5 + 0.5 * ((margin > 0) - (margin < 0)), float(margin))


def block_mean(values: Sequence[Fraction | None]) -> float | None:
    """None if any is missing: half a block would be unfair."""
    known = [value for value in values if value is not None]
    return float(sum(known) / len(known)) if len(known) == len(values) else None
