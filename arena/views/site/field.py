"""The field of a run, and its places, at the end of each round or day of a site."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from arena.runs.reader import StoredRun
from arena.runs.withdrawals import WithdrawalState
from arena.views.site.steps import DAY


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
        """Return True if an entrant was withdrawn before the change of that number."""
        before = sum(place < change for place in self._places)
        return before > 0 and self._out.get(name, math.inf) < self._numbers[before - 1].stop

    def _there(self, step: int) -> frozenset[str]:
        known, left = self._state(step)
        out = set(self._out)
        if self._are_rounds and step <= len(self._numbers):
            end = self._numbers[step - 1].stop
            out = {name for name, at in self._out.items() if at < end}
        return frozenset(self._entrants[:known]) - left - out

    def _state(self, step: int) -> tuple[int, frozenset[str]]:
        """Return how many had entered, and which of these had left."""
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
