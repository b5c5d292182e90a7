"""Chess in words, and the board as text."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import chess

from arena.games.board import (
    BoardDisplay,
    Drawing,
    Json,
    Observations,
    TableInfo,
    anyone,
    named_seat,
)

_COLORS: Final = ("White", "Black")


def _board(observation: Json) -> chess.Board | None:
    """Return the board with all moves played, or None before the starting position is drawn."""
    if not observation["start"]:
        return None
    return _played(observation["start"], tuple(observation["moves"])).copy(stack=False)


@lru_cache(maxsize=16)  # all choices at a ply are put into words one after the other
def _played(start: str, moves: tuple[str, ...]) -> chess.Board:
    board = chess.Board(start, chess960=True)
    for uci in moves:
        board.push_uci(uci)
    return board


def sentence(event: Json, table: TableInfo) -> str:
    """Return an event in words."""
    if event["type"] == "start_position":
        return f"The game begins with {event['text']}"
    if event["type"] == "setup":
        return f"The game begins with {event['fen']}"
    return f"{named_seat(event['seat'], table)} moves {event['uci']}"


def scores(observation: Json) -> None:
    """Return None: nobody has points before the end."""


def lines(observations: Observations, table: TableInfo) -> list[str]:
    """Return the board with White below, and who has which colour."""
    observation = anyone(observations)
    board = _board(observation)
    if board is None:
        return ["the starting position is not drawn yet"]
    players = [f"{color} {name}" for color, name in zip(_COLORS, table.names, strict=True)]
    rows = [f"{8 - number}  {row}" for number, row in enumerate(str(board).splitlines())]
    return [players[1], "", *rows, "", "   a b c d e f g h", "", players[0], _state(board)]


def compact(observation: Json, table: TableInfo) -> list[str]:
    """Return one observation: the board, and whose turn it is."""
    return lines({0: observation}, table)[2:-2]


def _state(board: chess.Board) -> str:
    told = f"move {board.fullmove_number}, {_COLORS[not board.turn]} to move"
    return told + ", in check" * board.is_check()


def choice(action: Json, observation: Json, table: TableInfo) -> str:
    """Return a move as chess players write it, such as ``Nf3``."""
    if action["type"] == "setup":
        return f"Begin with {action['fen']}"
    board = _board(observation)
    return action["uci"] if board is None else board.san(board.parse_uci(action["uci"]))


BOARD: Final = BoardDisplay(
    sentence,
    scores,
    lines,
    compact,
    choice,
    aim="Give checkmate: attack the other king so that it cannot escape.",
    terms=(
        ("K Q R B N P", "king, queen, rook, bishop, knight and pawn of White; small ones of Black"),
    ),
    drawing=Drawing(styles=("board.css",), scripts=("board.js",)),
)
