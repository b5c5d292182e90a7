"""The full state of a game of Dragonheart: immutable values, secrets included."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from arena.games.dragonheart.rules.cards import SPACES, Card, Cards
from arena.results import Seat


class Phase(StrEnum):
    """What happens next."""

    DEAL = "deal"
    """Chance shuffles a deck."""
    STARTER = "starter"
    """Chance picks the seat that begins."""
    PLAY = "play"
    """The seat whose turn it is plays cards."""
    TAKE = "take"
    """It chooses which of two spaces to collect."""
    STEAL = "steal"
    """Chance picks the card that the other seat loses with the figure."""
    OVER = "over"


class Side(NamedTuple):
    """What belongs to one seat."""

    hand: Cards
    """Sorted."""
    pile: Cards
    """The draw pile, top first."""
    collected: Cards
    """The score pile, in the order of collecting."""
    played: Cards
    """Every card it has played, in that order; with hand and pile its whole deck."""
    returned: Card | None
    """The card on top of the pile, if a theft put it there: the seat knows it."""
    emptied: bool
    """Whether it took the last card of its pile in an earlier turn, even if a theft has since put
    one back."""
    thefts: int
    """How many cards were stolen from its hand so far."""


class State(NamedTuple):
    """A position. ``turn`` counts from 1; it is 0 until the first turn begins."""

    phase: Phase
    seat: Seat
    """Whose turn it is; in phase DEAL whose deck is due; after the end who had the last turn."""
    turn: int
    sides: tuple[Side, Side]
    board: tuple[Cards, ...]
    """By space, the quay included; bottom card first."""
    ship_sets: int
    figure: Seat | None
    """Who owns the figure."""
    final_turn: int | None
    """The number of the last turn, once it is known."""
    choice: int | None
    """In phase TAKE the kind whose effect asks for the choice."""


_EMPTY_SIDE: Final = Side((), (), (), (), None, False, 0)
INITIAL: Final = State(
    phase=Phase.DEAL,
    seat=0,
    turn=0,
    sides=(_EMPTY_SIDE, _EMPTY_SIDE),
    board=((),) * len(SPACES),
    ship_sets=0,
    figure=None,
    final_turn=None,
    choice=None,
)
