"""What a game's board offers to those who show games: words and lines from plain JSON.

Boards read observations and events as the rules give them to a seat, decoded from their JSON.
They apply no rules and show nothing that is not in what they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from arena.results import Seat

Json: TypeAlias = Any
"""Decoded JSON."""
Observations: TypeAlias = Mapping[Seat, Json]
"""By seat: of one seat, of all of them, or of a spectator, who has a number that is no seat's and
no field that is not everybody's. Never empty."""


class Table(NamedTuple):
    """Who plays, and by which options."""

    names: tuple[str, ...]
    """By seat, fit to be shown."""
    options: Mapping[str, Json]


class Drawing(NamedTuple):
    """A game's board in a browser. The files lie in the game's package."""

    styles: tuple[str, ...]
    scripts: tuple[str, ...]
    """In the order in which they need each other. They register a component in ``arena.boards`` by
    the name of the game; the generic board says by example what a component gets."""
    facts: Mapping[str, Json] = {}
    """Of the rules, for the scripts, which find them as ``arena.facts.NAME``: what the rules say
    once no script need say again."""


def _no_hint(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    return ""


class Board(NamedTuple):
    """How one game is shown. Every text is a single line without control characters."""

    sentence: Callable[[Json, Table], str]
    """An event in words."""
    scores: Callable[[Json], tuple[int, ...] | None]
    """Points by seat in an observation; None if it does not tell them."""
    lines: Callable[[Observations, Table], list[str]]
    """The whole board with all seats, about 16 lines of at most 79 columns."""
    compact: Callable[[Json, Table], list[str]]
    """One observation in few lines."""
    choice: Callable[[Json, Json, Table], str]
    """A legal action in words, in the imperative and without the name of who decides, from the
    action and what the seat that decides observes: ``Play Dwarf 1 2``. Actions that differ have
    different words."""
    fewest_lead: bool = False
    """Whether fewer points are better."""
    aim: str = ""
    """What the game is about, for a person who has not read the rules; empty: nothing is said."""
    aim_alone: str = ""
    """The same at a table of one seat, if it is not the same there."""
    terms: tuple[tuple[str, str], ...] = ()
    """Words of ``lines`` and ``compact`` with what they mean."""
    hint: Callable[[Json, Json, Mapping[str, Json]], str] = _no_hint
    """What an action leads to that its words do not say, from the action, what the seat observes
    and the public card data; empty if there is nothing to add."""
    drawing: Drawing | None = None
    """The board in a browser; None: the generic one."""

    def aim_at(self, seats: int) -> str:
        """What the game is about at a table of so many seats."""
        return self.aim_alone or self.aim if seats == 1 else self.aim


def anyone(observations: Observations) -> Json:
    """One of the observations, to read what all seats know."""
    return next(iter(observations.values()))


def named_seat(seat: Seat | str | None, table: Table | None) -> str:
    """A seat by its name, or by its number without a table; empty for nobody and for chance."""
    if not isinstance(seat, int):
        return ""
    return f"seat {seat}" if table is None else table.names[seat]
