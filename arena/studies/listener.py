"""Whom a study serves: told what goes on, and asked to play. Studies know no terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from arena.config.tournament import Tournament
from arena.ratings.match.report import Range
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.tournament.session import Judge


class Standing(NamedTuple):
    """How a match stands while it is played."""

    llr: float
    bounds: tuple[float, float]
    elo: Range
    blocks: int
    games_left: int | None
    """About, at the strength seen so far; None: not known."""


class FamilyStanding(NamedTuple):
    """How several candidates stand while they play."""

    left: int
    """Who are not decided."""
    candidates: int
    passed: int | None
    """Against a baseline; None where the best is looked for."""
    rounds: int
    games: int
    """That count."""


class Stretch(NamedTuple):
    """What was played of a run until its end, that of a judge or that of a person."""

    progress: Progress
    interrupted: bool
    """A person has ended it; everything is stored."""
    run: Run
    """As it has grown by now."""


class Listener(Protocol):
    """Hears of a study while it goes on, and has its games played for somebody to watch."""

    def note(self, text: str) -> None:
        """On the way: of no interest to who wants the answer alone."""

    def say(self, text: str) -> None:
        """For everybody."""

    def warn(self, text: str) -> None:
        """What everybody who uses the answer should know."""

    def play(
        self,
        tournament: Tournament,
        run: Run,
        started: Callable[[Progress, int], None],
        judge: Judge | None = None,
        deals: int | None = None,
        standing: Callable[[], Standing | FamilyStanding] | None = None,
    ) -> Stretch:
        """Play what is not stored yet, as ``arena.tournament.prepare.play`` does and raises.

        ``started`` is called with the workers when stored games are counted. ``standing``: of a
        match or of several candidates, shown in place of the share that is played.
        """
