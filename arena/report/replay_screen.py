"""One game on a terminal: which keys do what, and what is on the screen. Pure; no terminal here."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple, assert_never

from wcwidth import wcswidth

from arena.report import clean
from arena.report.replay import (
    Replay,
    Shown,
    View,
    duration,
    joined,
    plain_json,
    scores_in,
    sentence,
    view_name,
    view_of,
)
from arena.report.replay_text import STDERR_LINES, fault_lines, result_line
from arena.results import Seat

FULL_WIDTH: Final = 80
FULL_HEIGHT: Final = 24
"""A window of this size shows a whole board."""
_LEAST_WIDTH: Final = 30
_LEAST_HEIGHT: Final = 8
_WRAPPED_LINES: Final = 3
"""The ply just made has up to so many lines."""
_LEAST_PLIES: Final = 4
"""Lines for plies even where the board does not fit."""
_MARK, _NO_MARK = "> ", "  "
_LAST_KEYS: Final = "? help  q quit"


class Command(Enum):
    """What a key asks for."""

    NEXT = auto()
    BACK = auto()
    NEXT_TURN = auto()
    PREVIOUS_TURN = auto()
    FIRST = auto()
    LAST = auto()
    HELP = auto()
    QUIT = auto()


KEYS: Final = {
    b"\x1b[C": Command.NEXT,
    b"\x1bOC": Command.NEXT,
    b" ": Command.NEXT,
    b"n": Command.NEXT,
    b"\x1b[D": Command.BACK,
    b"\x1bOD": Command.BACK,
    b"p": Command.BACK,
    b"]": Command.NEXT_TURN,
    b"[": Command.PREVIOUS_TURN,
    b"\x1b[H": Command.FIRST,
    b"\x1bOH": Command.FIRST,
    b"\x1b[1~": Command.FIRST,
    b"\x1b[7~": Command.FIRST,
    b"g": Command.FIRST,
    b"\x1b[F": Command.LAST,
    b"\x1bOF": Command.LAST,
    b"\x1b[4~": Command.LAST,
    b"\x1b[8~": Command.LAST,
    b"G": Command.LAST,
    b"?": Command.HELP,
    b"q": Command.QUIT,
    b"\x04": Command.QUIT,
}
"""By what a terminal sends."""


class Line(NamedTuple):
    """One line of the screen."""

    text: str
    strong: bool = False


class Stepper(NamedTuple):
    """Where a person is in a game. A value: keys lead from one to the next."""

    replay: Replay
    view: View
    position: int
    """Plies applied."""
    help: bool = False
    """Whether the keys are explained instead of the game shown."""

    @classmethod
    def begin(cls, replay: Replay, seat: Seat | None) -> Stepper:
        """Before the first decision."""
        plies = replay.record.plies
        first = next((ply.ply for ply in plies if ply.seat is not None), len(plies))
        return cls(replay, view_of(replay, seat), first)

    def press(self, key: bytes) -> Stepper | None:
        """What the key leads to; None to quit. Unknown keys change nothing."""
        command = KEYS.get(key)
        if command is Command.QUIT:
            return None
        if self.help:
            return self._replace(help=False)
        if command is Command.HELP:
            return self._replace(help=True)
        if command is None:
            return self._look(key)
        return self._replace(position=self._moved(command))

    def _look(self, key: bytes) -> Stepper:
        """Digits choose the view: 0 for all, n for seat n-1."""
        if not (key.isdigit() and int(key) <= len(self.view.places)):
            return self
        seat = int(key) - 1 if int(key) else None
        return self._replace(view=view_of(self.replay, seat))

    def _moved(self, command: Command) -> int:
        last = len(self.view.plies)
        match command:
            case Command.NEXT:
                return min(self.position + 1, last)
            case Command.BACK:
                return max(self.position - 1, 0)
            case Command.NEXT_TURN:
                return min((p for p in self._turns() if p > self.position), default=last)
            case Command.PREVIOUS_TURN:
                return max((p for p in self._turns() if p < self.position), default=0)
            case Command.FIRST:
                return 0
            case Command.LAST:
                return last
            case Command.HELP | Command.QUIT:
                return self.position
        assert_never(command)

    def _turns(self) -> list[int]:
        """Positions at which another seat than before is to decide."""
        starts, before = [], None
        for ply in self.replay.record.plies:
            if ply.seat is not None and ply.seat != before:
                starts.append(ply.ply)
                before = ply.seat
        return starts


def screen(stepper: Stepper, columns: int, rows: int) -> list[Line]:
    """At most ``rows`` lines of at most ``columns`` columns."""
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
    view = stepper.view
    head = [Line(_title(stepper, columns), strong=True), Line(_players(stepper))]
    foot = [Line(_thought(stepper)), Line(_keys(view, columns), strong=True)]
    room = rows - len(head) - len(foot) - 1
    end = _end(stepper, columns, max(1, room - bool(stepper.position)))
    least = max(min(_LEAST_PLIES, room), len(end) + bool(stepper.position))
    board = _board(stepper, columns, rows, max(0, room - least))
    middle = [Line("─" * columns), *_plies(stepper, columns, room - len(board), end)]
    return [*head, *map(Line, board), *middle, *foot]


def _board(stepper: Stepper, columns: int, height: int, rows: int) -> list[str]:
    """With faults the whole board, what the faulty bot saw or nothing; else as much as fits.

    ``height``: of the window; ``rows``: what is left for the board.
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
    left = f"{clean.plain(view.spec.game_id)}  game {view.number} of {view.games}  {view.rules}"
    if stepper.position:
        right = f"ply {stepper.position - 1} of 0-{last}"
    else:
        right = f"start, plies 0-{last}" if last >= 0 else "no plies"
    left = clean.cut(left, max(0, columns - len(right) - 2))
    return left + right.rjust(columns - wcswidth(left))


def _players(stepper: Stepper) -> str:
    view = stepper.view
    names = "  ".join(f"seat {seat} {name}" for seat, name in enumerate(view.table.names))
    scores = scores_in(view, view.observations(stepper.position))
    points = "" if scores is None else f"  {joined(scores)}"
    return f"{names}{points}  view: {view_name(view)}"


def _plies(stepper: Stepper, columns: int, rows: int, end: Sequence[str]) -> list[Line]:
    """The last plies, oldest first, exactly ``rows`` lines; then the end."""
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
    """After the last ply: result and faults, of their standard error the last lines that fit."""
    view = stepper.view
    lines: list[str] = []
    if stepper.position < len(view.plies):
        return lines
    for kept in range(STDERR_LINES, 0, -1):
        told = [line for fault in view.faults for line in fault_lines(view, fault, kept)]
        lines = [
            part
            for line in (result_line(view), *told)
            for part in _wrapped(line, columns - len(_NO_MARK))
        ]
        if len(lines) <= rows:
            return lines
    return [*lines[: rows - 1], f"… {len(lines) - rows + 1} more lines"]


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most ``width`` columns, all but the first further indented."""
    indent = len(text) - len(text.lstrip()) + 2
    characters = width if wcswidth(text) == len(text) else width // 2  # some take two columns
    return textwrap.wrap(text, characters, subsequent_indent=" " * indent) or [""]


def _said(view: View, ply: Shown, columns: int, wrapped_lines: int) -> list[Line]:
    """The ply just made is marked and has up to so many lines, the earlier ones (0) one line."""
    text = f"{ply.ply:4}  {sentence(view, ply)}"
    if not wrapped_lines:
        return [Line(_NO_MARK + text)]
    width = columns - len(_MARK)
    wrapped = textwrap.wrap(
        text, width, subsequent_indent=" " * 6, max_lines=wrapped_lines, placeholder=" …"
    )
    marks = [_MARK, *[_NO_MARK] * (len(wrapped) - 1)]
    return [Line(mark + line, strong=True) for mark, line in zip(marks, wrapped, strict=True)]


def _thought(stepper: Stepper) -> str:
    """Thinking time and ``info`` of the ply just made, as far as the view shows them."""
    if not stepper.position:
        return ""
    ply = stepper.view.plies[stepper.position - 1]
    if ply.think_us is None or ply.seat is None or ply.autopilot:
        return ""
    info = "" if ply.info is None else f"  info {plain_json(ply.info)}"
    return f"{stepper.view.table.names[ply.seat]} thought {duration(ply.think_us)}{info}"


def _keys(view: View, columns: int) -> str:
    """As many keys as fit; those for help and quitting always do."""
    moves = ["→ next  ← back", "] [ turn", "Home End"]
    names = view.table.names
    shorter = [
        [*moves, _views(names)],
        [*moves, _views([f"seat {seat}" for seat in range(len(names))])],
        [*moves, f"0-{len(names)} views"],
        *(moves[:kept] for kept in (3, 2, 1)),
    ]
    lines = ("  ".join([*keys, _LAST_KEYS]) for keys in shorter)
    return next((line for line in lines if wcswidth(line) <= columns), _LAST_KEYS)


def _views(seats: Sequence[str]) -> str:
    """Which key shows what, such as ``0 all  1 greedy  2 random``."""
    return "  ".join(["0 all", *(f"{key} {seat}" for key, seat in enumerate(seats, 1))])


def _help(view: View) -> list[Line]:
    names = view.table.names
    rows: Sequence[tuple[str, str]] = (
        ("→  space  n", "next ply"),
        ("←  p", "back one ply"),
        ("]  [", "to the start of the next turn, of the previous turn"),
        ("Home  g", "to the start"),
        ("End  G", "to the end"),
        ("0", "all cards"),
        *((str(seat + 1), f"what seat {seat} ({name}) saw") for seat, name in enumerate(names)),
        ("?", "this help; any key leaves it"),
        ("q", "quit"),
    )
    return [Line("keys", strong=True), *(Line(f"  {key:<12} {what}") for key, what in rows)]
