"""Text that is redrawn in place on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.cli.terminal.console import answering, harmless


@contextmanager
def redrawing() -> Iterator[Callable[[str], None]]:
    """Yield a function that replaces the text on the terminal at standard output.

    Lines that are too wide are cut; the end of a text that is too high is left out. The last text
    stays as a whole. Raises as ``answering`` does.
    """
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False, markup=False)
    shown, last = Live(console=console, auto_refresh=False, transient=False), ""

    def show(text: str) -> None:
        nonlocal last
        last = harmless(text, sys.stdout)
        with answering():
            fitting = _fitting(last, shown.console.height)
            shown.update(Text(fitting, no_wrap=True, overflow="ellipsis"), refresh=True)

    with answering():
        shown.start()
    try:
        yield show
    finally:
        with answering():
            shown.update(Text(last))
            shown.stop()


def _fitting(text: str, rows: int) -> str:
    """Return as much of the text as fits ``rows``, and how many lines are left out."""
    lines = text.split("\n")
    if len(lines) <= rows:
        return text
    return "\n".join([*lines[: rows - 1], f"… {len(lines) - rows + 1} more lines"])
