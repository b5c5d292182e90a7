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
    """Interface through which a study reports progress and plays games; commands implement it."""

    def note(self, text: str) -> None:
        """Report progress; not shown to users who want the result alone."""

    def say(self, text: str) -> None:
        """Print a line for every user."""

    def warn(self, text: str) -> None:
        """Print a warning that every user of the result should see."""

    def play(
        self,
        tournament: Tournament,
        run: Run,
        started: Callable[[Progress, int], None],
        judge: Judge | None = None,
        deals: int | None = None,
        standing: Callable[[], MatchProgress | FamilyStanding] | None = None,
    ) -> PlayResult:
        """Play the games that are not stored yet.

        Plays and raises as ``arena.tournament.prepare.play``. ``started`` is called with the
        progress and the number of workers when stored games are counted. ``standing`` returns the
        state of a match, which is shown instead of the share of games played.
        """
