"""Cards, spaces, editions and the deck list of Dragonheart, without any game logic.

A card is the string ``kind:value``, such as ``dwarf:2``. Kinds stand in alphabetical order, so
sorting cards as plain strings gives their order here and in any other language.

The deck list is data that users may replace. It is checked before anything is built from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from arena.games.base import RulesError, check_keys

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
        title="Dragonheart, Kosmos edition",
        ends_on_failed_draw=False,
    ),
    "ffg": Edition(
        title="Dragonheart, FFG edition",
        ends_on_failed_draw=True,
    ),
}


MIN_SHIPS: Final = 5
"""Fewest ships in a deck: nine ships end the game, so two decks must hold at least nine."""

_TEXTS: Final = ("data_id", "status", "note")


class Deck(msgspec.Struct, frozen=True):
    """One checked deck list; each seat plays with a copy of it."""

    data_id: str
    status: str
    """Reliability of the list, as shown to people: ``provisional`` or ``verified``, for example."""
    note: str
    deck: dict[str, tuple[int, ...]]
    """Values by kind, ascending; ships have the value 0."""

    @property
    def cards(self) -> Cards:
        """All cards of the deck in order."""
        return tuple(f"{kind}:{value}" for kind in KINDS for value in self.deck[kind])


def read_deck(data: Mapping[str, object]) -> Deck:
    """Return the deck that parsed data stands for.

    Raises RulesError, with the path of the offending value, unless there are exactly the nine
    kinds, 50 cards, integer values 0 … 4, ships worth 0 and at least five ships.
    """
    check_keys(("data",), data, (*_TEXTS, "deck"), optional=("note",))
    data_id, status, note = (_text(data, key) for key in _TEXTS)
    kinds = data["deck"]
    if not isinstance(kinds, Mapping):
        raise RulesError(("data", "deck"), f"expected lists of values by kind, got {kinds!r}")
    check_keys(("data", "deck"), kinds, KINDS)
    deck = {kind: _values(kind, kinds[kind]) for kind in KINDS}
    total = sum(map(len, deck.values()))
    if total != DECK_SIZE:
        raise RulesError(("data", "deck"), f"expected {DECK_SIZE} cards, got {total}")
    return Deck(data_id, status, note, deck)


def _text(data: Mapping[str, object], key: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str) or not (value or key == "note"):
        raise RulesError(("data", key), f"expected text, got {value!r}")
    return value


def _values(kind: str, values: object) -> tuple[int, ...]:
    path = ("data", "deck", kind)
    if not isinstance(values, list | tuple):
        raise RulesError(path, f"expected a list of values, got {values!r}")
    allowed = range(1) if kind == "ship" else VALUES  # DH-20: ships are printed without a number
    expected = "0" if kind == "ship" else f"an integer from 0 to {VALUES[-1]}"
    for index, value in enumerate(values):
        if type(value) is not int or value not in allowed:
            raise RulesError((*path, index), f"expected {expected}, got {value!r}")
    if kind == "ship" and len(values) < MIN_SHIPS:
        raise RulesError(path, f"expected at least {MIN_SHIPS} ships, got {len(values)}")
    return tuple(sorted(values))
