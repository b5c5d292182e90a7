"""Collect finished blocks in the order of the schedule, though games finish in any order.

Short games finish first, and the duration of a game depends on who wins it. So a decision on the
blocks that happen to be finished is biased. A decision on the longest finished prefix of the
schedule is not biased, and does not depend on the number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.results import GameResult
from arena.schedule.schedule import Schedule


class FinishedBlock(NamedTuple):
    """All games of a block, in the order of its seatings."""

    discipline: str
    results: tuple[GameResult, ...]


class Prefix:
    """A buffer that takes games in any order and yields blocks in the order of the schedule."""

    def __init__(self, schedule: Schedule) -> None:
        self._spans = schedule.spans()
        self._next = next(self._spans, None)
        self._waiting: dict[int, GameResult] = {}
        """Games of blocks that are not complete or not due yet, by number."""

    def add(self, number: int, result: GameResult) -> None:
        """Add the result of game ``number``."""
        self._waiting[number] = result

    def finished(self) -> Iterator[FinishedBlock]:
        """Yield every block that is due and complete, each once."""
        while self._next is not None:
            numbers = range(self._next.first, self._next.first + self._next.games)
            if not all(number in self._waiting for number in numbers):
                return
            results = tuple(self._waiting.pop(number) for number in numbers)
            block = FinishedBlock(self._next.discipline, results)
            self._next = next(self._spans, None)
            yield block
