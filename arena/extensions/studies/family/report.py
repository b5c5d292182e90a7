"""Reports on several candidates: the numbers that every output format shows."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.extensions.matches.statistics.report import (
    ComparedDiscipline,
    JudgedReport,
    MatchReport,
    MatchSide,
    Range,
)


class BestTest(msgspec.Struct, frozen=True):
    """Settings of a search for the best."""

    gap: float
    """Difference in nElo by which nobody shall be better than the chosen candidate."""
    alpha: float
    """Greatest probability that somebody is better by that much."""
    max_games: int
    """Greatest number of games of each candidate."""
    max_fault_share: float
    max_faults: int
    may_be_alike: bool


class Contender(msgspec.Struct, frozen=True):
    """Result of a candidate in the search for the best."""

    side: MatchSide
    state: str
    """``best``: chosen. ``left``: not decided. ``out``: cannot win. ``faulty``: out for faults."""
    worse: bool
    """True if shown to be weaker than the best candidate, or than the leader before the choice."""
    nelo: Range
    """Lead over the best candidate or leader, empty for itself. All intervals hold together."""
    round: int | None
    """Round after which the candidate was out; None if it is not out."""
    by: str | None
    """Name of the leader at that time."""


class CandidatePair(msgspec.Struct, frozen=True):
    """Results of two candidates that met."""

    first: str
    second: str
    blocks: int
    """Number of blocks with a value."""
    mean: float | None
    """Mean value of these blocks, from the side of the first."""


class FamilyDiscipline(ComparedDiscipline, frozen=True):
    """Results of several candidates in a discipline."""

    unscored: int
    """Number of blocks without a value."""
    pairs: tuple[CandidatePair, ...]
    distinct: int | None = None
    """Number of games that differ in bots, seats, actions or ending; None if all games do."""
    title: str = ""
    """Title of the discipline for people; empty: ``discipline``."""


class BestReport(JudgedReport, frozen=True, tag="arena.best/1"):
    """Report on the best of several candidates.

    Verdict ``pass``: one is chosen. ``inconclusive``: not yet. ``invalid``: the games say nothing.
    """

    best: str | None
    """Name of the chosen candidate."""
    test: BestTest
    bound: float
    """Log-likelihood ratio at which a candidate is out."""
    rounds: int
    candidates: tuple[Contender, ...]
    """Results in the order in which the candidates were given."""
    games_counted: int
    games_stored: int
    games: tuple[FamilyDiscipline, ...]
    run: str
    commitment: str
    seconds: float | None = None


class AgainstReport(JudgedReport, frozen=True, tag="arena.against/1"):
    """Report on several candidates against a baseline: a match each, and a common verdict.

    Verdict ``pass``: at least one passed. ``inconclusive``: none yet, and not all are decided.
    ``fail``: all are decided, and none passed. ``invalid``: no match gives evidence.
    """

    passed: tuple[str, ...]
    """Names of the candidates that passed."""
    rounds: int
    tests: tuple[MatchReport, ...]
    """Report of each candidate in the given order. Bounds are those at the end of the match."""
    games_counted: int
    games_stored: int
    run: str
    commitment: str
    seconds: float | None = None


FamilyReport: TypeAlias = BestReport | AgainstReport
