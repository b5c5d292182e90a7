"""Books of openings, and games as PGN.

A book has positions as EPD or FEN, a line each, or games as PGN. Written games have evaluations and
the time of each move in the usual comments.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any, Final

import chess
import chess.engine
import chess.pgn

from arena.extensions.games.chess.rules import ChessRules
from arena.games.game import NotedGame, NotedMove
from arena.games.positions import lines
from arena.values.results import TimeControl

_FEN_FIELDS = 6
_LINE = re.compile(r"(?P<start>\S+ [wb] \S+ \S+ \d+ \d+) moves(?P<moves>( [a-h1-8nbrq]{4,5})+)")
"""An opening: a position as FEN, and the moves from there as UCI writes them."""
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
    if line := _LINE.fullmatch(text):
        return rules.line(line["start"], line["moves"].split())
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
    """Yield the positions of a book with the number of their line: a game with all its moves.

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
                start, board = self._start(), self.board
                moves = "".join(f" {move.uci()}" for move in board.move_stack) if board else ""
                yield self.line, f"{start.fen()} moves{moves}" if moves else start.fen()
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
        """Read a move, a number or a result; inside a variation only check its form."""
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


_ENDINGS: Final = {
    "completed": "normal",
    "adjudicated": "adjudication",
    "timeout": "time forfeit",
    **dict.fromkeys(("startup", "crash", "limit"), "abandoned"),
}
"""The tag Termination by the end of a game; other faults are a rules infraction."""
_COLUMNS: Final = 80
_HIGHEST: Final = 900.0
"""Largest evaluation that is written, in pawns."""


def pgn(game: NotedGame) -> str:
    """Return the game as PGN, which ends with an empty line.

    A comment has ``[%eval]`` from White's point of view in pawns, or ``#N`` for mate in N, then the
    depth; ``[%emt]``, the time of the move; and the nodes. Moves of the opening have the comment
    "book".
    """
    moves = list(game.moves)
    placed = moves.pop(0).action if moves and moves[0].action["type"] != "move" else {}
    text = placed.get("fen") or placed.get("text") or chess.STARTING_FEN
    state = place(ChessRules(2, game.options, {}), text)
    board = chess.Board(state.start, chess960=game.options.get("start") == "chess960")
    noted = chess.pgn.Game()
    if board.chess960 or state.start != chess.STARTING_FEN:
        noted.setup(board)
    headers = {"Event": game.event, "Date": _date(game.played_at), "Round": game.round}
    headers |= {"White": game.names[0], "Black": game.names[1], "Result": _result(game.places)}
    headers |= {"Termination": _ENDINGS.get(game.ending, "rules infraction")}
    headers |= {"TimeControl": _time_control(game.control)}
    headers |= {"PlyCount": str(len(state.moves) + len(moves))}
    for name, value in headers.items():
        noted.headers[name] = value
    node: chess.pgn.GameNode = noted
    for uci in state.moves:
        node = node.add_variation(chess.Move.from_uci(uci), comment="book")
    turn = state.board.turn
    for move in moves:
        comment = "book" if move.seat is None else _comment(move, turn)
        node = node.add_variation(chess.Move.from_uci(move.action["uci"]), comment=comment)
        turn = not turn
    return f"{noted.accept(chess.pgn.StringExporter(columns=_COLUMNS))}\n\n"


def _date(played_at: int) -> str:
    return time.strftime("%Y.%m.%d", time.gmtime(played_at)) if played_at else "????.??.??"


def _time_control(control: TimeControl) -> str:
    """Return a clock as the standard of PGN writes it: seconds and increment, or moves/seconds.

    With both, ``40/60+0.6``, as cutechess and fastchess write it.
    """
    if control.bank is not None:
        moves = f"{control.moves}/" if control.moves else ""
        more = f"+{control.increment:g}" if control.increment else ""
        return f"{moves}{control.bank:g}{more}"
    return "-" if control.move is None else f"1/{control.move:g}"


def _comment(move: NotedMove, turn: chess.Color) -> str:
    info = move.info if isinstance(move.info, dict) else {}
    depth, nodes = (info[k] if type(info.get(k)) is int else None for k in ("depth", "nodes"))
    parts = []
    if (score := _score(info)) is not None:
        node = chess.pgn.Game()
        node.set_eval(chess.engine.PovScore(score, turn), depth)
        parts.append(node.comment)
    minutes, seconds = divmod(round(move.think_us / 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    parts.append(f"[%emt {hours}:{minutes:02}:{seconds / 1000:06.3f}]")
    if nodes is not None and abs(nodes) < 10**15:
        parts.append(f"nodes {nodes}")
    return " ".join(parts)


def _score(info: Any) -> chess.engine.Score | None:
    value = info.get("eval")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    mate = info.get("mate")
    if type(mate) is int and mate:
        return chess.engine.Mate(mate)
    return chess.engine.Cp(round(100 * max(-_HIGHEST, min(_HIGHEST, value))))


def _result(places: tuple[int, ...]) -> str:
    if places[0] == places[1]:
        return "1/2-1/2" if places[0] == 1 else "*"  # both at fault: no draw
    return "1-0" if places[0] < places[1] else "0-1"
