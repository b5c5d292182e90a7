"""Rules are found by name; whatever is wrong with a spec is named with its path."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from arena.games.base import RulesError
from arena.games.registry import GAMES, make_rules, resolve
from arena.results import RulesSpec

from .games import all_specs, bare, default_data, label

DATA = default_data("dragonheart")


@pytest.mark.parametrize("spec", list(all_specs()), ids=label)
def test_a_resolved_spec_is_complete_and_stable(spec: RulesSpec) -> None:
    options = GAMES[spec.name].options
    assert set(spec.options) == {option.name for option in options if option.applies(spec.seats)}
    assert resolve(spec.name, spec.seats, spec.options, spec.data) == spec
    assert make_rules(spec).spec == bare(spec)
    assert make_rules(spec).info.name == spec.name
    assert make_rules(spec).info.seats == spec.seats


@pytest.mark.parametrize("name", GAMES)
def test_seats_and_options_have_defaults(name: str) -> None:
    spec = resolve(name, None, {}, default_data(name))
    assert spec.seats == min(seats for seats in GAMES[name].seats if seats > 1)
    options = [option for option in GAMES[name].options if option.applies(spec.seats)]
    assert spec.options == {option.name: option.default for option in options}


@pytest.mark.parametrize("name", GAMES)
def test_a_family_publishes_schemas(name: str) -> None:
    family = GAMES[name]
    types = (*family.action_types, family.observation_type, *family.event_types)
    _, schemas = msgspec.json.schema_components(types)
    assert {kind.__name__ for kind in types} <= set(schemas)


@pytest.mark.parametrize("option", [o for family in GAMES.values() for o in family.options])
def test_defaults_are_choices(option: Any) -> None:
    assert option.default in option.choices


@pytest.mark.parametrize(
    ("name", "seats", "options", "path", "message"),
    [
        ("chess", None, {}, ("name",), "expected one of dragonheart"),
        ("dragonheart", 3, {}, ("seats",), "dragonheart has 2 seats, got 3"),
        ("dragonheart", 0, {}, ("seats",), "dragonheart has 2 seats, got 0"),
        ("dragonheart", 2, {"Edition": "ffg"}, ("options", "Edition"), "expected one of edition"),
        ("dragonheart", 2, {"edition": "FFG"}, ("options", "edition"), "one of kosmos, ffg"),
        ("dragonheart", 2, {"starter": True}, ("options", "starter"), "one of random, seat_0"),
        ("dragonheart", 2, {"starter": ["a"]}, ("options", "starter"), "got ['a']"),
    ],
)
def test_mistakes_are_named(
    name: str, seats: int | None, options: dict[str, object], path: tuple[str, ...], message: str
) -> None:
    with pytest.raises(RulesError) as caught:
        resolve(name, seats, options, DATA)
    assert caught.value.path == path
    assert message in str(caught.value)


def test_a_spec_from_elsewhere_is_checked_too() -> None:
    with pytest.raises(RulesError, match="expected one of edition, starter"):
        make_rules(RulesSpec("dragonheart", 2, {"speed": "fast"}, DATA))
