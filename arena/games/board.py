"""The interface through which a game is shown: words and text lines made from plain JSON.

Boards read observations and events, decoded from their JSON, as the rules give them to a seat. They
apply no rules and show nothing that their arguments do not contain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from arena.results import Seat

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
    first, *others = events.values()
    if all(event is first for event in others):
        return first
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
