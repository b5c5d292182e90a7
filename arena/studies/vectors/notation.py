"""Notation of a full state: plain JSON, every field by its name.

docs/games/ has the fields of arena's own games. Actions, observations and events are written
as bots receive them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from numbers import Number
from typing import Any

import msgspec

from arena.documents.bad_input import BadInput
from arena.games.base import Json
from arena.records.perspective import plain


def written_state(state: Any) -> Json:
    """Return the state in plain JSON; equal states are written alike.

    A named tuple, a struct or a dataclass becomes an object of all its fields, another object an
    object of its attributes. Another tuple, list or iterable becomes an array, a set a sorted
    array, None null, a member of an enumeration its value. A struct with a tag is an event that the
    state keeps, and is written as bots receive it.

    Raises BadInput for a value that cannot be written, in a state of a game from elsewhere.
    """
    try:
        return _written(state)
    except RecursionError:
        raise BadInput("a state cannot be written: it holds itself") from None


def _written(state: Any) -> Json:
    if (names := _fields(state)) is not None:
        return {name: _written(getattr(state, name)) for name in names}
    if isinstance(state, tuple | list):
        return [_written(value) for value in state]
    if isinstance(state, set | frozenset):
        return sorted((_written(value) for value in state), key=in_order)
    if isinstance(state, Mapping):
        return {str(_written(key)): _written(value) for key, value in state.items()}
    if isinstance(state, Enum):
        return _written(state.value)
    if state is None or isinstance(state, str | int | float):
        return state
    with suppress(TypeError):
        return plain(state)
    if isinstance(state, Iterable):
        return [_written(value) for value in state]
    if isinstance(state, Number) and hasattr(state, "item"):  # a number of numpy
        return _written(state.item())
    if attributes := _attributes(state):
        return {name: _written(value) for name, value in sorted(attributes.items())}
    kind = type(state).__name__
    raise BadInput(f"a state holds what cannot be written: an object of type {kind}")


def _fields(value: Any) -> Sequence[str] | None:
    """Return the names of the fields of ``value``; None if it has none."""
    if isinstance(value, tuple):
        return getattr(value, "_fields", None)
    if isinstance(value, msgspec.Struct):
        return None if value.__struct_config__.tag is not None else value.__struct_fields__
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return None


def _attributes(value: object) -> dict[str, Any]:
    """Return the attributes of an object, those in slots included."""
    slots = [name for each in type(value).__mro__ for name in getattr(each, "__slots__", ())]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return found | getattr(value, "__dict__", {})


def in_order(value: Json) -> bytes:
    """Return a key that sorts and compares plain JSON, regardless of the order of its keys."""
    return msgspec.json.encode(value, order="deterministic")
