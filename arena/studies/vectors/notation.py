"""How a full state is written: plain JSON, every field by its name.

docs/simulator.md has the fields of arena's own games. Actions, observations and events are
written as bots receive them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec

from arena.games.base import Json
from arena.records.perspective import plain


def written_state(state: Any) -> Json:
    """The state in plain JSON; equal states are written alike.

    A named tuple becomes an object of all its fields, another tuple or list an array, a set an
    array in order, None null, a member of an enumeration its value.
    """
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return {
            name: written_state(value) for name, value in zip(state._fields, state, strict=True)
        }
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
    return plain(state)


def in_order(value: Json) -> bytes:
    """By what plain JSON is put in order, and known again whatever the order of its keys."""
    return msgspec.json.encode(value, order="deterministic")
