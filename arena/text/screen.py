"""Lines of a screen, and the bytes that terminals send for keys that are no characters."""

from __future__ import annotations

from typing import Final, NamedTuple


class Line(NamedTuple):
    """One line of a screen."""

    text: str
    strong: bool = False


UP: Final = frozenset({b"\x1b[A", b"\x1bOA"})
DOWN: Final = frozenset({b"\x1b[B", b"\x1bOB"})
RIGHT: Final = frozenset({b"\x1b[C", b"\x1bOC"})
LEFT: Final = frozenset({b"\x1b[D", b"\x1bOD"})
SHIFT_RIGHT: Final = frozenset({b"\x1b[1;2C", b"\x1b[c"})
SHIFT_LEFT: Final = frozenset({b"\x1b[1;2D", b"\x1b[d"})
PAGE_UP: Final = frozenset({b"\x1b[5~"})
PAGE_DOWN: Final = frozenset({b"\x1b[6~"})
HOME: Final = frozenset({b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"})
END: Final = frozenset({b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"})
ENTER: Final = frozenset({b"\r", b"\n"})
ERASE: Final = frozenset({b"\x7f", b"\x08"})
CTRL_D: Final = b"\x04"
