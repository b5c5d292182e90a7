"""Reports on matches of two contestants: the numbers that every output format shows."""

from __future__ import annotations

from enum import StrEnum
from math import log
from typing import NamedTuple

import msgspec


class Verdict(StrEnum):
    """Outcome of a match."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    """The games or the time were used up before a decision."""
    INVALID = "invalid"
    """The games give no evidence of strength: too many faults, or nothing was compared."""


class Scale(StrEnum):
    """Scale on which the hypotheses are measured."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


class Measure(StrEnum):
    """Measure of the value of a block to the candidate."""

    PLACES = "places"
    """Mean share of opponents that the candidate placed above, ties half: 0 to 1, even at 1/2."""
    MARGIN = "margin"
    """Mean lead of the candidate's score over its opponents, as the rules count; even at 0."""


class Range(msgspec.Struct, frozen=True):
    """Number with its 95 % interval. A limit of None means open on that side, or not known."""

    value: float | None
    """None if no finite number is right, as for the Elo of a perfect score."""
    low: float | None = None
    high: float | None = None


class MatchSide(msgspec.Struct, frozen=True):
    """Contestant of a match, with its faults."""

    name: str
    faults: dict[str, int]
    """Number of counted games by kind of the contestant's fault."""
    games: int
    """Number of counted games in which the contestant played."""
    digest: str = ""
    """SHA-256 of the contestant's files in hex; empty if not known."""
    revision: str = ""
    """Commit that the files are from or equal, in hex; empty for a folder that is in no commit."""
    given: str = ""
    """Contestant as the user gave it, such as ``@v2``, for verdicts; empty if not known."""

    @property
    def called(self) -> str:
        """Name for display."""
        return self.given or self.name


class Distinct(msgspec.Struct, frozen=True):
    """Number of different games and blocks, for play without chance."""

    games: int
    """Number of games that differ from every other in bots, seats, actions or ending."""
    blocks: int
    """Number of blocks of which no two have the same games."""
    effective: float
    """Number of blocks that errors and tests use; below ``blocks`` if some occurred more often."""
    since_new: int
    """Number of blocks played after the last new one."""


class ComparedDiscipline(msgspec.Struct, frozen=True):
    """A discipline in which contestants are compared."""

    discipline: str
    seats: int
    lineup: str
    """Lineups for display: ``1 v 1``, ``2 v 2``, ``1 v 2 and 2 v 1``, ``1 v 3``, ``alone``."""
    measure: Measure
    block_games: int
    """Number of games in a block."""


class DisciplineReport(ComparedDiscipline, frozen=True):
    """Results of the match in one discipline, from the candidate's side."""

    blocks: int
    unscored: int
    """Number of further blocks without a value: a game has no clean pair of opponents, or no scores
    where these are measured."""
    games: int
    """Number of games in the blocks."""
    histogram: tuple[tuple[float, int], ...]
    """Number of blocks by value, ascending; at two seats with every possible value: the
    pentanomial. Empty for margins with more than 200 values."""
    wins: int
    """Number of games (alone: deals) in which the candidate did better than even."""
    draws: int
    losses: int
    mean: Range
    """Mean of the measure."""
    elo: Range
    """Elo; unknown for margins. Like ``nelo`` it is that of ``MatchReport.estimate`` for a single
    discipline, otherwise that of ``mean``, which does not allow for the stop of the test."""
    nelo: Range
    los: float | None
    """Likelihood of superiority of the candidate; None without spread."""
    seats_worth: tuple[Range, ...]
    """Mean share of opponents that a player on a seat placed above, by seat; empty with one."""
    correlation: Range
    """Correlation of two games of a block, -1 … 1; negative if luck decides and mirroring pays."""
    luck_ratio: float | None
    """Games needed with mirrored deals, divided by games needed without."""
    margin: Range
    """Mean lead of the candidate's score, as the rules count, for any measure."""
    deviation: float | None
    """Deviation of one game: sqrt(block_games) times that of the blocks; alone, that of a deal. A
    plan needs this number."""
    llr: float
    """Share of this discipline in the log-likelihood ratio."""
    distinct: Distinct | None = None
    """Numbers of different games and blocks; None if no game repeats another."""
    title: str = ""
    """Title of the discipline for people; empty: ``discipline``."""


class Hypotheses(msgspec.Struct, frozen=True):
    """Hypotheses of a test: H0 is accepted as ``fail``, H1 as ``pass``."""

    mode: str
    """``gain``, ``no-regression`` or ``custom``."""
    scale: Scale
    elo0: float
    elo1: float
    alpha: float
    """Probability of accepting H1 if H0 is true."""
    beta: float
    """Probability of accepting H0 if H1 is true."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which H0 and H1 are accepted (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


class Criteria(Hypotheses, frozen=True):
    """Settings by which a match is decided."""

    max_games: int
    max_fault_share: float
    max_faults: int
    may_be_alike: bool


class PostStopEstimate(msgspec.Struct, frozen=True):
    """Strength after a sequential test, corrected for its stop.

    The values are median-unbiased and the intervals hold the truth with 95 %.
    """

    nelo: Range
    """nElo; for several disciplines their average, weighted by the games of their blocks."""
    elo: Range
    """Elo of a single discipline by places; unknown otherwise."""
    los: float
    """Likelihood of superiority of the candidate, from a flat prior."""


class JudgedReport(msgspec.Struct, frozen=True, tag_field="schema"):
    """Report of games that were judged; all but ``seconds`` follows from the games."""

    arena: str
    verdict: Verdict
    reason: str
    """One sentence without a full stop."""


class MatchReport(JudgedReport, frozen=True, tag="arena.match/1"):
    """Report of a match."""

    candidate: MatchSide
    baseline: MatchSide
    test: Criteria
    llr: float
    bounds: tuple[float, float]
    blocks: int
    """Number of blocks that count for the verdict: the longest finished run of blocks from the
    first one, cut at the verdict."""
    games_counted: int
    games_stored: int
    """Number of games in the run folder: the counted games, and some beyond the verdict."""
    games_left: int | None
    """Expected number of games until a verdict, at the strength seen so far; None while too little
    is known, and after the verdict."""
    games: tuple[DisciplineReport, ...]
    run: str
    """Name of the run folder."""
    commitment: str = ""
    seconds: float | None = None
    """Wall time of this session in seconds; measured."""
    estimate: PostStopEstimate | None = None
    """None for an invalid match and if no block differs from even. For several disciplines also
    None if one has no nElo with both limits, or on the logistic scale. The figures of a single
    discipline are repeated in ``games``."""

    @property
    def is_unchanged(self) -> bool:
        """True if both contestants are the same files, so that nothing was played."""
        return self.verdict is Verdict.INVALID and not self.run


class BlockResult(NamedTuple):
    """Value of one block from the candidate's side, see ``Measure``."""

    places: float | None
    margin: float | None
