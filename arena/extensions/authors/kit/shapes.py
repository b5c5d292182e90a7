"""Read message types from their JSON Schema; the types in each language are generated from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
Kind: TypeAlias = Literal[
    "text", "whole", "number", "flag", "any", "card", "record", "list", "map", "maybe"
]

_PLAIN: Final[Mapping[str, Kind]] = {
    "string": "text",
    "integer": "whole",
    "number": "number",
    "boolean": "flag",
}
_CARD: Final = re.compile(r"A card: (\w+):(\w+)\b")
"""Start of the description that a game gives to the text of a card."""
_CHANCE: Final = "Chance:"
"""Start of the description of an action that no player chooses."""
_TAG: Final = "type"
_MOST_VALUES: Final = 60
"""Greatest length of a list of values, in characters; longer ones are left to the game's page."""
_FEW: Final = 3
"""Number of fields up to which equal types may be a coincidence."""


class Shape(NamedTuple):
    """The type of a value."""

    kind: Kind
    of: Shape | None = None
    """Type of the entries of a list or map, or of an optional value."""
    name: str = ""
    """Name of a record."""


class RecordField(NamedTuple):
    """One field of a record."""

    name: str
    shape: Shape
    values: tuple[str, ...] = ()
    """All values that the field has at present, if they are few words."""
    required: bool = True
    """True if messages always have the field; else absence means None, 0, false or no entries."""


class RecordShape(NamedTuple):
    """An object with known fields."""

    name: str
    meaning: str
    """Description in one line."""
    fields: tuple[RecordField, ...]
    tag: str = ""
    """Value of ``type`` that distinguishes the record from others; ``type`` is no field then."""

    @property
    def common(self) -> Shape | None:
        """Type of all fields, for a generated method that returns a field by its name.

        None if the fields differ in type or are few.
        """
        kinds = {each.shape for each in self.fields}
        return self.fields[0].shape if len(kinds) == 1 and len(self.fields) > _FEW else None


class Types(NamedTuple):
    """The types of the messages of a game, or of the protocol."""

    records: tuple[RecordShape, ...]
    """Records, each after those that it holds."""
    actions: tuple[RecordShape, ...] = ()
    """Actions, of which a bot chooses one."""
    card: tuple[str, str] | None = None
    """Names of the two parts of a card, if it is a text with a colon."""


def of_game(schema: Schema, observation: str, actions: Iterable[str]) -> Types:
    """Return the types of questions and answers: an observation, and actions by schema name."""
    reader = _RecordReader(schema)
    reader.add(observation)
    chosen = [reader.record(name) for name in actions if not reader.is_chance(name)]
    called = [each._replace(name=pascal(each.tag)) for each in chosen]
    return Types(tuple(reader.records.values()), tuple(called), reader.card)


def pascal(word: str) -> str:
    """Return ``counter_order`` as ``CounterOrder``."""
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))


def of_messages(schema: Schema, names: Iterable[str]) -> Types:
    """Return the types of the protocol's messages ``names``."""
    reader = _RecordReader(schema)
    for name in names:
        reader.add(name)
    return Types(tuple(reader.records.values()))


class _RecordReader:
    """Reader of records that also remembers the records that they hold."""

    def __init__(self, schema: Schema) -> None:
        self._definitions: Mapping[str, Schema] = schema["$defs"]
        self._begun: set[str] = set()
        self.records: dict[str, RecordShape] = {}
        self.card: tuple[str, str] | None = None

    def is_chance(self, name: str) -> bool:
        return str(self._definitions[name].get("description", "")).startswith(_CHANCE)

    def add(self, name: str) -> None:
        if name not in self._begun:
            self._begun.add(name)
            self.records[name] = self.record(name)

    def record(self, name: str) -> RecordShape:
        """Return the record; those that it holds are added first, and so come before it."""
        definition = self._definitions[name]
        properties: Mapping[str, Schema] = definition["properties"]
        tags = properties.get(_TAG, {}).get("enum", ())
        tag = str(tags[0]) if len(tags) == 1 else ""
        meaning = _first_sentence(str(definition.get("description", f"{name}.")))
        fields = self._fields(properties, definition.get("required", ()), tag)
        return RecordShape(_called(name), meaning, tuple(fields), tag)

    def _fields(
        self, properties: Mapping[str, Schema], required: Iterable[str], tag: str
    ) -> Iterator[RecordField]:
        for name, schema in properties.items():
            if name == _TAG and tag:
                continue
            values = _values(self._followed(_inner(schema)))
            if sum(len(value) + 2 for value in values) > _MOST_VALUES:
                values = ()
            yield RecordField(name, self._shape(schema), values, name in required)

    def _followed(self, schema: Schema) -> Schema:
        return self._definitions[_named(schema)] if "$ref" in schema else schema

    def _shape(self, schema: Schema) -> Shape:
        options = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
        if "anyOf" in schema:
            if len(options) != 1 or len(options) == len(schema["anyOf"]):
                return Shape("any")
            return Shape("maybe", self._shape(options[0]))
        if "$ref" in schema:
            return self._named(_named(schema))
        if "enum" in schema:
            return Shape("text" if all(isinstance(v, str) for v in schema["enum"]) else "any")
        if found := _CARD.match(str(schema.get("description", ""))):
            self.card = (found[1], found[2])
            return Shape("card")
        match schema.get("type"):
            case "array":
                entries = schema.get("items") or schema.get("prefixItems", ({},))[0]
                return Shape("list", self._shape(entries))
            case "object" if isinstance(schema.get("additionalProperties"), dict):
                return Shape("map", self._shape(schema["additionalProperties"]))
            case kind:
                return Shape(_PLAIN.get(str(kind), "any"))

    def _named(self, name: str) -> Shape:
        definition = self._definitions[name]
        if "properties" not in definition:
            return self._shape(definition)
        self.add(name)
        if name not in self.records:  # it holds itself
            return Shape("any")
        return Shape("record", name=_called(name))


def _first_sentence(text: str) -> str:
    """Return the first sentence of a description on one line."""
    return re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]


def _called(name: str) -> str:
    """Return ``name`` without ``View``, because everything that bots see is a view."""
    return name.removesuffix("View")


def _named(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _inner(schema: Schema) -> Schema:
    """Return the schema of list entries or of an optional value, without these wrappers."""
    while True:
        options = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
        if len(options) == 1:
            schema = options[0]
        elif schema.get("type") == "array":
            schema = schema.get("items") or schema.get("prefixItems", ({},))[0]
        else:
            return schema


def _values(schema: Schema) -> tuple[str, ...]:
    return tuple(value for value in schema.get("enum", ()) if isinstance(value, str))
