"""The cards of a set: data that users may replace, checked before anything is built from it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from arena.extensions.games.dragonrealm.rules.cards import (
    DICE,
    DRAGON,
    ENHANCEMENTS,
    GOBLINS,
    LEVELS,
    LOCATIONS_PER_LEVEL,
    POSITIONS,
    SUITS,
    WAYS,
    Way,
)
from arena.games.base import RulesError, check_keys

Special: TypeAlias = Literal["none", "max_two_players", "fail_discard_one", "no_academy"]
When: TypeAlias = Literal["before_roll", "after_roll", "rest", "on_fail", "game_end"]
Path: TypeAlias = tuple[str | int, ...]

SPECIALS: Final[tuple[Special, ...]] = (
    "none",
    "max_two_players",
    "fail_discard_one",
    "no_academy",
)
EFFECTS: Final[dict[When, tuple[tuple[str, ...], ...]]] = {
    "before_roll": (("add", "action"), ("remove_goblin_here",)),
    "after_roll": (("reroll_dice",),),
    "rest": (("draw_extra", "then_discard"),),
    "on_fail": (("draw",),),
    "game_end": (("coins",), ("dragonstones",)),
}
"""The effects possible at each moment, as the keys that describe them."""
ONE_TIME: Final = ("before_roll", "after_roll")
"""Moments at which a card may be one-time: success spends it, so it must matter to the roll."""

_ID: Final = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED: Final = ("goblins", "rockslide", "deck")
_TEXTS: Final = ("data_id", "status", "note")
_KEYS: Final = (*_TEXTS, "suits", "dice", "goblins", "locations", "enhancements")
_LOCATION_KEYS: Final = (
    "id",
    "name",
    "known",
    "level",
    "spaces",
    "reward",
    "stones",
    *WAYS,
    "gold",
    "special",
    "min_players",
)
_ENHANCEMENT_KEYS: Final = ("id", "name", "known", "level", "one_time", "when", "effect")


class PrintedLocation(msgspec.Struct, frozen=True):
    """Print of a location card."""

    id: str
    level: int
    """Level, 1 purple, 2 orange, 3 blue; 0 for a Dragon, whose completion ends the game."""
    spaces: int
    reward: tuple[int, int]
    """Coins of the first and of the second place."""
    stones: int
    sneak: int
    search: int
    storm: int
    gold: tuple[Way, ...]
    """Ways that may place two adventurers."""
    special: Special


class Location(PrintedLocation, frozen=True):
    """One location card of a set."""

    name: str
    known: tuple[str, ...]
    """Fields that are facts about the printed card."""
    min_players: int

    def needs(self, way: Way) -> int:
        """Return the total that succeeds in this way."""
        return {"sneak": self.sneak, "search": self.search, "storm": self.storm}[way]


class EnhancementView(msgspec.Struct, frozen=True, gc=False):
    """One of your enhancements, as it is printed."""

    id: str
    level: int
    one_time: bool
    when: When
    effect: dict[str, Any]
    """Values for one of the sets of keys in EFFECTS: numbers, and for ``action`` a way."""


class Enhancement(EnhancementView, frozen=True):
    """One enhancement card of a set."""

    name: str
    known: tuple[str, ...]


class CardSet(msgspec.Struct, frozen=True):
    """All facts that the rulebook leaves to the cards."""

    data_id: str
    status: str
    """Reliability of the set, as shown to people: ``stand-in`` or ``verified``, for example."""
    note: str
    suits: tuple[str, ...]
    """Names of the suits, sorted."""
    dice: tuple[int, ...]
    goblins: dict[str, int]
    """Number of Goblins! cards by position (DR-44)."""
    locations: tuple[Location, ...]
    enhancements: tuple[Enhancement, ...]


def read_cards(data: Mapping[str, object]) -> CardSet:
    """Return the set that parsed data stands for.

    Raises RulesError, with the path of the offending value, unless there are five suits, six dice
    faces, six cards Goblins!, five locations of each level and 16 enhancements, with unique ids and
    values in their ranges.
    """
    path: Path = ("data",)
    check_keys(path, data, _KEYS, optional=("note",))
    data_id, status, note = (_text((*path, key), data.get(key, "")) for key in _TEXTS)
    for key, value in (("data_id", data_id), ("status", status)):
        if not value:
            raise RulesError((*path, key), "expected text, got ''")
    locations = _list(
        (*path, "locations"), data["locations"], len((DRAGON, *LEVELS)) * LOCATIONS_PER_LEVEL
    )
    enhancements = _list((*path, "enhancements"), data["enhancements"], ENHANCEMENTS)
    cards = CardSet(
        data_id,
        status,
        note,
        _suits((*path, "suits"), data["suits"]),
        _dice((*path, "dice"), data["dice"]),
        _goblins((*path, "goblins"), data["goblins"]),
        tuple(_location((*path, "locations", i), item) for i, item in enumerate(locations)),
        tuple(_enhancement((*path, "enhancements", i), e) for i, e in enumerate(enhancements)),
    )
    _check_ids((*path, "locations"), [card.id for card in cards.locations])
    _check_ids((*path, "enhancements"), [card.id for card in cards.enhancements])
    for level in (DRAGON, *LEVELS):
        found = sum(card.level == level for card in cards.locations)
        if found != LOCATIONS_PER_LEVEL:
            raise RulesError(
                (*path, "locations"),
                f"expected {LOCATIONS_PER_LEVEL} locations of level {level}, got {found}",
            )
    return cards


def _location(path: Path, data: object) -> Location:
    fields = _mapping(path, data)
    check_keys(path, fields, _LOCATION_KEYS, optional=("min_players",))
    reward = _list((*path, "reward"), fields["reward"], 2)
    gold = _list((*path, "gold"), fields["gold"])
    for index, way in enumerate(gold):
        _choice((*path, "gold", index), way, WAYS)
    if len(set(gold)) != len(gold):
        raise RulesError((*path, "gold"), f"expected each way once, got {gold!r}")
    return Location(
        id=_id((*path, "id"), fields["id"]),
        name=_text((*path, "name"), fields["name"]),
        known=_known(path, fields),
        level=_integer((*path, "level"), fields["level"], DRAGON, LEVELS[-1]),
        spaces=_integer((*path, "spaces"), fields["spaces"], 1, 12),
        reward=(
            _integer((*path, "reward", 0), reward[0], 1, 24),
            _integer((*path, "reward", 1), reward[1], 1, 24),
        ),
        stones=_integer((*path, "stones"), fields["stones"], 0, 24),
        sneak=_integer((*path, "sneak"), fields["sneak"], 1, 24),
        search=_integer((*path, "search"), fields["search"], 1, 24),
        storm=_integer((*path, "storm"), fields["storm"], 1, 24),
        gold=tuple(way for way in WAYS if way in gold),
        special=_choice((*path, "special"), fields["special"], SPECIALS),
        min_players=_integer((*path, "min_players"), fields.get("min_players", 2), 2, 4),
    )


def _enhancement(path: Path, data: object) -> Enhancement:
    fields = _mapping(path, data)
    check_keys(path, fields, _ENHANCEMENT_KEYS)
    when = _choice((*path, "when"), fields["when"], tuple(EFFECTS))
    one_time = fields["one_time"]
    if type(one_time) is not bool:
        raise RulesError((*path, "one_time"), f"expected true or false, got {one_time!r}")
    if one_time and when not in ONE_TIME:
        raise RulesError(
            (*path, "one_time"), f"expected false, or when {' or '.join(ONE_TIME)}, got True"
        )
    return Enhancement(
        id=_id((*path, "id"), fields["id"]),
        name=_text((*path, "name"), fields["name"]),
        known=_known(path, fields),
        level=_integer((*path, "level"), fields["level"], 1, 2),
        one_time=one_time,
        when=when,
        effect=_effect((*path, "effect"), when, fields["effect"]),
    )


def _effect(path: Path, when: When, data: object) -> dict[str, Any]:
    fields = _mapping(path, data)
    keys = next((keys for keys in EFFECTS[when] if set(keys) == set(fields)), None)
    if keys is None:
        expected = " or ".join(" with ".join(keys) for keys in EFFECTS[when])
        found = ", ".join(map(repr, fields)) or "nothing"
        raise RulesError(path, f"expected {expected} for {when}, got {found}")
    return {
        key: _choice((*path, key), fields[key], WAYS)
        if key == "action"
        else _integer((*path, key), fields[key], 1, 24)
        for key in keys
    }


def _suits(path: Path, data: object) -> tuple[str, ...]:
    suits = [_id((*path, i), suit) for i, suit in enumerate(_list(path, data, SUITS))]
    _check_ids(path, suits)
    for index, suit in enumerate(suits):
        if suit in _RESERVED:
            raise RulesError((*path, index), f"expected a name of its own, got {suit!r}")
    return tuple(sorted(suits))


def _dice(path: Path, data: object) -> tuple[int, ...]:
    faces = _list(path, data, DICE)
    return tuple(sorted(_integer((*path, i), face, 1, 24) for i, face in enumerate(faces)))


def _goblins(path: Path, data: object) -> dict[str, int]:
    fields = _mapping(path, data)
    check_keys(path, fields, POSITIONS)
    counts = {key: _integer((*path, key), fields[key], 0, GOBLINS) for key in POSITIONS}
    if sum(counts.values()) != GOBLINS:
        raise RulesError(path, f"expected {GOBLINS} cards, got {sum(counts.values())}")
    return counts


def _known(path: Path, fields: Mapping[str, object]) -> tuple[str, ...]:
    path = (*path, "known")
    return tuple(_text((*path, i), item) for i, item in enumerate(_list(path, fields["known"])))


def _check_ids(path: Path, ids: list[str]) -> None:
    for index, name in enumerate(ids):
        if name in ids[:index]:
            raise RulesError((*path, index), f"expected unique names, got {name!r} again")


def _mapping(path: Path, data: object) -> Mapping[str, object]:
    if not isinstance(data, Mapping):
        raise RulesError(path, f"expected fields with values, got {data!r}")
    return data


def _list(path: Path, data: object, length: int | None = None) -> list[Any]:
    if not isinstance(data, list | tuple):
        raise RulesError(path, f"expected a list, got {data!r}")
    if length is not None and len(data) != length:
        raise RulesError(path, f"expected {length} entries, got {len(data)}")
    return list(data)


def _text(path: Path, value: object) -> str:
    if not isinstance(value, str):
        raise RulesError(path, f"expected text, got {value!r}")
    return value


def _id(path: Path, value: object) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise RulesError(path, f"expected lower-case letters, digits and _, got {value!r}")
    return value


def _integer(path: Path, value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise RulesError(path, f"expected an integer from {low} to {high}, got {value!r}")
    return value


def _choice(path: Path, value: Any, choices: Collection[Any]) -> Any:
    if not isinstance(value, str) or value not in choices:
        raise RulesError(path, f"expected one of {', '.join(choices)}, got {value!r}")
    return value
