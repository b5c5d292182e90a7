"""The score at the end of a game."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.games.dragonkrak.rules.cards import MAX_REPEATED
from arena.games.dragonkrak.rules.state import Phase, State
from arena.results import Outcome

TURN_LIMIT: Final = "DK-42"
REPETITION: Final = "DK-55"
ENDINGS: Final = {
    TURN_LIMIT: "broken off after 1,000 turns",
    REPETITION: "the same position for the third time",
}
"""Description of what ended a game, by the ruling that ended it."""


class Grade(NamedTuple):
    """One of the five grades of a game of one seat."""

    number: int
    """Number of the grade, from 1, the best, to 5."""
    deserters: int
    """Highest number of deserters that earns this grade."""
    words: str


GRADES: Final = (
    Grade(1, 0, "flawless"),
    Grade(2, 4, "good"),
    Grade(3, 8, "costly"),
    Grade(4, 14, "a defeat"),
    Grade(5, 48, "a disaster"),
)


def grade_of(deserters: int) -> Grade:
    """Return the grade of a game of one seat with this number of deserters."""
    return next(grade for grade in GRADES if deserters <= grade.deserters)


def outcome(state: State) -> Outcome | None:
    """Return the outcome by cards left, fewest first; with one seat, by its deserters.

    Returns None before the end. If every seat has cards left, a ruling ended the game.
    """
    if state.phase is not Phase.OVER:
        return None
    if len(state.sides) == 1:
        return Outcome((len(state.deserters),), (1,))
    left = tuple(len(side.hand) + len(side.camp) for side in state.sides)
    places = tuple(1 + sum(other < own for other in left) for own in left)
    if not all(left):
        return Outcome(left, places)
    return Outcome(left, places, REPETITION if state.repeated == MAX_REPEATED else TURN_LIMIT)
