"""Cells of tables: values. A renderer alone makes text of them, safe for its form.

A text is a cell too, be it of arena or of others. A new type of cell is a class and a line of FORMS
here, and a line in each renderer that draws it differently: ``DRAWN`` of ``tables`` for
terminals and Markdown, and of ``browser.page.html`` for pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from arena.values.numbers import (
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
from arena.values.titles import called

NAME_COLUMNS: Final = 24
"""Terminal columns of a name in text; longer names are cut."""


class Label(NamedTuple):
    """A name, of a bot above all, shown as its title. Terminals cut it; pages link it."""

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
    """Longer form of the text, shown on demand."""


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


SortKey: TypeAlias = float | str | None
"""Value by which a column is sorted; None for a missing value, which comes last."""


class CellForm(NamedTuple):
    """Text and sort key of a type of cell, as all forms use them."""

    text: Callable[[Any], str]
    """Function that returns its text in one line, not yet made safe for any form."""
    key: Callable[[Any], SortKey]


def _share_text(cell: Share) -> str:
    write = percent_cell if cell.is_certain else likelihood_cell
    shown = write(cell.value, cell.digits)
    return shown if cell.value is None else f"{cell.mark}{shown}{cell.unit}"


def _quantity_text(cell: Quantity) -> str:
    shown = (signed if cell.is_signed else fixed)(cell.value, cell.digits)
    return shown if cell.value is None else cell.mark + shown


def _interval_key(cell: Interval) -> SortKey:
    return None if cell.low is None or cell.high is None else (cell.high - cell.low) / 2


def _duration_text(cell: Duration) -> str:
    return NOTHING if cell.microseconds is None else short_duration(cell.microseconds)


def _of_first(cell: Stack | JoinedCells) -> SortKey:
    return key_of(cell.parts[0]) if cell.parts else None


_DRAWN: Final = CellForm(lambda cell: "", lambda cell: None)
"""Form of a drawing, which stands beside its numbers."""
FORMS: Final[dict[type, CellForm]] = {
    str: CellForm(str, lambda cell: None if cell in ("", NOTHING) else cell.casefold()),
    int: CellForm(str, float),
    Label: CellForm(lambda cell: called(cell.text), lambda cell: called(cell.text).casefold()),
    Text: CellForm(lambda cell: cell.text, lambda cell: cell.key),
    Quantity: CellForm(_quantity_text, lambda cell: cell.value),
    Share: CellForm(_share_text, lambda cell: cell.value),
    Interval: CellForm(lambda cell: reach(*cell) or NOTHING, _interval_key),
    HalfWidth: CellForm(lambda cell: plus_minus(*cell) or NOTHING, lambda cell: cell.half),
    Duration: CellForm(_duration_text, lambda cell: cell.microseconds),
    Stack: CellForm(lambda cell: " ".join(filter(None, map(text_of, cell.parts))), _of_first),
    JoinedCells: CellForm(lambda cell: cell.joint.join(map(text_of, cell.parts)), _of_first),
    Linked: CellForm(lambda cell: text_of(cell.cell), lambda cell: key_of(cell.cell)),
    Strip: _DRAWN,
    Bins: _DRAWN,
    Bar: _DRAWN,
}
"""Form of each type of cell."""


def _form(cell: Cell) -> CellForm:
    return FORMS.get(type(cell)) or FORMS[str if isinstance(cell, str) else int]


def text_of(cell: Cell) -> str:
    """Return the text of a cell in one line, not yet made safe for any form."""
    return _form(cell).text(cell)


def key_of(cell: Cell) -> SortKey:
    """Return the value by which a column is sorted; None for a missing value, which comes last."""
    return _form(cell).key(cell)


def is_empty(cell: Cell) -> bool:
    """Return whether a cell says nothing."""
    return text_of(cell) in ("", NOTHING)
