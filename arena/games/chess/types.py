"""What is sent and kept of a game of chess."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from arena.games import base
from arena.games.base import Option
from arena.results import Seat


class Placement(base.Action, frozen=True, tag="setup"):
    """Chance: the starting position is drawn."""

    fen: str
    """Position, as FEN."""


class Move(base.Action, frozen=True, tag="move"):
    """Move a piece."""

    uci: str
    """Move as UCI writes it: ``e2e4``, ``e7e8q``, castling ``e1g1``, in Chess960 ``e1h1``."""


Action: TypeAlias = Placement | Move
ACTION_TYPES: Final = (Placement, Move)
OPTIONS: Final = (
    Option("start", ("standard", "chess960"), "standard", "where the pieces stand at first"),
)


class Observation(msgspec.Struct, frozen=True):
    """What everybody knows: where the game began, and the moves since."""

    seat: Seat
    player: Seat | None
    """The seat that moves; None when nobody does."""
    start: str
    """Starting position, as FEN; empty before it is drawn."""
    moves: tuple[str, ...]
    """Moves since then, as UCI writes them."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """What everybody saw of a ply."""

    type: Literal["setup", "move"]
    seat: Seat | None = None
    """Who moved."""
    fen: str = ""
    """Starting position, of "setup"."""
    uci: str = ""
    """Move as UCI writes it, of "move"."""
