"""How a full state is written: plain JSON, every field by its name.

docs/games/ has the fields of arena's own games. Actions, observations and events are
written as bots receive them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import msgspec

from arena.documents.bad_input import BadInput
from arena.games.base import Json
from arena.records.perspective import plain


def written_state(state: Any) -> Json:
    """The state in plain JSON; equal states are written alike.

    A named tuple, a struct or a dataclass becomes an object of all its fields, another tuple or
    list an array, a set an array in order, None null, a member of an enumeration its value. What
    has a tag is an event that the state keeps, and is written as bots receive it.

    Raises BadInput for what cannot be written, in a state of a game from elsewhere.
    """
    if (names := _fields(state)) is not None:
        return {name: written_state(getattr(state, name)) for name in names}
    if isinstance(state, tuple | list):
        return [written_state(value) for value in state]
    if isinstance(state, set | frozenset):
        return sorted((written_state(value) for value in state), key=in_order)
    if isinstance(state, Mapping):
        return {str(written_state(key)): written_state(value) for key, value in state.items()}
    if isinstance(state, Enum):
        return written_state(state.value)
    if state is None or isinstance(state, str | int | float):
        return state
    try:
        return plain(state)
    except TypeError as problem:
        raise BadInput(f"a state holds what cannot be written: {problem}") from None


def _fields(value: Any) -> Sequence[str] | None:
    """The names of its fields; None if it has none."""
    if isinstance(value, tuple):
        return getattr(value, "_fields", None)
    if isinstance(value, msgspec.Struct):
        return None if value.__struct_config__.tag is not None else value.__struct_fields__
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return None


def in_order(value: Json) -> bytes:
    """By what plain JSON is put in order, and known again whatever the order of its keys."""
    return msgspec.json.encode(value, order="deterministic")
