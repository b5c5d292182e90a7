"""The full state of a game of Dragonheart: immutable values, secrets included."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from arena.extensions.games.dragonheart.rules.cards import SPACES, Card, Cards
from arena.values.results import Seat


class Phase(StrEnum):
    """The decision or chance event that is due."""

    DEAL = "deal"
    """Chance shuffles a deck."""
    STARTER = "starter"
    """Chance picks the seat that begins."""
    PLAY = "play"
    """The seat whose turn it is plays cards."""
    TAKE = "take"
    """The seat whose turn it is chooses which of two spaces to collect."""
    STEAL = "steal"
    """Chance picks the card that the other seat loses with the figure."""
    OVER = "over"


class Side(msgspec.Struct, frozen=True, gc=False):
    """Cards and other possessions of one seat."""

    hand: Cards
    """Cards in the hand, sorted."""
    pile: Cards
    """The draw pile, top first."""
    collected: Cards
    """Score pile, in the order of collecting."""
    played: Cards
    """Every card the seat has played, in that order; with hand and pile the whole deck."""
    returned: Card | None
    """Card on top of the pile if a theft put it there, so that the seat knows it; else None."""
    emptied: bool
    """True once the seat took the last card of its pile in an earlier turn. It stays True if a
    theft later puts a card back."""
    thefts: int
    """Number of cards stolen from the seat's hand so far."""


class State(msgspec.Struct, frozen=True, gc=False):
    """A position. ``turn`` counts from 1; it is 0 until the first turn begins."""

    phase: Phase
    seat: Seat
    """Seat whose turn it is; in phase DEAL whose deck is due; after the end the last to move."""
    turn: int
    sides: tuple[Side, Side]
    board: tuple[Cards, ...]
    """Cards by space, the quay included; bottom card first."""
    ship_sets: int
    figure: Seat | None
    """Owner of the dragon figure; None while it is on the board."""
    final_turn: int | None
    """Number of the last turn, once it is known; else None."""
    choice: int | None
    """Kind whose effect asks for the choice, in phase TAKE; else None."""


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
