"""Actions, observations and events of chess."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from arena.games import base
from arena.games.base import Option
from arena.values.results import Seat


class Placement(base.Action, frozen=True, tag="setup"):
    """Chance: the starting position is drawn."""

    fen: str
    """Position, as FEN."""


class Move(base.Action, frozen=True, tag="move"):
    """Move a piece."""

    uci: str
    """Move as UCI writes it: ``e2e4``, ``e7e8q``, castling ``e1g1``, in Chess960 ``e1h1``."""

    def __str__(self) -> str:
        return self.uci


Action: TypeAlias = Placement | Move
ACTION_TYPES: Final = (Placement, Move)
OPTIONS: Final = (
    Option("start", ("standard", "chess960"), "standard", "where the pieces stand at first"),
)


class Observation(msgspec.Struct, frozen=True):
    """The starting position and the moves since, which both seats know."""

    seat: Seat
    player: Seat | None
    """The seat that moves; None when nobody does."""
    start: str
    """Starting position, as FEN; empty before it is drawn."""
    moves: tuple[str, ...]
    """Moves since then, as UCI writes them."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One ply as both seats saw it."""

    type: Literal["setup", "move"]
    seat: Seat | None = None
    """Seat that moved."""
    fen: str = ""
    """Starting position, of "setup"."""
    uci: str = ""
    """Move as UCI writes it, of "move"."""
