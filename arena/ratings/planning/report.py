"""Report on a plan: the numbers that every output format shows."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.ratings.match.report import Measure, Range

SCHEMA: Final = "arena.plan/1"


class PlanBasis(msgspec.Struct, frozen=True):
    """Basis of the plan."""

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


class PlanRow(msgspec.Struct, frozen=True):
    """Line of the plan."""

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


class Plan(msgspec.Struct, frozen=True):
    """Whole report."""

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
