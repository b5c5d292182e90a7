"""Signals that are handled in a way of their own for a while."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], None]

_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def handled(numbers: Iterable[signal.Signals], handler: Handler) -> Iterator[None]:
    """Meanwhile ``handler`` gets these signals, later who got them before. Main thread only."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def interrupting() -> Iterator[None]:
    """Meanwhile whatever asks us to end raises KeyboardInterrupt, as Ctrl-C does anyway."""
    with handled(_ENDING, _interrupt):
        yield


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
