"""Books of openings, and games as PGN.

A book has positions as EPD or FEN, a line each, or games as PGN. Written games have evaluations and
the time of each move in the usual comments.
"""

from __future__ import annotations

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
_PGN = re.compile(r'^[ \t]*\[\s*\w+\s+"|\A\s*1\s*\.', re.MULTILINE)
"""A tag of a game, or a first move: no position has one."""
_PART = re.compile(
    r"(?P<remark>\{[^}]*\}|;[^\n]*|^%[^\n]*)|(?P<tags>^[ \t]*\[[^\n]*)"
    r"|(?P<bracket>[()])|(?P<word>[^\s(){;]+|\{)",
    re.MULTILINE,
)
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_MOVE = r"[KQRBNP]?[a-h]?[1-8]?[-x:]?[a-h][1-8](=?\(?[QRBNqrbn]\)?)?|[O0]-[O0](-[O0])?"
_WORD = re.compile(
    rf"(?P<number>\d{{1,4}}\.*)?(?P<move>{_MOVE})?([+#]{{0,2}}|e\.p\.)[!?]*"
    r"|\.+|\$\d+|(?P<result>1-0|0-1|1/2-1/2|\*)|[+=-][/-]?[+=-]"
)
"""The parts of a game besides remarks and tags."""
_LONGEST_WORD = 40
_VARIANTS = ("standard", "chess960", "fischerandom")


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

    Takes time in proportion to the length. Raises ValueError for a game with a move that is not
    legal, and for text that is no move.
    """
    if not _PGN.search(text):
        yield from lines(text)
        return
    game, line, end, is_after_blank = _BookGame(), 1, 0, False
    for part in _PART.finditer(text):
        passed = text.count("\n", end, part.start())
        line, end = line + passed, part.end()
        is_after_blank |= passed > 1
        if not part["remark"]:
            if game.is_over(part, is_after_blank=is_after_blank):
                yield from game.entry()
                game = _BookGame()
            game.read(part, line)
            is_after_blank = False
        line += part[0].count("\n")
    yield from game.entry()


class _BookGame:
    """A game in PGN as far as it was read: its tags, and the board of its main line."""

    def __init__(self) -> None:
        self.line = 0
        """Line of its first part."""
        self.tags: dict[str, str] = {}
        self.board: chess.Board | None = None
        """Set by the first move."""
        self.depth = 0
        """Number of variations that are open."""
        self.is_complete = False

    def is_over(self, part: re.Match[str], *, is_after_blank: bool) -> bool:
        """Return whether the next part, perhaps after a blank line, belongs to another game."""
        if part["tags"]:
            return self.board is not None or (is_after_blank and self.line > 0)
        return self.is_complete or (is_after_blank and self.board is not None and not self.depth)

    def entry(self) -> Iterator[tuple[int, str]]:
        """Yield its line and last position, unless it has neither moves nor a position."""
        if self.board or "FEN" in self.tags:
            try:
                yield self.line, (self.board or self._start()).fen()
            except ValueError as error:
                raise ValueError(f"line {self.line}: {error}") from None

    def read(self, part: re.Match[str], line: int) -> None:
        """Read the next part, which stands in this line. Raises ValueError."""
        self.line = self.line or line
        try:
            if part["tags"]:
                self._read_tags(part[0])
            elif part["bracket"]:
                self.depth = max(0, self.depth + (1 if part[0] == "(" else -1))
            else:
                self._read_word(part["word"])
        except ValueError as error:
            raise ValueError(f"line {line}: {error}") from None

    def _read_tags(self, text: str) -> None:
        tags = _TAG.findall(text)
        if not tags:
            found = text.strip()[:_LONGEST_WORD]
            raise ValueError(f'found {found!r}, expected a tag such as [Event "name"]')
        self.tags.update(tags)

    def _read_word(self, word: str) -> None:
        if word == "{":
            raise ValueError("found a remark without an end, expected }")
        found = _WORD.fullmatch(word) if len(word) <= _LONGEST_WORD else None
        if word in ("--", "Z0"):
            raise ValueError(f"found the null move {word!r}, expected a legal move")
        if found is None:
            shown = word[:_LONGEST_WORD]
            raise ValueError(f"found {shown!r}, expected moves, tags or remarks")
        if self.depth:
            return
        self.is_complete = found["result"] is not None
        if found["number"] and not (
            self.board or self.tags or int(found["number"].strip(".")) == 1
        ):
            raise ValueError(f"found {word!r}, expected a game from its first move")
        if move := found["move"]:
            self.board = self.board or self._start()
            try:
                self.board.push_san(move)
            except chess.AmbiguousMoveError:
                raise ValueError(f"found {move!r}, which fits several moves") from None
            except ValueError:
                raise ValueError(f"found {move!r}, expected a legal move") from None

    def _start(self) -> chess.Board:
        headers = chess.pgn.Headers(self.tags)
        variant = headers.get("Variant", "Standard")
        if variant.lower() not in _VARIANTS and not headers.is_chess960():
            raise ValueError(f"found a game of {variant}, expected one of chess")
        board = chess.Board(headers.get("FEN", chess.STARTING_FEN), chess960=headers.is_chess960())
        board.chess960 = board.chess960 or board.has_chess960_castling_rights()
        return board


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
