"""Registration of Dragonheart as a game of arena."""

from __future__ import annotations

from typing import Final

from arena.extensions.games.dragonheart import rules
from arena.games.board import BoardDisplay
from arena.games.game import Game


def _board() -> BoardDisplay:
    from arena.extensions.games.dragonheart.board import BOARD

    return BOARD


GAME: Final = Game(
    name="dragonheart",
    title="Dragonheart",
    package=__package__,
    seats=rules.SEATS,
    options=rules.OPTIONS,
    build=rules.DragonheartRules,
    action_types=rules.ACTION_TYPES,
    observation_type=rules.Observation,
    event_types=(rules.Event,),
    data_file="hobby_2016.yaml",
    page_file="rules.md",
    kit_folder="kit",
    board=_board,
)
