"""Signals that are handled in a way of their own for a while."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], None]

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
    """Meanwhile whatever asks us to end raises KeyboardInterrupt, as Ctrl-C mostly does anyway.

    Not a terminal that is closed, if ``outliving_the_terminal``.
    """
    outlives = signal.getsignal(signal.SIGHUP) in (_go_on, signal.SIG_IGN)
    with handled(_ENDING[: -1 if outlives else None], _interrupt):
        yield


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Meanwhile what would end us at once ends us as Ctrl-C does: nothing we started is left."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    with handled([n for n in numbers if signal.getsignal(n) is signal.SIG_DFL], _interrupt):
        yield


@contextmanager
def outliving_the_terminal() -> Iterator[None]:
    """Meanwhile a terminal that is closed ends nothing. What we start is as it would be anyway."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as under nohup
        yield
        return
    with handled([signal.SIGHUP], _go_on):
        yield


def _interrupt(number: int, frame: FrameType | None) -> None:
    if (
        number != signal.SIGINT
    ):  # ``timeout`` sends it twice, and cleaning up has to come to its end
        signal.signal(number, _go_on)
    raise KeyboardInterrupt


def _go_on(number: int, frame: FrameType | None) -> None:
    """Nobody looks any more, or we are ending already."""
