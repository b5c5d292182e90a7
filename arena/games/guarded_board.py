"""The board of a game by its name; a board from another package cannot fail.

Where it does, the generic board stands in. Its first failure is logged to ``BOARD_LOG``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import RulesError
from arena.games.board import GENERIC, BoardDisplay, Drawing, Json
from arena.games.game import Game
from arena.games.installed import OWN, in_words, place_in
from arena.games.registry import GAMES
from arena.values import clean

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
        return GENERIC
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
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a package of others does
        log.warning(failure(GAMES[name], error))
        return None


def texts_of(game: Game, drawing: Drawing) -> DrawingTexts:
    """Return the files of a drawing. Raises RulesError or TypeError if one cannot be used."""
    styles, scripts = (
        [game.text(file) for file in files] for files in (drawing.styles, drawing.scripts)
    )
    return DrawingTexts(styles, scripts, msgspec.json.encode(drawing.facts))


def checked_board(game: Game, seats: int) -> BoardDisplay:
    """Return the board of a game, with functions that check the types of what they return.

    Raises BoardError, like the functions, and any exception of the package.
    """
    board = GENERIC if game.board is None else game.board()
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
    place = place_in(game.package.partition(".")[0], error)
    return f"{what} ({place})" if place else what


def _is_own(game: Game) -> bool:
    source = GAMES.source(game.name)
    return source is not None and source.package == OWN


def _guarded(game: Game, seats: int) -> BoardDisplay:
    """Return the board of a game; that of another package with functions that never raise."""
    if game.board is None:
        return GENERIC
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
                return _safe(function(*given))
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever a package of others does
                note(error)
                return instead(*given)

        return call

    try:
        board = checked_board(game, seats)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a package of others does
        note(error)
        return GENERIC
    names = ("sentence", "scores", "lines", "compact", "choice", "hint")
    guarded: dict[str, Any] = {
        name: guard(getattr(board, name), getattr(GENERIC, name)) for name in names
    }
    guarded |= {name: _safe(getattr(board, name)) for name in ("aim", "aim_alone")}
    guarded["terms"] = tuple((_safe(term), _safe(text)) for term, text in board.terms)
    return board._replace(**guarded)


def _safe(found: Json) -> Json:
    """Return texts of a board without characters that a terminal or a browser obeys."""
    if isinstance(found, str):
        return clean.plain(found)
    return [*map(_safe, found)] if isinstance(found, list) else found


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
