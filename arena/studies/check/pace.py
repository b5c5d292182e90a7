"""Estimate of the time that the rest of a check takes, from the games played so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Work(NamedTuple):
    """Expected processes and games of a case."""

    processes: int
    games: int


class CheckPace:
    """The remaining work, and the time that processes and games took so far.

    ``now``: a clock in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._planned: dict[str, Work] = {}
        self._done = Work(0, 0)
        self._starting = 0.0
        self._playing = 0.0

    def plan(self, planned: Mapping[str, Work]) -> None:
        """Set the work of every case that is to come."""
        self._planned = dict(planned)

    def begin(self, case: str) -> None:
        """Remove the work of this case, which is about to start, and of the cases before it."""
        while case in self._planned and case != next(iter(self._planned)):
            del self._planned[next(iter(self._planned))]

    def add(self, seconds: float, starting: float, games: int) -> None:
        """Count a process: all its seconds, the seconds until it was ready, and its games."""
        self._done = Work(self._done.processes + 1, self._done.games + games)
        self._starting += starting
        self._playing += max(0.0, seconds - starting)

    def left(self) -> float | None:
        """Return the seconds that the remaining cases need; None: not known yet."""
        if not self._planned or not self._done.games:
            return None
        start = self._starting / self._done.processes
        game = self._playing / self._done.games
        return sum(each.processes * start + each.games * game for each in self._planned.values())
