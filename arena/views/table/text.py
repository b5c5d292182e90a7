"""A person's game line by line: the text printed, and the meaning of an answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from functools import partial
from typing import Final, NamedTuple

from arena.views.table.screen import all_wrapped, packed
from arena.views.table.state import Seated, matching

_HELP: Final = (
    "a number chooses; so do words, or parts of them, that only one choice has",
    "board  the whole board      log  everything that has happened",
    "why N  more about a choice  list  the choices again",
    "?      this help            quit  leave; a game that is left is not counted",
    "The rules: arena rules {}",
)
_SHOWN_MATCHES: Final = 5
_WIDTH: Final = 79
"""Width of text in columns; choices may be longer, because each of them is one line."""
_wrapped: Final = partial(all_wrapped, columns=_WIDTH)


class Reply(Enum):
    """A request that the person typed instead of a choice."""

    HELP = auto()
    BOARD = auto()
    LOG = auto()
    LIST = auto()
    LEAVE = auto()
    NOTHING = auto()


_COMMANDS: Final = {
    "?": Reply.HELP,
    "help": Reply.HELP,
    "board": Reply.BOARD,
    "log": Reply.LOG,
    "list": Reply.LIST,
    "quit": Reply.LEAVE,
    "q": Reply.LEAVE,
    "": Reply.NOTHING,
}


class Why(NamedTuple):
    """A request for the explanation of a choice."""

    choice: int


def resolve(text: str, words: Sequence[str]) -> int | Why | str | Reply:
    """Return the meaning of an answer: the index of a choice, a request, or an error text."""
    text = " ".join(text.split())
    if text.lower() in _COMMANDS:
        return _COMMANDS[text.lower()]
    asked, _, number = text.partition(" ")
    if asked.lower() == "why" and _is_number(number, len(words)):
        return Why(int(number) - 1)
    if text.isdecimal():
        if _is_number(text, len(words)):
            return int(text) - 1
        return f"{text[:20]} is no number from 1 to {len(words)}"
    exact = [index for index, each in enumerate(words) if each.lower() == text.lower()]
    found = exact or matching(words, text)
    if len(found) == 1:
        return found[0]
    if not found:
        return f'no choice has "{text[:40]}"; ? helps'
    numbers = ", ".join(str(index + 1) for index in found[:_SHOWN_MATCHES])
    more = ", …" if len(found) > _SHOWN_MATCHES else ""
    return f"{len(found)} choices have that: {numbers}{more}"


def _is_number(text: str, last: int) -> bool:
    is_short = text.isascii() and text.isdecimal() and len(text) <= len(str(last))
    return is_short and 1 <= int(text) <= last


def begin_lines(seated: Seated) -> list[str]:
    """Return the lines before the first card."""
    game = seated.game
    names = game.table.names
    who = f"you are {names[game.seat]}, seat {game.seat}, against {game.others}"
    if len(names) == 1:
        who = f"you are {names[0]}, alone"
    lines = [
        f"{game.title}, game {game.number}: {who}",
        game.board.aim_at(len(names)),
        *game.notices,
    ]
    return [*_wrapped(filter(None, lines)), "? helps, quit leaves"]


def ask_lines(seated: Seated) -> list[str]:
    """Return the news, the short board, and the numbered choices."""
    game = seated.game
    happened = _wrapped(seated.log[seated.news :])
    short = game.board.compact(seated.observation, game.table)
    board = [part for line in short for part in packed(line, _WIDTH)]
    return ["", *happened, "", *board, *list_lines(seated)]


def list_lines(seated: Seated) -> list[str]:
    """Return the numbered choices."""
    width = len(str(len(seated.words)))
    listed = [f"  {number:>{width}}  {text}" for number, text in enumerate(seated.words, 1)]
    return [f"your move, 1-{len(listed)}:" if len(listed) > 1 else "your move:", *listed]


def reply_lines(seated: Seated, reply: Why | str | Reply) -> list[str]:
    """Return the reply to a request or a wrong answer."""
    game = seated.game
    match reply:
        case Reply.HELP:
            words = [f"{word}: {meaning}" for word, meaning in game.board.terms]
            return [*_wrapped(words), *(line.format(game.rules) for line in _HELP)]
        case Reply.BOARD:
            return _wrapped(game.board.lines({game.seat: seated.observation}, game.table))
        case Reply.LOG:
            return _wrapped(seated.log)
        case Reply.LIST:
            return list_lines(seated)
        case Reply():
            return []
        case Why():
            action = seated.legal[reply.choice]
            more = game.board.hint(action, seated.observation, game.data)
            return _wrapped([f"{seated.words[reply.choice]}. {more}".rstrip()])
        case _:
            return [reply]
