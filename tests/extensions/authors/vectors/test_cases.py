"""The cases that models are asked: what is in them agrees with the rules, and with each other."""

from __future__ import annotations

from array import array
from collections import Counter, deque
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
import pytest

from arena.extensions.authors.vectors.cases import (
    NEEDED,
    CaseSelection,
    cases,
    sequences,
    written_state,
)
from arena.extensions.authors.vectors.exploring import (
    Layer,
    _members,
    kind_of,
    kinds,
    random_game,
    telling_steps,
)
from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.referee.records.perspective import plain
from arena.values.bad_input import BadInput
from tests.extensions.games.test_perft import COUNTS
from tests.games.games import OWN, label, single_specs
from tests.rows import some

SHARE: Final = {Layer.STEPS: 200, Layer.COUNTS: 10, Layer.GAMES: 10}
"""Cases after which the shares of the types of actions are looked at."""

STEPS: Final = 30
"""Steps of a game that are applied again."""
SPECS = {label(spec): spec for spec in single_specs()}
SOME = [name for name in SPECS if name[-7:] in ("-random", "nearest")]


class Colour(StrEnum):
    RED = "red"


class Inner(NamedTuple):
    cards: tuple[str, ...]
    of: frozenset[int]


class Seen(msgspec.Struct, tag="seen", frozen=True, omit_defaults=True):
    card: str = ""


class Deck(msgspec.Struct, omit_defaults=True):
    cards: tuple[str, ...] = ()
    inner: Inner | None = None


@dataclass(frozen=True)
class Table:
    deck: Deck
    seen: tuple[Seen, ...]


class Outer(NamedTuple):
    inner: Inner
    colour: Colour | None
    ways: dict[int, tuple[int, ...]]


def test_states_are_written_by_their_fields() -> None:
    state = Outer(Inner(("a", "b"), frozenset({3, 1})), Colour.RED, {2: (1, 2)})
    assert written_state(state) == {
        "inner": {"cards": ["a", "b"], "of": [1, 3]},
        "colour": "red",
        "ways": {"2": [1, 2]},
    }
    assert written_state(state._replace(colour=None))["colour"] is None
    assert written_state(Table(Deck(inner=state.inner), (Seen(), Seen("a")))) == {
        "deck": {"cards": [], "inner": {"cards": ["a", "b"], "of": [1, 3]}},
        "seen": [{"type": "seen"}, {"type": "seen", "card": "a"}],
    }
    with pytest.raises(BadInput, match="cannot be written"):
        written_state((object(),))


class Plain:
    """A state of a game from elsewhere, without declared fields."""

    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


class Slots:
    __slots__ = ("left", "right")

    def __init__(self) -> None:
        self.right = Plain(b=1, a=None)


def test_states_of_any_type_are_written() -> None:
    state = Plain(
        pile=deque(["x", "y"]),
        grid=np.zeros((2, 2), dtype=np.int8),
        row=array("i", [4, 5]),
        one=np.int64(7),
        slots=Slots(),
        seen={"type": "seen"},
    )
    assert written_state(state) == {
        "grid": [[0, 0], [0, 0]],
        "one": 7,
        "pile": ["x", "y"],
        "row": [4, 5],
        "seen": {"type": "seen"},
        "slots": {"right": {"a": None, "b": 1}},
    }
    state.own = state
    with pytest.raises(BadInput, match="it holds itself"):
        written_state(state)
    assert [*_members({"type": "bet", "chips": 2})] == [("type", "bet"), ("chips", 2)]
    assert [*_members(["bet"])] == []


def lines(name: str, layer: Layer, number: int, **more: Any) -> list[dict[str, Any]]:
    """As they are printed and read again."""
    wanted = CaseSelection(layer, more.pop("seed", "1"), number, **more)
    found = [case.line for case in cases(make_rules(SPECS[name]), wanted)]
    read: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(found))
    assert read == found, "all of it is plain JSON"
    return read


@pytest.mark.parametrize("name", some(SOME, every=4, mark=pytest.mark.slow))
def test_steps_are_what_the_rules_say(name: str) -> None:
    """When each action is read and applied again."""
    rules = make_rules(SPECS[name])
    chosen = islice(telling_steps(rules, "1"), STEPS)
    for line, (place, step) in zip(lines(name, Layer.STEPS, STEPS), chosen, strict=True):
        state = step.before
        assert (line["game"], line["ply"]) == place
        assert line["state"] == written_state(state)
        actor = rules.to_act(state)
        action = rules.decode_action(line["action"])
        if actor == CHANCE:
            assert (line["seat"], line["legal"]) == (None, [])
            assert rules.is_chance_possible(state, action)
        else:
            assert line["seat"] == actor
            assert line["legal"] == plain(rules.legal_actions(state))
            assert plain(action) in line["legal"]
        after = rules.apply(state, action)
        assert line["next"] == written_state(after)
        seats = range(rules.spec.seats)
        assert line["observations"] == [plain(rules.observe(after, seat)) for seat in seats]
        assert line["events"] == [plain(event) for event in rules.describe(state, action, after)]
        outcome = rules.outcome(after)
        assert line["scores"] == (None if outcome is None else [*outcome.scores])
        assert line["places"] == (None if outcome is None else [*outcome.places])


@pytest.mark.slow
@pytest.mark.parametrize("name", some([*SOME], every=3))
def test_actions_of_a_game_lead_to_its_scores(name: str) -> None:
    rules = make_rules(SPECS[name])
    for line in lines(name, Layer.GAMES, 2):
        state = rules.initial_state()
        for action in line["actions"]:
            assert rules.outcome(state) is None
            state = rules.apply(state, rules.decode_action(action))
        outcome = rules.outcome(state)
        assert outcome is not None
        assert (line["scores"], line["places"]) == ([*outcome.scores], [*outcome.places])


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_those_of_perft_as_far_as_no_chance_comes(name: str) -> None:
    """Which goes on past chance, from another deal of the same sizes."""
    for line in lines(name, Layer.COUNTS, 2, depth=2):
        assert len(line["counts"]) == 2
        assert line["counts"][0] > 0
    rules = make_rules(SPECS[name])
    state = rules.initial_state()
    luck = Luck(derive_key("perft"))
    while rules.to_act(state) == CHANCE:
        state = rules.apply(state, rules.chance(state, luck))
    for found, known in zip(sequences(rules, state, 2), COUNTS[name], strict=False):
        assert found == known or _meets_chance(rules, state, 1)


def _meets_chance(rules: Any, state: Any, depth: int) -> bool:
    if rules.to_act(state) == CHANCE:
        return True
    if not depth or rules.to_act(state) == NOBODY:
        return False
    return any(
        _meets_chance(rules, rules.apply(state, action), depth - 1)
        for action in rules.legal_actions(state)
    )


TABLES: Final = [(game, seats) for game in OWN for seats in GAMES[game].seats]


@pytest.mark.slow
@pytest.mark.parametrize("layer", Layer)
@pytest.mark.parametrize(("game", "seats"), some(TABLES, every=6))
def test_each_type_of_action_has_its_share_of_every_layer(game, seats, layer) -> None:
    rules, number = make_rules(rules_spec(game, seats)), SHARE[layer]
    met = Counter[str]()
    for case in cases(rules, CaseSelection(layer, "1", number, depth=2)):
        met.update(case.kinds.keys())
    least = {name: met[name] for name in kinds(rules, layer)}
    assert min(least.values()) >= number // (100 if layer is Layer.STEPS else 10), least


@pytest.mark.slow
@pytest.mark.parametrize("name", some([*SPECS], every=3))
def test_no_action_occurs_that_the_rules_state_as_unused(name: str) -> None:
    rules = make_rules(SPECS[name])
    steps = [step for game in range(4) for step in random_game(rules, "1", game)]
    assert not {kind_of(step.action) for step in steps} & {*rules.info.unused}


def test_every_second_count_reaches_the_end_of_a_game() -> None:
    first, last = lines("dragonheart-2-kosmos-random", Layer.COUNTS, 2, depth=4)
    assert first["state"]["turn"] == 1
    assert first["ply"] < last["ply"]
    rules = make_rules(SPECS["dragonheart-2-kosmos-random"])
    played = [*random_game(rules, "1", 1)]
    assert sum(bool(step.legal) for step in played[last["ply"] :]) == 4
    assert last["state"] == written_state(played[last["ply"]].before)


@pytest.mark.parametrize("name", ["dragonheart-2-kosmos-random", "dragonkrak-4-nearest"])
def test_counts_divided_by_the_first_action_add_up(name: str) -> None:
    whole, *parts = lines(name, Layer.COUNTS, 1, depth=3, divide=True)
    assert len(parts) == whole["counts"][0]
    assert all("first" in part and part["depth"] == 2 for part in parts)
    assert [sum(part["counts"][n] for part in parts) for n in (0, 1)] == whole["counts"][1:]


@pytest.mark.parametrize("layer", Layer)
def test_equal_seeds_give_equal_lines_and_fewer_are_the_first_of_more(layer: Layer) -> None:
    name = "dragonheart-2-kosmos-random"
    few, many = lines(name, layer, 2), lines(name, layer, 5)
    assert few == many[:2]
    assert len(many) == 5
    assert lines(name, layer, 5) == many
    assert lines(name, layer, 5, seed="2") != many
    for case in islice(cases(make_rules(SPECS[name]), CaseSelection(layer, "1", 1)), 1):
        assert {*NEEDED[layer]} <= case.answer.keys()
        assert not case.question.keys() & case.answer.keys()
