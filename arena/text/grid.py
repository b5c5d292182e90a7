"""A table as columns of strings, drawn for a terminal or for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from tabulate import tabulate
from wcwidth import wcswidth

from arena.results import FaultKind
from arena.text import clean

NAME_COLUMNS: Final = 24
"""Terminal columns of a name in text; longer ones are cut."""
NOTHING: Final = "–"
"""In place of a number that there is not."""

Show: TypeAlias = Callable[[str], str]
"""Makes a name, or another text, safe for the form that is drawn."""


class Column(NamedTuple):
    """One column of a table."""

    header: str
    align: str
    cells: Sequence[str]


class Grid(NamedTuple):
    """A table, most important columns first, and the lines below it."""

    columns: Sequence[Column]
    remarks: Sequence[str]


def short(name: str) -> str:
    """A name for a terminal."""
    return clean.cut(clean.plain(name), NAME_COLUMNS)


def draw(columns: Sequence[Column], form: str) -> str:
    """The table in a format of tabulate."""
    cells = list(zip(*(column.cells for column in columns), strict=True))
    return tabulate(
        cells,
        headers=[column.header for column in columns],
        tablefmt=form,
        disable_numparse=True,
        colalign=[column.align for column in columns] if cells else None,
    )


def draw_text(columns: Sequence[Column], width: int | None) -> str:
    """For a terminal; of too wide a table all but the first three columns may be left out."""
    shown, table = columns, draw(columns, "simple")
    while width is not None and _width(table) > width and len(shown) > 3:
        shown = shown[:-1]
        table = draw(shown, "simple")
    if len(shown) == len(columns):
        return table
    missing = ", ".join(column.header for column in columns[len(shown) :])
    return f"{table}\n(too narrow here for: {missing})"


def chance(first: str, word: str, second: str, likelihood: float) -> str:
    """The remark on the two leaders; ``word`` as in "stronger"."""
    shown = "more than 99.9 %" if likelihood > 0.999 else f"{100 * likelihood:.1f} %"
    return f"chance that {first} is {word} than {second}: {shown}"


def fault_remarks(faults: Iterable[tuple[str, Mapping[FaultKind, int]]]) -> list[str]:
    """One line for each entrant with faults; names as shown."""
    lines = []
    for name, kinds in faults:
        counts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        if counts:
            lines.append(f"faults of {name}: {counts}")
    return lines


def _width(table: str) -> int:
    return max(wcswidth(line) for line in table.splitlines())
