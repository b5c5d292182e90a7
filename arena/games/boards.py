"""Text boards and sentences, one module per game."""

from __future__ import annotations

from typing import Final

from arena.games import generic
from arena.games.board import Board
from arena.games.dragonheart.show import board as dragonheart
from arena.games.dragonkrak.show import board as dragonkrak
from arena.games.dragonrealm.show import board as dragonrealm

BOARDS: Final[dict[str, Board]] = {
    "dragonheart": dragonheart.BOARD,
    "dragonkrak": dragonkrak.BOARD,
    "dragonrealm": dragonrealm.BOARD,
}
"""By name of the rules."""


def board_of(rules: str) -> Board:
    """The board of these rules; one that shows the plain data if they have none of their own."""
    return BOARDS.get(rules, generic.BOARD)
