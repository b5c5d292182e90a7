"""Temporary signal handlers."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from traceback import walk_tb
from types import FrameType
from typing import Final, TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], None]

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def handled(numbers: Iterable[signal.Signals], handler: Handler) -> Iterator[None]:
    """Handle these signals by ``handler``, then restore the earlier handlers. Main thread only."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def interrupting() -> Iterator[None]:
    """Let every signal that asks us to end raise KeyboardInterrupt in this context, as Ctrl-C does.

    A closed terminal (SIGHUP) is exempt under ``outliving_the_terminal``.
    """
    outlives = signal.getsignal(signal.SIGHUP) in (_go_on, signal.SIG_IGN)
    with handled(_ENDING[: -1 if outlives else None], _interrupt):
        yield


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Make signals that would kill arena end the command as Ctrl-C does: no process is left."""
    by_default = (signal.SIG_DFL, signal.default_int_handler)
    with handled([n for n in _ENDING if signal.getsignal(n) in by_default], _interrupt):
        yield


def is_interrupt(error: KeyboardInterrupt) -> bool:
    """Return whether a signal raised ``error``, and not code such as that of a package."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_code is _interrupt.__code__


@contextmanager
def outliving_the_terminal() -> Iterator[None]:
    """Ignore a closed terminal in this context. Processes that we start are not affected."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # for example under nohup
        yield
        return
    with handled([signal.SIGHUP], _go_on):
        yield


def _interrupt(number: int, frame: FrameType | None) -> None:
    if number != signal.SIGINT:  # ``timeout`` sends it twice, and cleaning up must complete
        signal.signal(number, _go_on)
    raise KeyboardInterrupt


def _go_on(number: int, frame: FrameType | None) -> None:
    """Ignore the signal: the terminal is closed, or the program is already ending."""
