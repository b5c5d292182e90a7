"""What the general checks must know about each title."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple

from arena.games.base import Rules
from arena.games.luck import Luck
from arena.results import Seat
from tests.games.games import OWN, Game, Ply


class Title(NamedTuple):
    """The title's own knowledge."""

    check_state: Callable[[Rules[Any, Any], Any], None]
    """Raises AssertionError unless everything is conserved in the state."""
    redeal: Callable[[Rules[Any, Any], Ply, Seat, Luck], Ply]
    """Another ply that the seat cannot tell from this one, even after it."""
    ending: Callable[[Game], str]
    """How the game ended, in a word."""
    starter: Callable[[Game], Seat]
    """The seat that had the first turn."""


def _title(name: str) -> Title:
    """From ``tests/games/NAME/states.py``."""
    states = import_module(f"tests.games.{name}.states")
    return Title(states.check_state, states.redeal, states.ending, states.starter)


TITLES: Final = {name: _title(name) for name in OWN}
