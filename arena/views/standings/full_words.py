"""How the panels of a full page write names, numbers and matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from wcwidth import wcswidth

from arena.text import clean
from arena.text.grid import NAME_COLUMNS, NOTHING, Column, Show

MATRIX: Final = 10
"""Bots: more are listed by pair, not in a matrix."""
LISTED: Final = 200
"""Pairs: of more, those nearest to each other in the table are listed."""
PAGE: Final = 80
"""Terminal columns that a matrix of MATRIX bots fits, names cut as need be."""
MARK: Final = "*"
"""Of what is significant with all pairs considered."""
_PAIR_NAME: Final = 12
_SHORTEST: Final = 4


class Style(NamedTuple):
    """The form that panels are made for."""

    show: Show
    terminal: bool
    """Whether every column counts."""

    def cut(self, name: str, columns: int) -> str:
        """The name, in a terminal with at most so many columns."""
        shown = self.show(name)
        return clean.cut(shown, columns) if self.terminal else shown

    def lines(self, parts: Sequence[str]) -> str:
        """What belongs into one cell."""
        return ("\n" if self.terminal else " ").join(part for part in parts if part)


def matrix(
    names: Sequence[str], cell: Callable[[str, str], Sequence[str]], style: Style
) -> list[Column]:
    """Row against column; columns are headed by the number of their bot."""
    cells = [
        [style.lines(cell(name, other)) if name != other else "" for name in names]
        for other in names
    ]
    widths = [
        max(len(str(k + 1)), *(wcswidth(line) for own in column for line in own.split("\n")))
        for k, column in enumerate(cells)
    ]
    left = PAGE - len(f"{len(names)}  ") - 1 - sum(2 + width for width in widths)
    room = max(_SHORTEST, min(NAME_COLUMNS, left - 2))
    return [
        Column("#", "right", [str(k + 1) for k in range(len(names))]),
        Column("bot", "left", [style.cut(name, room) for name in names]),
        *(Column(str(k + 1), "right", column) for k, column in enumerate(cells)),
    ]


def nearest_pairs(names: Sequence[str]) -> tuple[list[tuple[str, str]], int]:
    """(the pairs to list in the order of the table, how far apart in it they are at most).

    All pairs if they are at most LISTED, else as many neighbourhoods as fit; neighbours always.
    """
    size = len(names)
    reach = size - 1
    while reach > 1 and reach * size - reach * (reach + 1) // 2 > LISTED:
        reach -= 1
    pairs = [
        (names[i], names[j]) for i in range(size) for j in range(i + 1, min(size, i + reach + 1))
    ]
    return pairs, reach


def pair_columns(pairs: Sequence[tuple[str, str]], style: Style) -> list[Column]:
    """The names of a list by pair."""
    return [
        Column("bot", "left", [style.cut(name, _PAIR_NAME) for name, _ in pairs]),
        Column("against", "left", [style.cut(other, _PAIR_NAME) for _, other in pairs]),
    ]


def list_remark(names: Sequence[str], reach: int) -> list[str]:
    """Which pairs of a list are missing."""
    if reach >= len(names) - 1:
        return []
    near = "neighbours in the table" if reach == 1 else f"at most {reach} places apart in the table"
    return [f"only pairs that are {near}; all pairs: --format csv or json"]


def percent(share: float | None, decimals: int = 0) -> str:
    """A share in percent without the sign, never rounded to certainty."""
    if share is None:
        return NOTHING
    least, shown = 10.0**-decimals, 100 * share
    if 0.0 < shown < least / 2:
        return f"<{least:.{decimals}f}"
    if 100 - least / 2 < shown < 100.0:
        return f">{100 - least:.{decimals}f}"
    return f"{shown:.{decimals}f}"


def likelihood(share: float | None, decimals: int = 0) -> str:
    """As ``percent``, but never certain: what is stored has six decimals."""
    return percent(None if share is None else min(1.0 - 1e-9, max(1e-9, share)), decimals)


def signed(number: float | None, decimals: int = 0) -> str:
    """With its sign; zero has a plus."""
    if number is None:
        return NOTHING
    return f"{round(number, decimals) + 0.0:+.{decimals}f}"


def plus_minus(error: float | None, decimals: int = 0) -> str:
    """A half-width; empty if there is none. Never rounded to nothing."""
    if error is None:
        return ""
    least = 10.0**-decimals
    return f"±{max(error, least / 1.9):.{decimals}f}"


def p_value(p: float) -> str:
    """The probability of a test, with its relation."""
    return "p < 0.0001" if p < 0.00005 else f"p = {p:.4f}"
