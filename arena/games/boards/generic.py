"""The board of games that have none of their own, and of those whose own board fails: raw data.

The first failure of a board from a package is logged to ``BOARD_LOG``.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import RulesError
from arena.games.board import BoardDisplay, Drawing, Json, Observations, TableInfo
from arena.games.game import Game
from arena.games.installed import OWN, in_words
from arena.games.registry import GAMES
from arena.text import clean

_INDENT: Final = "  "
_LINE_ITEMS: Final = (str, int, float, bool, type(None))


def sentence(event: Json, table: TableInfo) -> str:
    """Return the event's ``type``, then its other fields; slashes separate the lines of a text.

    If the event has ``words``, they come first and the fields in brackets.
    """
    fields = dict(event)
    words = fields.pop("words", None)
    parts = [str(fields.pop("type", "event"))]
    parts += [f"{key} {_value(value)}" for key, value in fields.items()]
    text = ", ".join(parts)
    return clean.plain(text if words is None else f"{_value(words)} ({text})")


def scores(observation: Json) -> None:
    """Return None: the scores are unknown."""


def lines(observations: Observations, table: TableInfo) -> list[str]:
    """Return what each seat sees, one after another; once if all see the same but ``seat``."""
    shown: list[str] = []
    first, *others = map(_shared, observations.values())
    if others and all(each == first for each in others):
        return ["all seats see", *(_INDENT + line for line in compact(first, table))]
    for seat, observation in observations.items():
        watches = seat not in range(len(table.names))
        shown.append("everybody sees" if watches else f"seat {seat} {table.names[seat]} sees")
        shown += [_INDENT + line for line in compact(observation, table)]
    return shown


def _shared(observation: Json) -> Json:
    """Return an observation without the number of the seat that sees it."""
    if not isinstance(observation, dict):
        return observation
    return {key: value for key, value in observation.items() if key != "seat"}


def compact(observation: Json, table: TableInfo) -> list[str]:
    """Return a line ``key: value`` for each field; nested fields are indented below it."""
    return [clean.plain(line) for line in _fields(observation)]


def _fields(value: Json) -> Iterator[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if _fits_a_line(item):
            yield f"{key}: {_value(item)}"
            continue
        yield f"{key}:"
        below = item.splitlines() if isinstance(item, str) else _fields(item)
        yield from (_INDENT + line.expandtabs() for line in below)


def _fits_a_line(value: Json) -> bool:
    """Return whether ``value`` is a scalar or a list of scalars, without text of several lines."""
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, _LINE_ITEMS) and not _has_lines(item) for item in items)


def _has_lines(value: Json) -> bool:
    return isinstance(value, str) and len(value.splitlines()) > 1


def _value(value: Json) -> str:
    if isinstance(value, str):
        lines = value.splitlines()
        return " / ".join(map(str.strip, lines)) if len(lines) > 1 else "".join(lines)
    if isinstance(value, list) and _fits_a_line(value):
        return " ".join(map(_value, value)) or "none"
    return msgspec.json.encode(value).decode()


def choice(action: Json, observation: Json, table: TableInfo) -> str:
    """Return the action's ``words`` if it has them, else its ``type`` and its other fields as JSON.

    Different actions have different descriptions.
    """
    if isinstance(action.get("words"), str):
        return clean.plain(action["words"])
    fields = dict(action)
    kind = str(fields.pop("type", "choose"))
    told = ", ".join(f"{clean.plain(key)} {_encoded(value)}" for key, value in fields.items())
    return clean.plain(kind.replace("_", " ").capitalize()) + (f": {told}" if told else "")


def _encoded(value: Json) -> str:
    return clean.json_text(msgspec.json.encode(value))


BOARD: Final = BoardDisplay(sentence, scores, lines, compact, choice)

BOARD_LOG: Final = "arena.boards"
"""Name of the log of boards that failed."""
log = logging.getLogger(BOARD_LOG)


class BoardError(Exception):
    """Raised if a board returns a value of a wrong type; its text is the whole message."""


class DrawingTexts(NamedTuple):
    """The files of a board in a browser."""

    styles: Sequence[str]
    scripts: Sequence[str]
    facts: bytes
    """Facts of the rules, as JSON."""


_known: Final[dict[tuple[str, int], tuple[Game, BoardDisplay]]] = {}


def board_of(name: str, seats: int) -> BoardDisplay:
    """Return the board of these rules, or the generic board if no game has that name.

    ``seats``: number of scores of an observation. Functions of a board from another package never
    raise: instead of a failed call, the generic board is called.
    """
    if name not in GAMES:
        return BOARD
    game = GAMES[name]
    known = _known.get((name, seats))
    if known is None or known[0] is not game:
        known = _known[name, seats] = game, _guarded(game, seats)
    return known[1]


def drawing_texts(name: str) -> DrawingTexts | None:
    """Return the files of the board in a browser; None if the game brings none or they fail."""
    drawing = board_of(name, 0).drawing
    if drawing is None:
        return None
    if _is_own(GAMES[name]):
        return texts_of(GAMES[name], drawing)
    try:
        return texts_of(GAMES[name], drawing)
    except (Exception, SystemExit) as error:  # whatever a package of others does
        log.warning(failure(GAMES[name], error))
        return None


def texts_of(game: Game, drawing: Drawing) -> DrawingTexts:
    """Return the files of a drawing. Raises RulesError or TypeError if one cannot be used."""
    styles, scripts = (
        [game.text(file) for file in files] for files in (drawing.styles, drawing.scripts)
    )
    return DrawingTexts(styles, scripts, msgspec.json.encode(drawing.facts))


def checked_board(game: Game, seats: int) -> BoardDisplay:
    """Return the board of a game; its functions check the types that they return.

    Raises BoardError, like the functions, and whatever the package raises.
    """
    board = BOARD if game.board is None else game.board()
    if not isinstance(board, BoardDisplay):
        raise BoardError(f"Game.board returned {in_words(repr(board))}, expected a BoardDisplay")
    kinds: dict[str, Any] = {"aim": str, "aim_alone": str, "terms": tuple[tuple[str, str], ...]}
    for field, kind in kinds.items():
        try:
            msgspec.convert(getattr(board, field), kind)
        except msgspec.ValidationError as error:
            raise BoardError(f"BoardDisplay.{field}: {error}") from None
    if not isinstance(board.drawing, Drawing | None):
        raise BoardError("BoardDisplay.drawing: expected a Drawing or None")
    checks: dict[str, Callable[[Json], Json]] = {
        "sentence": _one_text,
        "scores": partial(_score_row, seats),
        "lines": _texts,
        "compact": _texts,
        "choice": _one_text,
        "hint": _one_text,
    }
    functions: dict[str, Any] = {
        name: _checked(name, getattr(board, name), check) for name, check in checks.items()
    }
    return board._replace(**functions)


def failure(game: Game, error: BaseException) -> str:
    """Return the message on an error of a board: whose it is, what happened and where."""
    owner = GAMES.source(game.name)
    whose = game.name if owner is None else f"{game.name} ({owner})"
    return f"the board of {whose} failed: {in_words(error_words(game, error))}"


def error_words(game: Game, error: BaseException) -> str:
    """Return an error in words, with the innermost line of the game's package."""
    is_whole = isinstance(error, BoardError | RulesError)
    what = str(error) if is_whole else f"{type(error).__name__}: {error}"
    package = game.package.partition(".")[0]
    lines = [
        f"{Path(frame.f_code.co_filename).name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).partition(".")[0] == package
    ]
    return f"{what} ({lines[-1]})" if lines else what


def _is_own(game: Game) -> bool:
    source = GAMES.source(game.name)
    return source is not None and source.package == OWN


def _guarded(game: Game, seats: int) -> BoardDisplay:
    """Return the board of a game; that of another package with functions that never raise."""
    if game.board is None:
        return BOARD
    if _is_own(game):
        return game.board()
    logged: list[str] = []

    def note(error: BaseException) -> None:
        if not logged:
            logged.append(failure(game, error))
            log.warning(logged[0])

    def guard(function: Callable[..., Json], instead: Callable[..., Json]) -> Callable[..., Json]:
        def call(*given: Json) -> Json:
            try:
                return function(*given)
            except (Exception, SystemExit) as error:  # whatever a package of others does
                note(error)
                return instead(*given)

        return call

    try:
        board = checked_board(game, seats)
    except (Exception, SystemExit) as error:  # whatever a package of others does
        note(error)
        return BOARD
    names = ("sentence", "scores", "lines", "compact", "choice", "hint")
    guarded: dict[str, Any] = {
        name: guard(getattr(board, name), getattr(BOARD, name)) for name in names
    }
    return board._replace(**guarded)


def _checked(
    name: str, function: Callable[..., Json], check: Callable[[Json], Json]
) -> Callable[..., Json]:
    def call(*given: Json) -> Json:
        found = function(*given)
        try:
            return check(found)
        except BoardError as error:
            raise BoardError(f"{name} returned {in_words(repr(found))}, {error}") from None

    return call


def _one_text(found: Json) -> str:
    if not isinstance(found, str):
        raise BoardError("expected a text")
    return found


def _texts(found: Json) -> list[str]:
    if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
        raise BoardError("expected a list of texts")
    return list(found)


def _score_row(seats: int, found: Json) -> tuple[int, ...] | None:
    if found is None:
        return None
    is_row = isinstance(found, list | tuple) and all(type(each) is int for each in found)
    if not is_row or (seats and len(found) != seats):
        raise BoardError(f"expected None or {seats} whole numbers, by seat")
    return tuple(found)
