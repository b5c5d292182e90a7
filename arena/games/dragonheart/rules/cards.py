"""Cards, spaces and editions of Dragonheart: the printed facts, without any game logic.

A card is the string ``kind:value``, such as ``dwarf:2``. Kinds stand in alphabetical order, so
sorting cards as plain strings gives their order here and in any other language.
"""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

KINDS: Final = (
    "dwarf",
    "fire_dragon",
    "huntress",
    "knight",
    "petrified",
    "ship",
    "sorceress",
    "treasure",
    "troll",
)
DWARF, FIRE_DRAGON, HUNTRESS, KNIGHT, PETRIFIED, SHIP, SORCERESS, TREASURE, TROLL = range(9)
QUAY: Final = 9
"""Index of the quay: the face-up pile below the ship, where knights and huntresses wait. No cards
are played to it."""
SPACES: Final = (*KINDS, "quay")

Card: TypeAlias = Annotated[
    str,
    msgspec.Meta(pattern=f"^({'|'.join(KINDS)}):[0-4]$", description="A card: kind:value."),
]
Cards: TypeAlias = tuple[Card, ...]

VALUES: Final = range(5)
KIND_OF: Final[dict[Card, int]] = {
    f"{kind}:{value}": index for index, kind in enumerate(KINDS) for value in VALUES
}
VALUE_OF: Final[dict[Card, int]] = {f"{kind}:{value}": value for kind in KINDS for value in VALUES}
CARD: Final[dict[str, Card]] = {card: card for card in KIND_OF}
"""The one string object of each card: comparing identical objects is faster."""

DECK_SIZE: Final = 50
HAND_LIMIT: Final = 5
HAND_LIMIT_WITH_FIGURE: Final = 6
FIGURE_POINTS: Final = 3
SHIP_SETS_TO_END: Final = 3

ROW_SIZE: Final = (4, 0, 3, 2, 0, 3, 0, 0, 0)
"""Number of cards, by kind, that fill the row and trigger its effect. 0 stands for a stack, where
every play triggers the effect."""
COLLECTS: Final = {
    DWARF: DWARF,
    FIRE_DRAGON: TREASURE,
    HUNTRESS: FIRE_DRAGON,
    SHIP: QUAY,
    TROLL: SORCERESS,
}
"""The one space whose cards the effect collects, by kind."""
CHOICES: Final = {KNIGHT: (SORCERESS, TROLL), SORCERESS: (TREASURE, PETRIFIED)}
"""The two spaces, by kind, of which the effect collects one."""


class Edition(NamedTuple):
    """Differences between the publishers' rules."""

    title: str
    ends_on_failed_draw: bool
    """True if a seat's last turn is its first turn without a drawn card. If False, it is the turn
    after the one in which the seat took the last card of its pile."""


EDITIONS: Final = {
    "kosmos": Edition(
        title="Drachenherz",
        ends_on_failed_draw=False,
    ),
    "ffg": Edition(
        title="Dragonheart",
        ends_on_failed_draw=True,
    ),
}
