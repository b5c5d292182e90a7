"""The blocks of a run in the order of its schedule, whatever order games finish in.

Short games finish first, and how long a game takes has to do with who wins it. Whoever decides
on the blocks that happen to be finished is misled; on those of the longest finished stretch from
the first one he is not, and he decides alike whatever the number of workers.
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
    """Takes games in any order and gives back blocks in theirs."""

    def __init__(self, schedule: Schedule) -> None:
        self._spans = schedule.spans()
        self._next = next(self._spans, None)
        self._waiting: dict[int, GameResult] = {}
        """By number: games of blocks that are not complete, or not due yet."""

    def add(self, number: int, result: GameResult) -> None:
        """Take the game of that number."""
        self._waiting[number] = result

    def finished(self) -> Iterator[FinishedBlock]:
        """Every block that is due and complete, each once."""
        while self._next is not None:
            numbers = range(self._next.first, self._next.first + self._next.games)
            if not all(number in self._waiting for number in numbers):
                return
            results = tuple(self._waiting.pop(number) for number in numbers)
            block = FinishedBlock(self._next.discipline, results)
            self._next = next(self._spans, None)
            yield block
