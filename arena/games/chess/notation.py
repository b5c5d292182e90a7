"""Books of openings, and games as PGN.

A book has positions as EPD or FEN, a line each, or games as PGN. Written games have evaluations and
the time of each move in the usual comments.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any, Final

import chess
import chess.engine
import chess.pgn

from arena.games.chess.rules import ChessRules
from arena.games.game import NotedGame
from arena.games.positions import lines

_FEN_FIELDS = 6
_PART = re.compile(r"\{[^}]*\}|;[^\n]*|^%[^\n]*|^\[[^\n]*|[^\s(){;]+", re.MULTILINE)
"""A comment, a line of tags, or a word of a game in PGN."""
_MOVE = r"[KQRBNP]?[a-h]?[1-8]?[-x:]?[a-h][1-8](=?\(?[QRBNqrbn]\)?)?|[O0]-[O0](-[O0])?|--|Z0"
_WORD = re.compile(
    rf"(\d+\.*)?({_MOVE})?([+#]{{0,2}}|e\.p\.)[!?]*|\.+|\$\d+|1-0|0-1|1/2-1/2|\*|[+=-][/-]?[+=-]"
)
"""The parts of a game besides comments and tags."""
_VARIANTS = ("standard", "chess960", "fischerandom")


class _StrictBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """A reader of games that raises the first error instead of logging it."""

    def handle_error(self, error: Exception) -> None:
        """Raise ValueError."""
        raise ValueError(str(error))


def place(rules: Any, text: str) -> Any:
    """Return the state of a line of a book. Raises ValueError for one that is no position."""
    fields = text.split()
    if len(fields) == _FEN_FIELDS and fields[4].isdecimal() and fields[5].isdecimal():
        return rules.position(text)
    board = chess.Board(None, chess960=True)  # else rights to castle of Chess960 would be lost
    try:
        board.set_epd(text)
    except AssertionError:  # of an operation with a move that is not legal
        raise ValueError(f"expected EPD or FEN, got {text!r}") from None
    if board.castling_rights != board.clean_castling_rights():
        raise ValueError("expected rights to castle that fit kings and rooks")
    return rules.position(board.fen())


def entries(text: str) -> Iterator[tuple[int, str]]:
    """Yield the positions of a book with the number of their line: of a game its last position.

    Raises ValueError for a game with a move that is not legal, and for text that is no move.
    """
    if "[Event " not in text:
        yield from lines(text)
        return
    _refuse_strays(text)
    file = io.StringIO(text)
    number = 1
    while True:
        try:
            game = chess.pgn.read_game(file, Visitor=_StrictBuilder)
        except ValueError as error:
            raise ValueError(f"game at line {number}: {error}") from None
        if game is None:
            return
        if game.headers.get("Variant", "Standard").lower() not in _VARIANTS:
            raise ValueError(f"game at line {number}: found a game of {game.headers['Variant']}")
        if game.next() is not None or "FEN" in game.headers:
            yield number, game.end().board().fen()
        number = 1 + text.count("\n", 0, file.tell())


def _refuse_strays(text: str) -> None:
    """Raise ValueError for the first word that no game has: the reader would leave it out."""
    for part in _PART.finditer(text):
        word = part[0]
        if word[0] not in "{;%[" and not _WORD.fullmatch(word):
            line = 1 + text.count("\n", 0, part.start())
            raise ValueError(f"line {line}: found {word!r}, expected moves, tags or comments")


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
