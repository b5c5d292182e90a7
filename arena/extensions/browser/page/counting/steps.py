"""Division of a competition into steps, its rounds or days, and the field at the end of each.

A step has a number: of a round from 1, of a day since 1970 UTC. All games of a block belong to the
step of its first stored game.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final

from arena.runs.reader import StoredGame, StoredRun
from arena.runs.withdrawals import WithdrawalState

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
        return (_EPOCH + timedelta(step)).isoformat()

    def title(self, step: int) -> str:
        """Return the title of a step: ``Round 3``, ``2026-03-01``."""
        return f"Round {step}" if self.are_rounds else self.key(step)

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


class FieldBySteps:
    """The field of a run after each step, from its changes."""

    def __init__(self, run: StoredRun, verdict: WithdrawalState, order: Sequence[int]) -> None:
        """Read the changes of the field; ``order``: the steps with games. Raises StoreError."""
        self._manifest = manifest = run.manifest
        self._field = manifest.field
        self._out = {each.name: each.at for each in verdict.withdrawn.values()}
        self._authors = run.authors
        self._entrants = tuple(manifest.entrants)
        self._numbers = run.schedule.numbers_by_round()
        played = [place for place, each in enumerate(self._field.rounds) if each]
        self._places = played[1:] if manifest.grows else played
        """Number of the change that drew each round."""
        self._are_rounds = manifest.grows or len(self._numbers) > 1
        self._days = [_day(change.created) for change in manifest.changes]
        self.there = lru_cache(maxsize=None)(self._there)
        """The entrants that play after a step."""

    def placed(self, step: int) -> frozenset[str]:
        """Return the entrants that have a place after a step."""
        if self._authors is None:
            return self.there(step)
        entered = frozenset(self._entrants[: self._state(step)[0]])
        return self._authors.placed(entered) & self.there(step)

    def was_out(self, name: str, change: int) -> bool:
        """Return True if an entrant was withdrawn before the change of that number.

        False in a run that is not by rounds: its withdrawals follow from games in any order.
        """
        before = self.rounds_before(change)
        return (
            self._manifest.grows
            and before > 0
            and self._out.get(name, math.inf) < self._numbers[before - 1].stop
        )

    def rounds_before(self, change: int) -> int:
        """Return how many rounds were drawn before the change of that number."""
        return sum(place < change for place in self._places)

    def _there(self, step: int) -> frozenset[str]:
        known, left = self._state(step)
        out = set(self._out)
        if self._are_rounds and step <= len(self._numbers):
            end = self._numbers[step - 1].stop
            out = {name for name, at in self._out.items() if at < end}
        return frozenset(self._entrants[:known]) - left - out

    def _state(self, step: int) -> tuple[int, frozenset[str]]:
        """Return after ``step`` the number of entrants so far, and those of them that had left."""
        if self._are_rounds:
            place = self._places[step - 1] if step <= len(self._places) else len(self._days)
        else:
            place = sum(day <= step for day in self._days)
        drawn = self._field.drawn
        if place + 1 < len(drawn):
            return drawn[place + 1]
        return len(self._entrants), self._field.left


def _day(created: str) -> int:
    """Return the day of an instant since 1970 UTC; 0 if it cannot be read."""
    try:
        return int(datetime.fromisoformat(created).timestamp()) // DAY
    except ValueError:
        return 0
