"""The document with the result of a bisection."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from arena.ratings.match.report import Range, Verdict

SCHEMA: Final = "arena.bisect/1"


class BisectOutcome(StrEnum):
    """How a search ended."""

    FOUND = "found"
    NARROWED = "narrowed"
    """The loss came with one of several revisions; those between cannot be played."""
    INCONCLUSIVE = "inconclusive"
    """The games were used up before the search ended."""
    NO_LOSS = "no-loss"
    """The later revision was not shown to be worse."""
    INVALID = "invalid"
    """The two revisions could not be compared."""


class Commit(msgspec.Struct, frozen=True):
    """A revision as people name it."""

    commit: str
    subject: str
    author: str
    date: str
    """Author date, ISO 8601."""


class Tested(msgspec.Struct, frozen=True):
    """A revision of the search and its results."""

    commit: Commit
    games: int
    """Games that count, against the good revision."""
    elo: Range
    """Difference from this revision's side; unknown for several games at once."""
    nelo: Range
    llr: float | None
    """Log-likelihood ratio of "as good" against "worse"; None if not played."""
    verdict: Verdict | None
    """Verdict of the last match; None if not played."""
    skipped: str
    """Reason why it cannot be played; empty if it can."""
    first_bad: float | None
    """Probability that it brought the loss; None if nothing was searched."""


class Bisected(msgspec.Struct, frozen=True):
    """The whole document; everything in it follows from the games."""

    schema: str
    arena: str
    answer: BisectOutcome
    reason: str
    """One sentence without a full stop."""
    sure: float | None
    """Probability that the loss came with one of the suspects; None without a loss."""
    suspects: tuple[Commit, ...]
    """Possible culprits; a single one if the answer is ``found``."""
    good: Commit
    bad: Commit
    loss: float
    """Smallest loss that matters, in nElo."""
    searched: float | None
    """Loss that the search looked for, in nElo; None if nothing was searched."""
    games: int
    max_games: int
    revisions: tuple[Tested, ...]
    """All revisions that changed the folder, oldest first; the last one equals ``bad``."""
    run: str
