"""Registration of chess as a game of arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from arena.extensions.games.chess.types import ACTION_TYPES, OPTIONS, Event, Observation
from arena.games.base import Rules
from arena.games.board import BoardDisplay
from arena.games.game import Game, NotedGame
from arena.games.positions import PositionBook


def _build(
    seats: int, options: Mapping[str, object], data: Mapping[str, object]
) -> Rules[Any, Any]:
    from arena.extensions.games.chess.rules import ChessRules

    return ChessRules(seats, options, data)


def _place(rules: Rules[Any, Any], text: str) -> Any:
    from arena.extensions.games.chess.notation import place

    return place(rules, text)


def _entries(text: str) -> Iterator[tuple[int, str]]:
    from arena.extensions.games.chess.notation import entries

    return entries(text)


def _pgn(game: NotedGame) -> str:
    from arena.extensions.games.chess.notation import pgn

    return pgn(game)


def _board() -> BoardDisplay:
    from arena.extensions.games.chess.board import BOARD

    return BOARD


GAME: Final = Game(
    name="chess",
    title="Chess",
    package=__package__,
    seats=(2,),
    options=OPTIONS,
    build=_build,
    action_types=ACTION_TYPES,
    observation_type=Observation,
    event_types=(Event,),
    endings={
        "CH-01": "the same position for the third time",
        "CH-02": "fifty moves of each side without a capture or a move of a pawn",
    },
    page_file="rules.md",
    book=PositionBook(_place, _entries),
    notation=_pgn,
    extra="chess",
    extra_module="chess",
    board=_board,
)
