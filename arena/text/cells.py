"""Cells of tables: values. A renderer alone makes text of them, safe for its form.

A text is a cell too, be it of arena or of others. A new type of cell has its text and its sort key
here, and a line in each renderer that draws it differently: ``text.tables`` for terminals and
Markdown, ``views.page.html`` for pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from arena.text.numbers import (
    NOTHING,
    PlotScale,
    fixed,
    likelihood_cell,
    percent_cell,
    plus_minus,
    reach,
    short_duration,
    signed,
)

NAME_COLUMNS: Final = 24
"""Terminal columns of a name in text; longer names are cut."""


class Label(NamedTuple):
    """A name, of a bot above all. Terminals cut it; pages link it."""

    text: str
    columns: int = NAME_COLUMNS
    """Most terminal columns."""


class Text(NamedTuple):
    """Words that stand for a value."""

    text: str
    key: float | str | None
    """Value by which the column is sorted; None for a missing one."""


class Quantity(NamedTuple):
    """A number with its precision. An unknown one is None."""

    value: float | None
    digits: int = 0
    is_signed: bool = False
    mark: str = ""
    """Mark before it."""


class Share(NamedTuple):
    """A share from 0 to 1, shown in percent. An unknown one is None."""

    value: float | None
    digits: int = 0
    is_certain: bool = True
    """False for a likelihood, which is never 0 or 1."""
    mark: str = ""
    """Mark before it."""
    unit: str = ""
    """Text behind it: `` %``, or nothing where the header has the unit."""


class Interval(NamedTuple):
    """A 95 % interval around a value, shown by the lengths of its sides.

    All are in the unit of the column. Without an interval the ends are None.
    """

    value: float | None
    low: float | None
    high: float | None


class HalfWidth(NamedTuple):
    """Half of a symmetric 95 % interval, in the unit of the column; None without an interval."""

    half: float | None
    digits: int = 0


class Duration(NamedTuple):
    """A duration, shown in a unit of its size. An unknown one is None."""

    microseconds: float | None


class Stack(NamedTuple):
    """Parts that stand below each other where lines are short; those without text are left out."""

    parts: Sequence[Cell]


class JoinedCells(NamedTuple):
    """Parts in one line, with ``joint`` between them."""

    parts: Sequence[Cell]
    joint: str = ""


class Linked(NamedTuple):
    """A cell that leads to an address, in forms that have links."""

    cell: Cell
    address: str
    """Address; empty: it leads nowhere."""
    note: str = ""
    """The same in more words, shown on demand."""


class Strip(NamedTuple):
    """A value with its 95 % interval, drawn on a scale that a column shares."""

    scale: PlotScale
    value: float | None
    low: float | None
    high: float | None
    words: str
    is_open: bool = False
    """True if a missing end means that results set no limit on that side."""
    anchor: float | None = None
    """Value at which a line is drawn."""


class Bins(NamedTuple):
    """A distribution, drawn as bars on a scale that a column shares."""

    scale: PlotScale
    bins: Sequence[tuple[float, float, int]]
    """Triples (from, to, number)."""
    words: str
    mean: float | None = None
    limit: float | None = None


class Bar(NamedTuple):
    """A share from 0 to 1, drawn as a bar."""

    share: float
    words: str


class Axis(NamedTuple):
    """The header of a column of drawings."""

    scale: PlotScale
    unit: str = ""
    most: int = 6
    """Most numbers on the axis."""
    are_times: bool = False
    """True if the numbers are microseconds."""


Cell: TypeAlias = (
    str
    | int
    | Label
    | Text
    | Quantity
    | Share
    | Interval
    | HalfWidth
    | Duration
    | Stack
    | JoinedCells
    | Linked
    | Strip
    | Bins
    | Bar
)


def text_of(cell: Cell) -> str:
    """Return the text of a cell in one line, not yet made safe for any form."""
    match cell:
        case str():
            return cell
        case int():
            return str(cell)
        case Label(text) | Text(text):
            return text
        case Quantity(value, digits, is_signed, mark):
            shown = (signed if is_signed else fixed)(value, digits)
            return shown if value is None else mark + shown
        case Share(value, digits, is_certain, mark, unit):
            shown = (percent_cell if is_certain else likelihood_cell)(value, digits)
            return shown if value is None else f"{mark}{shown}{unit}"
        case Interval(value, low, high):
            return reach(value, low, high) or NOTHING
        case HalfWidth(half, digits):
            return plus_minus(half, digits) or NOTHING
        case Duration(microseconds):
            return NOTHING if microseconds is None else short_duration(microseconds)
        case Stack(parts):
            return " ".join(filter(None, map(text_of, parts)))
        case JoinedCells(parts, joint):
            return joint.join(map(text_of, parts))
        case Linked(own):
            return text_of(own)
        case Strip() | Bins() | Bar():
            return ""


def key_of(cell: Cell) -> float | str | None:
    """Return the value by which a column is sorted; None for a missing value, which comes last."""
    match cell:
        case str():
            return None if cell in ("", NOTHING) else cell.casefold()
        case int():
            return float(cell)
        case Label(text):
            return text.casefold()
        case Text(_, key):
            return key
        case Quantity(value) | Share(value) | HalfWidth(value) | Duration(value):
            return value
        case Interval(_, low, high):
            return None if low is None or high is None else (high - low) / 2
        case Stack(parts) | JoinedCells(parts):
            return key_of(parts[0]) if parts else None
        case Linked(own):
            return key_of(own)
        case Strip() | Bins() | Bar():
            return None


def is_empty(cell: Cell) -> bool:
    """Return whether a cell says nothing."""
    return text_of(cell) in ("", NOTHING)
