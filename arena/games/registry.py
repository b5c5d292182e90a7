"""Rules engines: pure libraries that play a game to its end without clock, file or process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import Action, Option, Rules, RulesError, written
from arena.games.dragonheart import rules as dragonheart
from arena.games.dragonkrak import rules as dragonkrak
from arena.games.dragonrealm import rules as dragonrealm
from arena.results import RulesSpec


class RulesFamily(NamedTuple):
    """One title with everything that can be chosen about it."""

    title: str
    seats: tuple[int, ...]
    """Allowed numbers of seats, ascending."""
    options: tuple[Option, ...]
    data_file: str | None
    """Name of the default data in the package ``arena.games.NAME``; None if it needs no data."""
    build: Callable[[int, Mapping[str, object], Mapping[str, object]], Rules[Any, Any]]
    """Rules from seats, complete options and data. Raises RulesError for invalid data."""
    action_types: tuple[type[Action], ...]
    observation_type: type[msgspec.Struct]
    event_types: tuple[type[msgspec.Struct], ...]
    endings: Mapping[str, str] = {}
    """By the ruling that can end a game where the rulebook does not, what has happened then."""


RULES: Final[dict[str, RulesFamily]] = {
    "dragonheart": RulesFamily(
        title="Dragonheart",
        seats=dragonheart.SEATS,
        options=dragonheart.OPTIONS,
        data_file="hobby_2016.yaml",
        build=dragonheart.DragonheartRules,
        action_types=dragonheart.ACTION_TYPES,
        observation_type=dragonheart.Observation,
        event_types=(dragonheart.Event,),
    ),
    "dragonkrak": RulesFamily(
        title="Dragonkrak",
        seats=dragonkrak.SEATS,
        options=dragonkrak.OPTIONS,
        data_file=None,
        build=dragonkrak.DragonkrakRules,
        action_types=dragonkrak.ACTION_TYPES,
        observation_type=dragonkrak.Observation,
        event_types=(dragonkrak.Event,),
        endings=dragonkrak.ENDINGS,
    ),
    "dragonrealm": RulesFamily(
        title="Dragonrealm",
        seats=dragonrealm.SEATS,
        options=dragonrealm.OPTIONS,
        data_file="standin.yaml",
        build=dragonrealm.DragonrealmRules,
        action_types=dragonrealm.ACTION_TYPES,
        observation_type=dragonrealm.Observation,
        event_types=(dragonrealm.Event,),
        endings=dragonrealm.ENDINGS,
    ),
}


def make_rules(spec: RulesSpec) -> Rules[Any, Any]:
    """The rules that the spec describes; options it leaves out have their default.

    Raises RulesError, with a path that starts with "name", "seats", "options" or "data".
    """
    if spec.name not in RULES:
        raise RulesError(("name",), f"expected one of {', '.join(RULES)}, got {spec.name!r}")
    family = RULES[spec.name]
    if spec.seats not in family.seats:
        counts = " or ".join(map(str, family.seats))
        raise RulesError(("seats",), f"{spec.name} has {counts} seats, got {spec.seats!r}")
    return family.build(spec.seats, _complete(family.options, spec.seats, spec.options), spec.data)


def default_seats(name: str) -> int:
    """The fewest seats at which these rules let bots play each other; one if they never do."""
    return min((seats for seats in RULES[name].seats if seats > 1), default=1)


def resolve(
    name: str,
    seats: int | None,
    options: Mapping[str, object],
    data: Mapping[str, object],
) -> RulesSpec:
    """The complete spec of these rules: default options filled in, data checked and in order.

    ``seats`` None means ``default_seats``. Raises RulesError as ``make_rules`` does.
    """
    if seats is None and name in RULES:
        seats = default_seats(name)
    return make_rules(RulesSpec(name, seats or 0, dict(options), dict(data))).spec


def _complete(
    options: tuple[Option, ...], seats: int, given: Mapping[str, object]
) -> dict[str, object]:
    """Every option that there is at this table size, with its value."""
    known = {option.name: option for option in options if option.applies(seats)}
    for name in given:
        if name not in known:
            expected = ", ".join(known) or "no options"
            raise RulesError(
                ("options", name), f"expected one of {expected} at {seats} seats, got {name!r}"
            )
    for name, option in known.items():
        value = given.get(name, option.default)
        if not option.allows(value):
            expected = ", ".join(map(written, option.choices))
            raise RulesError(("options", name), f"expected one of {expected}, got {value!r}")
    return {name: given.get(name, option.default) for name, option in known.items()}
