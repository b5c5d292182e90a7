"""Parts of a page: blocks of text, drawings and tables, in sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from arena.views.page.drawing.grids import GridTable


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
