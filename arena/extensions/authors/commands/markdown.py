"""Markdown laid out for a terminal."""

from __future__ import annotations

import sys
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table

from arena.values import clean


class _WholeTable(TableElement):
    """Table that breaks words too long for their column instead of cutting them."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in super().__rich_console__(console, options):
            if isinstance(part, Table):
                for column in part.columns:
                    column.overflow = "fold"
            yield part


class _Page(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = Markdown.elements | {
        "table_open": _WholeTable
    }


def print_markdown(text: str, width: int, *, color: bool) -> None:
    """Print the text in lines of at most ``width`` columns; without colour no attributes."""
    console = Console(
        file=sys.stdout,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
    )
    console.print(_Page(clean.shown(text)))
