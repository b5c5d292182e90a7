"""How a game is counted at its end."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.results import Outcome
from arena.rules.dragonkrak.state import Phase, State


class Grade(NamedTuple):
    """One of the five verdicts on a game of one seat."""

    number: int
    """From 1, the best, to 5."""
    deserters: int
    """The most deserters that it allows."""
    words: str


GRADES: Final = (
    Grade(1, 0, "flawless"),
    Grade(2, 4, "good"),
    Grade(3, 8, "costly"),
    Grade(4, 14, "a defeat"),
    Grade(5, 48, "a disaster"),
)


def grade_of(deserters: int) -> Grade:
    """The verdict on a game of one seat."""
    return next(grade for grade in GRADES if deserters <= grade.deserters)


def outcome(state: State) -> Outcome | None:
    """With one seat its deserters; with several the cards that each has left, fewest first."""
    if state.phase is not Phase.OVER:
        return None
    if len(state.sides) == 1:
        return Outcome((len(state.deserters),), (1,))
    left = tuple(len(side.hand) + len(side.camp) for side in state.sides)
    return Outcome(left, tuple(1 + sum(other < own for other in left) for own in left))
