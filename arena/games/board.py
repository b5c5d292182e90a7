"""What a game's board offers to those who show games: words and lines from plain JSON.

Boards read observations and events as the rules give them to a seat, decoded from their JSON.
They know no rules engine and show nothing that is not in what they are given.
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


def anyone(observations: Observations) -> Json:
    """One of the observations, to read what all seats know."""
    return next(iter(observations.values()))


def named_seat(seat: Seat | str | None, table: Table | None) -> str:
    """A seat by its name, or by its number without a table; empty for nobody and for chance."""
    if not isinstance(seat, int):
        return ""
    return f"seat {seat}" if table is None else table.names[seat]
