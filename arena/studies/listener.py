"""Callbacks through which a study reports its progress and plays its games.

Studies know no terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from arena.config.tournament import Tournament
from arena.ratings.match.report import Range
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.tournament.session import Judge


class MatchProgress(NamedTuple):
    """State of a match while it is played."""

    llr: float
    bounds: tuple[float, float]
    elo: Range
    blocks: int
    games_left: int | None
    """Expected number at the strength seen so far; None if unknown."""


class FamilyStanding(NamedTuple):
    """State of a match of several candidates while it is played."""

    left: int
    """Number of candidates that are not decided yet."""
    candidates: int
    passed: int | None
    """Number of candidates that beat the baseline; None where the best one is looked for."""
    rounds: int
    games: int
    """Number of games that count."""


class PlayResult(NamedTuple):
    """Games of a run that were played until a judge or a person ended it."""

    progress: Progress
    interrupted: bool
    """True if a person ended it; everything is stored."""
    run: Run
    """The run with the games played so far."""


class Listener(Protocol):
    """A command that reports a study's progress and shows its games while they are played."""

    def note(self, text: str) -> None:
        """Report progress, which is of no interest to those who want the answer alone."""

    def say(self, text: str) -> None:
        """Print a line for every user."""

    def warn(self, text: str) -> None:
        """Print a warning that every user of the answer should see."""

    def play(
        self,
        tournament: Tournament,
        run: Run,
        started: Callable[[Progress, int], None],
        judge: Judge | None = None,
        deals: int | None = None,
        standing: Callable[[], MatchProgress | FamilyStanding] | None = None,
    ) -> PlayResult:
        """Play what is not stored yet, as ``arena.tournament.prepare.play`` does and raises.

        ``started`` is called with the progress and the number of workers when stored games are
        counted. ``standing`` returns the state of a match, shown instead of the share of games
        played.
        """
