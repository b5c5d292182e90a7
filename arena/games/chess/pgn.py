"""Games as PGN, with evaluations and the time of each move in the usual comments."""

from __future__ import annotations

from typing import Any, Final

import chess
import chess.engine
import chess.pgn

from arena.games.chess.rules import ChessRules
from arena.games.game import NotedGame

_ENDINGS: Final = {"completed": "normal", "adjudicated": "adjudication", "timeout": "time forfeit"}
_HIGHEST: Final = 900.0
"""Largest evaluation that is written, in pawns."""


def pgn(game: NotedGame) -> str:
    """Return the game as PGN, which ends with an empty line.

    ``[%eval]`` is from White's point of view in pawns, or ``#N`` for mate in N; ``[%emt]`` is the
    time of the move.
    """
    is_960 = game.options.get("start") == "chess960"
    noted = chess.pgn.Game()
    moves = game.moves
    start = chess.Board(chess960=is_960)
    if moves and moves[0].action["type"] != "move":
        action = moves[0].action
        start = _start(action.get("fen") or action["text"], game.options)
        moves = moves[1:]
    if is_960 or start.fen() != chess.STARTING_FEN:
        noted.setup(start)
    headers = {"Event": game.event, "Round": game.round, "Result": _result(game.places)}
    headers |= {"White": game.names[0], "Black": game.names[1]}
    headers |= {"Termination": _ENDINGS.get(game.ending, "rules infraction")}
    for name, text in headers.items():
        noted.headers[name] = text
    node: chess.pgn.GameNode = noted
    for move in moves:
        turn = node.board().turn
        node = node.add_variation(chess.Move.from_uci(move.action["uci"]))
        node.set_emt(move.think_us / 1e6)
        if (score := _score(move.info)) is not None:
            depth = move.info.get("depth")
            node.set_eval(chess.engine.PovScore(score, turn), depth if type(depth) is int else None)
    return f"{noted}\n\n"


def _start(text: str, options: Any) -> chess.Board:
    from arena.games.chess.book import place

    board: chess.Board = place(ChessRules(2, options, {}), text).board
    return board


def _score(info: Any) -> chess.engine.Score | None:
    value = info.get("eval") if isinstance(info, dict) else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    mate = info.get("mate")
    if type(mate) is int and mate:
        return chess.engine.Mate(mate)
    return chess.engine.Cp(round(100 * max(-_HIGHEST, min(_HIGHEST, value))))


def _result(places: tuple[int, ...]) -> str:
    if places[0] == places[1]:
        return "1/2-1/2"
    return "1-0" if places[0] < places[1] else "0-1"
