"""All that the pages of the games show was really sent, and their tables have every field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, count, islice, takewhile
from typing import Any, Final, get_args

import msgspec
import pytest

from arena.extensions.authors.vectors.cases import written_state
from arena.extensions.authors.vectors.exploring import ExploredStep, random_game
from arena.extensions.games.dragonheart import rules as dragonheart
from arena.extensions.games.dragonheart.rules.view import Board as Spaces
from arena.extensions.games.dragonkrak import rules as dragonkrak
from arena.extensions.games.dragonkrak.rules.cards import COLOURS, SPACES, TOKENS
from arena.extensions.games.dragonkrak.rules.state import Pile
from arena.extensions.games.dragonkrak.rules.view import Board as Piles
from arena.extensions.games.dragonrealm import rules as dragonrealm
from arena.extensions.games.dragonrealm.rules.cards import EVENT_CARDS, WAYS
from arena.extensions.games.dragonrealm.rules.data import EFFECTS, SPECIALS, EnhancementView
from arena.extensions.games.dragonrealm.rules.incidents import Incident
from arena.extensions.games.dragonrealm.rules.view import AttemptView, LocationView, SideView
from arena.games.base import CHANCE, Rules
from arena.games.registry import GAMES, make_rules, rules_spec
from tests.docs.protocol_page import GAME_PAGES, MESSAGES, Described, struct_name, words
from tests.games.games import OWN
from tests.sample_games import Message, sent

pytestmark = [pytest.mark.slow]

ACTIONS: Final = (MESSAGES, "### Actions")
OBSERVATION: Final = (MESSAGES, "### Observation")
EVENTS: Final = (MESSAGES, "### Events")
HEART, KRAK, REALM = (GAME_PAGES[name] for name in ("dragonheart", "dragonkrak", "dragonrealm"))
STEPS: Final = 700
"""Steps of random games that are looked through."""


def asked(game: str) -> Iterator[Message]:
    """All questions of the sample games."""
    return (message for message in sent(game) if message["type"] == "act")


def shown(role: str) -> list[tuple[str, str]]:
    """Each example of the role, after the name of the game on whose page it stands."""
    return [(game, example) for game, page in GAME_PAGES.items() for example in page.blocks(role)]


def steps(rules: Rules[Any, Any]) -> Iterator[ExploredStep]:
    """Of games one after another."""
    games = (random_game(rules, "1", game) for game in count())
    return islice(chain.from_iterable(games), STEPS)


# --- examples ---------------------------------------------------------------------------


TABLED = ("dragonkrak", "dragonrealm")
"""Games whose actions stand in a table, with the phases in which they are possible."""


def actions() -> list[tuple[str, str]]:
    """Each action that is shown in a block or in a table, after the name of its game."""
    rows = ((game, row) for game in TABLED for row in GAME_PAGES[game].tables(*ACTIONS)[0])
    return [*shown("action"), *((game, row[1]) for game, row in rows)]


@pytest.mark.parametrize(("game", "example"), actions())
def test_actions_are_those_of_the_rules_and_were_legal_in_a_real_game(game, example) -> None:
    action = json.loads(example)
    decoded = make_rules(rules_spec(game)).decode_action(action)
    assert isinstance(decoded, GAMES[game].action_types)
    assert any(action in message["legal"] for message in asked(game))


@pytest.mark.parametrize("game", OWN)
def test_every_action_that_was_legal_in_a_real_game_has_an_example(game: str) -> None:
    types = {json.loads(example)["type"] for name, example in actions() if name == game}
    assert types == {action["type"] for message in asked(game) for action in message["legal"]}


@pytest.mark.parametrize("game", TABLED)
def test_actions_are_possible_in_the_phases_described(game: str) -> None:
    described = {
        (json.loads(action)["type"], phase)
        for phases, action, _ in GAME_PAGES[game].tables(*ACTIONS)[0]
        for phase in words(phases)
    }
    assert described == {
        (action["type"], message["observation"]["phase"])
        for message in asked(game)
        for action in message["legal"]
    }


@pytest.mark.parametrize(("game", "example"), shown("observation"))
def test_observations_were_sent_in_a_real_game(game: str, example: str) -> None:
    observation = json.loads(example)
    assert any(message["observation"] == observation for message in asked(game))


@pytest.mark.parametrize(
    ("game", "example"), [(game, f"[{event}]") for game, event in shown("event")] + shown("events")
)
def test_events_were_seen_in_a_real_game_one_after_the_other(game: str, example: str) -> None:
    events = json.loads(example)
    assert any(
        heard[start : start + len(events)] == events
        for heard in (message["events"] for message in asked(game))
        for start in range(len(heard))
    )


@pytest.mark.parametrize(("game", "example"), shown("state"))
def test_states_are_in_the_lines_of_vectors(game: str, example: str) -> None:
    state = json.loads(example)
    tables = [make_rules(rules_spec(game, seats)) for seats in GAMES[game].seats]
    assert any(written_state(step.after) == state for rules in tables for step in steps(rules))


@pytest.mark.parametrize("game", OWN)
def test_every_chance_action_is_described(game: str) -> None:
    rows = GAME_PAGES[game].tables("## State", "### Chance")[0]
    described = {(phase, kind) for phase, kind, *_ in rows}
    rules = [make_rules(rules_spec(game, seats)) for seats in GAMES[game].seats]
    kinds = {
        type(step.action).__struct_config__.tag
        for each in rules
        for step in steps(each)
        if not step.legal
    }
    assert {kind for _, kind in described} >= kinds
    published = {struct.__struct_config__.tag for struct in GAMES[game].action_types}
    chances = {
        struct.__struct_config__.tag
        for struct in GAMES[game].action_types
        if (struct.__doc__ or "").startswith("Chance:")
    }
    assert {kind for _, kind in described} == chances <= published
    assert rules[0].to_act(rules[0].initial_state()) == CHANCE


# --- tables -----------------------------------------------------------------------------

DESCRIBED: Final = (
    Described(HEART, OBSERVATION, dragonheart.Observation),
    Described(HEART, EVENTS, dragonheart.Event),
    Described(KRAK, OBSERVATION, dragonkrak.Observation),
    Described(KRAK, OBSERVATION, Pile, 1),
    Described(KRAK, EVENTS, dragonkrak.Event),
    Described(REALM, OBSERVATION, dragonrealm.Observation),
    Described(REALM, OBSERVATION, LocationView, 1),
    Described(REALM, OBSERVATION, SideView, 2),
    Described(REALM, OBSERVATION, EnhancementView, 3),
    Described(REALM, OBSERVATION, AttemptView, 4),
    Described(REALM, EVENTS, dragonrealm.Event),
)


@pytest.mark.parametrize("described", DESCRIBED, ids=struct_name)
def test_every_field_for_a_bot_is_described_and_only_optional_ones_may_be_absent(described) -> None:
    assert described.said("never") == described.required()


def test_everything_that_can_stand_in_then_is_described() -> None:
    described = {
        kind: (words(fields), {field for field in words(absent) if absent != "never"})
        for kind, fields, _, absent in REALM.tables(*EVENTS)[1]
    }
    assert described == {
        struct.__struct_config__.tag: (
            {field.name for field in fields},
            {field.name for field in fields if not field.required},
        )
        for struct in get_args(Incident)
        for fields in [msgspec.structs.fields(struct)]
    }


@pytest.mark.parametrize("game", OWN)
def test_every_type_of_event_is_described(game: str) -> None:
    (struct,) = GAMES[game].event_types
    (field,) = [field for field in msgspec.structs.fields(struct) if field.name == "type"]
    (row,) = [row for row in GAME_PAGES[game].tables(*EVENTS)[0] if row[0] == "type"]
    assert words(row[2]) == set(get_args(field.type))


@pytest.mark.parametrize("game", OWN)
def test_every_phase_in_which_a_bot_is_asked_is_described(game: str) -> None:
    (row,) = [row for row in GAME_PAGES[game].tables(*OBSERVATION)[0] if row[0] == "phase"]
    assert words(row[2]) == {message["observation"]["phase"] for message in asked(game)}


@pytest.mark.parametrize("game", OWN)
def test_fields_that_a_bot_never_sees_are_marked(game: str) -> None:
    seen = {field for message in asked(game) for field in message["observation"]}
    rows = GAME_PAGES[game].tables(*OBSERVATION)[0]
    never_sent = {field for field, _, _, absent in rows if absent.endswith("when you are asked")}
    assert {field for field, *_ in rows} - seen == never_sent


def test_every_space_is_described() -> None:
    assert [row[0] for row in HEART.tables(*OBSERVATION)[1]] == list(Spaces.__struct_fields__)


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("dragonkrak", {*COLOURS, *SPACES, *TOKENS}),
        ("dragonkrak", {field.encode_name for field in msgspec.structs.fields(Piles)}),
        ("dragonrealm", {*WAYS, *SPECIALS, *EVENT_CARDS}),
        (
            "dragonrealm",
            {*EFFECTS, *(key for sets in EFFECTS.values() for keys in sets for key in keys)},
        ),
    ],
    ids=["dragonkrak", "dragonkrak board", "dragonrealm", "dragonrealm effects"],
)
def test_names_that_the_rules_use_are_on_their_page(game: str, names: set[str]) -> None:
    text = re.sub(r"^```.*?^```$", "", GAME_PAGES[game].part(MESSAGES), flags=re.M | re.S)
    assert names <= set(re.findall(r"`([\w:]+)`", text))


def test_every_word_of_an_agenda_is_described() -> None:
    phases, agendas = set(), set()
    for message in asked("dragonrealm"):
        phases.add(message["observation"]["phase"])
        agendas.update(message["observation"]["agenda"])
    tasks = agendas - phases
    described = " ".join(row[0] for row in REALM.tables(*OBSERVATION)[5])
    assert {task.partition(":")[0] for task in tasks} <= set(re.findall(r"[a-z]+", described))


@pytest.mark.parametrize("name", OWN)
def test_every_field_of_a_state_is_described(name: str) -> None:
    """In the tables that stand before the first heading of the section."""
    lines = GAME_PAGES[name].part("## State").splitlines()
    above = takewhile(lambda line: not line.startswith("### "), lines)
    rows = [line.split("|")[1] for line in above if line.startswith("|")]
    described = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    found: set[str] = set()
    for seats in GAMES[name].seats:
        for step in steps(make_rules(rules_spec(name, seats))):
            found.update(_fields(_without_events(written_state(step.after))))
    assert found == described


def _without_events(state: dict[str, Any]) -> dict[str, Any]:
    """Dragonrealm's incidents are those of `then` in events."""
    return state | {"incidents": []} if "incidents" in state else state


def _fields(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _fields(each)
