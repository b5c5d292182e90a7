"""The types of the kit are those of the schema; nothing of it is left out or made up."""

from __future__ import annotations

from typing import Any

import pytest

from arena.cli.documents import schema_of
from arena.extensions.authors.kit import shapes
from arena.extensions.authors.kit.folder import types_of, types_of_messages
from arena.extensions.authors.kit.shapes import RecordField, RecordShape, Shape
from arena.games.registry import GAMES

WHOLE = Shape("whole")


def definition(schema: dict[str, Any], tag: str) -> list[dict[str, Any]]:
    """Those whose ``type`` is only this."""
    return [
        each
        for each in schema["$defs"].values()
        if each.get("properties", {}).get("type", {}).get("enum") == [tag]
    ]


@pytest.mark.parametrize("name", GAMES)
def test_the_types_of_a_game_are_those_of_its_schema(name: str) -> None:
    published = schema_of(name)
    types = types_of(GAMES[name])
    observation = next(each for each in types.records if each.name == "Observation")
    properties = published["$defs"]["Observation"]["properties"]
    assert [each.name for each in observation.fields] == [*properties]
    required = published["$defs"]["Observation"]["required"]
    assert [each.name for each in observation.fields if each.required] == required
    chosen = [
        each["properties"]["type"]["enum"][0]
        for each in published["$defs"].values()
        if not each["description"].startswith("Chance:")
        and len(each.get("properties", {}).get("type", {}).get("enum", ())) == 1
    ]
    for action in types.actions:
        assert action.tag in chosen
        fields = ["type", *(each.name for each in action.fields)]
        assert fields in [[*each["properties"]] for each in definition(published, action.tag)]


@pytest.mark.parametrize("name", GAMES)
def test_every_action_that_was_ever_chosen_has_a_type(name: str) -> None:
    tags = {each.tag for each in types_of(GAMES[name]).actions}
    docs = {each.__struct_config__.tag: str(each.__doc__) for each in GAMES[name].action_types}
    assert tags == {tag for tag, doc in docs.items() if not doc.startswith("Chance:")}


@pytest.mark.parametrize("name", GAMES)
def test_the_meaning_of_a_type_is_a_whole_sentence(name: str) -> None:
    types = types_of(GAMES[name])
    meanings = [each.meaning for each in (*types.records, *types.actions)]
    assert [each for each in meanings if not each.endswith(".")] == []
    assert all(len(each) < 160 and "\n" not in each for each in meanings)


def test_the_types_of_messages_are_those_of_the_protocol() -> None:
    published = schema_of("protocol")["$defs"]
    for record in types_of_messages().records:
        fields = [each for each in published[record.name]["properties"] if each != "type"]
        assert [each.name for each in record.fields] == fields


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        ({"type": "integer"}, WHOLE),
        ({"type": "string"}, Shape("text")),
        ({"enum": ["a", "b"]}, Shape("text")),
        ({"enum": [1, "b"]}, Shape("any")),
        ({"type": "string", "description": "A card: kind:value."}, Shape("card")),
        ({"type": "array", "items": {"type": "integer"}}, Shape("list", WHOLE)),
        ({"type": "array", "prefixItems": [{"type": "integer"}] * 2}, Shape("list", WHOLE)),
        ({"type": "array"}, Shape("list", Shape("any"))),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, Shape("maybe", WHOLE)),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, Shape("any")),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, Shape("map", WHOLE)),
        ({"type": "object"}, Shape("any")),
        ({}, Shape("any")),
        ({"$ref": "#/$defs/PartView"}, Shape("record", name="Part")),
        ({"$ref": "#/$defs/Whole"}, Shape("any")),  # it holds itself
    ],
)
def test_what_a_value_is(schema: dict[str, Any], shape: Shape) -> None:
    definitions = {
        "Whole": {"properties": {"field": schema}, "required": ["field"], "description": "It."},
        "PartView": {"properties": {"n": {"type": "integer"}}},
    }
    [*_, record] = shapes.of_messages({"$defs": definitions}, ["Whole"]).records
    assert record == RecordShape(
        "Whole", "It.", (RecordField("field", shape, record.fields[0].values),)
    )


def test_records_of_one_kind_of_field_can_be_looked_up() -> None:
    fields = tuple(RecordField(name, WHOLE) for name in "abcd")
    assert RecordShape("R", "", fields).common == WHOLE
    assert RecordShape("R", "", fields[:2]).common is None
    assert RecordShape("R", "", (*fields, RecordField("e", Shape("text")))).common is None
