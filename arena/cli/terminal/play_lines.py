"""A game with a person, line by line: for pipes, scripts and screen readers."""

from __future__ import annotations

import sys

from arena.cli.terminal.console import ReaderLeft, out
from arena.cli.terminal.signals import interrupting
from arena.studies.play.host import GamesEnd, Host
from arena.views.table.course import Finished, PersonsGame, Way
from arena.views.table.state import Seated
from arena.views.table.text import Reply, ask_lines, begin_lines, reply_lines, resolve


def play_in_lines(host: Host, mine: PersonsGame) -> Finished:
    """Print the game and read the person's choices until the game ends or the person leaves."""
    try:
        with interrupting():  # so that no bot process is left running
            if (finished := _played(host, mine)) is not None:
                return finished
    except (KeyboardInterrupt, ReaderLeft):
        pass
    if host.leave():
        return Finished(Way.LEFT)
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
            sys.stdout.write(prompt)
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
