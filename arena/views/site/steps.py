"""Division of a competition into steps: its rounds, or the days of a run of one round.

A step has a number: of a round from 1, of a day since 1970 UTC. Games without a date are on day 0.
All games of a block belong to the step of its first stored game.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, date, datetime, timedelta
from typing import Final

from arena.runs.reader import StoredGame, StoredRun

DAY: Final = 86_400
"""Length of a day in seconds."""
_EPOCH: Final = date(1970, 1, 1)
_LAST_DAY: Final = 2_932_896
"""Last day of the year 9999; later dates count as this day."""


class Steps:
    """The steps of one run; it needs games in the order in which they were stored."""

    def __init__(self, run: StoredRun) -> None:
        self._schedule = run.schedule
        rounds = self._schedule.numbers_by_round()
        self.are_rounds: Final = run.manifest.grows or len(rounds) > 1
        self._starts = [numbers.start for numbers in rounds]
        self._days: dict[int, int] = {}
        """Day of each block, by its first number."""

    def of(self, game: StoredGame) -> int:
        """Return the step of a game."""
        if self.are_rounds:
            return bisect_right(self._starts, game.number)
        start = self._schedule.block(game.number).start
        return self._days.setdefault(start, min(game.stored.played_at // DAY, _LAST_DAY))

    def at(self, number: int) -> int:
        """Return the step of a game that is shown, by its number in the schedule."""
        if self.are_rounds:
            return bisect_right(self._starts, number)
        return self._days[self._schedule.block(number).start]

    @property
    def noun(self) -> str:
        """Word for a step."""
        return "round" if self.are_rounds else "day"

    def key(self, step: int) -> str:
        """Return the part of an address for a step: ``3``, ``2026-03-01``."""
        if self.are_rounds:
            return str(step)
        return (_EPOCH + timedelta(step)).isoformat() if step else "undated"

    def title(self, step: int) -> str:
        """Return the title of a step: ``Round 3``, ``2026-03-01``."""
        return f"Round {step}" if self.are_rounds else self.key(step).capitalize()

    def words(self, step: int) -> str:
        """Return a step as words of a sentence: ``round 3``, ``2026-03-01``."""
        return f"round {step}" if self.are_rounds else self.key(step)


def moment(seconds: int) -> str:
    """Return a UTC time in the format of Atom; empty for 0, which is no date."""
    if not seconds:
        return ""
    latest = min(seconds, DAY * _LAST_DAY)
    return datetime.fromtimestamp(latest, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day_words(seconds: int) -> str:
    """Return a day as ``2026-03-01``; empty for 0."""
    return moment(seconds)[:10]
