"""A table as columns of strings, drawn for a terminal or for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from tabulate import tabulate
from wcwidth import wcswidth

from arena.results import FaultKind
from arena.text import clean
from arena.text.numbers import likelihood

NAME_COLUMNS: Final = 24
"""Terminal columns of a name in text; longer ones are cut."""

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


def chance(names: Sequence[str], word: str, share: float | None) -> list[str]:
    """The remark on the first two, if there is one; ``word`` as in "stronger"."""
    if share is None:
        return []
    return [f"chance that {names[0]} is {word} than {names[1]}: {likelihood(share)}"]


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
