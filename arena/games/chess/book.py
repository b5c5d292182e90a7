"""Books of openings: positions as EPD or FEN, a line each, and games as PGN."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import chess
import chess.pgn

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
