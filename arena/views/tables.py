"""Tables and blocks, drawn for a terminal or for Markdown.

A table is columns of cells. A block is tables with a title, remarks, and the same numbers for
programs. Texts in them are made safe here, where they are drawn, and nowhere before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec
from tabulate import tabulate
from wcwidth import wcswidth

from arena.values import clean
from arena.values.numbers import NOTHING, count, likelihood
from arena.values.results import FaultKind
from arena.values.titles import COLUMNS as TITLE_COLUMNS
from arena.values.titles import called
from arena.views.cells import NAME_COLUMNS, Axis, Cell, Label, Stack, Strip, text_of

LEAST_NAME: Final = 8
"""Terminal columns that a name keeps where room is short."""
_INDENT: Final = "    "
"""Indent of the lines of a remark after its first."""


class Column(NamedTuple):
    """One column of a table."""

    header: str | Label | Axis
    align: str
    cells: Sequence[Cell]
    brief: str = ""
    """Header in a narrow table; neighbours with the same one are joined, as ``12-0-8``.
    Empty: the usual one."""
    least: int | None = None
    """Terminal columns to which the cells may be cut where room is short; None: they may not."""
    note: str = ""
    """The header in more words, shown on demand."""
    kind: str = ""
    """Kind of its cells, by which a page colours them: ``fault`` or ``heat``."""

    @property
    def title(self) -> str:
        """The header as text."""
        return _header(self.header)


class PageTable(NamedTuple):
    """Columns below a caption, which only pages show."""

    caption: str
    columns: Sequence[Column]
    kind: str = ""
    """Kind, by which a page draws it: ``facts``, ``matrix``, ``strips`` and others."""
    is_sorted: bool = True
    """True if a reader may sort it."""

    def part(self, first: int, last: int) -> PageTable:
        """Return the table with these rows alone."""
        cut = [column._replace(cells=column.cells[first:last]) for column in self.columns]
        return self._replace(columns=cut)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].cells) if self.columns else 0


class Figure(Protocol):
    """A drawing of a block."""

    def lines(self, width: int | None) -> Sequence[str]:
        """Return it as lines of fixed pitch; none if ``width`` columns do not suffice."""

    def svg(self) -> str:
        """Return it as an element of a page, in which everything is escaped."""

    @property
    def signs(self) -> Sequence[Sign]:
        """Entries of its legend."""


class Sign(NamedTuple):
    """An entry of a legend."""

    kind: str
    """Class of the style sheet."""
    name: str
    value: str = ""


class Quote(NamedTuple):
    """Text that a bot wrote, shown verbatim when the reader opens it."""

    label: str
    lead: Sequence[tuple[str, str]]
    """Pairs of text and address; an empty address leads nowhere."""
    texts: Sequence[tuple[str, str]]
    """Pairs of heading and text."""


class _Drawn(NamedTuple):
    """A column whose cells are safe texts of one form; see ``Column``."""

    header: str
    align: str
    cells: Sequence[str]
    brief: str
    least: int | None


def short(name: str) -> str:
    """Return ``name`` safe for a terminal, cut to ``NAME_COLUMNS`` columns."""
    shown = called(name)
    return clean.cut(shown, NAME_COLUMNS if shown == name else TITLE_COLUMNS)


def _on_terminal(cell: Cell) -> str:
    match cell:
        case Label(text, columns):
            shown = called(text)
            return clean.cut(shown, columns if shown == text else max(columns, TITLE_COLUMNS))
        case Stack(parts):
            return "\n".join(filter(None, map(_on_terminal, parts)))
    return clean.plain(_text(cell))


def _in_markdown(cell: Cell) -> str:
    return clean.markdown(_text(cell))


def _text(cell: Cell) -> str:
    """Return the text of a cell, or its drawing in fixed pitch."""
    draw = DRAWN.get(type(cell))
    return text_of(cell) if draw is None else draw(cell)


_STRIP: Final = 41
"""Columns of a drawn interval."""


def _strip_line(strip: Strip, width: int = _STRIP) -> str:
    """Return a line of ``width`` columns with the interval and a dot at the value.

    An arrow marks a side that results do not bound.
    """
    first, last = strip.scale.low, strip.scale.high

    def at(value: float) -> int:
        share = (value - first) / (last - first) if last > first else 0.5
        return round((width - 1) * min(1.0, max(0.0, share)))

    cells = ["·"] * width
    ends = strip.low, strip.high
    places = sorted(at(each) for each in (*ends, strip.value) if each is not None)
    if not places or (strip.is_open and ends == (None, None)):
        return "".join(cells)
    left, right = places[0], places[-1]
    if strip.is_open and strip.low is None:
        left = 0
    if strip.is_open and strip.high is None:
        right = width - 1
    cells[left : right + 1] = "─" * (right + 1 - left)
    cells[left], cells[right] = "├", "┤"
    if not strip.is_open:
        cells[places[len(places) // 2]] = "●"
    elif strip.high is None:
        cells[right] = "▸"
    else:
        cells[left] = "◂"
    return "".join(cells)


DRAWN: Final[dict[type, Callable[[Any], str]]] = {Strip: _strip_line}
"""How cells are drawn in one line of fixed pitch, by type; others have their text."""


def _drawn(columns: Sequence[Column], write: Callable[[Cell], str]) -> list[_Drawn]:
    """Return the columns with all cells written; headers are arena's own words, or names."""
    return [
        _Drawn(
            write(header) if isinstance(header, Label) else _header(header),
            align,
            [*map(write, cells)],
            brief,
            least,
        )
        for header, align, cells, brief, least, *_ in columns
    ]


def _header(header: str | Label | Axis) -> str:
    if isinstance(header, Axis):
        return f"{header.scale.low:.0f} to {header.scale.high:.0f}"
    return text_of(header)


def markdown_table(columns: Sequence[Column], form: str = "github") -> str:
    """Return the table as Markdown, in a format of tabulate."""
    return _table(_drawn(columns, _in_markdown), form)


def markdown_list(lines: Iterable[str]) -> str:
    """Return a list in Markdown with an item for each of ``lines``; empty without any."""
    return "".join(f"- {clean.markdown(line)}\n" for line in lines)


def _table(columns: Sequence[_Drawn], form: str) -> str:
    cells = list(zip(*(column.cells for column in columns), strict=True))
    return tabulate(
        cells,
        headers=[column.header for column in columns],
        tablefmt=form,
        disable_numparse=True,
        colalign=[column.align for column in columns] if cells else None,
    )


def draw_text(columns: Sequence[Column], width: int | None) -> str:
    """Draw the table for a terminal of ``width`` columns (None: any width).

    A table that is too wide is drawn with less space, then with neighbours joined, then with names
    cut. If it is still too wide, columns are left out from the right, but never the first three.
    """
    drawn = _drawn(columns, _on_terminal)
    table = _table(drawn, "simple")
    if width is None or _width(table) <= width:
        return table
    if any("\n" in cell for column in drawn for cell in column.cells):
        return _without_last(drawn, width, lambda shown: _table(shown, "simple"))
    for narrower in (drawn, joined := _joined(drawn), _cut(joined, width)):
        table = _close(narrower)
        if _width(table) <= width:
            return table
    return _without_last(narrower, width, _close)


def draw_close(columns: Sequence[Column], width: int | None, least: int) -> str:
    """Draw a long table with little space between columns, for a terminal of ``width`` columns.

    A table that is too wide loses columns from the right, but not the first ``least``; of these
    names are cut. With ``width`` None all columns are drawn.
    """
    drawn = _drawn(columns, _on_terminal)
    if width is None:
        return _close(drawn)
    shown = len(drawn)
    widths = [2 + max(map(_length, (each.header, *each.cells))) for each in drawn]
    while shown > least and sum(widths[:shown]) - 2 > width:
        shown -= 1
    table = _without_last(_cut(drawn[:shown], width), width, _close)
    return _with_missing(table, drawn[shown:])


def _length(text: str) -> int:
    """Return the terminal columns of a safe text; most texts need no search for wide characters."""
    return len(text) if text.isascii() else wcswidth(text)


def _without_last(
    columns: Sequence[_Drawn], width: int, drawn: Callable[[Sequence[_Drawn]], str]
) -> str:
    """Draw as many of ``columns`` as fit into ``width``, and say which ones are left out."""
    shown = len(columns)
    while _width(table := drawn(columns[:shown])) > width and shown > 3:
        shown -= 1
    return _with_missing(table, columns[shown:])


def _with_missing(table: str, left_out: Sequence[_Drawn]) -> str:
    """Return the table with a line that names the columns left out, if there are any."""
    missing = ", ".join(column.header for column in left_out)
    return f"{table}\n(too narrow here for: {missing})" if missing else table


def _close(columns: Sequence[_Drawn]) -> str:
    """Draw a table like ``simple`` of tabulate, without its additional space beside titles."""
    drawn = []
    for column in columns:
        cells = [column.header, *column.cells]
        width = max(map(_length, cells))
        cells.insert(1, "-" * width)
        gaps = [" " * (width - _length(cell)) for cell in cells]
        pairs = zip(gaps, cells, strict=True)
        is_right = column.align == "right"
        drawn.append([gap + cell if is_right else cell + gap for gap, cell in pairs])
    return "\n".join("  ".join(row).rstrip() for row in zip(*drawn, strict=True))


def _joined(columns: Sequence[_Drawn]) -> list[_Drawn]:
    """Use the brief headers, and join the neighbours that have the same one."""
    found: list[_Drawn] = []
    for column in columns:
        brief = column._replace(header=column.brief or column.header)
        if column.brief and found and found[-1].brief == column.brief:
            pairs = zip(found[-1].cells, column.cells, strict=True)
            joint = [one if one == two == NOTHING else f"{one}-{two}" for one, two in pairs]
            brief = brief._replace(cells=joint)
            found.pop()
        found.append(brief)
    return found


def _cut(columns: Sequence[_Drawn], width: int) -> list[_Drawn]:
    """Cut the cells that may be cut, until the table fits into ``width`` or none are left."""
    excess = _width(_close(columns)) - width
    found = []
    for column in columns:
        if column.least is not None and excess > 0:
            longest = max(map(wcswidth, (column.header, *column.cells)))
            room = max(column.least, longest - excess)
            excess -= longest - room
            column = column._replace(cells=[clean.cut(cell, room) for cell in column.cells])
        found.append(column)
    return found


def wrapped(text: str, width: int | None) -> list[str]:
    """Break a line, made safe, between words into lines of at most ``width`` columns (None: any).

    All lines but the first are indented. A word that is too long keeps a line to itself.
    """
    text = clean.plain(text)
    if width is None or wcswidth(text) <= width:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line.strip() and wcswidth(longer) > width:
            lines.append(line)
            longer = _INDENT + word
        line = longer
    return [*lines, line]


def chance(names: Sequence[str], word: str, share: float | None) -> list[str]:
    """Return the remark that the first of ``names`` is ``word`` ("stronger") than the second."""
    if share is None:
        return []
    first, second = map(called, names)
    return [f"chance that {first} is {word} than {second}: {likelihood(share)}"]


def fault_remarks(faults: Iterable[tuple[str, Mapping[FaultKind, int]]]) -> list[str]:
    """Return one line for each entrant with faults."""
    lines = []
    for name, kinds in faults:
        counts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        if counts:
            lines.append(f"faults of {called(name)}: {counts}")
    return lines


def _width(table: str) -> int:
    return max(wcswidth(line) for line in table.splitlines())


class Emphasis(Enum):
    """The emphasis of headers in terminal text."""

    PLAIN = "plain"
    BOLD = "bold"
    """Bold by escape codes: only for a terminal that supports them."""

    def header(self, line: str) -> str:
        """Return the line with its emphasis."""
        return f"\x1b[1m{line}\x1b[0m" if self is Emphasis.BOLD else line


class Piece(NamedTuple):
    """One of several parts shown below each other on a terminal."""

    title: str
    """Title; may be empty."""
    lines: Sequence[str]
    is_said: bool = False
    """True if there are only remarks."""

    def text(self, emphasis: Emphasis) -> list[str]:
        """Return all lines of the piece, with the title or first line emphasised."""
        if not self.title:
            return [emphasis.header(self.lines[0]), *self.lines[1:]]
        rule = ["-" * wcswidth(self.title)] if emphasis is Emphasis.PLAIN else []
        gap = [""] * (not self.is_said)
        return [emphasis.header(self.title), *rule, *gap, *self.lines]


PanelValue: TypeAlias = msgspec.Struct | dict[str, Any]
PanelData: TypeAlias = PanelValue | Sequence[PanelValue] | None
"""Content of a block in JSON, with numbers unrounded."""


class PageBlock(NamedTuple):
    """One subject of a page: its drawings, tables and remarks."""

    key: str
    """Name in JSON and in the CSV column ``panel``."""
    title: str
    tables: Sequence[PageTable] = ()
    """Tables, rounded for people."""
    remarks: Sequence[str] = ()
    data: PanelData = None
    """Content in JSON and CSV.

    In CSV a list of objects gives a row for each. An object gives a row for its values except those
    of its lists. None: another block has the numbers, or it is part of pages alone.
    """
    figures: Sequence[Figure] = ()
    latest: int | None = None
    """Most rows on a terminal, where the last ones come first; None: all."""
    intro: str = ""
    """One or two sentences on how to read it, on pages."""
    quotes: Sequence[Quote] = ()
    is_folded: bool = False
    """True if the reader of a page has to open it."""

    @property
    def heading(self) -> str:
        """The title with a capital, as pages have it."""
        return self.title[:1].upper() + self.title[1:]

    @classmethod
    def of(
        cls,
        key: str,
        title: str,
        columns: Sequence[Column],
        remarks: Sequence[str],
        data: PanelData = None,
        latest: int | None = None,
    ) -> PageBlock:
        """Return a block of one table; without columns it has only remarks."""
        return cls(
            key, title, [PageTable(title, columns)] if columns else (), remarks, data, (), latest
        )

    def piece(self, width: int | None) -> Piece:
        """Return the piece for a terminal of ``width`` columns (None: any width)."""
        tables, remarks = self.tables, [*self.remarks]
        if self.latest is not None and (left := tables[0].rows - self.latest) > 0:
            tables = [tables[0].part(0, self.latest)]
            remarks.append(f"{count(left, 'row')} more: see --format json")
        drawn: list[Sequence[str]] = [
            draw_text(table.columns, width).split("\n") for table in tables
        ]
        for figure in self.figures:
            drawn.append(figure.lines(width) or ["(too narrow here to be drawn)"])
        lines = [line for k, own in enumerate(drawn) for line in ([""] * bool(k) + [*own])]
        said = [line for each in remarks for line in wrapped(each, width)]
        return Piece(clean.plain(self.title), [*lines, *said], is_said=not lines)

    def markdown(self) -> Iterator[str]:
        """Yield GitHub Markdown: a heading, the table and the remarks, each with a newline."""
        yield f"### {clean.markdown(self.title)}\n"
        for table in self.tables:
            yield markdown_table(table.columns) + "\n"
        for figure in self.figures:
            yield "\n".join(("```text", *figure.lines(None), "```")) + "\n"
        if self.remarks:
            yield markdown_list(self.remarks)

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield CSV rows: the key of the table that a row belongs to, and its values."""
        if self.data is not None:
            yield from flat(self.key, msgspec.to_builtins(self.data))


Blocks: TypeAlias = Callable[[], Sequence[PageBlock]]
"""Function that makes the blocks of a page, which takes time for many bots."""


def flat(key: str, data: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield nested data as (panel, row) of a CSV file; ``key`` is the name of the panel.

    Each object of a list gives a row in a panel of its own; all other values together give one.
    """
    if isinstance(data, dict):
        lists = {name: value for name, value in data.items() if _is_table(value)}
        values = {name: value for name, value in data.items() if name not in lists}
        if values:
            yield key, _cells(values)
        for name, value in lists.items():
            yield from flat(f"{key}.{name}", value)
    else:
        for row in data:
            yield key, _cells(row)


def _is_table(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(row, dict) for row in value)


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    """Return the cells of a row.

    An object within a row becomes columns such as ``faults_crash``, a list becomes JSON.
    """
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            cells |= {f"{name}_{key}": own for key, own in _cells(value).items()}
        elif isinstance(value, list | tuple):
            cells[name] = clean.json_text(msgspec.json.encode(value))
        elif isinstance(value, bool):
            cells[name] = int(value)
        else:
            cells[name] = value
    return cells
