"""A person's game line by line: the text printed, and the meaning of an answer. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from wcwidth import wcswidth

from arena.extensions.browser.table.course import Seated

_HELP: Final = (
    "a number chooses; so do words, or parts of them, that only one choice has",
    "why N  more about a choice",
    "list   the choices again",
    "board  the whole board",
    "log    everything that has happened",
    "quit   leave; a game that is left is not counted",
    "The rules: arena rules {}",
)
_SHOWN_MATCHES: Final = 5
_ONE_COLUMN: Final = 8
"""Most choices that are listed below each other although they would fit side by side."""
_BAR: Final = " | "


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


def matching(words: Sequence[str], typed: str) -> tuple[int, ...]:
    """Return the indices of the choices that contain every typed word."""
    parts = typed.lower().split()
    return tuple(
        index for index, text in enumerate(words) if all(part in text.lower() for part in parts)
    )


def begin_lines(seated: Seated, width: int) -> list[str]:
    """Return the lines before the first card, of at most ``width`` columns."""
    game = seated.game
    names = game.table.names
    who = f"you are {names[game.seat]}, seat {game.seat}, against {game.others}"
    if len(names) == 1:
        who = f"you are {names[0]}, alone"
    lines = [
        f"{game.title}, game {game.number}: {who}",
        game.board.aim_at(len(names)),
        *game.notices,
        "? helps, quit leaves",
    ]
    return _wrapped(filter(None, lines), width)


def seen_lines(seated: Seated, width: int) -> list[str]:
    """Return the news and the short board in lines of at most ``width`` columns."""
    game = seated.game
    happened = _wrapped(seated.log[seated.news :], width)
    if seated.observation is None:
        return ["", *happened]
    short = game.board.compact(seated.observation, game.table)
    return ["", *happened, "", *(part for line in short for part in _packed(line, width))]


def list_lines(seated: Seated, width: int) -> list[str]:
    """Return the numbered choices below each other, or many side by side if they fit."""
    number = len(seated.words)
    digits = len(str(number))
    listed = [f"  {at:>{digits}}  {text}" for at, text in enumerate(seated.words, 1)]
    head = f"your move, 1-{number}:" if number > 1 else "your move:"
    return [head, *_wrapped(_in_columns(listed, width), width, digits + 4)]


def _in_columns(cells: Sequence[str], width: int) -> list[str]:
    """Return many cells in as many columns as fit, to be read downwards."""
    widest = max(map(wcswidth, cells))
    fitting = max(1, width // widest) if len(cells) > _ONE_COLUMN else 1
    rows = -(-len(cells) // fitting)
    return [
        "".join(cell + " " * (widest - wcswidth(cell)) for cell in cells[row::rows]).rstrip()
        for row in range(rows)
    ]


def reply_lines(seated: Seated, reply: Why | str | Reply, width: int) -> list[str]:
    """Return the reply to a request or a wrong answer, in lines of at most ``width`` columns."""
    game = seated.game
    match reply:
        case Reply.HELP:
            words = [f"{word}: {meaning}" for word, meaning in game.board.terms]
            return _wrapped([*words, *(line.format(game.rules.name) for line in _HELP)], width)
        case Reply.BOARD:
            return _wrapped(game.board.lines({game.seat: seated.observation}, game.table), width)
        case Reply.LOG:
            return _wrapped(seated.log, width)
        case Reply.LIST:
            return list_lines(seated, width)
        case Reply():
            return []
        case Why():
            action = seated.legal[reply.choice]
            more = game.board.hint(action, seated.observation, game.rules.data)
            return _wrapped([f"{seated.words[reply.choice]}. {more}".rstrip()], width)
        case _:
            return [reply]


def _packed(line: str, width: int) -> list[str]:
    """Wrap ``line`` as ``_wrapped`` does, if possible at its bars only."""
    packed = [""]
    for part in line.split(_BAR):
        longer = f"{packed[-1]}{_BAR}{part}" if packed[-1] else part
        if wcswidth(longer) <= width or not packed[-1]:
            packed[-1] = longer
        else:
            packed.append(f"  {part}")
    return _wrapped(packed, width)


def _wrapped(texts: Iterable[str], width: int, hanging: int = 2) -> list[str]:
    """Wrap each text into lines of ``width`` columns.

    All but its first are indented as that is, or by ``hanging`` columns if these are more.
    """
    lines: list[str] = []
    for text in texts:
        indent = " " * max(hanging, len(text) - len(text.lstrip()))
        characters = width if wcswidth(text) == len(text) else width // 2  # wide ones take two
        lines += textwrap.wrap(text, characters, subsequent_indent=indent) or [""]
    return lines
