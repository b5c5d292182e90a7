"""Text boards and sentences, one module per game."""

from __future__ import annotations

from typing import Final

from arena.report.boards import dragonheart, dragonkrak, dragonrealm, generic
from arena.report.boards.base import Board

BOARDS: Final[dict[str, Board]] = {
    "dragonheart": dragonheart.BOARD,
    "dragonkrak": dragonkrak.BOARD,
    "dragonrealm": dragonrealm.BOARD,
}
"""By name of the rules."""


def board_of(rules: str) -> Board:
    """The board of these rules; one that shows the plain data if they have none of their own."""
    return BOARDS.get(rules, generic.BOARD)
