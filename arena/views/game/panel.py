"""Panels beside the board of a replay on a terminal: legal actions, or a ply as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

import msgspec

from arena.games.board import Json
from arena.records.perspective import plain
from arena.text import clean
from arena.views.game.replay import ShownPly, View, is_shown, nothing_seen
from arena.views.game.text import count, ply_data

CHOSEN, NOT_CHOSEN = "> ", "  "
_COLUMNS: Final = 76
"""Most columns of JSON on one line; longer text is broken."""
_RAW: Final = (
    "ply",
    "seat",
    "action",
    "info",
    "think_us",
    "autopilot",
    "events",
    "observation",
)
"""Fields of a ply, the longest last."""


def legal_lines(view: View, position: int) -> list[str]:
    """Return the action of the ply just made, the other legal actions, and what the seat saw."""
    if not position:
        return ["nothing has happened yet"]
    ply = view.plies[position - 1]
    if ply.seat is None and (view.seat is None or is_shown(ply)):
        return [f"ply {ply.ply} is chance: nobody chose"]
    if not ply.legal or ply.seat is None:
        return [f"what ply {ply.ply} was chosen from is not in this view"]
    asked, table = ply.before[ply.seat], view.table
    words = [view.board.choice(action, asked, table) for action in (ply.action, *ply.legal)]
    who = "the autopilot chose for " if ply.autopilot else ""
    chose = "" if ply.autopilot else " chose"
    legal = count(len(ply.legal), "legal action", "legal actions")
    return [
        f"{who}{table.names[ply.seat]}{chose}, of {legal}:",
        CHOSEN + words[0],
        *(NOT_CHOSEN + other for other in words[1:] if other != words[0]),
        "",
        *view.board.compact(asked, table),
    ]


def raw_lines(view: View, position: int) -> list[str]:
    """Return the ply just made as JSON, with the bot's ``info`` and what the seat saw."""
    if not position:
        return ["nothing has happened yet"]
    ply = view.plies[position - 1]
    if not is_shown(ply):
        return [f"ply {ply.ply}: {nothing_seen(view)}"]
    return list(_json_lines(view, ply))


def _json_lines(view: View, ply: ShownPly) -> Iterator[str]:
    data = plain(ply_data(view, ply))
    for line in _member_lines({name: data[name] for name in _RAW}, ""):
        yield from _broken(line)


def _member_lines(value: Json, indent: str) -> Iterator[str]:
    """Yield the members of a value without its brackets; values that fit stay on one line."""
    keyed = isinstance(value, dict)
    items = [
        (f"{clean.json_text(msgspec.json.encode(key))}: " if keyed else "", item)
        for key, item in (value.items() if keyed else enumerate(value))
    ]
    for number, (name, item) in enumerate(items, 1):
        comma = "," if number < len(items) else ""
        line = f"{indent}{name}{clean.json_text(msgspec.json.encode(item))}{comma}"
        if len(line) <= _COLUMNS or not (isinstance(item, dict | list) and item):
            yield line
            continue
        opened, closed = "{}" if isinstance(item, dict) else "[]"
        yield f"{indent}{name}{opened}"
        yield from _member_lines(item, indent + "  ")
        yield f"{indent}{closed}{comma}"


def _broken(line: str) -> Iterator[str]:
    """Break ``line`` into pieces of at most ``_COLUMNS``, so that a long text can be scrolled."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    yield from textwrap.wrap(
        line,
        _COLUMNS,
        subsequent_indent=indent[: _COLUMNS // 2],
        drop_whitespace=False,
        replace_whitespace=False,
    ) or [line]
