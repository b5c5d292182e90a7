"""The facts printed in Dragonrealm that do not depend on the data: sizes, ways, events, levels.

A number card is the string ``suit:value`` with two digits, such as ``bell:07``, so sorting cards as
plain strings gives their order by suit and value here and in any other language. An event card is
``goblins:POSITION`` or ``rockslide:DIRECTION``.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

Way: TypeAlias = Literal["sneak", "search", "storm"]
Card: TypeAlias = Annotated[
    str, msgspec.Meta(description="A card: suit:value of two digits, or an event card.")
]
Cards: TypeAlias = tuple[Card, ...]

WAYS: Final[tuple[Way, ...]] = ("sneak", "search", "storm")
"""The ways to explore: a run of consecutive numbers, equal numbers, one suit (DR-01)."""
VALUES: Final = range(1, 13)
SUITS: Final = 5
POSITIONS: Final = ("left", "middle", "right")
GOBLIN_CARDS: Final[Cards] = tuple(f"goblins:{position}" for position in POSITIONS)
ROCKSLIDE_PASSES: Final = {"left": 2, "right": 1}
"""Number of cards everybody passes, by direction. Left is the next seat."""
ROCKSLIDE_CARDS: Final[Cards] = tuple(f"rockslide:{direction}" for direction in ROCKSLIDE_PASSES)
EVENT_CARDS: Final = frozenset(GOBLIN_CARDS + ROCKSLIDE_CARDS)

ADVENTURERS: Final = 8
"""Pieces of each seat."""
GOBLINS: Final = 6
"""Number of goblin pieces, and of Goblins! cards."""
DICE: Final = 6
START_HAND: Final = 5
HAND_LIMIT: Final = 9
FACE_UP: Final = 2
REST_DRAWS: Final = 2
ROW: Final = 3
DRAGON: Final = 0
"""Level of a Dragon location; the others are 1 purple, 2 orange and 3 blue."""
LEVELS: Final = (1, 2, 3)
LOCATIONS_PER_LEVEL: Final = 5
ENHANCEMENTS: Final = 16
OFFERED: Final = 3
"""Enhancements that each seat is offered: it keeps two of level 1 or one of level 2."""
KEPT: Final = {1: 2, 2: 1}
"""Number of enhancements a seat keeps, by level."""

ALLEY_ADVENTURERS: Final = 2
ALLEY_COINS: Final = 2
"""Price of a level 2 purchase in coins; a level 1 purchase costs a card."""
CAMP_STONES: Final = 3
"""Maximum of adventurers left at the Academy or Alley that count as Dragonstones."""
BONUS: Final = 5
SHARED_BONUS: Final = 3
REMOVED_GOBLINS: Final = 2
"""Number of Goblins! cards that four seats play without."""
TURNS_PER_SEAT: Final = 600
"""Turns of every seat after which the game ends (DR-46)."""


def location_levels(seats: int) -> tuple[int, ...]:
    """Return the levels of the location deck, top first; two seats play with one card fewer."""
    order = (3, 2, 1, 3, 2, 1, DRAGON)
    return order[1:] if seats == 2 else order


def value_of(card: Card) -> int:
    """Return the number on a number card."""
    return int(card[-2:])


def is_event(card: Card) -> bool:
    """Return whether the card is Goblins! or Rockslide!."""
    return card in EVENT_CARDS
