"""A watched run on a terminal: keys and contents of the screen, as pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from wcwidth import wcswidth

from arena.text import clean
from arena.text import screen as codes
from arena.text.numbers import count
from arena.text.tables import HEADER, short
from arena.views.live.snapshot import Snapshot
from arena.views.live.text import (
    ended_lines,
    hand_lines,
    progress,
    status,
    trial_lines,
    voided_lines,
)
from arena.views.match.words import line
from arena.views.standings import tables

_LEAST_WIDTH: Final = 30
_LEAST_HEIGHT: Final = 8
_LEAST_TABLE: Final = HEADER + 2
"""Fewest lines of a table: its titles, perhaps one above them, and one row."""
_LAST_ROWS: Final = 3
"""Number of finished games that stay visible beside a long table."""
_HANDS_SHARE: Final = 4
"""Divisor of the screen's lines: the greatest part for running games."""
_BAR: Final = 20


class ScreenCommand(Enum):
    """Action that a key asks for."""

    UP = auto()
    DOWN = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    TOP = auto()
    NEXT = auto()
    BACK = auto()
    QUIT = auto()


KEYS: Final = codes.by_key(
    {
        ScreenCommand.UP: codes.UP | {b"k"},
        ScreenCommand.DOWN: codes.DOWN | {b"j"},
        ScreenCommand.PAGE_UP: codes.PAGE_UP,
        ScreenCommand.PAGE_DOWN: codes.PAGE_DOWN | {b" "},
        ScreenCommand.TOP: codes.HOME | {b"g"},
        ScreenCommand.NEXT: codes.TAB | codes.RIGHT,
        ScreenCommand.BACK: codes.SHIFT_TAB | codes.LEFT,
        ScreenCommand.QUIT: {b"q", codes.CTRL_D},
    }
)
"""Commands by the bytes that a terminal sends."""
_STEPS: Final = {
    ScreenCommand.UP: -1,
    ScreenCommand.DOWN: 1,
    ScreenCommand.PAGE_UP: -10,
    ScreenCommand.PAGE_DOWN: 10,
}


class Glance(NamedTuple):
    """Position of the viewer. An immutable value: each key leads to the next."""

    table: int = 0
    """Number of the table; the first is that of all games, if there are several."""
    scroll: int = 0
    """Number of lines of the table above the window."""

    def press(self, key: bytes, snapshot: Snapshot, columns: int, rows: int) -> Glance | None:
        """Return the position after a key on a screen of that size; None to quit.

        Unknown keys change nothing.
        """
        command, number = KEYS.get(key), len(snapshot.sections)
        if command is ScreenCommand.QUIT:
            return None
        if key.isdigit() and 1 <= int(key) <= number:
            return Glance(int(key) - 1)
        match command:
            case ScreenCommand.NEXT if number:
                return Glance((self.table + 1) % number)
            case ScreenCommand.BACK if number:
                return Glance((self.table - 1) % number)
            case ScreenCommand.TOP:
                return self._replace(scroll=0)
            case (
                ScreenCommand.UP
                | ScreenCommand.DOWN
                | ScreenCommand.PAGE_UP
                | ScreenCommand.PAGE_DOWN
            ):
                table = _table(snapshot, self.table, columns)
                last = _hidden(table, _room(snapshot, table, rows))
                scroll = min(self.scroll, last) + _STEPS[command]
                return self._replace(scroll=max(0, min(scroll, last)))
        return self


class _Room(NamedTuple):
    """Number of lines for each part of the screen, without headings."""

    table: int
    hands: int
    last: int


def screen(snapshot: Snapshot, glance: Glance, columns: int, rows: int) -> list[codes.Line]:
    """Return at most ``rows`` lines of at most ``columns`` columns."""
    if columns < _LEAST_WIDTH or rows < _LEAST_HEIGHT:
        lines = [codes.Line(f"the window is {columns}x{rows}: too small"), codes.Line("q quit")]
    else:
        lines = _run(snapshot, glance, columns, rows)
    return [codes.Line(clean.cut(each.text, columns), each.strong) for each in lines[:rows]]


def _run(snapshot: Snapshot, glance: Glance, columns: int, rows: int) -> list[codes.Line]:
    table = _table(snapshot, glance.table, columns)
    room = _room(snapshot, table, rows)
    head = [
        codes.Line(_title(snapshot, columns), strong=True),
        codes.Line(_progress(snapshot, columns)),
    ]
    if snapshot.trial is not None:
        head += map(codes.Line, trial_lines(snapshot.trial, columns))
    body = [*head, _rule(_tabs(snapshot, glance, columns - 5), columns)]
    body += _window(table, glance.scroll, room.table)
    if room.hands:
        body.append(_rule("being played", columns))
        body += map(codes.Line, hand_lines(snapshot.hands[: room.hands]))
    if room.last > 0:
        body.append(_rule("last games", columns))
        body += map(codes.Line, _last(snapshot)[: room.last])
    body += [codes.Line("")] * (rows - 1 - len(body))
    keys = _keys(snapshot, _hidden(table, room), columns)
    return [*body[: rows - 1], codes.Line(keys, strong=True)]


def _room(snapshot: Snapshot, shown: Sequence[_Sheet], rows: int) -> _Room:
    """Return the lines for each part: the table has all it needs, if a few others stay visible."""
    trial = 3 if snapshot.trial is not None else 0
    free = rows - 2 - trial - 1 - 1
    hands = min(len(snapshot.hands), max(1, rows // _HANDS_SHARE))
    free -= hands + bool(hands)
    last = len(_last(snapshot))
    least = min(last, _LAST_ROWS)
    table = max(_LEAST_TABLE, min(_height(shown), free - least - bool(last)))
    return _Room(table, hands, free - table - bool(last) if last else 0)


def _hidden(shown: Sequence[_Sheet], room: _Room) -> int:
    """Return the number of lines of the table outside the window."""
    return max(0, _height(shown) - room.table)


def _height(shown: Sequence[_Sheet]) -> int:
    return sum(len(sheet.lines) for sheet in shown)


def _title(snapshot: Snapshot, columns: int) -> str:
    run = clean.cut(clean.plain(snapshot.run), max(10, columns // 2))
    return f"{run}  {status(snapshot)}"


def _progress(snapshot: Snapshot, columns: int) -> str:
    words, share = progress(snapshot), snapshot.share
    room = min(_BAR, columns - wcswidth(words) - 3)
    if share is None or room < 5:
        return words
    filled = round(share * room)
    return f"{words}  {'━' * filled}{'─' * (room - filled)}"


class _Sheet(NamedTuple):
    """A piece of a section, as lines."""

    lines: Sequence[codes.Line]
    head: int
    """Number of head lines that stay visible while the piece is scrolled."""


def _table(snapshot: Snapshot, number: int, columns: int | None) -> list[_Sheet]:
    """Return a section with the remarks below its table, as in ``arena standings``."""
    if not snapshot.sections:
        return [_Sheet([codes.Line(""), codes.Line(""), codes.Line("no table yet")], HEADER)]
    section = tables.overall_first(snapshot.sections)[min(number, len(snapshot.sections) - 1)]
    found = []
    for piece in tables.pieces(section, columns):
        title = [codes.Line(piece.title, strong=True)] if piece.title else []
        lines = [codes.Line(text, strong=not title and not k) for k, text in enumerate(piece.lines)]
        found.append(_Sheet([*title, *lines, codes.Line("")], len(title) + piece.header))
    found[-1] = found[-1]._replace(lines=found[-1].lines[:-1])
    return found


def _window(shown: Sequence[_Sheet], scroll: int, rows: int) -> list[codes.Line]:
    """Return the visible lines; the head of the first piece stays until the next piece."""
    lines = [line for sheet in shown for line in sheet.lines]
    first = max(0, min(scroll, len(lines) - rows))
    seen, begin = lines[first : first + rows], 0
    for sheet in shown:
        left = begin + len(sheet.lines) - first
        if left > 0:
            stays = sheet.lines[: sheet.head][-left:]
            return [*stays, *seen[len(stays) :]]
        begin += len(sheet.lines)
    return seen


def _tabs(snapshot: Snapshot, glance: Glance, columns: int) -> str:
    """Return ``[overall]  2 Dragonheart  3 Dragonkrak``, always with the chosen table."""
    titles = [short(section.heading) for section in tables.overall_first(snapshot.sections)]
    if len(titles) < 2:
        return "standings"
    chosen = min(glance.table, len(titles) - 1)
    tabs = [
        f"[{title}]" if number == chosen else f"{number + 1} {title}"
        for number, title in enumerate(titles)
    ]
    for first in range(chosen + 1):
        shown = "  ".join(["…"] * bool(first) + tabs[first : chosen + 1])
        if wcswidth(shown) <= columns:
            return "  ".join([shown, *tabs[chosen + 1 :]])
    return tabs[chosen]


def _last(snapshot: Snapshot) -> list[str]:
    """Return lines of the last games; void games come first, as they are rare and important."""
    return [*voided_lines(snapshot.voided[:_LAST_ROWS]), *ended_lines(snapshot.ended)]


def _rule(title: str, columns: int) -> codes.Line:
    shown = f"── {clean.cut(line(title), columns - 4)} "
    return codes.Line(shown + "─" * (columns - wcswidth(shown)))


def _keys(snapshot: Snapshot, hidden: int, columns: int) -> str:
    """Return help on the keys that do something now."""
    parts = [f"↑↓ scroll: {count(hidden, 'more line')}"] if hidden else []
    parts.append("q quit")
    if len(snapshot.sections) > 1:
        parts.insert(0, "tab or number: table")
    keys = "  ".join(parts)
    return keys if wcswidth(keys) <= columns else "q quit"
