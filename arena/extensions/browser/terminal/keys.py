"""Keys of a replay on a terminal: the same as in the browser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import Final

_UP: Final = frozenset({b"\x1b[A", b"\x1bOA"})
_DOWN: Final = frozenset({b"\x1b[B", b"\x1bOB"})
_RIGHT: Final = frozenset({b"\x1b[C", b"\x1bOC"})
_LEFT: Final = frozenset({b"\x1b[D", b"\x1bOD"})
_SHIFT_RIGHT: Final = frozenset({b"\x1b[1;2C", b"\x1b[c"})
_SHIFT_LEFT: Final = frozenset({b"\x1b[1;2D", b"\x1b[d"})
_PAGE_UP: Final = frozenset({b"\x1b[5~"})
_PAGE_DOWN: Final = frozenset({b"\x1b[6~"})
_HOME: Final = frozenset({b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"})
_END: Final = frozenset({b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"})
ENTER: Final = frozenset({b"\r", b"\n"})
ERASE: Final = frozenset({b"\x7f", b"\x08"})
_CTRL_D: Final = b"\x04"


class Command(Enum):
    """The action that a key asks for."""

    NEXT = auto()
    BACK = auto()
    NEXT_TURN = auto()
    PREVIOUS_TURN = auto()
    FIRST = auto()
    LAST = auto()
    GO = auto()
    PLAY = auto()
    FASTER = auto()
    SLOWER = auto()
    SPECTATOR = auto()
    NEXT_MOMENT = auto()
    PREVIOUS_MOMENT = auto()
    NEXT_FAULT = auto()
    PREVIOUS_FAULT = auto()
    NEXT_SCORE = auto()
    PREVIOUS_SCORE = auto()
    SLOWEST = auto()
    LEGAL = auto()
    RAW = auto()
    UP = auto()
    DOWN = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    FIND = auto()
    NEXT_MATCH = auto()
    PREVIOUS_MATCH = auto()
    HELP = auto()
    QUIT = auto()


_KEYS: Final[dict[Command, Iterable[bytes]]] = {
    Command.NEXT: _RIGHT | {b"."},
    Command.BACK: _LEFT | {b","},
    Command.NEXT_TURN: _SHIFT_RIGHT | {b"]"},
    Command.PREVIOUS_TURN: _SHIFT_LEFT | {b"["},
    Command.FIRST: _HOME,
    Command.LAST: _END | {b"G"},
    Command.GO: {b"g"},
    Command.PLAY: {b" "},
    Command.FASTER: {b"+", b"="},
    Command.SLOWER: {b"-"},
    Command.SPECTATOR: {b"p"},
    Command.NEXT_MOMENT: {b"m"},
    Command.PREVIOUS_MOMENT: {b"M"},
    Command.NEXT_FAULT: {b"f"},
    Command.PREVIOUS_FAULT: {b"F"},
    Command.NEXT_SCORE: {b"s"},
    Command.PREVIOUS_SCORE: {b"S"},
    Command.SLOWEST: {b"l"},
    Command.LEGAL: {b"a"},
    Command.RAW: {b"i"},
    Command.UP: _UP,
    Command.DOWN: _DOWN,
    Command.PAGE_UP: _PAGE_UP,
    Command.PAGE_DOWN: _PAGE_DOWN,
    Command.FIND: {b"/"},
    Command.NEXT_MATCH: {b"n"},
    Command.PREVIOUS_MATCH: {b"N"},
    Command.HELP: {b"?"},
    Command.QUIT: {b"q", _CTRL_D},
}
KEYS: Final = {key: command for command, keys in _KEYS.items() for key in keys}
"""Commands by the bytes that a terminal sends, without the digits, which choose a view."""

CANCEL: Final = frozenset({b"\x1b", b"\x07"})
"""Keys that leave a prompt: Escape and Ctrl-G."""


def help_rows(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of keys and the actions that they ask for.

    ``names``: names of the players by seat.
    """
    seats = [(str(key), f"what seat {key - 1} ({name}) saw") for key, name in enumerate(names, 1)]
    spectator = [("p", "what everybody saw")] if len(names) > 1 else []
    return [
        ("→ .   ← ,", "next ply, back one ply"),
        ("]  [", "next turn, back one turn; also Shift with → and ←"),
        ("Home  End G", "to the start, to the end"),
        ("g", "go to a ply by its number"),
        ("Space", "play, pause"),
        ("+  -", "play faster, slower: 0.5 to 8 plies per second"),
        ("0", "all cards"),
        *seats,
        *spectator,
        ("m  M", "next, previous turning point (┼ on the line below the board)"),
        ("f  F", "next, previous fault (!)"),
        ("s  S", "next, previous change of score"),
        ("l", "the slowest move"),
        ("a", "show or hide the legal actions of the ply"),
        ("i", "show or hide the info and JSON of the ply"),
        ("↑ ↓ PgUp PgDn", "scroll them"),
        ("/   n N", "find in the moves; next, previous match"),
        ("?", "this help; any key leaves it"),
        ("q", "quit"),
    ]
