"""A game with a person on a terminal of its own."""

from __future__ import annotations

import io
import queue
import signal
import threading
from collections import deque
from contextlib import AbstractContextManager, redirect_stdout
from types import FrameType
from typing import Final

from arena.cli.terminal.screen import Screen
from arena.cli.terminal.signals import handled
from arena.text.screen import Line
from arena.views.table.course import Finished, PersonsGame, Way
from arena.views.table.host import Ended, Host
from arena.views.table.screen import page_room, page_top, screen
from arena.views.table.state import Mode, Seated, interrupted, press

_PAGE_WIDTH: Final = 78


def wake() -> None:
    """Have the screen drawn anew, from any thread, as when the window changes its size."""
    main = threading.main_thread().ident
    if main is not None:
        signal.pthread_kill(main, signal.SIGWINCH)


def play_on_screen(host: Host, mine: PersonsGame, page: str) -> Finished:
    """Show the game and take the person's keys until it is over or left."""
    laid_out = _laid_out(page)
    with Screen() as terminal:
        at_table = _AtTable(host, mine, laid_out)
        with at_table.signals():
            terminal.show(at_table)
            at_table.leave()  # if the terminal is gone
    return at_table.finished


class _AtTable:
    """What is on the screen, between terminal and host."""

    def __init__(self, host: Host, mine: PersonsGame, page: tuple[str, ...]) -> None:
        self._host = host
        self._mine = mine
        mode = Mode.HELP if mine.number == 1 else Mode.GAME  # who is new here is told first
        self._seated = Seated(mine.game(page), mode)
        self._signals: deque[int] = deque()
        self.is_over = False
        self.finished = Finished(Way.LEFT)

    def signals(self) -> AbstractContextManager[None]:
        """Signals wait for the loop, which they wake: no step of the game is torn."""

        def note(number: int, frame: FrameType | None) -> None:
            self._signals.append(number)

        return handled((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT), note)

    def lines(self, columns: int, rows: int) -> list[Line]:
        """See Shown."""
        return screen(self._seated, columns, rows)

    def wait(self) -> None:
        """See Shown: whatever happens wakes the screen."""

    def tick(self) -> None:
        """See Shown."""
        self._take_signals()
        self._take_in()

    def _take_signals(self) -> None:
        """Ctrl-C first asks; whoever else ends us is not asked."""
        while self._signals and not self.is_over:
            if self._signals.popleft() == signal.SIGINT:
                pressed = interrupted(self._seated)
                self._seated = pressed.seated
                if not pressed.left:
                    continue
            self.leave()

    def leave(self) -> None:
        """End it, unless that was done; a game that was stored by now counts all the same."""
        if self.is_over:
            return
        self.is_over = True
        if self.finished.way is Way.LEFT and not self._host.leave():
            while not isinstance(item := self._host.items.get(), Ended):
                pass
            self.finished = self._mine.finished(item)

    def press(self, key: bytes, columns: int, rows: int) -> None:
        """See Shown."""
        self._seated = self._seated._replace(top=page_top(self._seated, columns, rows))
        was_over = bool(self._seated.result)
        pressed = press(self._seated, key, page_room(rows))
        self._seated = pressed.seated
        if pressed.choice is not None:
            self._seated = self._seated.decided(pressed.choice)
            self._host.answer(pressed.choice)
        elif pressed.left and was_over:
            self.is_over = True
        elif pressed.left:
            self.leave()

    def _take_in(self) -> None:
        """What has happened at the table by now."""
        while True:
            try:
                item = self._host.items.get_nowait()
            except queue.Empty:
                return
            if not isinstance(item, Ended):
                self._seated = self._mine.after(self._seated, item)
                continue
            self.finished = self._mine.finished(item)
            if self.finished.way is Way.LEFT:
                self.is_over = True
            else:
                self._seated = self._mine.over(self._seated, self.finished)


def _laid_out(page: str) -> tuple[str, ...]:
    """Markdown in lines of text."""
    from arena.cli.terminal.markdown import print_markdown

    with redirect_stdout(io.StringIO()) as text:
        print_markdown(page, _PAGE_WIDTH, color=False)
    return tuple(line.rstrip() for line in text.getvalue().splitlines())
