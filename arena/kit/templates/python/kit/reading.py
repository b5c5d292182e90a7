"""Turns JSON into the types of a game. What a type does not know is left out."""

from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints


@dataclass
class Unknown:
    """An action that this kit does not know: arena is newer."""

    type: str


def read(kind: Any, json: Any) -> Any:
    """Return JSON as a value of type `kind`: data class, list, dict, optional or plain type."""
    if is_dataclass(kind):
        known = _fields(kind)
        return kind(**{known[k][0]: read(known[k][1], json[k]) for k in known.keys() & json.keys()})
    args = get_args(kind)
    match get_origin(kind):
        case origin if origin is list:
            return [read(args[0], each) for each in json]
        case origin if origin is dict:
            return {key: read(args[1], each) for key, each in json.items()}
        case origin if origin is UnionType:
            return None if json is None else read(args[0], json)
    return kind(json) if isinstance(kind, type) and issubclass(kind, str) else json


def read_action(kinds: dict[str, Any], json: dict[str, Any]) -> Any:
    """Return the action as the type that `kinds` lists for it, or as `Unknown`."""
    return read(kinds.get(json["type"], Unknown), json)


@cache
def _fields(kind: Any) -> dict[str, tuple[str, Any]]:
    """Return the Python name and the type of each field, by its name in JSON."""
    hints = get_type_hints(kind)
    return {each.name.removesuffix("_"): (each.name, hints[each.name]) for each in fields(kind)}
