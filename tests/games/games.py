"""Random games of every rules engine and option."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest
import yaml

import arena
from arena.games.base import CHANCE, NOBODY, Rules, RulesError, Transition
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, make_rules, resolve
from arena.values.results import RulesSpec

Change = Callable[[dict[str, Any]], object]
_FOLDERS: Final = Path(arena.__file__).with_name("extensions").glob("games/*/rules/")
OWN: Final = sorted(each.parent.name for each in _FOLDERS)
"""Arena's own games, by their folders."""


def default_data(name: str) -> dict[str, Any]:
    """The data that ships with these rules; the caller may change it."""
    return copy.deepcopy(_shipped(name))


@cache
def _shipped(name: str) -> dict[str, Any]:
    """Read once: hundreds of tests ask for it, and YAML is slow."""
    data_file = GAMES[name].data_file
    if data_file is None:
        return {}
    data = yaml.safe_load(GAMES[name].text(data_file))
    assert isinstance(data, dict)
    return data


def all_specs() -> Iterator[RulesSpec]:
    """Every title with every number of seats and every combination of options."""
    for name, family in ((name, GAMES[name]) for name in OWN):
        for seats in family.seats:
            options = [option for option in family.options if option.applies(seats)]
            for values in product(*(option.choices for option in options)):
                chosen = {o.name: value for o, value in zip(options, values, strict=True)}
                yield resolve(name, seats, chosen, _shipped(name))


def single_specs() -> Iterator[RulesSpec]:
    """Every title with every number of seats: all defaults, then each other choice alone."""
    for name, family in ((name, GAMES[name]) for name in OWN):
        for seats in family.seats:
            yield resolve(name, seats, {}, _shipped(name))
            for option in family.options:
                for value in option.choices if option.applies(seats) else ():
                    if value != option.default:
                        yield resolve(name, seats, {option.name: value}, _shipped(name))


def label(spec: RulesSpec) -> str:
    """Readable and unique among ``all_specs``."""
    options = [name if value is True else value for name, value in spec.options.items() if value]
    return "-".join([spec.name, str(spec.seats), *options])


class PlayedGame(NamedTuple):
    """A finished game of random legal actions, as ``arena.testing`` plays them."""

    rules: Rules[Any, Any]
    seed: str
    plies: tuple[Transition, ...]

    @property
    def states(self) -> tuple[Any, ...]:
        """The states, the first and the last one included."""
        return (self.plies[0].before, *(ply.after for ply in self.plies))

    @property
    def seats(self) -> range:
        return range(self.rules.info.seats)


def play(spec: RulesSpec, seed: str) -> PlayedGame:
    """A game of uniformly random legal actions; the seed names its deal and its choices."""
    rules = make_rules(spec)
    luck, choices = Luck(derive_key("deal", seed)), Luck(derive_key("choices", seed))
    plies: list[Transition] = []
    state = rules.initial_state()
    while (actor := rules.to_act(state)) != NOBODY:
        if actor == CHANCE:
            action = rules.chance(state, luck)
        else:
            legal = rules.legal_actions(state)
            action = legal[choices.below("choice", len(plies), len(legal))]
        after = rules.apply(state, action)
        plies.append(Transition(actor, state, action, after))
        state = after
    return PlayedGame(rules, seed, tuple(plies))


def greedy(name: str) -> Any:
    """The module by which the greedy bot of the project plays a game."""
    source = Path(__file__).parents[2] / "bots" / "greedy" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"greedy_{name}", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bare(spec: RulesSpec) -> RulesSpec:
    """As the rules give it themselves, which do not know the package they come in."""
    return msgspec.structs.replace(spec, package="", version="")


def to_json(value: object) -> str:
    """One line of JSON, as a bot would receive it."""
    return msgspec.json.encode(value).decode()


def plain(value: object) -> Any:
    """The value as a bot reads it: parsed JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))


def happened(kind: str, **fields: object) -> dict[str, Any]:
    """An event of this type, or an incident of one, as a bot reads it."""
    return {"type": kind, **fields}


def value_at(path: str, value: object) -> Change:
    """Put the value at a path such as ``locations 0 level``."""
    *keys, last = (int(key) if key.isdigit() else key for key in path.split())

    def change(data: Any) -> None:
        for key in keys:
            data = data[key]
        data[last] = value

    return change


def refused(name: str, change: Change, seats: int = 2, **options: object) -> tuple[str, str]:
    """The path within the data, and the message, that the shipped data give after a change."""
    data = default_data(name)
    change(data)
    with pytest.raises(RulesError) as caught:
        resolve(name, seats, options, data)
    assert caught.value.path[0] == "data"
    return " ".join(map(str, caught.value.path[1:])), str(caught.value)
