"""The deck list: data that users may replace, checked before anything is built from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from arena.games.base import RulesError, check_keys
from arena.games.dragonheart.rules.cards import DECK_SIZE, KINDS, VALUES, Cards

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
