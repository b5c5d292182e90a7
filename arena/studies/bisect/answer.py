"""What a search for a lost revision comes to: the document."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from arena.ratings.match.report import Range, Verdict

SCHEMA: Final = "arena.bisect/1"


class Answer(StrEnum):
    """How a search ended."""

    FOUND = "found"
    NARROWED = "narrowed"
    """It is one of several, and no match can tell which: those between cannot be played."""
    INCONCLUSIVE = "inconclusive"
    """The games were used up before."""
    NO_LOSS = "no-loss"
    """The later revision was not shown to be worse."""
    INVALID = "invalid"
    """The two revisions could not be compared."""


class Commit(msgspec.Struct, frozen=True):
    """A revision as people know it."""

    commit: str
    subject: str
    author: str
    date: str
    """Of the author, ISO 8601."""


class Tested(msgspec.Struct, frozen=True):
    """A revision of the search."""

    commit: Commit
    games: int
    """That count; against the good revision."""
    elo: Range
    """From this revision's side; unknown for several games at once."""
    nelo: Range
    llr: float | None
    """Log-likelihood ratio of "as good" against "worse"; None if not played."""
    verdict: Verdict | None
    """Of the last match; None if not played."""
    skipped: str
    """Why it cannot be played; empty if it can."""
    first_bad: float | None
    """Probability that it brought the loss; None where nothing was searched."""


class Bisected(msgspec.Struct, frozen=True):
    """The whole document; everything in it follows from the games."""

    schema: str
    arena: str
    answer: Answer
    reason: str
    """One sentence without a full stop."""
    sure: float | None
    """Probability that the loss came with one of the suspects; None without a loss."""
    suspects: tuple[Commit, ...]
    """One, if the answer is ``found``."""
    good: Commit
    bad: Commit
    loss: float
    """That matters, in nElo."""
    searched: float | None
    """The loss that the search looked for, in nElo; None where nothing was searched."""
    games: int
    max_games: int
    revisions: tuple[Tested, ...]
    """Every one that changed the folder, oldest first; the last one is as ``bad``."""
    run: str
