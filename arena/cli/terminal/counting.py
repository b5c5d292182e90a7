"""A count on a live line, for commands that work through games."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.cli.terminal.console import is_animated, rewrite


@contextmanager
def counting(words: str, every: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes a count and shows every ``every``-th one, on a terminal only."""
    animated = is_animated(sys.stderr)

    def show(number: int) -> None:
        if animated and number % every == 0:
            rewrite(f"{number} {words}")

    try:
        yield show
    finally:
        if animated:
            rewrite("")
