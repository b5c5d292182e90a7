"""The blocks of a run in the order of its schedule, of those who are not out yet.

As in ``arena.schedule.prefix``, but pass by pass: one deal of every pairing. Nobody waits for the
games of entrants that are out, and their blocks, played ahead or not, are not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import NamedTuple

from arena.results import GameResult
from arena.schedule.schedule import Pass, Schedule


class FinishedPass(NamedTuple):
    """The blocks of all who were not out."""

    discipline: str
    blocks: tuple[tuple[GameResult, ...], ...]
    """The games of each, in the order of its seatings."""


class Passes:
    """Takes games in any order and gives back passes in theirs."""

    def __init__(self, schedule: Schedule) -> None:
        self._passes = schedule.passes()
        self._pass: Pass | None = next(self._passes, None)
        self._waiting: dict[int, GameResult] = {}
        """By number: games of passes that are not complete, or not due yet."""

    def add(self, number: int, result: GameResult) -> None:
        """Take the game of that number."""
        self._waiting[number] = result

    def finished(self, out: Callable[[], Set[str]]) -> Iterator[FinishedPass]:
        """Every pass that is due and complete, each once. ``out`` is asked before each."""
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


def _wanted(begun: Pass, out: Set[str]) -> Iterator[list[int]]:
    """Of each block the numbers of the games that are to be played."""
    for pairing in begun.own:
        numbers = enumerate(begun.games(pairing))
        yield [number for game, number in numbers if out.isdisjoint(begun.seated(pairing, game))]
