"""A full-screen terminal: key presses as they happen, whole frames, and everything restored.

However the screen is left (return, error, interrupt, hang-up, suspension), the terminal is
restored to its earlier state.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import inf
from types import FrameType
from typing import Any, Final, Protocol

from arena.cli.terminal.console import has_color
from arena.extensions.browser.terminal.content import Line, screen
from arena.extensions.browser.terminal.stepper import Stepper
from arena.values import clean
from arena.values.results import Seat
from arena.views.game.replay import Replay

_ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
"""Escape codes: alternate screen, no cursor, no wrapping, clear."""
_LEAVE: Final = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_KEY: Final = re.compile(rb"\x1b\[[0-9;]*[@-~]|\x1bO[@-~]|[^\x1b]|\x1b(?!\[[0-9;]*$|O?$)")
_ESCAPE_SECONDS: Final = 0.1
"""Pause in seconds that ends a key sequence which could continue."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class ScreenContent(Protocol):
    """Content of a screen and its reaction to keys and time."""

    is_over: bool
    """True when the screen is to be closed."""

    def lines(self, columns: int, rows: int) -> Sequence[Line]:
        """Return the lines for a window of this size."""

    def press(self, key: bytes, columns: int, rows: int) -> None:
        """Handle a key that the person pressed."""

    def tick(self) -> None:
        """Update the content. Called before the screen is redrawn."""

    def wait(self) -> float | None:
        """Return the seconds until ``tick`` is due without a key; None: no deadline."""


def split_keys(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the complete keys in ``data`` and the rest, the beginning of an incomplete key."""
    keys, at = [], 0
    while match := _KEY.match(data, at):
        keys.append(match[0])
        at = match.end()
    return keys, data[at:]


class Screen:
    """Full-screen terminal at standard input and output; a context manager for the main thread.

    SIGINT, SIGTERM, SIGHUP and SIGQUIT raise KeyboardInterrupt.
    """

    def __init__(self) -> None:
        self._input, self._output = sys.stdin.fileno(), sys.stdout.fileno()
        self._strong = has_color(sys.stdout)
        self._handlers: dict[signal.Signals, Any] = {}
        self._wakeup: tuple[int, int] | None = None
        self._before_wakeup = -1
        self._pending = b""

    def __enter__(self) -> Screen:
        self._saved = termios.tcgetattr(self._input)
        with contextlib.ExitStack() as undo:
            undo.callback(self._restore)
            self._catch_signals()
            self._take()
            undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; 80 and 24 if the terminal does not report them."""
        try:
            columns, rows = os.get_terminal_size(self._output)
        except OSError:
            columns, rows = 0, 0
        return columns or 80, rows or 24

    @property
    def room(self) -> tuple[int, int]:
        """Columns and rows to draw in: the last column stays free.

        Clearing the rest of a full line would erase its last character on some terminals.
        """
        columns, rows = self.size
        return columns - 1, rows

    def draw(self, lines: Sequence[Line]) -> None:
        """Replace the whole screen in one write, so that it does not flicker."""
        rows = [f"\x1b[{row};1H{self._set(line)}\x1b[K" for row, line in enumerate(lines, 1)]
        with contextlib.suppress(OSError):  # the terminal is gone; ``presses`` ends for that
            self._write("".join(rows) + "\x1b[J")

    def show(self, shown: ScreenContent) -> None:
        """Show ``shown`` until it ends or the terminal is gone."""
        for keys in chain([[]], self.presses(shown.wait)):
            for key in keys:
                shown.press(key, *self.room)
                if shown.is_over:
                    return
            shown.tick()
            self.draw(shown.lines(*self.room))

    def presses(self, wait: Callable[[], float | None]) -> Iterator[list[bytes]]:
        """Yield keys as they arrive; an empty list when the screen has to be redrawn.

        ``wait``: called before every wait, returns the seconds without a key after which the list
        is empty; None: never. Ends when the terminal is gone.
        """
        while self._wakeup is not None:
            seconds = wait()
            # Escape also begins other keys; the bytes of one key arrive together.
            is_over = bool(self._pending) and (seconds is None or seconds > _ESCAPE_SECONDS)
            if is_over:
                seconds = _ESCAPE_SECONDS
            limit = None if seconds is None else max(0.0, seconds)
            ready, _, _ = select.select([self._input, self._wakeup[0]], [], [], limit)
            if not ready:
                keys = [self._pending] if is_over else []
                self._pending = b"" if is_over else self._pending
                yield keys
            if self._wakeup[0] in ready:
                os.read(self._wakeup[0], 4096)
                yield []
            if self._input in ready:
                try:
                    data = os.read(self._input, 4096)
                except OSError:  # hung up
                    return
                if not data:
                    return
                keys, self._pending = split_keys(self._pending + data)
                yield keys

    def _set(self, line: Line) -> str:
        text = clean.plain(line.text)
        return f"\x1b[1m{text}\x1b[0m" if line.strong and self._strong else text

    def _take(self) -> None:
        tty.setcbreak(self._input)
        self._write(_ENTER)

    def _give_back(self) -> None:
        with contextlib.suppress(OSError, termios.error):  # the terminal may be gone
            termios.tcsetattr(self._input, termios.TCSADRAIN, self._saved)
        with contextlib.suppress(OSError):
            self._write(_LEAVE)

    def _write(self, text: str) -> None:
        rest = memoryview(text.encode("utf-8", "replace"))
        while rest:
            rest = rest[os.write(self._output, rest) :]

    def _catch_signals(self) -> None:
        self._wakeup = os.pipe()
        for end in self._wakeup:
            os.set_blocking(end, False)
        self._before_wakeup = signal.set_wakeup_fd(self._wakeup[1], warn_on_full_buffer=False)
        for number in _ENDING:
            self._handle(number, _interrupt)
        self._handle(signal.SIGWINCH, _wake)
        self._handle(signal.SIGTSTP, self._suspend)

    def _handle(self, number: signal.Signals, handler: Any) -> None:
        self._handlers[number] = signal.signal(number, handler)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        """Restore the terminal, then stop as any program does; redraw the screen when resumed."""
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._suspend)
        self._take()

    def _restore(self) -> None:
        self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()
        if self._wakeup is not None:
            signal.set_wakeup_fd(self._before_wakeup)
            for descriptor in self._wakeup:
                os.close(descriptor)
            self._wakeup = None


def _wake(number: int, frame: FrameType | None) -> None:
    """Do nothing: the write to the wake-up descriptor already ends the wait."""


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def step_through(replay: Replay, seat: Seat | None) -> None:
    """Show the game until the person quits.

    ``seat``: whose view is shown first, may be SPECTATOR; None: all.
    """
    with Screen() as terminal:
        terminal.show(Stepping(Stepper.begin(replay, seat)))


class Stepping:
    """Screen content that shows a stepper and advances it while it plays automatically."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self.is_over = False
        self._period: float | None = None
        self._due = inf

    def lines(self, columns: int, rows: int) -> list[Line]:
        """See ScreenContent."""
        return screen(self.stepper, columns, rows)

    def press(self, key: bytes, columns: int, rows: int) -> None:
        """See ScreenContent."""
        pressed = self.stepper.press(key)
        if pressed is None:
            self.is_over = True
        else:
            self.stepper = pressed

    def wait(self) -> float | None:
        """Return the seconds until the next automatic step; None: never."""
        return None if self._due == inf else self._due - time.monotonic()

    def tick(self) -> None:
        """Advance if a step is due. A change of speed begins a new period."""
        now = time.monotonic()
        is_due = self.stepper.period == self._period and now >= self._due
        if is_due:
            self.stepper = self.stepper.tick()
        if is_due or self.stepper.period != self._period:
            self._period = self.stepper.period
            self._due = inf if self._period is None else now + self._period
