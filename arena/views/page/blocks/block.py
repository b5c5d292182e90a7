"""Parts of a page: tables of cells, and blocks of text, drawings and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from markupsafe import Markup

from arena.text.cells import Cell, Label, key_of, text_of
from arena.text.numbers import trimmed
from arena.text.tables import Column
from arena.views.page.drawing import escape, made


class GridCell(NamedTuple):
    """A cell with its link, tooltip, style or drawing."""

    cell: Cell
    href: str = ""
    title: str = ""
    """Tooltip; empty: none."""
    kind: str = ""
    """Class of the style sheet."""
    plot: Markup | None = None
    """Drawing shown instead of the text, with the same meaning."""


PageCell: TypeAlias = Cell | GridCell


class Head(NamedTuple):
    """The head of a column."""

    text: str
    align: str = "left"
    is_sorted: bool = True
    """True if the reader may sort by it."""
    title: str = ""
    kind: str = ""
    plot: Markup | None = None
    """Drawing shown instead of the text, such as an axis."""


class GridTable(NamedTuple):
    """Rows of cells below heads."""

    caption: str
    heads: Sequence[Head]
    rows: Sequence[Sequence[PageCell]]
    kind: str = ""
    row_head: int = 0
    """Index of the column that names its row."""

    def with_column(self, after: str, head: Head, cells: Sequence[PageCell]) -> GridTable:
        """Return the table with a further column after the column with the head ``after``."""
        at = 1 + [each.text for each in self.heads].index(after)
        rows = zip(self.rows, cells, strict=True)
        return self._replace(
            heads=[*self.heads[:at], head, *self.heads[at:]],
            rows=[[*row[:at], cell, *row[at:]] for row, cell in rows],
        )

    def with_links(self, addresses: Mapping[str, str]) -> GridTable:
        """Return the table with links on names of bots; ``addresses``: by name."""
        return self._replace(
            rows=[
                [
                    cell._replace(href=addresses.get(cell.title, cell.href))
                    if cell.kind == _NAME
                    else cell
                    for cell in map(grid_cell, row)
                ]
                for row in self.rows
            ]
        )

    @property
    def body(self) -> Markup:
        """Rows as HTML; made without a template, which takes three times as long."""
        begins, ends = [], []
        for k, head in enumerate(self.heads):
            tag, scope = ("th", ' scope="row"') if k == self.row_head else ("td", "")
            begins.append(f'<{tag}{scope} class="r-{head.align}')
            ends.append(f"</{tag}>\n")
        parts = []
        for row in self.rows:
            parts.append("<tr>\n")
            for begin, cell, end, head in zip(begins, row, ends, self.heads, strict=False):
                parts += (begin, _inside(cell, is_sorted=head.is_sorted), end)
            parts.append("</tr>\n")
        return Markup("".join(parts))


def _inside(shown: PageCell, *, is_sorted: bool) -> str:
    """Return the HTML of a cell from within its class attribute to its end."""
    cell, href, title, kind, plot = grid_cell(shown)
    key = key_of(cell) if is_sorted else None
    found = f" {kind}" if kind else ""
    if key is None:
        found += '"'
    else:
        found += f'" data-key="{_safe(key) if isinstance(key, str) else trimmed(key, 6)}"'
    if title:
        found += f' title="{_safe(title)}"'
    if plot is not None:
        return f"{found}>{plot}"
    text = _safe(text_of(cell))
    if not href:
        return f"{found}>{text}"
    label = f' aria-label="{_safe(title)}"' if title else ""
    return f'{found}><a href="{_safe(href)}"{label}>{text}</a>'


@lru_cache(maxsize=1 << 14)
def _safe(text: str) -> str:
    """Return the text escaped; cached, as the same names and numbers recur."""
    return str(escape(text))


_NAME: Final = "r-name"


def grid_cell(cell: PageCell) -> GridCell:
    """Return a cell of a page; names have a tooltip, because they may be cut."""
    if isinstance(cell, GridCell):
        return cell
    if isinstance(cell, Label):
        return GridCell(cell, title=cell.text, kind=_NAME)
    return GridCell(cell)


def name_cell(name: str, *, href: str = "") -> GridCell:
    """Return the cell of a bot."""
    return grid_cell(Label(name))._replace(href=href)


def link(text: str, href: str) -> Markup:
    """Return ``text`` as a link, or alone if ``href`` is empty."""
    shown = escape(text)
    return Markup(f'<a href="{escape(href)}">{shown}</a>') if href else shown


def linked(parts: Sequence[Markup], joint: str = "") -> GridCell:
    """Return a cell of ``parts``, texts and links, with ``joint`` between them."""
    return GridCell("", plot=Markup(escape(joint)).join(parts))


def turned_head(name: str) -> Head:
    """Return the head of a narrow column with a name, which is written upwards."""
    drawn = made('<span class="r-turned">{}</span>', name)
    return Head(name, "right", is_sorted=False, title=name, plot=drawn)


def from_columns(caption: str, columns: Sequence[Column], kind: str = "") -> GridTable:
    """Return the columns as a table of a page."""
    heads = [Head(column.title, column.align) for column in columns]
    rows = [*zip(*(column.cells for column in columns), strict=True)]
    first = next((k for k, column in enumerate(columns) if column.align == "left"), 0)
    return GridTable(caption, heads, rows, kind, first)


class Sign(NamedTuple):
    """An entry of a legend."""

    kind: str
    """Class of the style sheet."""
    name: str
    value: str = ""


class Figure(NamedTuple):
    """A drawing with its legend."""

    drawing: Markup
    signs: Sequence[Sign] = ()


class Quote(NamedTuple):
    """Text that a bot wrote, shown verbatim when the reader opens it."""

    label: str
    lead: Sequence[tuple[str, str]]
    """Pairs of text and link; an empty link leads nowhere."""
    texts: Sequence[tuple[str, str]]
    """Pairs of heading and text."""


class PageBlock(NamedTuple):
    """Block of a page: one subject with its drawings, tables and remarks."""

    key: str
    title: str
    intro: str = ""
    """One or two sentences on how to read it."""
    figures: Sequence[Figure] = ()
    tables: Sequence[GridTable] = ()
    quotes: Sequence[Quote] = ()
    remarks: Sequence[str] = ()
    is_folded: bool = False
    """True if the reader has to open it."""

    def with_links(self, addresses: Mapping[str, str]) -> PageBlock:
        """Return the block with links on names of bots in its tables; ``addresses``: by name."""
        return self._replace(tables=[table.with_links(addresses) for table in self.tables])


class Chapter(NamedTuple):
    """The blocks of one discipline, or of all."""

    key: str
    title: str
    blocks: Sequence[PageBlock]
