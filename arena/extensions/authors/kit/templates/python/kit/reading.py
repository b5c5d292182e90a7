"""Turns JSON into the types of a game. What a type does not know is left out."""

from functools import cache
from types import GenericAlias, UnionType


class Record:
    """Named values; a class lists their types, and the defaults of those that may be absent.

    It is like a data class, but starts sooner: every process of a bot imports all of this.
    """

    def __init__(self, **values):
        vars(self).update(complete(type(self), values))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({values})"

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)


class Unknown(Record):
    """An action that this kit does not know: arena is newer."""

    type: str


def complete(kind: type[Record], values: dict) -> dict:
    """Return the values of all fields of a type, those that are absent with their defaults."""
    wrong = values.keys() - kind.__annotations__.keys()
    missing = kind.__annotations__.keys() - values.keys() - vars(kind).keys()
    if wrong or missing:
        raise TypeError(f"{kind.__name__}: unknown {sorted(wrong)}, missing {sorted(missing)}")
    for name in kind.__annotations__.keys() - values.keys():
        default = getattr(kind, name)
        values[name] = default.copy() if isinstance(default, list | dict) else default
    return values


def read(kind, json):
    """Return JSON as a value of type `kind`: record, list, dict, optional or plain type."""
    return reader(kind)(json)


def read_action(kinds: dict, json: dict):
    """Return the action as the type that `kinds` lists for it, or as `Unknown`."""
    return reader(kinds.get(json["type"], Unknown))(json)


@cache
def reader(kind):
    """Return the function that reads a type from JSON."""
    if isinstance(kind, UnionType):
        [own] = [reader(each) for each in kind.__args__ if each is not type(None)]
        return own if own is same else lambda json: None if json is None else own(json)
    if isinstance(kind, GenericAlias):
        own = reader(kind.__args__[-1])
        if own is same:
            return same
        if kind.__origin__ is list:
            return lambda json: [own(each) for each in json]
        return lambda json: {key: own(each) for key, each in json.items()}
    if issubclass(kind, Record):
        return record_reader(kind)
    return kind if issubclass(kind, str) else same


def record_reader(kind: type[Record]):
    """Return the function that reads a record; a final `_` of a field is not in its JSON name."""
    known = {
        name.removesuffix("_"): (name, reader(each)) for name, each in kind.__annotations__.items()
    }

    def read_record(json: dict) -> Record:
        value = kind.__new__(kind)
        found = {known[k][0]: known[k][1](json[k]) for k in known.keys() & json.keys()}
        vars(value).update(complete(kind, found))
        return value

    return read_record


def same(json):
    """Return JSON as it is."""
    return json
