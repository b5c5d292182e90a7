"""Cards, tokens and spaces of Dragonkrak: the printed facts, without any game logic.

A troop is the string ``colour:value`` with a value of two digits, such as ``druids:07``; every hero
is the string ``hero``. Sorting cards as plain strings gives their order here and in any other
language: by colour in alphabetical order, then by value, heroes between druids and paladins.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

Colour: TypeAlias = Literal["artisans", "druids", "paladins", "tribes"]
Dragon: TypeAlias = Literal["red", "undead"]
Army: TypeAlias = Literal["I", "II", "III", "IV"]
Space: TypeAlias = Literal["I", "II", "III", "IV", "tower"]
ColouredSpace: TypeAlias = Literal["III", "IV", "tower"]
Token: TypeAlias = Literal[
    "counter_order",
    "epidemic",
    "imprisoned",
    "overflight",
    "reinforcements",
    "undead_dragon",
    "volunteers",
]

COLOURS: Final[tuple[Colour, ...]] = ("artisans", "druids", "paladins", "tribes")
VALUES: Final = range(1, 13)
HERO: Final = "hero"
HEROES: Final = 4
OPENING_HERO_VALUE: Final = 13
"""Value of a hero when the opening hands are compared."""

Card: TypeAlias = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^(hero|({'|'.join(COLOURS)}):(0[1-9]|1[0-2]))$",
        description="A card: colour:value of two digits, or hero.",
    ),
]
Cards: TypeAlias = tuple[Card, ...]

COLOUR_OF: Final[dict[Card, Colour]] = {
    f"{colour}:{value:02}": colour for colour in COLOURS for value in VALUES
}
VALUE_OF: Final[dict[Card, int]] = {
    f"{colour}:{value:02}": value for colour in COLOURS for value in VALUES
}
TROOPS: Final[Cards] = tuple(VALUE_OF)
DECK: Final[Cards] = tuple(sorted((*TROOPS, *[HERO] * HEROES)))
CARD: Final[dict[str, Card]] = {card: card for card in DECK}
"""The one string object of each card: comparing identical objects is faster."""

ARMIES: Final[tuple[Army, ...]] = ("I", "II", "III", "IV")
SPACES: Final[tuple[Space, ...]] = (*ARMIES, "tower")
TOWER: Final = 4
"""Index of the watchtower; armies have the indices 0 to 3."""
INDEX: Final[dict[str, int]] = {space: index for index, space in enumerate(SPACES)}
STEP: Final = (1, -1, 1, -1)
"""Direction of each army: 1 if values rise from card to card, -1 if they fall."""
BELOW: Final = (0, 13, 0, 13)
"""Value that any first card follows, by army."""
BEYOND: Final = (13, 0, 13, 0)
"""Value just beyond the last possible card, by army."""
COLOURED: Final = (False, False, True, True, True)
"""True, by space, if all cards must have one colour."""
FULL: Final = 6
"""Number of cards that fill a space, after which they leave the game."""
HAND_SIZE: Final = 3

TOKENS: Final[tuple[Token, ...]] = (
    "counter_order",
    "epidemic",
    "imprisoned",
    "overflight",
    "reinforcements",
    "undead_dragon",
    "undead_dragon",
    "volunteers",
)
SOLO_TOKENS: Final[tuple[Token, ...]] = (
    "counter_order",
    "epidemic",
    "overflight",
    "reinforcements",
    "volunteers",
)
DEALT_TOKENS: Final = 2
"""Random event tokens dealt to each seat at a table of several."""

MAX_TURNS: Final = 1000
"""Number of turns after which a game of several seats is broken off (DK-42)."""
MAX_REPEATED: Final = 2
"""Number of earlier occurrences of a position at which the game ends (DK-55)."""
