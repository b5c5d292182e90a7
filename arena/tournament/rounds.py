"""Play of so many rounds of a run that grows, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.results import GameResult
from arena.tournament.progress import Progress
from arena.tournament.run import Run


class Rounds:
    """A judge and pacemaker who ends play after so many rounds; one that was begun counts."""

    def __init__(self, rounds: int) -> None:
        """``rounds``: at least 1."""
        self._left = rounds

    def begin(self, progress: Progress) -> None:
        """Play begins: if nothing is left of the last round, the first is one that follows."""
        if progress.is_finished:
            self._left += 1

    def add(self, number: int, result: GameResult) -> None:
        """See Judge."""

    @property
    def is_over(self) -> bool:
        """See Judge."""
        return False

    @property
    def terms(self) -> Mapping[str, Any]:
        """See Judge."""
        return {}

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """See Pacemaker."""
        self._left -= 1
        return self._left > 0
