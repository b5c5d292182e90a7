"""What several candidates came to: the numbers of every form of the report."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.ratings.match.report import MatchReport, Measure, Range, Side, Verdict


class BestTest(msgspec.Struct, frozen=True):
    """The settings of a search for the best."""

    gap: float
    """nElo by which nobody shall be better than the one that is chosen."""
    alpha: float
    """How often somebody may be."""
    max_games: int
    """Of each candidate."""
    max_fault_share: float
    max_faults: int
    may_be_alike: bool


class Contender(msgspec.Struct, frozen=True):
    """A candidate."""

    side: Side
    state: str
    """``best``: chosen. ``left``: not decided. ``out``: cannot win. ``faulty``: out for faults."""
    worse: bool
    """Shown to be weaker than the best, or than the leader while nobody is chosen."""
    nelo: Range
    """By how much it is stronger than that one; all these intervals hold together. Nothing for the
    one itself."""
    round: int | None
    """After which it was out; None while it is not."""
    by: str | None
    """Who led then."""


class Pair(msgspec.Struct, frozen=True):
    """Two candidates who met."""

    first: str
    second: str
    blocks: int
    """That have a value."""
    mean: float | None
    """Of these, from the side of the first."""


class Played(msgspec.Struct, frozen=True):
    """A discipline."""

    discipline: str
    seats: int
    lineup: str
    measure: Measure
    block_games: int
    unscored: int
    """Blocks that say nothing."""
    pairs: tuple[Pair, ...]
    distinct: int | None = None
    """Games that differ from every other in bots, seats, actions or ending. None: all do."""


class BestReport(msgspec.Struct, frozen=True, tag_field="schema", tag="arena.best/1"):
    """Which of several candidates is best; everything but ``seconds`` follows from the games."""

    arena: str
    verdict: Verdict
    """``pass``: one is chosen. ``inconclusive``: not yet. ``invalid``: the games say nothing."""
    reason: str
    best: str | None
    """The name of the chosen one."""
    test: BestTest
    bound: float
    """Log-likelihood ratio at which a candidate is out."""
    rounds: int
    candidates: tuple[Contender, ...]
    """As they were asked for."""
    games_counted: int
    games_stored: int
    games: tuple[Played, ...]
    run: str
    commitment: str
    seconds: float | None = None


class AgainstReport(msgspec.Struct, frozen=True, tag_field="schema", tag="arena.against/1"):
    """Several candidates against a baseline: a match each, and what they come to together."""

    arena: str
    verdict: Verdict
    """``pass``: somebody passed. ``inconclusive``: nobody yet, and not all are decided. ``fail``:
    all are decided, and nobody passed. ``invalid``: no match says anything."""
    reason: str
    passed: tuple[str, ...]
    """The names of those who passed."""
    rounds: int
    tests: tuple[MatchReport, ...]
    """One of each candidate, as they were asked for. Bounds are those that it ended with."""
    games_counted: int
    games_stored: int
    run: str
    commitment: str
    seconds: float | None = None


FamilyReport: TypeAlias = BestReport | AgainstReport
