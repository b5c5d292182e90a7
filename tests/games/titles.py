"""What the general checks must know about each title."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from arena.games.base import Rules
from arena.games.luck import Luck
from arena.results import Seat
from tests.games.dragonheart import states as dragonheart
from tests.games.dragonkrak import states as dragonkrak
from tests.games.dragonrealm import states as dragonrealm
from tests.games.games import Game, Ply


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


TITLES: Final[dict[str, Title]] = {
    "dragonheart": Title(
        check_state=dragonheart.check_state,
        redeal=dragonheart.redeal,
        ending=dragonheart.ending,
        starter=dragonheart.starter,
    ),
    "dragonkrak": Title(
        check_state=dragonkrak.check_state,
        redeal=dragonkrak.redeal,
        ending=dragonkrak.ending,
        starter=dragonkrak.starter,
    ),
    "dragonrealm": Title(
        check_state=dragonrealm.check_state,
        redeal=dragonrealm.redeal,
        ending=dragonrealm.ending,
        starter=dragonrealm.starter,
    ),
}
