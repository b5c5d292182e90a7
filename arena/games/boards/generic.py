"""The board of games that have none of their own, and of those whose own board fails: raw data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from arena.games.board import BoardDisplay, Json, Observations, TableInfo
from arena.text import clean

_INDENT: Final = "  "
_LINE_ITEMS: Final = (str, int, float, bool, type(None))


def sentence(event: Json, table: TableInfo) -> str:
    """Return the event's ``type``, then its other fields; slashes separate the lines of a text.

    If the event has ``words``, they come first and the fields in brackets.
    """
    fields = dict(event)
    words = fields.pop("words", None)
    parts = [str(fields.pop("type", "event"))]
    parts += [f"{key} {_value(value)}" for key, value in fields.items()]
    text = ", ".join(parts)
    return clean.plain(text if words is None else f"{_value(words)} ({text})")


def scores(observation: Json) -> None:
    """Return None: the scores are unknown."""


def lines(observations: Observations, table: TableInfo) -> list[str]:
    """Return what each seat sees, one after another; once if all see the same but ``seat``."""
    shown: list[str] = []
    first, *others = map(_shared, observations.values())
    if others and all(each == first for each in others):
        return ["all seats see", *(_INDENT + line for line in compact(first, table))]
    for seat, observation in observations.items():
        watches = seat not in range(len(table.names))
        shown.append("everybody sees" if watches else f"seat {seat} {table.names[seat]} sees")
        shown += [_INDENT + line for line in compact(observation, table)]
    return shown


def _shared(observation: Json) -> Json:
    """Return an observation without the number of the seat that sees it."""
    if not isinstance(observation, dict):
        return observation
    return {key: value for key, value in observation.items() if key != "seat"}


def compact(observation: Json, table: TableInfo) -> list[str]:
    """Return a line ``key: value`` for each field; nested fields are indented below it."""
    return [clean.plain(line) for line in _fields(observation)]


def _fields(value: Json) -> Iterator[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if _fits_a_line(item):
            yield f"{key}: {_value(item)}"
            continue
        yield f"{key}:"
        below = item.splitlines() if isinstance(item, str) else _fields(item)
        yield from (_INDENT + line.expandtabs() for line in below)


def _fits_a_line(value: Json) -> bool:
    """Return whether ``value`` is a scalar or a list of scalars, without text of several lines."""
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, _LINE_ITEMS) and not _has_lines(item) for item in items)


def _has_lines(value: Json) -> bool:
    return isinstance(value, str) and len(value.splitlines()) > 1


def _value(value: Json) -> str:
    if isinstance(value, str):
        lines = value.splitlines()
        return " / ".join(map(str.strip, lines)) if len(lines) > 1 else "".join(lines)
    if isinstance(value, list) and _fits_a_line(value):
        return " ".join(map(_value, value)) or "none"
    return msgspec.json.encode(value).decode()


def choice(action: Json, observation: Json, table: TableInfo) -> str:
    """Return the action's ``words`` if it has them, else its ``type`` and its other fields as JSON.

    Different actions have different descriptions.
    """
    if isinstance(action.get("words"), str):
        return clean.plain(action["words"])
    fields = dict(action)
    kind = str(fields.pop("type", "choose"))
    told = ", ".join(f"{clean.plain(key)} {_encoded(value)}" for key, value in fields.items())
    return clean.plain(kind.replace("_", " ").capitalize()) + (f": {told}" if told else "")


def _encoded(value: Json) -> str:
    return clean.json_text(msgspec.json.encode(value))


BOARD: Final = BoardDisplay(sentence, scores, lines, compact, choice)
