"""Which key asks for what in a replay on a terminal: the same keys as in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final


class Command(Enum):
    """What a key asks for."""

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


KEYS: Final = {
    b"\x1b[C": Command.NEXT,
    b"\x1bOC": Command.NEXT,
    b".": Command.NEXT,
    b"\x1b[D": Command.BACK,
    b"\x1bOD": Command.BACK,
    b",": Command.BACK,
    b"]": Command.NEXT_TURN,
    b"\x1b[1;2C": Command.NEXT_TURN,
    b"\x1b[c": Command.NEXT_TURN,
    b"[": Command.PREVIOUS_TURN,
    b"\x1b[1;2D": Command.PREVIOUS_TURN,
    b"\x1b[d": Command.PREVIOUS_TURN,
    b"\x1b[H": Command.FIRST,
    b"\x1bOH": Command.FIRST,
    b"\x1b[1~": Command.FIRST,
    b"\x1b[7~": Command.FIRST,
    b"\x1b[F": Command.LAST,
    b"\x1bOF": Command.LAST,
    b"\x1b[4~": Command.LAST,
    b"\x1b[8~": Command.LAST,
    b"G": Command.LAST,
    b"g": Command.GO,
    b" ": Command.PLAY,
    b"+": Command.FASTER,
    b"=": Command.FASTER,
    b"-": Command.SLOWER,
    b"p": Command.SPECTATOR,
    b"m": Command.NEXT_MOMENT,
    b"M": Command.PREVIOUS_MOMENT,
    b"f": Command.NEXT_FAULT,
    b"F": Command.PREVIOUS_FAULT,
    b"s": Command.NEXT_SCORE,
    b"S": Command.PREVIOUS_SCORE,
    b"l": Command.SLOWEST,
    b"a": Command.LEGAL,
    b"i": Command.RAW,
    b"\x1b[A": Command.UP,
    b"\x1bOA": Command.UP,
    b"\x1b[B": Command.DOWN,
    b"\x1bOB": Command.DOWN,
    b"\x1b[5~": Command.PAGE_UP,
    b"\x1b[6~": Command.PAGE_DOWN,
    b"/": Command.FIND,
    b"n": Command.NEXT_MATCH,
    b"N": Command.PREVIOUS_MATCH,
    b"?": Command.HELP,
    b"q": Command.QUIT,
    b"\x04": Command.QUIT,
}
"""By what a terminal sends. Digits, which choose a view, are not among them."""

ENTER: Final = (b"\n", b"\r")
ERASE: Final = (b"\x7f", b"\x08")
CANCEL: Final = (b"\x1b", b"\x07")
"""In a prompt: Escape and Ctrl-G."""


def help_rows(names: Sequence[str]) -> list[tuple[str, str]]:
    """Keys and what they do; ``names`` by seat."""
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
