"""A knockout in the form that tables, brackets and JSON use."""

from __future__ import annotations

import msgspec


class TieSide(msgspec.Struct, frozen=True):
    """A side of a tie."""

    name: str
    """Present name of the bot; empty if it is not known yet."""
    seed: int | None
    points: float | None
    """Points of its games, a win 1; None if nothing was played."""
    tie: str = ""
    """Name of the tie from which the side comes; empty for a seeded side."""
    is_loser: bool = False
    """True if the side comes as the loser of that tie."""


class TieData(msgspec.Struct, frozen=True):
    """A tie of a knockout."""

    name: str
    sides: tuple[TieSide, ...]
    order: tuple[str, ...]
    """Names from the best; empty if the tie is not decided."""
    by: str
    """Rule that decided the tie: a key of ``knockout.BY``; empty if none was needed."""
    deals: int
    rounds: int
    """Number of rounds in which the tie was played."""


class PlaceData(msgspec.Struct, frozen=True):
    """A line of the table of places."""

    place: int
    """Place; bots that went out in the same round share it."""
    name: str
    seed: int
    last: str
    """Name of the last tie that the bot was in."""
    elo: float | None


class KnockoutData(msgspec.Struct, frozen=True):
    """The JSON form of a knockout."""

    lives: int
    seats: int
    advance: int
    is_over: bool
    winner: str | None
    places: tuple[PlaceData, ...]
    """Places of the bots that are out; at the end, of all."""
    ties: tuple[TieData, ...]
    """Ties in the order of the rounds; at two seats, including those to come."""
