"""Print the tables of a run."""

from __future__ import annotations

from collections.abc import Sequence

from arena.cli.terminal.console import columns, is_colored, out
from arena.views.standings.standings import StandingsTable, render


def print_table(table: StandingsTable, form: str, warnings: Sequence[str] = ()) -> None:
    """Print a table in a form of ``arena standings``; ``warnings`` stand below it."""
    shown = render(table, form, width=columns(), color=is_colored(), warnings=warnings)
    out(shown.rstrip("\n"))
