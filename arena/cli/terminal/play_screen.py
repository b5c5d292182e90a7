"""A game with a person: on a full-screen terminal, or line by line for pipes and screen readers."""

from __future__ import annotations

import io
import queue
import signal
import sys
import threading
from collections import deque
from contextlib import AbstractContextManager, redirect_stdout
from types import FrameType
from typing import Final

from arena.cli.terminal.console import ReaderLeft, harmless, out
from arena.cli.terminal.screen import Screen
from arena.cli.terminal.signals import handled, interrupting
from arena.studies.play.host import GamesEnd, Host
from arena.text.screen import Line
from arena.views.table.course import Finished, PersonsGame, Way
from arena.views.table.screen import page_room, page_top, screen
from arena.views.table.state import Mode, Seated, interrupted, press
from arena.views.table.text import Reply, ask_lines, begin_lines, reply_lines, resolve

_PAGE_WIDTH: Final = 78


def wake() -> None:
    """Redraw the screen, as after a change of the window size. Thread-safe."""
    main = threading.main_thread().ident
    if main is not None:
        signal.pthread_kill(main, signal.SIGWINCH)


def play_on_screen(host: Host, mine: PersonsGame, page: str) -> Finished:
    """Show the game and handle the person's keys until the game ends or the person leaves.

    ``mine``: the game of the person. ``page``: the rules, in Markdown.
    """
    laid_out = _laid_out(page)
    with Screen() as terminal:
        at_table = _AtTable(host, mine, laid_out)
        with at_table.signals():
            terminal.show(at_table)
            at_table.leave()  # if the terminal is gone
    return at_table.finished


class _AtTable:
    """Screen content between the terminal and the host of the game."""

    def __init__(self, host: Host, mine: PersonsGame, page: tuple[str, ...]) -> None:
        self._host = host
        self._mine = mine
        mode = Mode.HELP if mine.number == 1 else Mode.GAME  # new players see the help first
        self._seated = Seated(mine.game(page), mode)
        self._signals: deque[int] = deque()
        self.is_over = False
        self.finished = Finished(Way.LEFT)

    def signals(self) -> AbstractContextManager[None]:
        """Queue signals in this context and wake the loop, so that none interrupts a step."""

        def note(number: int, frame: FrameType | None) -> None:
            self._signals.append(number)

        return handled((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT), note)

    def lines(self, columns: int, rows: int) -> list[Line]:
        """See Shown."""
        return screen(self._seated, columns, rows)

    def wait(self) -> None:
        """Return None, see Shown: every event wakes the screen."""

    def tick(self) -> None:
        """See Shown."""
        self._take_signals()
        self._take_in()

    def _take_signals(self) -> None:
        """Ask the person after Ctrl-C; end at once after any other signal."""
        while self._signals and not self.is_over:
            if self._signals.popleft() == signal.SIGINT:
                pressed = interrupted(self._seated)
                self._seated = pressed.seated
                if not pressed.left:
                    continue
            self.leave()

    def leave(self) -> None:
        """End the game unless it has ended. A game that is already stored counts all the same."""
        if self.is_over:
            return
        self.is_over = True
        if self.finished.way is Way.LEFT and not self._host.leave():
            self.finished = _at_end(self._host, self._mine)

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
        """Handle the new items of the host: questions, faults and the end of games."""
        while True:
            try:
                item = self._host.items.get_nowait()
            except queue.Empty:
                return
            if not isinstance(item, GamesEnd):
                self._seated = self._mine.after(self._seated, item)
                continue
            self.finished = self._mine.finished(item)
            if self.finished.way is Way.LEFT:
                self.is_over = True
            else:
                self._seated = self._mine.over(self._seated, self.finished)


def _laid_out(page: str) -> tuple[str, ...]:
    """Return Markdown as lines of text."""
    from arena.cli.terminal.markdown import print_markdown

    with redirect_stdout(io.StringIO()) as text:
        print_markdown(page, _PAGE_WIDTH, color=False)
    return tuple(line.rstrip() for line in text.getvalue().splitlines())


def play_in_lines(host: Host, mine: PersonsGame) -> Finished:
    """Print the game and read the person's choices until the game ends or the person leaves.

    ``mine``: the game of the person.
    """
    try:
        with interrupting():  # so that no bot process is left running
            if (finished := _played(host, mine)) is not None:
                return finished
    except (KeyboardInterrupt, ReaderLeft):
        pass
    if host.leave():
        return Finished(Way.LEFT)
    return _at_end(host, mine)


def _at_end(host: Host, mine: PersonsGame) -> Finished:
    """Wait for the end of the game and return it."""
    while not isinstance(item := host.items.get(), GamesEnd):
        pass
    return mine.finished(item)


def _played(host: Host, mine: PersonsGame) -> Finished | None:
    """Play the game to its end; None if the person leaves."""
    seated = Seated(mine.game())
    _print(begin_lines(seated))
    while not isinstance(item := host.items.get(), GamesEnd):
        seated = mine.after(seated, item)
        if not seated.is_asked:
            continue
        _print(ask_lines(seated))
        choice = _choice(seated)
        if choice is None:
            return None
        seated = seated.decided(choice)
        host.answer(choice)
    return _end(seated, mine, item)


def _end(seated: Seated, mine: PersonsGame, ended: GamesEnd) -> Finished:
    finished = mine.finished(ended)
    if finished.way is Way.PLAYED:
        last = mine.over(seated, finished)
        _print(last.log[last.news :])
        _print([""])
    return finished


def _choice(seated: Seated) -> int | None:
    """Return the index of a legal action; None if the person leaves."""
    while True:
        text = _line("your choice: ")
        if text is None:
            return None
        reply = resolve(text, seated.words)
        if isinstance(reply, int):
            out(f"you: {seated.words[reply]}")
            return reply
        if reply is Reply.LEAVE:
            answer = _line("leave? the game is not counted: y/n ")
            if answer is None or answer.strip().lower().startswith("y"):
                return None
        else:
            _print(reply_lines(seated, reply))


def _line(prompt: str) -> str | None:
    """Return the line that the person types; None at the end of input."""
    try:
        if sys.stdin.isatty():
            sys.stdout.write(harmless(prompt, sys.stdout))
            sys.stdout.flush()
        line = sys.stdin.readline()
    except OSError:  # the terminal was closed
        return None
    if not line and sys.stdin.isatty():
        out("")
    return line if line else None


def _print(lines: list[str] | tuple[str, ...]) -> None:
    for line in lines:
        out(line)
