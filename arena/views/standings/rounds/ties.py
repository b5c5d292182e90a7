"""A knockout as it is shown, and as JSON has it."""

from __future__ import annotations

import msgspec


class Side(msgspec.Struct, frozen=True):
    """A place at a tie."""

    name: str
    """Who has it, as it is called by now; empty: not known yet."""
    seed: int | None
    points: float | None
    """Of games, a win 1; None: nothing was played."""
    tie: str = ""
    """From which it comes; empty: from the seeds."""
    is_loser: bool = False
    """Whether as its loser."""


class TieData(msgspec.Struct, frozen=True):
    """A tie."""

    name: str
    sides: tuple[Side, ...]
    order: tuple[str, ...]
    """Best first; empty: it is not decided."""
    by: str
    """The rule that decided it: points, test, deals, seed or forfeit; empty: none had to."""
    deals: int
    rounds: int
    """In which it was played."""


class PlaceData(msgspec.Struct, frozen=True):
    """A line of the table."""

    place: int
    """Those who went out in the same round share it."""
    name: str
    seed: int
    last: str
    """The last tie it was in."""
    elo: float | None


class KnockoutData(msgspec.Struct, frozen=True):
    """What JSON says."""

    lives: int
    seats: int
    advance: int
    is_over: bool
    winner: str | None
    places: tuple[PlaceData, ...]
    """Of those who are out; at the end of all."""
    ties: tuple[TieData, ...]
    """In the order of the rounds; at two seats those to come among them."""
