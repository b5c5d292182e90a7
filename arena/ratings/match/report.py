"""What a match between two contestants came to: the numbers of every form of its report."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

SCHEMA: Final = "arena.match/1"


class Verdict(StrEnum):
    """What a match came to."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    """The games or the time were used up before."""
    INVALID = "invalid"
    """The games say nothing about strength: too many faults, or nothing was compared."""


class Scale(StrEnum):
    """What the hypotheses are measured in."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


class Measure(StrEnum):
    """What a block is worth to the candidate."""

    PLACES = "places"
    """The mean share of opponents that it placed above, ties half: 0 to 1, even at 1/2."""
    MARGIN = "margin"
    """By how much it scored better than its opponents on average, as the rules count; even at 0."""


class Range(msgspec.Struct, frozen=True):
    """A number with its 95 % interval. None as a limit: unbounded on that side, or not known."""

    value: float | None
    """None where no finite number is right, as for the Elo of a perfect score."""
    low: float | None = None
    high: float | None = None


class Side(msgspec.Struct, frozen=True):
    """One contestant."""

    name: str
    faults: dict[str, int]
    """Games by kind of its fault, of those that count."""
    games: int
    """In which it played, of those that count."""
    digest: str = ""
    """Of its files, SHA-256 in hex; empty if not known."""
    revision: str = ""
    """Commit it was taken from or equals, in hex; empty for a folder that is in none."""
    given: str = ""
    """As it was asked for, such as ``@v2``: what a verdict calls it; empty if not known."""

    @property
    def called(self) -> str:
        """What people know it by."""
        return self.given or self.name


class Distinct(msgspec.Struct, frozen=True):
    """How much of what was played without chance is different."""

    games: int
    """Games that differ from every other in bots, seats, actions or ending."""
    blocks: int
    """Blocks of which no two have the same games."""
    effective: float
    """Blocks that errors and tests count: at most those, fewer if some were played more often."""
    since_new: int
    """Blocks played after the last one that was new."""


class Game(msgspec.Struct, frozen=True):
    """What the match came to in one discipline. Everything from the candidate's side."""

    discipline: str
    seats: int
    lineup: str
    """Who sits where: ``1 v 1``, ``2 v 2``, ``1 v 2 and 2 v 1``, ``1 v 3``, ``alone``."""
    measure: Measure
    block_games: int
    """Games in a block."""
    blocks: int
    unscored: int
    """Blocks beside them that say nothing: a game without a clean pair of opponents, or without
    scores where these are measured."""
    games: int
    """In the blocks."""
    histogram: tuple[tuple[float, int], ...]
    """How many blocks were worth how much, ascending; at two seats with every value there can be:
    the pentanomial. Empty for margins at more than 200 values."""
    wins: int
    """Games, alone: deals, in which the candidate did better than even."""
    draws: int
    losses: int
    mean: Range
    """Of the measure."""
    elo: Range
    """Elo; unknown for margins. Like ``nelo`` that of ``MatchReport.estimate`` if it is the only
    discipline, otherwise that of ``mean``, which does not allow for the stop of the test."""
    nelo: Range
    los: float | None
    """Likelihood of superiority of the candidate; None without spread."""
    seats_worth: tuple[Range, ...]
    """By seat: the mean share of opponents that a player there placed above. Empty with one."""
    correlation: Range
    """Of two games of a block, from -1 to 1; negative where luck decides and mirroring pays."""
    luck_ratio: float | None
    """Games needed with mirrored deals for each that would be needed without."""
    margin: Range
    """By how much it scored better, as the rules count, whatever the measure."""
    deviation: float | None
    """Of one game: sqrt(block_games) times that of the blocks; alone, of a deal. What a plan
    needs."""
    llr: float
    """Share of this discipline in the log-likelihood ratio."""
    distinct: Distinct | None = None
    """None where no game repeats another."""


class Criteria(msgspec.Struct, frozen=True):
    """The settings of the decision."""

    mode: str
    """``gain``, ``no-regression`` or ``custom``."""
    scale: Scale
    elo0: float
    elo1: float
    alpha: float
    beta: float
    max_games: int
    max_fault_share: float
    max_faults: int
    may_be_alike: bool


class Estimate(msgspec.Struct, frozen=True):
    """Strength after a sequential test, corrected for its stop.

    The values are median-unbiased and the intervals hold the truth with 95 %.
    """

    nelo: Range
    """nElo; of several disciplines their average, weighted by the games of their blocks."""
    elo: Range
    """Elo of a single discipline by places; unknown otherwise."""
    los: float
    """Likelihood of superiority of the candidate, from a flat prior."""


class MatchReport(msgspec.Struct, frozen=True):
    """The whole document; everything in it but ``seconds`` follows from the games."""

    schema: str
    arena: str
    verdict: Verdict
    reason: str
    """One sentence without a full stop."""
    candidate: Side
    baseline: Side
    test: Criteria
    llr: float
    bounds: tuple[float, float]
    blocks: int
    """That count for the verdict: the longest finished run of blocks from the first one, cut at
    the verdict."""
    games_counted: int
    games_stored: int
    """All that are in the run folder: those that count, and some beyond the verdict."""
    games_left: int | None
    """Expected until a verdict, at the strength seen so far; None while too little is known, and
    once there is one."""
    games: tuple[Game, ...]
    run: str
    """The run folder."""
    commitment: str = ""
    seconds: float | None = None
    """Wall time of this session; measured."""
    estimate: Estimate | None = None
    """None for an invalid match and if no block differs from even; of several disciplines also if
    one has no nElo with both limits, or on the logistic scale. The figures of a single discipline
    are repeated in ``games``."""


class BlockResult(NamedTuple):
    """What one block says, from the candidate's side. See ``Measure``."""

    places: float | None
    margin: float | None
