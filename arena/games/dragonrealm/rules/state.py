"""The full state of a game of Dragonrealm: immutable values, secrets included."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from arena.games.dragonrealm.rules.cards import ADVENTURERS, GOBLINS, Card, Cards, Way
from arena.games.dragonrealm.rules.incidents import Incident
from arena.games.dragonrealm.rules.knowledge import Held
from arena.results import Seat

Task: TypeAlias = str
"""Something to be done, with its seat, slot or card behind a colon. Chance is asked for

``locations``, ``enhancements``, ``deal``      the setup
``goblins``                                    cards Goblins! that four seats play without
``starter``, ``dice``
``reshuffle``, ``reshuffle_enhancements``      a new adventurer or enhancement deck

a seat may be asked for

``keep:SEAT``                                  which enhancements it keeps
``turn``, ``end``                              what it does, or buys
``draw``, ``cards``, ``reroll``, ``academy``, ``place``
``discard``, ``limit``                         a card it discards; until nine are left
``pass:DIRECTION:SEAT``                        cards it passes

and these happen without a question

``resolve``                                    success or failure of an Explore
``take:SEAT``, ``refill:SLOT``                 a card from the deck to a hand, to the face-up cards
``slide:DIRECTION``, ``short:SEAT``            the cards pass; one that is missing is drawn
``event:CARD``                                 an event card that waits (DR-08)

``over`` is the end.
"""


class Side(NamedTuple):
    """What belongs to one seat."""

    hand: Cards = ()
    """Sorted."""
    supply: int = ADVENTURERS
    """Adventurers that are nowhere else."""
    camp: int = 0
    """Adventurers at the Academy or Alley."""
    coins: int = 0
    """Without what enhancements and the bonus bring at the end."""
    won: tuple[str, ...] = ()
    """Locations, in the order of winning them."""
    offered: tuple[str, ...] = ()
    """Enhancements it could choose from."""
    enhancements: tuple[str, ...] = ()
    """Those it has, sorted; after the choice until all have chosen, too."""
    shown: tuple[str, ...] = ()
    """Those of them that lie face up, in the order of showing."""
    thrown: int = 0
    """Dice it has thrown so far."""


class Place(NamedTuple):
    """A location in the row with the pieces on it."""

    location: str
    adventurers: tuple[int, ...]
    """By seat."""
    goblins: int


class Attempt(NamedTuple):
    """An Explore that is not yet resolved."""

    slot: int
    """Of the location in the row."""
    way: Way
    cards: Cards = ()
    """Played; they stay in the hand until they are discarded."""
    used: tuple[str, ...] = ()
    """One-time enhancements that were declared, in that order."""
    dice: tuple[int, ...] = ()
    """Sorted."""
    academy: int = 0
    """Adventurers taken back from the Academy for this roll."""
    rerolled: int = 0
    """Dice that were thrown once more."""


def current(attempt: Attempt | None) -> Attempt:
    """The Explore that is going on. Raises ValueError if there is none."""
    if attempt is None:
        raise ValueError("no Explore is going on")
    return attempt


class State(NamedTuple):
    """A position."""

    todo: tuple[Task, ...]
    """The last is next."""
    seat: Seat
    """Whose turn it is."""
    turn: int
    """From 1, counted over all seats; 0 before the first."""
    sides: tuple[Side, ...]
    row: tuple[Place, ...]
    locations: tuple[str, ...]
    """The location deck, top first."""
    unclaimed: tuple[str, ...]
    """Completed locations that nobody won."""
    deck: Cards
    """The adventurer deck, top first."""
    discards: Cards
    face_up: tuple[Card | None, ...]
    """None: about to be refilled, or no card was left."""
    goblins: int
    """Goblins in the supply."""
    removed: Cards
    """Cards Goblins! that left the game unseen."""
    enhancements: tuple[str, ...]
    """The enhancement deck, top first; on the Academy side it has left the game."""
    rejected: tuple[tuple[str, ...], ...]
    """By seat what it put at the bottom of that deck, until the deck is shuffled."""
    spent: tuple[str, ...]
    """Enhancements that left the game (DR-42)."""
    attempt: Attempt | None
    passes: tuple[Cards, ...]
    """By seat what it has chosen to pass; empty until then."""
    held: Held
    shuffles: int
    """Of the adventurer deck since the deal."""
    enhancement_shuffles: int
    ruling: str = ""
    """After the end the ruling that brought it; empty if a Dragon is complete."""
    incidents: tuple[Incident, ...] = ()
    """What happened without a decision on the last ply."""


def initial(seats: int, todo: tuple[Task, ...]) -> State:
    """The state before any chance event."""
    return State(
        todo=todo,
        seat=0,
        turn=0,
        sides=(Side(),) * seats,
        row=(),
        locations=(),
        unclaimed=(),
        deck=(),
        discards=(),
        face_up=(),
        goblins=GOBLINS,
        removed=(),
        enhancements=(),
        rejected=((),) * seats,
        spent=(),
        attempt=None,
        passes=((),) * seats,
        held=((),) * seats,
        shuffles=0,
        enhancement_shuffles=0,
    )
