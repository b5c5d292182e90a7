from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from arena.cli.documents import schema_bot, schema_tournament
from arena.hosting.sandbox.isolation import SANDBOX, Isolation, Level
from arena.values.units import DURATION, SHARE, SIZE

SCHEMAS = {"tournament": schema_tournament(), "bot": schema_bot()}


def mappings(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in (schema, *schema["$defs"].values()):
        if part.get("type") == "object":
            yield part


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_every_key_is_described_and_no_other_is_allowed(schema: dict[str, Any]) -> None:
    for mapping in mappings(schema):
        assert mapping["additionalProperties"] is False
        assert all(key["description"] for key in mapping["properties"].values())


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_every_reference_leads_somewhere_and_nothing_may_be_null(schema: dict[str, Any]) -> None:
    text = json.dumps(schema)
    names = set(re.findall(r'"#/\$defs/(\w+)"', text))
    assert names == set(schema["$defs"])
    assert "null" not in text


def test_required_keys_are_those_without_default() -> None:
    assert SCHEMAS["tournament"]["required"] == ["arena", "entrants"]
    assert SCHEMAS["tournament"]["oneOf"] == [{"required": ["game"]}, {"required": ["games"]}]
    assert SCHEMAS["bot"]["required"] == ["bot", "name", "command"]
    assert "default" in SCHEMAS["bot"]["$defs"]["BotOption"]["properties"]


def test_durations_are_text_with_a_unit_also_as_default() -> None:
    startup = SCHEMAS["tournament"]["$defs"]["ClockFile"]["properties"]["startup"]
    assert (startup["type"], startup["pattern"]) == ("string", DURATION.pattern)
    assert startup["default"] == "10 s"
    assert "exclusiveMinimum" not in startup


def test_a_limit_is_a_quantity_or_none() -> None:
    limits = SCHEMAS["tournament"]["$defs"]["Limits"]["properties"]
    texts, word = limits["memory"]["anyOf"]
    assert (texts["type"], texts["pattern"], word["enum"]) == ("string", SIZE.pattern, ["none"])
    assert (limits["memory"]["default"], limits["cpu"]["default"]) == ("1 GiB", "1 h")
    assert limits["processes"]["default"] == 64
    numbers = {"type": "integer", "minimum": 1, "maximum": 65_536}
    assert limits["processes"]["anyOf"] == [numbers, {"enum": ["none"]}]


def test_a_share_is_text_with_a_unit_also_as_default() -> None:
    faults = SCHEMAS["tournament"]["$defs"]["BreakerPolicy"]["properties"]["faults"]
    assert (faults["type"], faults["pattern"]) == ("string", SHARE.pattern)
    assert faults["default"] == "50 %"
    assert "maximum" not in faults


def test_every_level_can_be_asked_for() -> None:
    assert [each.value for each in Isolation] == [*(each.value for each in Level), SANDBOX]
