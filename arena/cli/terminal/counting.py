"""Counter of prepared games: one line on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from arena.cli.terminal.console import is_animated, rewrite, say

_LIVE_SECONDS: Final = 0.2
_PLAIN_SECONDS: Final = 10.0
_PLAIN_SHARE: Final = 0.05


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


class Counter:
    """Counter of prepared games. Use as a context manager; leaves no partial line behind."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self._total = total
        self._quiet = quiet
        self._animated = not quiet and is_animated(sys.stderr)
        self._done = 0
        self._shown = 0
        self._last = time.monotonic()

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._animated:
            rewrite("")

    def step(self) -> None:
        """Count one more prepared game."""
        self._done += 1
        now = time.monotonic()
        if self._animated:
            if now - self._last >= _LIVE_SECONDS or self._done == self._total:
                self._last = now
                rewrite(self._words())
        elif not self._quiet:
            enough = self._done - self._shown >= _PLAIN_SHARE * self._total
            if now - self._last >= _PLAIN_SECONDS and enough and self._done < self._total:
                self._last, self._shown = now, self._done
                say(self._words())

    def _words(self) -> str:
        return f"{self._done}/{self._total} games prepared"
