"""Registration of Dragonkrak as a game of arena."""

from __future__ import annotations

from typing import Final

from arena.extensions.games.dragonkrak import rules
from arena.games.board import BoardDisplay
from arena.games.game import Game


def _board() -> BoardDisplay:
    from arena.extensions.games.dragonkrak.board import BOARD

    return BOARD


GAME: Final = Game(
    name="dragonkrak",
    title="Dragonkrak",
    package=__package__,
    seats=rules.SEATS,
    options=rules.OPTIONS,
    build=rules.DragonkrakRules,
    action_types=rules.ACTION_TYPES,
    observation_type=rules.Observation,
    event_types=(rules.Event,),
    endings=rules.ENDINGS,
    page_file="rules.md",
    kit_folder="kit",
    board=_board,
)
