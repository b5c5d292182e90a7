"""The interface through which a game is shown, and the generic board, which shows raw JSON.

Boards read observations and events, decoded from their JSON, as the rules give them to a seat. They
apply no rules and show nothing that their arguments do not contain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.values import clean
from arena.values.results import Seat

Json: TypeAlias = Any
"""Decoded JSON value."""
Observations: TypeAlias = Mapping[Seat, Json]
"""Observations by seat: from one seat, from all seats, or from a spectator. A spectator has a
number that no seat has, and only the public fields. Never empty."""


class TableInfo(NamedTuple):
    """Names of the players and options of a game."""

    names: tuple[str, ...]
    """Player names by seat, safe to display."""
    options: Mapping[str, Json]


class Drawing(NamedTuple):
    """Files that draw a game's board in a browser, from the game's package."""

    styles: tuple[str, ...]
    scripts: tuple[str, ...]
    """Script files, in the order in which they depend on each other. They register a component in
    ``arena.boards`` under the name of the game."""
    facts: Mapping[str, Json] = {}
    """Facts of the rules, which scripts read as ``arena.facts.NAME``. Scripts use them so that no
    fact of the rules is written twice."""


def _no_hint(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    return ""


class BoardDisplay(NamedTuple):
    """Functions and texts that show one game. Every text is one line without control characters."""

    sentence: Callable[[Json, TableInfo], str]
    """Describes an event in words."""
    scores: Callable[[Json], tuple[int, ...] | None]
    """Returns the points by seat in an observation, or None if it does not contain them."""
    lines: Callable[[Observations, TableInfo], list[str]]
    """Returns the whole board with all seats, in about 16 lines of at most 79 columns."""
    compact: Callable[[Json, TableInfo], list[str]]
    """Returns one observation in few lines."""
    choice: Callable[[Json, Json, TableInfo], str]
    """Describes a legal action in the imperative, without a player's name: ``Play Dwarf 1 2``. The
    arguments are the action and the observation of the deciding seat. Different actions have
    different descriptions."""
    fewest_lead: bool = False
    """True if fewer points are better."""
    aim: str = ""
    """Object of the game, for a person who has not read the rules; empty to print nothing."""
    aim_alone: str = ""
    """Object of the game at a table of one seat, if it differs; else empty."""
    terms: tuple[tuple[str, str], ...] = ()
    """Terms used by ``lines`` and ``compact``, each with its meaning."""
    hint: Callable[[Json, Json, Mapping[str, Json]], str] = _no_hint
    """Describes consequences of an action that its words leave out. The arguments are the action,
    the observation of the seat and the public card data. The result is empty if there is nothing to
    add."""
    drawing: Drawing | None = None
    """Board in a browser; None selects the generic one."""

    def aim_at(self, seats: int) -> str:
        """Return the object of the game at a table of ``seats`` seats."""
        return self.aim_alone or self.aim if seats == 1 else self.aim


def anyone(observations: Observations) -> Json:
    """Return any one of the observations, to read what all seats know."""
    return next(iter(observations.values()))


def merged(events: Observations, seat: Seat | None) -> Json:
    """Merge the events of a ply; the fields seen by ``seat``, which decided, take precedence.

    Returns an empty object if ``events`` is empty. ``seat``: None for chance.
    """
    if not events:
        return {}
    if len(set(map(id, events.values()))) == 1:
        return next(iter(events.values()))
    union = dict(events.get(-1 if seat is None else seat, {}))
    for event in events.values():
        union = {**event, **union}
    return union


class _NotShared:
    """A marker for a value that not all have."""


NOT_SHARED: Final = _NotShared()


def shared(values: Sequence[Json]) -> Json:
    """Return the part that all of several JSON values share, or NOT_SHARED if nothing is shared.

    Of objects, that is the common keys with the shared parts of their values. A list is shared as a
    whole or not at all, unless all are lists of equally many objects.
    """
    first = values[0]
    if values.count(first) == len(values):
        return first
    if all(isinstance(value, dict) for value in values):
        parts = {}
        for key, mine in first.items():
            found = [value[key] for value in values if key in value]
            if len(found) == len(values):
                part = mine if found.count(mine) == len(found) else shared(found)
                if part is not NOT_SHARED:
                    parts[key] = part
        return parts
    if _are_alike(values):
        parts_of = [shared(items) for items in zip(*values, strict=True)]
        return NOT_SHARED if NOT_SHARED in parts_of else parts_of
    return NOT_SHARED


def _are_alike(values: Sequence[Json]) -> bool:
    """Return whether the values are lists of equally many objects."""
    return (
        all(isinstance(value, list) for value in values)
        and len({len(value) for value in values}) == 1
        and all(isinstance(item, dict) for value in values for item in value)
    )


def named_seat(seat: Seat | str | None, table: TableInfo | None) -> str:
    """Return a seat's name, or its number without a ``table``; "" for nobody and for chance."""
    if not isinstance(seat, int):
        return ""
    return f"seat {seat}" if table is None else table.names[seat]


_INDENT: Final = "  "
_LINE_ITEMS: Final = (str, int, float, bool, type(None))


def _sentence(event: Json, table: TableInfo) -> str:
    """Return the event's ``type``, then its other fields; slashes separate the lines of a text.

    If the event has ``words``, they come first and the fields in brackets.
    """
    fields = dict(event)
    words = fields.pop("words", None)
    parts = [str(fields.pop("type", "event"))]
    parts += [f"{key} {_value(value)}" for key, value in fields.items()]
    text = ", ".join(parts)
    return clean.plain(text if words is None else f"{_value(words)} ({text})")


def _scores(observation: Json) -> None:
    """Return None: the scores are unknown."""


def _lines(observations: Observations, table: TableInfo) -> list[str]:
    """Return what each seat sees, one after another; once if all see the same but ``seat``."""
    shown: list[str] = []
    first, *others = map(_shared, observations.values())
    if others and all(each == first for each in others):
        return ["all seats see", *(_INDENT + line for line in _compact(first, table))]
    for seat, observation in observations.items():
        watches = seat not in range(len(table.names))
        shown.append("everybody sees" if watches else f"seat {seat} {table.names[seat]} sees")
        shown += [_INDENT + line for line in _compact(observation, table)]
    return shown


def _shared(observation: Json) -> Json:
    """Return an observation without the number of the seat that sees it."""
    if not isinstance(observation, dict):
        return observation
    return {key: value for key, value in observation.items() if key != "seat"}


def _compact(observation: Json, table: TableInfo) -> list[str]:
    """Return a line ``key: value`` for each field; nested fields are indented below it."""
    return [*map(clean.plain, _fields(observation))]


def _fields(value: Json) -> Iterator[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if _fits_a_line(item):
            yield f"{key}: {_value(item)}"
            continue
        yield f"{key}:"
        below = item.splitlines() if isinstance(item, str) else _fields(item)
        yield from (_INDENT + line.expandtabs() for line in below)


def _fits_a_line(value: Json) -> bool:
    """Return whether ``value`` is a scalar or a list of scalars, without text of several lines."""
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, _LINE_ITEMS) and not _has_lines(item) for item in items)


def _has_lines(value: Json) -> bool:
    return isinstance(value, str) and len(value.splitlines()) > 1


def _value(value: Json) -> str:
    if isinstance(value, str):
        lines = value.splitlines()
        return " / ".join(map(str.strip, lines)) if len(lines) > 1 else "".join(lines)
    if isinstance(value, list) and _fits_a_line(value):
        return " ".join(map(_value, value)) or "none"
    return msgspec.json.encode(value).decode()


def _choice(action: Json, observation: Json, table: TableInfo) -> str:
    """Return the action's ``words`` if it has them, else its ``type`` and its other fields as JSON.

    Different actions have different descriptions.
    """
    words = action.get("words")
    if not isinstance(words, str):
        fields = dict(action)
        words = str(fields.pop("type", "choose")).replace("_", " ").capitalize()
        if fields:
            told = ", ".join(f"{key} {_encoded(value)}" for key, value in fields.items())
            words = f"{words}: {told}"
    return clean.plain(words)


def _encoded(value: Json) -> str:
    return clean.json_text(msgspec.json.encode(value))


GENERIC: Final = BoardDisplay(_sentence, _scores, _lines, _compact, _choice)
"""The board of games that have none of their own, and of those whose own board fails: raw data."""
