"""Tables of a page: cells with what they are sorted by, where they lead, and what they draw."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from markupsafe import Markup, escape

from arena.text.tables import Column

_NUMBER: Final = re.compile(r"[-+−]?\d+(\.\d+)?")
_MARKS: Final = "<>±*~ "


class Cell(NamedTuple):
    """One cell."""

    text: str
    key: float | str | None = None
    """What it is sorted by; None: comes last, whichever way."""
    href: str = ""
    title: str = ""
    """More, on demand; empty: nothing."""
    kind: str = ""
    """A class of the style sheet."""
    plot: Markup | None = None
    """A drawing in place of the text, which then says the same."""


class Head(NamedTuple):
    """The head of a column."""

    text: str
    align: str = "left"
    is_sorted: bool = True
    """Whether the reader may sort by it."""
    title: str = ""
    kind: str = ""
    plot: Markup | None = None
    """An axis in place of the text."""


class Table(NamedTuple):
    """A table."""

    caption: str
    heads: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    kind: str = ""
    row_head: int = 0
    """The column that names its row."""

    @property
    def body(self) -> Markup:
        """The rows as HTML: not by a template, which takes thrice as long for so many cells."""
        begins, ends = [], []
        for k, head in enumerate(self.heads):
            tag, scope = ("th", ' scope="row"') if k == self.row_head else ("td", "")
            begins.append(f'<{tag}{scope} class="r-{head.align}')
            ends.append(f"</{tag}>\n")
        parts = []
        for row in self.rows:
            parts.append("<tr>\n")
            for begin, cell, end in zip(begins, row, ends, strict=False):
                parts += (begin, _inside(cell), end)
            parts.append("</tr>\n")
        return Markup("".join(parts))


def _inside(cell: Cell) -> str:
    """From within its class to its end."""
    text, key, href, title, kind, plot = cell
    found = f" {kind}" if kind else ""
    if key is None:
        found += '"'
    else:
        found += f'" data-key="{_safe(key) if isinstance(key, str) else key}"'
    if title:
        found += f' title="{_safe(title)}"'
    if plot is not None:
        return f"{found}>{plot}"
    if not href:
        return f"{found}>{_safe(text)}"
    label = f' aria-label="{_safe(title)}"' if title else ""
    return f'{found}><a href="{_safe(href)}"{label}>{_safe(text)}</a>'


@lru_cache(maxsize=1 << 14)
def _safe(text: str) -> str:
    """Escaped; the same names and numbers come again and again."""
    return str(escape(text))


def name_cell(name: str, *, href: str = "") -> Cell:
    """A bot; sorted by its name."""
    return Cell(name, name.casefold(), kind="r-name", title=name, href=href)


def number_key(text: str) -> float | None:
    """The number that a cell begins with, signs of intervals and limits passed over."""
    found = _NUMBER.match(text.lstrip(_MARKS))
    return None if found is None else float(found[0].replace("−", "-"))


def from_columns(caption: str, columns: Sequence[Column], kind: str = "") -> Table:
    """The columns of a text table; a right column holds numbers."""
    heads = [Head(column.header, column.align) for column in columns]
    rows = (
        [[_cell(column, k) for column in columns] for k in range(len(columns[0].cells))]
        if columns
        else []
    )
    first = next((k for k, column in enumerate(columns) if column.align == "left"), 0)
    return Table(caption, heads, rows, kind, first)


def _cell(column: Column, row: int) -> Cell:
    text = column.cells[row]
    if column.align == "right":
        return Cell(text, number_key(text))
    return name_cell(text) if column.header in _NAMES else Cell(text, text.casefold())


_NAMES: Final = frozenset({"bot", "against", "first", "second"})
