"""Actions, observations and events of games of OpenSpiel."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from arena.games import base
from arena.results import Seat


class Draw(base.Action, frozen=True, tag="draw"):
    """Chance: OpenSpiel's number of the outcome."""

    id: int


class Move(base.Action, frozen=True, tag="move"):
    """OpenSpiel's number of the action. ``texts`` of ``act`` give the actions in words."""

    id: int


Action: TypeAlias = Draw | Move
ACTION_TYPES: Final = (Draw, Move)


class Observation(msgspec.Struct, frozen=True, omit_defaults=True):
    """OpenSpiel's description of a state for one seat."""

    seat: Seat
    player: Seat | None
    """The seat that acts; None when nobody does."""
    text: str
    """The state where nothing is hidden, else OpenSpiel's observation of the seat."""
    history: tuple[int, ...] | None = None
    """The numbers of all actions and outcomes so far; None where something is hidden."""
    tensor: tuple[float, ...] | None = None
    """OpenSpiel's observation as numbers, with the option ``tensor``."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One ply. Where something is hidden, a seat gets only its own moves."""

    type: Literal["draw", "move"]
    id: int
    seat: Seat | None = None
    """Seat that moved; None for chance."""
