"""The full state of a game of Dragonkrak, secrets and past positions included, and its score.

The repetition of a position at the beginning of a turn counts (DK-55). Positions are compared by
public information. That is enough: no hidden card is ever added to a seat, and while the numbers of
hidden cards in its hand and camp are unchanged, none has left, so they are the same cards in the
same order. For the same reason ``Position.left`` never rises, and a position from before it fell
cannot occur again.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena.extensions.games.dragonkrak.rules.cards import (
    MAX_REPEATED,
    SPACES,
    Cards,
    Colour,
    Dragon,
    Token,
)
from arena.values.results import Outcome, Seat


class Phase(StrEnum):
    """The decision or chance event that is due."""

    MUSTER = "muster"
    """Chance opens the four armies."""
    DEAL = "deal"
    """Chance deals a seat its camp."""
    TOKENS = "tokens"
    """Chance deals a seat its event tokens."""
    STARTER = "starter"
    """Chance picks the seat that begins."""
    TACTICS = "tactics"
    """The seat whose turn it is places cards."""
    RECRUIT = "recruit"
    """The seat whose turn it is takes a card from its camp; then the turn resumes."""
    FLIGHT = "flight"
    """The seat whose turn it is moves the red dragon."""
    OVER = "over"


class Pile(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The cards on one space, which everybody sees."""

    cards: Cards
    """Bottom card first, top card last."""
    colour: Colour | None = None
    """Colour that a card must have; absent while any colour is allowed, and on armies I and II."""
    hero: int | None = None
    """Value that the hero among the cards took; absent without a hero."""
    ordered: bool = False
    """True if a counter-order set the colour, which then stays until the pile is empty."""


class Side(msgspec.Struct, frozen=True, gc=False):
    """Cards and tokens of one seat."""

    hand: Cards
    """Cards in the hand, sorted."""
    camp: Cards
    """Cards in the camp, top card first."""
    known: int
    """Number of cards at the bottom of the camp that everybody knows. They were put there
    openly."""
    shown: Cards
    """Hand cards that everybody knows, sorted: shown at the start or drawn from ``known``."""
    heroes_shown: int
    """Number of the heroes dealt to this seat that everybody has seen."""
    tokens: tuple[Token, ...]
    """Tokens the seat still has, sorted."""
    used: tuple[Token, ...]
    """Tokens the seat has played, in that order."""


class TurnProgress(msgspec.Struct, frozen=True, gc=False):
    """Progress within a turn."""

    space: int | None
    """Space where all cards of this turn are placed, once that is settled."""
    placed: int
    """Number of cards that count as placed."""
    overflight: Dragon | None
    """Dragon that does not block in this turn."""
    inserting: int | None
    """Army into which volunteers may insert a second card."""


class Position(msgspec.Struct, frozen=True, gc=False):
    """Public part of the state at the beginning of a turn that can occur again (DK-55)."""

    left: int
    """A number that falls with every irreversible change, and never rises. Such changes are: a
    hidden card is drawn or played, a token is used, a card leaves the game."""
    seat: Seat
    piles: tuple[Pile, ...]
    red: int
    undead: int | None
    imprisoned_by: Seat | None
    known: tuple[Cards, ...]
    """Known cards of each seat: those of its hand, then those at the bottom of its camp."""


class State(msgspec.Struct, frozen=True, gc=False):
    """A position. ``turn`` counts from 1; it is 0 until the first turn begins."""

    phase: Phase
    seat: Seat
    """Seat whose turn it is; in setup the seat being dealt to; after the end the last to move."""
    turn: int
    sides: tuple[Side, ...]
    piles: tuple[Pile, ...]
    """The four armies, then the watchtower."""
    red: int
    """Army under the red dragon."""
    undead: int | None
    """Army under the undead dragon; None while it is not in play."""
    undead_by: Seat | None
    """Seat whose token brought the undead dragon into play."""
    imprisoned_by: Seat | None
    """Seat whose token closes the watchtower."""
    gone: Cards
    """Cards that have left the game, in that order."""
    deserters: Cards
    """Troops removed from armies, in that order; only with one seat."""
    progress: TurnProgress
    flying: bool
    """True, in phase RECRUIT, if the turn continues with FLIGHT."""
    past: tuple[Position, ...] = ()
    """Positions in which this turn and earlier ones began, as far back as one can occur again."""
    repeated: int = 0
    """Number of earlier occurrences of the position in which this turn began. After the end: of the
    position in which the next turn would have begun."""


EMPTY_PILE: Final = Pile(())
TURN_BEGINS: Final = TurnProgress(None, 0, None, None)
_EMPTY_SIDE: Final = Side((), (), 0, (), 0, (), ())


def initial_state(seats: int, *, two_dragons: bool) -> State:
    """Return the state in which nothing is dealt yet.

    The red dragon is on army I; with ``two_dragons`` a second one is on army IV.
    """
    return State(
        phase=Phase.MUSTER,
        seat=0,
        turn=0,
        sides=(_EMPTY_SIDE,) * seats,
        piles=(EMPTY_PILE,) * len(SPACES),
        red=0,
        undead=3 if two_dragons else None,
        undead_by=None,
        imprisoned_by=None,
        gone=(),
        deserters=(),
        progress=TURN_BEGINS,
        flying=False,
    )


Past: TypeAlias = tuple[Position, ...]


def noted(
    past: Past,
    seat: Seat,
    sides: tuple[Side, ...],
    piles: tuple[Pile, ...],
    red: int,
    undead: int | None,
    imprisoned_by: Seat | None,
    gone: Cards,
) -> tuple[Past, int]:
    """Return the past extended by the position in which the turn of ``seat`` begins.

    The second value is the number of earlier occurrences of that position.
    """
    left = -len(gone)
    known: list[Cards] = []
    for side in sides:
        camp, at_bottom, shown = side.camp, side.known, side.shown
        left += 2 * (len(camp) - at_bottom) + len(side.hand) - len(shown) + len(side.tokens)
        known += (shown, camp[-at_bottom:] if at_bottom else ())
    position = Position(left, seat, piles, red, undead, imprisoned_by, tuple(known))
    if not past or past[-1].left != left:
        return (position,), 0
    return (*past, position), past.count(position)


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


def outcome_of(state: State) -> Outcome | None:
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
