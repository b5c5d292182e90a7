"""What the general checks must know about each title."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

from arena.games.game import CheckState, Game, Redeal
from arena.games.registry import GAMES
from arena.values.results import Seat
from tests.games.games import OWN, PlayedGame


class Title(NamedTuple):
    """The title's own knowledge."""

    check_state: CheckState
    """Raises AssertionError unless everything is conserved in the state."""
    redeal: Redeal
    """Another ply that the seat cannot tell from this one, even after it."""
    ending: Callable[[PlayedGame], str]
    """How the game ended, in a word."""
    starter: Callable[[PlayedGame], Seat]
    """The seat that had the first turn."""


def _title(name: str) -> Title:
    """From ``tests/extensions/games/NAME/states.py``."""
    states = import_module(f"tests.extensions.games.{name}.states")
    return Title(states.check_state, states.redeal, states.ending, states.starter)


TITLES: Final = {name: _title(name) for name in OWN}


def known(name: str) -> Game:
    """One of arena's own games with what the tests know of it."""
    return GAMES[name]._replace(check_state=TITLES[name].check_state, redeal=TITLES[name].redeal)
