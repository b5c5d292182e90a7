"""The full state of a game of Dragonkrak: immutable values, secrets included."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from arena.games.dragonkrak.rules.cards import SPACES, Cards, Colour, Dragon, Token
from arena.results import Seat


class Phase(StrEnum):
    """What happens next."""

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
    """It chooses a card from its camp; then it goes on where it was."""
    FLIGHT = "flight"
    """It moves the red dragon."""
    OVER = "over"


class Pile(NamedTuple):
    """The cards on one space."""

    cards: Cards
    """Bottom card first."""
    colour: Colour | None
    """The colour that a card must have; None while any will do."""
    hero: int
    """The value that its hero took; 0 without a hero."""
    ordered: bool
    """Whether a counter-order gave the colour; it then stays until the pile is empty (DK-49)."""


class Side(NamedTuple):
    """What belongs to one seat."""

    hand: Cards
    """Sorted."""
    camp: Cards
    """Top first."""
    known: int
    """How many cards at the bottom of the camp everybody knows: they were put there openly."""
    shown: Cards
    """The hand cards that everybody knows, sorted: shown at the start or drawn from ``known``."""
    heroes_shown: int
    """How many of the heroes it was dealt have been seen by all."""
    tokens: tuple[Token, ...]
    """Sorted."""
    used: tuple[Token, ...]
    """The tokens it has played, in that order."""


class Progress(NamedTuple):
    """How far the turn has come."""

    space: int | None
    """Where all cards of this turn are placed, once that is settled."""
    placed: int
    """How many cards count as placed."""
    overflight: Dragon | None
    """The dragon that does not block in this turn."""
    inserting: int | None
    """The army into which volunteers may insert a second card."""


class Position(NamedTuple):
    """What everybody sees when a turn begins, as far as it can come again (DK-55)."""

    left: int
    """Falls whenever a hidden card is drawn or played, a token is used or a card leaves the game,
    and never rises."""
    seat: Seat
    piles: tuple[Pile, ...]
    red: int
    undead: int | None
    imprisoned_by: Seat | None
    known: tuple[Cards, ...]
    """For each seat the known cards of its hand, then those at the bottom of its camp."""


class State(NamedTuple):
    """A position. ``turn`` counts from 1; it is 0 until the first turn begins."""

    phase: Phase
    seat: Seat
    """Whose turn it is; in setup to whom is dealt; after the end who had the last turn."""
    turn: int
    sides: tuple[Side, ...]
    piles: tuple[Pile, ...]
    """The four armies, then the watchtower."""
    red: int
    """The army under the red dragon."""
    undead: int | None
    """The army under the undead dragon; None while it is not in play."""
    undead_by: Seat | None
    """Whose token brought it into play."""
    imprisoned_by: Seat | None
    """Whose token closes the watchtower."""
    gone: Cards
    """Cards that have left the game, in that order."""
    deserters: Cards
    """With one seat: the troops removed from armies, in that order."""
    progress: Progress
    flying: bool
    """In phase RECRUIT: whether the turn goes on with FLIGHT."""
    past: tuple[Position, ...] = ()
    """Those in which this turn and the ones before it began, as far back as one can come again."""
    repeated: int = 0
    """How often the position in which this turn began was there before; after the end the one in
    which the next would have begun."""


EMPTY_PILE: Final = Pile((), None, 0, False)
TURN_BEGINS: Final = Progress(None, 0, None, None)
_EMPTY_SIDE: Final = Side((), (), 0, (), 0, (), ())


def initial_state(seats: int, *, two_dragons: bool) -> State:
    """Nothing is dealt yet; the red dragon is on army I, a second one on army IV."""
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
