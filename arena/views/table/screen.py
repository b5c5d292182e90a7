"""The screen of a person at the table: whole frames of lines from a ``Seated``. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from wcwidth import wcswidth

from arena.text import clean
from arena.text.screen import Line
from arena.views.table.state import Mode, Seated

LEAST_WIDTH: Final = 40
LEAST_HEIGHT: Final = 12
_AROUND_PAGE: Final = 2
"""Lines above and below a page."""
_BAR: Final = " | "
_HINT_LINES: Final = 2
_ROOM_FOR_HINTS: Final = 18
_BESIDE_BOARD: Final = 11
"""Lines kept free beside the whole board, for news, choices and the hint."""
_BESIDE_SHORT: Final = 6
"""Lines kept free beside the short board."""
_KEYS: Final = (
    "↑↓ 1-9 choose",
    "Enter do it",
    "a-z narrow",
    "Tab board",
    "l log",
    "? help",
    "q leave",
)
_SPARED: Final = ("a-z narrow", "Tab board", "l log", "↑↓ 1-9 choose")
"""Keys that a narrow window leaves out, in this order; the help has them."""
_TYPING_KEYS: Final = "↑↓ choose  Enter do it  Backspace one letter less  Esc all choices"
_WAITING_KEYS: Final = ("Tab board", "l log", "? help", "q leave")
_OVER_KEYS: Final = ("Tab board", "l log", "any other key leaves")
_PAGE_KEYS: Final = "↑↓ PgUp PgDn scroll   any other key: to the game"
_HELP: Final = (
    ("↑ ↓", "go through the choices; PgUp PgDn Home End faster"),
    ("1 2 …", "go to the choice of that number"),
    ("letters", "only the choices that have them: dwarf 1; Esc: all again"),
    ("Enter", "do what is highlighted; nothing can be taken back"),
    ("Tab", "the whole board"),
    ("l", "everything that has happened"),
    ("?", "this help, with the rules below"),
    ("q Ctrl-C", "leave, after a question; a game that is left is not counted"),
)


def page_room(rows: int) -> int:
    """Return the lines of a page that fit a window of ``rows`` lines."""
    return max(1, rows - _AROUND_PAGE)


def screen(seated: Seated, columns: int, rows: int) -> list[Line]:
    """Return at most ``rows`` lines of at most ``columns`` terminal columns."""
    if columns < LEAST_WIDTH or rows < LEAST_HEIGHT:
        lines = [
            Line(f"the window is {columns}x{rows}: too small"),
            Line(f"{LEAST_WIDTH}x{LEAST_HEIGHT} will do, 80x24 is good"),
            Line("q leaves"),
        ]
    elif (page := _open_page(seated, columns)) is not None:
        lines = _page(*page, seated.top, rows)
    else:
        lines = _game(seated, columns, rows)
    return [Line(clean.cut(line.text, columns), line.strong) for line in lines[:rows]]


def _open_page(seated: Seated, columns: int) -> tuple[str, list[str]] | None:
    """Return the title and lines of the page that is shown; None if the game is shown."""
    match seated.mode:
        case Mode.HELP:
            return "keys and rules", _help_lines(seated, columns)
        case Mode.LOG:
            log = all_wrapped(seated.log, columns)
            return "the game so far", log or ["nothing has happened yet"]
        case Mode.BOARD:
            return "the board as you see it", all_wrapped(_board(seated), columns)
    return None


def _help_lines(seated: Seated, columns: int) -> list[str]:
    game = seated.game
    keys = [f"  {key:<10} {what}" for key, what in _HELP]
    words = [f"  {word:<12} {meaning}" for word, meaning in game.board.terms]
    words = ["on the board:", *words, ""] if words else []
    first = [game.board.aim_at(len(game.table.names)), "", *keys, "", *words, *game.notices]
    return all_wrapped((*first, *game.page), columns)


def _page(title: str, lines: Sequence[str], top: int, rows: int) -> list[Line]:
    """Return a page of lines.

    ``top``: first line shown; -1 for the end of the page.
    """
    room = page_room(rows)
    last = max(0, len(lines) - room)
    first = last if top < 0 else min(top, last)
    shown = [Line(line) for line in lines[first : first + room]]
    part = f"{first + 1}-{first + len(shown)} of {len(lines)}"
    head = f"{title}: lines {part}" if last else title
    empty = [Line("")] * (room - len(shown))
    return [Line(head, strong=True), *shown, *empty, Line(_PAGE_KEYS, strong=True)]


def page_top(seated: Seated, columns: int, rows: int) -> int:
    """Return the first line of the page that is shown, limited to where scrolling can start."""
    page = _open_page(seated, columns)
    if page is None:
        return seated.top
    last = max(0, len(page[1]) - page_room(rows))
    return last if seated.top < 0 else min(seated.top, last)


def _game(seated: Seated, columns: int, rows: int) -> list[Line]:
    foot = Line(_foot(seated, columns), strong=True)
    head = Line(_title(seated, columns), strong=True)
    room = rows - 3  # head, foot, and the rule below the board
    if seated.result:
        middle = _ending(seated, columns, room)
    elif seated.is_asked:
        middle = _question(seated, columns, room)
    else:
        middle = _waiting(seated, columns, room)
    return [head, *middle, *[Line("")] * (rows - 2 - len(middle)), foot]


def _title(seated: Seated, columns: int) -> str:
    game = seated.game
    names = game.table.names
    me = f"{game.title}, game {game.number}: you are {names[game.seat]}"
    if len(names) == 1:
        return f"{me}, alone"
    return clean.cut(f"{me}, seat {game.seat}, against {game.others}", columns)


def _foot(seated: Seated, columns: int) -> str:
    if seated.mode is Mode.LEAVE:
        return "leave? the game is not counted: y/n"
    if seated.typed:
        return clean.cut(_TYPING_KEYS, columns)
    keys = list(_OVER_KEYS if seated.result else _KEYS if seated.is_asked else _WAITING_KEYS)
    for spared in _SPARED:
        if wcswidth("  ".join(keys)) > columns and spared in keys:
            keys.remove(spared)
    return clean.cut("  ".join(keys), columns)


def _question(seated: Seated, columns: int, room: int) -> list[Line]:
    """Return the board, the news and the choices."""
    choices = len(seated.matches)
    most = _HINT_LINES if room >= _ROOM_FOR_HINTS else 1
    told = _hint_lines(seated, columns, most)
    news = _news(seated, columns)
    board = _fitting_board(seated, columns, room)
    left = room - len(board) - 1 - most
    if not seated.chosen:
        news = _after_aim(news, seated, columns, left - min(len(seated.words), left // 2))
    listed = max(1, min(choices, max(left // 2, left - len(news))))
    shown = _shown_choices(seated, listed)
    happened = _last(news, max(0, left - listed))
    return [
        *map(Line, board),
        Line("─" * columns),
        *map(Line, happened),
        Line(_heading(seated, shown), strong=True),
        *(_choice(seated, index) for index in shown),
        *map(Line, told),
    ]


def _after_aim(news: list[str], seated: Seated, columns: int, rows: int) -> list[str]:
    """Return the news, at the first decision of a game below its aim if both fit ``rows``."""
    text = seated.game.board.aim_at(len(seated.game.table.names))
    told = wrapped(text, columns) if text else []
    return [*told, *news] if len(told) + len(news) <= rows else news


def _heading(seated: Seated, shown: Sequence[int]) -> str:
    number, matches = len(seated.words), len(seated.matches)
    if seated.note:
        text = seated.note
    elif seated.typed.isdigit():
        text = f"number {seated.typed}, Enter does it"
    elif seated.typed:
        text = f'{matches} of {number} choices have "{seated.typed}"'
    else:
        text = f"{number} choices" if number > 1 else "there is one choice"
    first = seated.matches.index(shown[0]) + 1
    part = f"   {first}-{first + len(shown) - 1} of {matches} ↓↑" if len(shown) < matches else ""
    return f"your move: {text}{part}"


def _shown_choices(seated: Seated, rows: int) -> tuple[int, ...]:
    """Return the part of the choices around the highlight."""
    matches = seated.matches
    at = matches.index(seated.cursor)
    first = min(max(0, at - rows // 2), max(0, len(matches) - rows))
    return matches[first : first + rows]


def _choice(seated: Seated, index: int) -> Line:
    is_highlighted = index == seated.cursor
    width = len(str(len(seated.words)))
    mark = ">" if is_highlighted else " "
    return Line(f"{mark} {index + 1:>{width}}  {seated.words[index]}", strong=is_highlighted)


def _hint_lines(seated: Seated, columns: int, most: int) -> list[str]:
    """Return lines on the highlighted choice: its words if they were cut, then its hint."""
    words = seated.words[seated.cursor]
    width = len(str(len(seated.words))) + 4
    game = seated.game
    more = game.board.hint(seated.legal[seated.cursor], seated.observation, game.data)
    full = words if width + wcswidth(words) > columns else ""
    text = ". ".join(filter(None, (full, more)))
    if not text:
        return []
    return wrapped(f"    {text}", columns, most)


def _waiting(seated: Seated, columns: int, room: int) -> list[Line]:
    game = seated.game
    if seated.observation is None:
        lines = [game.board.aim_at(len(game.table.names)), "", *game.notices, ""]
        lines += [f"the bots are started: {game.others}" if game.others else "the cards are dealt"]
        return [Line(part) for line in lines for part in wrapped(line, columns)][:room]
    board = _fitting_board(seated, columns, room)
    left = room - len(board) - 2
    told = [f"you chose: {seated.chosen}", *seated.log[seated.news :]]
    news = all_wrapped(told, columns, 2)
    who = f"{game.others} to move …" if game.others else "…"
    return [
        *map(Line, board),
        Line("─" * columns),
        *map(Line, _last(news, left)),
        Line(who, strong=True),
    ]


def _ending(seated: Seated, columns: int, room: int) -> list[Line]:
    result = all_wrapped(seated.result, columns)
    news = _news(seated, columns)
    board = _fitting_board(seated, columns, room)
    left = max(0, room - len(board) - len(result))
    return [
        *map(Line, board),
        Line("─" * columns),
        *map(Line, _last(news, left)),
        *(Line(line, strong=not number) for number, line in enumerate(result)),
    ][: room + 1]


def _news(seated: Seated, columns: int) -> list[str]:
    return all_wrapped(seated.log[seated.news :], columns, 3)


def _last(lines: Sequence[str], rows: int) -> list[str]:
    """Return the last lines that fit ``rows``, below a line that counts those left out."""
    if len(lines) <= rows:
        return list(lines)
    if rows < 2:
        return list(lines[len(lines) - rows :])
    hidden = len(lines) - rows + 1
    return [f"… {hidden} more lines: l shows the log", *lines[1 - rows :]]


def _board(seated: Seated) -> list[str]:
    game = seated.game
    if seated.observation is None:
        return ["no card is dealt yet"]
    return game.board.lines({game.seat: seated.observation}, game.table)


def _fitting_board(seated: Seated, columns: int, room: int) -> list[str]:
    """Return the whole board if enough room is left beside it, else the short board, cut if needed.

    Only the size of the board decides, so highlighting and typing do not change the board.
    """
    if seated.observation is None:
        return []
    whole = _board(seated)
    rows = room - _BESIDE_BOARD
    if len(whole) <= rows and all(wcswidth(line) <= columns for line in whole):
        return whole
    game = seated.game
    short = game.board.compact(seated.observation, game.table)
    lines = [part for line in short for part in packed(line, columns)]
    rows = max(0, room - _BESIDE_SHORT)
    if len(lines) <= rows:
        return lines
    return [*lines[: max(0, rows - 1)], "… Tab shows the whole board"][:rows]


def packed(line: str, columns: int) -> list[str]:
    """Wrap ``line`` as ``wrapped`` does, if possible at its bars only."""
    packed = [""]
    for part in line.split(_BAR):
        longer = f"{packed[-1]}{_BAR}{part}" if packed[-1] else part
        if wcswidth(longer) <= columns or not packed[-1]:
            packed[-1] = longer
        else:
            packed.append(f"  {part}")
    return [part for text in packed for part in wrapped(text, columns)]


def all_wrapped(texts: Iterable[str], columns: int, most: int | None = None) -> list[str]:
    """Wrap all ``texts`` as ``wrapped`` does."""
    return [part for text in texts for part in wrapped(text, columns, most)]


def wrapped(text: str, columns: int, most: int | None = None) -> list[str]:
    """Wrap ``text`` into at most ``most`` lines of ``columns``; all but the first are indented."""
    indent = len(text) - len(text.lstrip())
    characters = columns if wcswidth(text) == len(text) else columns // 2  # wide ones take two
    lines = textwrap.wrap(
        text,
        characters,
        initial_indent="",
        subsequent_indent=" " * (indent + (0 if indent else 2)),
        max_lines=most,
        placeholder=" …",
    )
    return lines or [""]
