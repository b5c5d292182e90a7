"""Collect finished passes in the order of the schedule, though games finish in any order.

Short games finish first, and the duration of a game depends on who wins it. So a decision on the
blocks that happen to be finished is biased. A decision on the longest finished prefix of the
schedule is not biased, and does not depend on the number of workers.

A pass is one deal of every pairing; in a match of two it is one block. Passes do not wait for games
of entrants that are out, and blocks of such entrants are dropped even if they were played ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import NamedTuple

from arena.results import GameResult
from arena.schedule.schedule import Schedule, SchedulePass


class FinishedPass(NamedTuple):
    """A complete pass: the blocks of all entrants that were not out."""

    discipline: str
    blocks: tuple[tuple[GameResult, ...], ...]
    """Games of each block, in the order of its seatings."""


class Passes:
    """A buffer that takes games in any order and yields passes in the order of the schedule."""

    def __init__(self, schedule: Schedule) -> None:
        self._passes = schedule.passes()
        self._pass: SchedulePass | None = next(self._passes, None)
        self._waiting: dict[int, GameResult] = {}
        """Games of passes that are not complete or not due yet, by number."""

    def add(self, number: int, result: GameResult) -> None:
        """Add the result of game ``number``."""
        self._waiting[number] = result

    def finished(self, out: Callable[[], Set[str]]) -> Iterator[FinishedPass]:
        """Yield every pass that is due and complete, each once.

        ``out`` returns the entrants that are out; it is called before each pass.
        """
        while self._pass is not None:
            wanted = [block for block in _wanted(self._pass, out()) if block]
            if not wanted or not all(
                number in self._waiting for block in wanted for number in block
            ):
                return
            blocks = tuple(tuple(self._waiting[number] for number in each) for each in wanted)
            for pairing in self._pass.own:
                for number in self._pass.games(pairing):
                    self._waiting.pop(number, None)
            finished = FinishedPass(self._pass.discipline, blocks)
            self._pass = next(self._passes, None)
            yield finished


def _wanted(begun: SchedulePass, out: Set[str]) -> Iterator[list[int]]:
    """Yield for each block the numbers of the games that are to be played."""
    for pairing in begun.own:
        numbers = enumerate(begun.games(pairing))
        yield [number for game, number in numbers if out.isdisjoint(begun.seated(pairing, game))]
