"""Limit a session of a growing run to a number of rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.results import GameResult
from arena.tournament.progress import Progress
from arena.tournament.run import Run


class RoundLimit:
    """A judge and pacemaker that ends play after ``rounds`` rounds; a resumed round counts."""

    def __init__(self, rounds: int) -> None:
        """Set the number of rounds to play; ``rounds`` is at least 1."""
        self._left = rounds

    def begin(self, progress: Progress) -> None:
        """Leave the last round out of the count if all of its games were played before."""
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
