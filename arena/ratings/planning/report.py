"""How many games a question takes: the numbers of every form of the plan."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.ratings.match.report import Measure, Range

SCHEMA: Final = "arena.plan/1"


class Source(msgspec.Struct, frozen=True):
    """What the plan rests on."""

    kind: str
    """``pilot`` or ``stated``."""
    deviation: Range
    """Of one game, in scores from 0 to 1, or in points for margins; with a 95 % interval if it was
    measured."""
    measure: Measure
    block_games: int
    run: str | None = None
    pair: tuple[str, str] | None = None
    """Everything below from the side of the first."""
    discipline: str | None = None
    score: str | None = None
    """What margins are counted in, as a plural noun; None for places."""
    blocks: int | None = None
    unscored: int | None = None
    draws: float | None = None
    correlation: Range = Range(None)
    luck_ratio: float | None = None
    elo: Range | None = None
    nelo: Range | None = None
    seconds: float | None = None
    """Wall time of one game; measured."""


class Row(msgspec.Struct, frozen=True):
    """One line of the plan."""

    true: float | None
    """The true difference, in ``unit``; None where it does not matter."""
    elo: float | None
    """The same in Elo, if the deviation is as in ``source``."""
    width: float | None
    """What the 95 % interval reaches to either side: Elo, or points for margins."""
    passes: float | None
    """Share of tests that pass, or show the difference."""
    games: int
    """On average, if the test is sequential; in whole blocks."""
    rarely: int | None
    """One sequential test in twenty needs more."""
    blocks: int
    seconds: float | None
    """At so many ``workers``."""
    needs: int | None = None
    """Games of fixed number that show this difference; None if there is none to be shown."""
    is_pilot: bool = False
    """Whether ``true`` is the strength seen in the pilot."""


class Plan(msgspec.Struct, frozen=True):
    """The whole document."""

    schema: str
    arena: str
    question: str
    """``precision``, ``difference`` or ``sequential``."""
    unit: str
    """``Elo``, ``nElo``, or for widths of margins the name of what is counted."""
    asked: float | None
    """The width or the difference."""
    elo0: float | None
    elo1: float | None
    alpha: float | None
    beta: float | None
    fixed_length: int | None
    """Games of a test of fixed length with the same errors."""
    workers: int
    source: Source
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]
