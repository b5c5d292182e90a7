"""Counts of games that a command works through: a live line, and plain lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from arena.cli.terminal.console import is_animated, rewrite, say, warn

_LIVE_SECONDS: Final = 0.25
_PLAIN_SECONDS: Final = 10.0
_PLAIN_SHARE: Final = 0.05
_DAMAGED: Final = 5
"""Number of games with damaged records that are reported individually."""


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


class PreparedGames:
    """Counter of prepared games. Use as a context manager; leaves no partial line behind."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self._total = total
        self._quiet = quiet
        self._animated = not quiet and is_animated(sys.stderr)
        self._done = 0
        self._shown = 0
        self._last = time.monotonic()

    def __enter__(self) -> PreparedGames:
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


def warn_of_damage(problems: Sequence[str]) -> None:
    """Warn of games that are left out because of these problems of their records."""
    for problem in problems[:_DAMAGED]:
        warn(f"left out: {problem}")
    if len(problems) > _DAMAGED:
        warn(f"{len(problems) - _DAMAGED} more games are left out")
