"""A game with a person, line by line: on a terminal, through pipes and for screen readers."""

from __future__ import annotations

import sys
from typing import Final

from arena.cli.terminal.console import ReaderLeft, columns, harmless, out
from arena.cli.terminal.signals import interrupting
from arena.studies.play.host import GamesEnd, Host
from arena.views.table.course import Finished, PersonsGame, Seated, Way
from arena.views.table.text import Reply, begin_lines, list_lines, reply_lines, resolve, seen_lines

_WIDTH: Final = 79
"""Most columns of the text."""


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
    while not isinstance(item := host.next(), GamesEnd):
        pass
    return mine.finished(item)


def _played(host: Host, mine: PersonsGame) -> Finished | None:
    """Play the game to its end; None if the person leaves."""
    seated = Seated(mine)
    _print(begin_lines(seated, _width()))
    while not isinstance(item := host.next(), GamesEnd):
        seated = mine.after(seated, item)
        if not seated.is_asked:
            continue
        _print([*seen_lines(seated, _width()), *list_lines(seated, _width())])
        choice = _choice(seated)
        if choice is None:
            return None
        seated = seated.decided()
        host.answer(choice)
    return _end(seated, mine, item)


def _end(seated: Seated, mine: PersonsGame, ended: GamesEnd) -> Finished:
    finished = mine.finished(ended)
    if finished.way is Way.PLAYED:
        _print([*seen_lines(mine.over(seated, finished), _width()), ""])
    return finished


def _choice(seated: Seated) -> int | None:
    """Return the index of a legal action; None if the person leaves."""
    while True:
        text = _line("your choice (? helps): ")
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
            _print(reply_lines(seated, reply, _width()))


def _line(prompt: str) -> str | None:
    """Return the line that the person types; None at the end of input and at an interrupt."""
    try:
        if sys.stdin.isatty():
            sys.stdout.write(harmless(prompt, sys.stdout))
            sys.stdout.flush()
        line = sys.stdin.readline()
    except OSError:  # the terminal was closed
        return None
    except KeyboardInterrupt:
        line = ""
    if not line and sys.stdin.isatty():
        out("")  # the prompt is still on the line
    return line or None


def _width() -> int:
    """Return the columns for text; the last column of the terminal stays free."""
    return min(_WIDTH, max(1, (columns() or _WIDTH + 1) - 1))


def _print(lines: list[str]) -> None:
    for line in lines:
        out(line)
