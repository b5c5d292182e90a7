"""Contents of the terminal screen of one game, with its panels. Pure: no terminal is used here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from wcwidth import wcswidth

from arena.extensions.browser.terminal.keys import Command, help_rows
from arena.extensions.browser.terminal.stepper import SidePanel, Stepper
from arena.extensions.browser.viewer.moments import Moment, MomentKind, result_line, shown_at
from arena.games.board import Json
from arena.referee.records.perspective import plain
from arena.values import clean
from arena.values.numbers import score_line
from arena.views.game import replay
from arena.views.game.text import STDERR_LINES, count, fault_lines, ply_data

CHOSEN, NOT_CHOSEN = "> ", "  "
_COLUMNS: Final = 76
"""Most columns of JSON on one line; longer text is broken."""
_RAW: Final = (
    "ply",
    "seat",
    "action",
    "info",
    "think_us",
    "autopilot",
    "events",
    "observation",
)
"""Fields of a ply, the longest last."""


class Line(NamedTuple):
    """One line of a screen."""

    text: str
    strong: bool = False


def legal_lines(view: replay.View, position: int) -> list[str]:
    """Return the action of the ply just made, the other legal actions, and what the seat saw."""
    if not position:
        return ["nothing has happened yet"]
    ply = view.plies[position - 1]
    if ply.seat is None and (view.seat is None or replay.is_shown(ply)):
        return [f"ply {ply.ply} is chance: nobody chose"]
    if not ply.legal or ply.seat is None:
        return [f"what ply {ply.ply} was chosen from is not in this view"]
    asked, table = ply.before[ply.seat], view.table
    words = [view.board.choice(action, asked, table) for action in (ply.action, *ply.legal)]
    who = "the autopilot chose for " if ply.autopilot else ""
    chose = "" if ply.autopilot else " chose"
    legal = count(len(ply.legal), "legal action", "legal actions")
    return [
        f"{who}{table.names[ply.seat]}{chose}, of {legal}:",
        CHOSEN + words[0],
        *(NOT_CHOSEN + other for other in words[1:] if other != words[0]),
        "",
        *view.board.compact(asked, table),
    ]


def raw_lines(view: replay.View, position: int) -> list[str]:
    """Return the ply before ``position`` as JSON, with the ``info`` and observation of its seat."""
    if not position:
        return ["nothing has happened yet"]
    ply = view.plies[position - 1]
    if not replay.is_shown(ply):
        return [f"ply {ply.ply}: {replay.nothing_seen(view)}"]
    return list(_json_lines(view, ply))


def _json_lines(view: replay.View, ply: replay.ShownPly) -> Iterator[str]:
    data = plain(ply_data(view, ply))
    for line in _member_lines({name: data[name] for name in _RAW}, ""):
        yield from _broken(line)


def _member_lines(value: Json, indent: str) -> Iterator[str]:
    """Yield the members of a value without its brackets; values that fit stay on one line."""
    keyed = isinstance(value, dict)
    items = [
        (f"{clean.json_text(msgspec.json.encode(key))}: " if keyed else "", item)
        for key, item in (value.items() if keyed else enumerate(value))
    ]
    for number, (name, item) in enumerate(items, 1):
        comma = "," if number < len(items) else ""
        line = f"{indent}{name}{clean.json_text(msgspec.json.encode(item))}{comma}"
        if len(line) <= _COLUMNS or not (isinstance(item, dict | list) and item):
            yield line
            continue
        opened, closed = "{}" if isinstance(item, dict) else "[]"
        yield f"{indent}{name}{opened}"
        yield from _member_lines(item, indent + "  ")
        yield f"{indent}{closed}{comma}"


def _broken(line: str) -> Iterator[str]:
    """Break ``line`` into pieces of at most ``_COLUMNS``, so that a long text can be scrolled."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    yield from textwrap.wrap(
        line,
        _COLUMNS,
        subsequent_indent=indent[: _COLUMNS // 2],
        drop_whitespace=False,
        replace_whitespace=False,
    ) or [line]


FULL_WIDTH: Final = 80
FULL_HEIGHT: Final = 24
"""Size of a window that shows a whole board: ``FULL_WIDTH`` columns, ``FULL_HEIGHT`` lines."""
_LEAST_WIDTH: Final = 30
_LEAST_HEIGHT: Final = 8
_WRAPPED_LINES: Final = 3
"""Most lines of the ply just made."""
_LEAST_PLIES: Final = 4
"""Lines kept for plies even where the board does not fit."""
_MARK, _NO_MARK = "> ", "  "
_LAST_KEYS: Final = "? help  q quit"
_PAST, _FUTURE, _HERE, _TURNING, _FAULT = "━─●┼!"


def screen(stepper: Stepper, columns: int, rows: int) -> list[Line]:
    """Return at most ``rows`` lines of at most ``columns`` columns."""
    if columns < _LEAST_WIDTH or rows < _LEAST_HEIGHT:
        lines = [
            Line(f"the window is {columns}x{rows}: too small"),
            Line(f"{FULL_WIDTH}x{FULL_HEIGHT} shows everything"),
            Line("q quit"),
        ]
    elif stepper.help:
        lines = _help(stepper.view)
    else:
        lines = _game(stepper, columns, rows)
    return [Line(clean.cut(line.text, columns), line.strong) for line in lines[:rows]]


def _game(stepper: Stepper, columns: int, rows: int) -> list[Line]:
    head = [Line(_title(stepper, columns), strong=True), Line(_players(stepper, columns))]
    foot = [Line(_status(stepper)), Line(_keys(stepper.view, columns), strong=True)]
    room = rows - len(head) - len(foot) - 1
    end = _end(stepper, columns, max(1, room - bool(stepper.position)))
    least = max(min(_LEAST_PLIES, room), len(end) + bool(stepper.position))
    above = _above(stepper, columns, rows, max(0, room - least))
    plies = _plies(stepper, columns, room - len(above), end)
    return [*head, *map(Line, above), Line(_time_line(stepper, columns)), *plies, *foot]


def _above(stepper: Stepper, columns: int, height: int, rows: int) -> list[str]:
    """Return board and panel where both fit, else the panel instead of the board."""
    if stepper.panel is SidePanel.NONE:
        return _board(stepper, columns, height, rows)
    panel = _panel(stepper, columns)
    view = stepper.view
    board = view.board.lines(view.observations(stepper.position), view.table)
    if len(board) + len(panel) < rows:
        return [*board, "", *panel]
    if len(panel) <= rows:
        return panel
    more = f"… {len(panel) - max(0, rows - 1)} more lines: ↑ ↓ PgUp PgDn"
    return [*panel[: max(0, rows - 1)], more][:rows]


def _panel(stepper: Stepper, columns: int) -> list[str]:
    """Return the panel from the line scrolled to; the last line always stays visible."""
    lines_of = legal_lines if stepper.panel is SidePanel.LEGAL else raw_lines
    lines = lines_of(stepper.view, stepper.position)
    scroll = min(stepper.scroll, len(lines) - 1)
    return [part for line in lines[scroll:] for part in _wrapped(line, columns)]


def _board(stepper: Stepper, columns: int, height: int, rows: int) -> list[str]:
    """Return the board or the part of it that fits in ``rows``.

    At the end of a game with faults: the whole board, else what the faulty bot saw, else nothing.
    ``height``: lines of the window.
    """
    view = stepper.view
    observations = view.observations(stepper.position)
    board = view.board.lines(observations, view.table)
    if len(board) <= rows:
        return board
    if view.faults and stepper.position == len(view.plies):
        seats = [
            *(fault.seat for fault in view.faults if fault.seat in observations),
            *observations,
        ]
        short = view.board.compact(observations[seats[0]], view.table)
        lines = [part for line in short for part in _wrapped(line, columns)]
        return lines if len(lines) <= rows else []
    hidden = len(board) - rows
    size = f"the window is {columns + 1}x{height}, {columns + 1}x{height + hidden} shows all"
    return [*board[: max(0, rows - 1)], f"… {hidden + 1} more lines: {size}"]


def _title(stepper: Stepper, columns: int) -> str:
    view, last = stepper.view, len(stepper.view.plies) - 1
    named = f"{view.header.spec.game_id}  game {view.replay.number} of {view.replay.games}"
    if stepper.position:
        right = f"ply {stepper.position - 1} of 0-{last}"
    else:
        right = f"start, plies 0-{last}" if last >= 0 else "no plies"
    if stepper.playing:
        right = f"playing {stepper.speed:g}/s  {right}"
    room = max(0, columns - len(right) - 2)
    machine = f"  on {view.machine}" if view.machine else ""
    whole = clean.plain(f"{named}  {view.replay.title}{machine}")
    left = whole if wcswidth(whole) <= room else clean.cut(named, room)
    return left + right.rjust(columns - wcswidth(left))


def _players(stepper: Stepper, columns: int) -> str:
    """Return names, scores and the view; the names without seats where the line is too long."""
    view, names = stepper.view, stepper.view.table.names
    scores = view.scores_at(stepper.position)
    points = "" if scores is None else f"  {score_line(scores)}"
    rest = f"{points}  view: {replay.view_name(view)}"
    whole = "  ".join(f"seat {seat} {name}" for seat, name in enumerate(names)) + rest
    return whole if wcswidth(whole) <= columns else "  ".join(names) + rest


def _plies(stepper: Stepper, columns: int, rows: int, end: Sequence[str]) -> list[Line]:
    """Return exactly ``rows`` lines: the last plies, oldest first, then ``end``."""
    view = stepper.view
    lines = [Line(_NO_MARK + line) for line in end]
    wrapped = max(1, min(_WRAPPED_LINES, rows - len(end)))
    for ply in reversed(view.plies[: stepper.position]):
        if len(lines) >= rows:
            break
        lines = [*_said(view, ply, columns, wrapped), *lines]
        wrapped = 0
    shown = lines[-rows:] if rows else []
    return shown + [Line("")] * (rows - len(shown))


def _end(stepper: Stepper, columns: int, rows: int) -> list[str]:
    """Return result and faults after the last ply, with as much standard error as fits ``rows``."""
    view = stepper.view
    lines: list[str] = []
    if stepper.position < len(view.plies):
        return lines
    for kept in range(STDERR_LINES, 0, -1):
        faults = [line for fault in view.faults for line in fault_lines(view, fault, kept)]
        lines = [
            part
            for line in (result_line(view), *faults)
            for part in _wrapped(line, columns - len(_NO_MARK))
        ]
        if len(lines) <= rows:
            return lines
    return [*lines[: rows - 1], f"… {len(lines) - rows + 1} more lines"]


def _wrapped(text: str, width: int) -> list[str]:
    """Wrap ``text`` at ``width`` columns, with all lines but the first indented further."""
    indent = len(text) - len(text.lstrip()) + 2
    characters = width if wcswidth(text) == len(text) else width // 2  # wide ones take two columns
    return textwrap.wrap(text, characters, subsequent_indent=" " * indent) or [""]


def _said(view: replay.View, ply: replay.ShownPly, columns: int, wrapped_lines: int) -> list[Line]:
    """Return the lines of a ply.

    The ply just made is marked and has at most ``wrapped_lines`` lines; an earlier ply (0) has one.
    """
    text = f"{ply.ply:4}  {replay.sentence(view, ply)}"
    if not wrapped_lines:
        return [Line(_NO_MARK + text)]
    width = columns - len(_MARK)
    wrapped = textwrap.wrap(
        text, width, subsequent_indent=" " * 6, max_lines=wrapped_lines, placeholder=" …"
    )
    marks = [_MARK, *[_NO_MARK] * (len(wrapped) - 1)]
    return [Line(mark + line, strong=True) for mark, line in zip(marks, wrapped, strict=True)]


def _time_line(stepper: Stepper, columns: int) -> str:
    """Return a time line of the game with the position, turning points and faults."""
    stops, last = stepper.stops, max(1, stepper.last)
    place = [round(position / last * (columns - 1)) for position in range(stepper.last + 1)]
    here = place[stepper.position]
    line = [_PAST] * here + [_FUTURE] * (columns - here)
    for marks, positions in ((_TURNING, stops.moments), (_FAULT, stops.faults)):
        for position in positions:
            line[place[position]] = marks
    if stepper.last:
        line[here] = _HERE
    return "".join(line)


def _status(stepper: Stepper) -> str:
    """Return the prompt, the message about the last key, or else facts on the ply just made."""
    if stepper.prompt is not None:
        asks = "find" if stepper.prompt.command is Command.FIND else "go to ply"
        return f"{asks}: {stepper.prompt.text}_"
    if stepper.notice:
        return stepper.notice
    view, position = stepper.view, stepper.position
    here = [each for each in stepper.stops.turning_points if shown_at(view, each.ply) == position]
    return "  ".join([*_turning_points(stepper, here), *_thought(stepper, here)])


def _turning_points(stepper: Stepper, here: Sequence[Moment]) -> Iterator[str]:
    """Yield the turning points at this ply; result and faults at the end are shown elsewhere."""
    at_end = stepper.position == stepper.last
    for _, kind, words in here:
        if not at_end or kind not in (MomentKind.END, MomentKind.FAULT):
            yield f"{_FAULT if kind is MomentKind.FAULT else _TURNING} {words}"


def _thought(stepper: Stepper, here: Sequence[Moment]) -> Iterator[str]:
    """Yield think time and ``info`` of the ply just made, if the view shows them."""
    ply = stepper.view.plies[stepper.position - 1] if stepper.position else None
    if ply is None or ply.seat is None or ply.thought_us is None:
        return
    if all(each.kind is not MomentKind.SLOW for each in here):
        yield f"{stepper.view.table.names[ply.seat]} thought {replay.duration(ply.thought_us)}"
    if ply.info is not None:
        yield f"info {replay.plain_json(ply.info)}"


def _keys(view: replay.View, columns: int) -> str:
    """Return as many keys as fit; the keys for help and quitting are always shown."""
    names = view.table.names
    keys = ["→ ← ply", "] [ turn", "Space play", "m f s jump", "/ find", "a i more"]
    with_names = _views(names), _views([f"seat {seat}" for seat in range(len(names))])
    digits = f"0-{len(names)}{' p' if len(names) > 1 else ''} view"
    shorter = [
        *([*keys, views] for views in with_names),
        *([*keys[:kept], digits] for kept in (6, 5, 4)),
        *(keys[:kept] for kept in (4, 3, 2, 1)),
    ]
    lines = ("  ".join([*some, _LAST_KEYS]) for some in shorter)
    return next((line for line in lines if wcswidth(line) <= columns), _LAST_KEYS)


def _views(seats: Sequence[str]) -> str:
    """Return the keys of the views: ``0 all  1 greedy  2 random  p public``."""
    public = ["p public"] if len(seats) > 1 else []
    return "  ".join(["0 all", *(f"{key} {seat}" for key, seat in enumerate(seats, 1)), *public])


def _help(view: replay.View) -> list[Line]:
    rows = help_rows(view.table.names)
    return [Line("keys", strong=True), *(Line(f"  {key:<15} {what}") for key, what in rows)]
