"""What seats see and are asked: from a record exactly what was sent while the game was played."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from arena.games.board import NOT_SHARED, shared
from arena.games.registry import GAMES, rules_spec
from arena.referee.channel import Silence
from arena.referee.records.format import Record
from arena.referee.records.perspective import (
    SPECTATOR,
    Events,
    SeatView,
    fault_of,
    game_views,
    observers_of,
    plain,
    public_event,
    seat_views,
)
from arena.referee.records.replay import steps
from arena.referee.session import Offence
from arena.values.results import FaultKind, OnFault
from tests.games.games import play as random_game
from tests.referee.records.games import read
from tests.referee.scripted import Scripted, play
from tests.toy import Dealt, Event, Rolled, Say, State, ToyRules

Json = Any
TITLES = [(name, max(GAMES[name].seats)) for name in GAMES]
ABSENT = Offence(FaultKind.STARTUP, "cannot be started")


def game(*scripts: Any, **terms: Any) -> tuple[Record, ToyRules, list[Scripted | Offence]]:
    """A game of the toy title; a script by seat, None: it cannot be started."""
    bots = [ABSENT if script is None else Scripted(script) for script in scripts]
    return read(play(*bots, **terms).record), ToyRules(len(bots)), bots


def looks_of(record: Record, rules: ToyRules, seat: int) -> list[SeatView]:
    return list(seat_views(record, steps(record, rules), rules, seat))


GAMES: list[tuple[list[Any], OnFault]] = [
    ([[2, 1]], OnFault.AUTOPILOT),
    ([[2, 1], [0, 2]], OnFault.AUTOPILOT),
    ([[2, 1], [0, Silence.TIMED_OUT]], OnFault.AUTOPILOT),
    ([[2, 1], [b"?"], [0, 1]], OnFault.AUTOPILOT),
    ([[2, 1], [0, b"?"], [0, 1]], OnFault.END),
    ([[0], None, [0]], OnFault.AUTOPILOT),
    ([[0], None], OnFault.AUTOPILOT),
    ([[0], [1], [Silence.ENDED], [0, Silence.ENDED]], OnFault.AUTOPILOT),
]


@pytest.mark.parametrize(("scripts", "on_fault"), GAMES)
def test_looks_have_what_was_sent_and_all_that_a_seat_saw(scripts, on_fault) -> None:
    record, rules, bots = game(*scripts, on_fault=on_fault)
    parts = ("observation", "events", "legal")
    state, events = rules.initial_state(), list[list[Event]]([[] for _ in scripts])
    for step in steps(record, rules):
        state = step.after
        for seat, event in enumerate(rules.describe(step.before, step.action, state)):
            events[seat] += [] if event is None else [event]
    for seat, bot in enumerate(bots):
        *_, last = found = looks_of(record, rules, seat)
        asked = [
            {part: getattr(look, part) for part in parts}
            for look in found
            if look.fault is not None or (look.step is not None and not look.step.ply.autopilot)
        ]
        sent = bot.of_type("act") if isinstance(bot, Scripted) else []
        assert plain(asked) == [{part: each[part] for part in parts} for each in sent]
        assert [event for look in found for event in look.events] == events[seat]
        assert (last.ply, last.legal) == (len(record.plies), ())
        assert (last.step, last.fault) == (None, None)
        assert last.observation == rules.observe(state, seat)
        assert [look for look in found if not look.legal] == [last]


def test_after_a_fault_the_autopilot_has_the_same_look_without_events() -> None:
    record, rules, _ = game([2, 1], [b"?"], [0, 1])
    fault, autopilot, again, _ = looks_of(record, rules, 1)
    assert fault.fault == fault_of(record, 1)
    assert fault.step is None
    assert fault.events
    assert autopilot.step is not None
    assert autopilot.step.ply.autopilot
    assert autopilot == fault._replace(events=(), step=autopilot.step, fault=None)
    assert again.events
    assert again.fault is None


def test_a_bot_that_never_started_was_asked_nothing() -> None:
    record, rules, _ = game([0], None)
    assert len(looks_of(record, rules, 1)) == 1
    record, rules, _ = game([0], None, [0])
    assert fault_of(record, 1) is not None
    assert [look.fault for look in looks_of(record, rules, 1)] == [None] * 3


def test_times_are_those_of_the_record() -> None:
    record, rules, _ = game([0], [0])
    record = record._replace(measured=type(record.measured)((0, 0, 0, 7, 8, 0, 9, 10), 99))
    assert [look.think_us for look in looks_of(record, rules, 1)] == [8, 10, 0]


def test_events_are_kept_for_those_who_ask_for_them() -> None:
    events = Events(ToyRules(3), (0, 2))
    before, after = State(), State(cards=(7,))
    events.add(before, Dealt(7), after)
    events.add(before, Rolled(3), after)
    assert events.of == [[Event("dealt", 7), Event("rolled", 3)], [], [Event("rolled", 3)]]
    events.of[0].clear()
    events.add(before, Rolled(4), after)
    assert [len(each) for each in events.of] == [1, 0, 2]


def test_views_have_what_every_seat_and_a_spectator_saw() -> None:
    record, rules, _ = game([2], [1])
    found = game_views(steps(record, rules), rules)
    assert found.observers[1][0] == {"seat": 1, "card": None, "rolls": [], "said": []}
    assert found.observers[SPECTATOR][0] == {"rolls": [], "said": []}
    assert [list(seen) for seen in found.events] == [[0, 1, SPECTATOR]] * 8
    dealt, rolled, said = found.events[0], found.events[2], found.events[3]
    assert dealt[0]["what"] == "dealt"
    assert (dealt[1], dealt[SPECTATOR]) == (None, None)
    assert found.observers[0][1]["card"] is not None
    face = rolled[0]["value"]
    assert rolled[SPECTATOR] == {"what": "rolled", "value": face}
    assert found.observers[SPECTATOR][3] == {"rolls": [face], "said": []}
    assert said[SPECTATOR] == {"what": "said", "value": 2, "seat": 0}
    assert found.legal[2] == []
    assert list(found.legal[3]) == plain([Say(0), Say(1), Say(2)])
    public = [public_event(step, rules) for step in steps(record, rules)]
    assert public == [events[SPECTATOR] for events in found.events]
    assert [event is None for event in public] == [True] * 2 + [False] * 6


@pytest.mark.parametrize("title", TITLES)
def test_observations_are_each_in_full_and_share_what_does_not_change(title) -> None:
    """What is put together of columns, against every value encoded anew."""
    game = random_game(rules_spec(title[0], seats=title[1]), "sights")
    *seats, spectator = observers_of(game.states, game.rules)
    assert len(spectator) == len(game.states)
    for seat, observer in enumerate(seats):
        for at, state in enumerate(game.states):
            seen = plain(game.rules.observe(state, seat))
            assert observer[at] == seen
            assert list(observer[at]) == list(seen)
            public = {k: v for k, v in seen.items() if k in game.rules.info.public}
            assert spectator[at] == public
            old = observer[at - 1] if at else {}
            assert all(old.get(name) is value for name, value in seen_again(old, observer[at]))
        assert observer.each(dict) == [*observer]


def seen_again(old: dict[str, Json], new: dict[str, Json]) -> list[tuple[str, Json]]:
    """Members with the same value."""
    return [(name, value) for name, value in new.items() if name in old and old[name] == value]


class Sized(msgspec.Struct, omit_defaults=True, rename={"hidden": "own"}):
    """An observation of which much is left out."""

    top: int | None = None
    hidden: tuple[int, ...] = ()
    held: dict[str, int] = {}


class Other(msgspec.Struct, tag="other"):
    """One that is told apart by its type."""

    top: int


@pytest.mark.parametrize(
    "states",
    [
        [Sized(), Sized(1), Sized(1, (2,)), Sized(None, (2,)), Sized(None, (), {"a": 1}), Sized()],
        [Sized(1, (), {"a": 1, "b": 2}), Sized(1, (), {"b": 2, "a": 1}), Sized(1, (), {"b": 2})],
        [Sized(1), Other(1), Other(2), Sized(2), {"top": 3}, {"own": 3, "top": 4}, Sized(4)],
        [[1], [1, 2], None, "x"],
    ],
)
@pytest.mark.parametrize("public", [("top",), ()])
def test_observations_of_any_form_are_what_a_bot_reads(states: list[Any], public: Any) -> None:
    rules: Any = ToyRules(2)
    rules.info = msgspec.structs.replace(rules.info, public=public)
    rules.observe = lambda state, seat: state
    *seats, spectator = observers_of(states, rules)
    for observer in seats:
        assert [*observer] == plain(states)
        assert (observer.columns is None) == (None in states)
        for at, now in enumerate(plain(states) if observer.columns is not None else ()):
            assert [list(observer[at]), observer[at].get("held")] == [list(now), now.get("held")]
            assert spectator[at] == {k: now[k] for k in now if k in public}
            begun = {name for name, each in observer.columns.items() if at in each.starts}
            before = observer[at - 1] if at else {}
            assert {k for k in {*now, *before} if now.get(k) != before.get(k)} <= begun


@pytest.mark.parametrize(
    ("values", "common"),
    [
        ([1, 1], 1),
        ([1, 2], NOT_SHARED),
        ([{"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}], {"a": 1}),
        ([{"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}], {"a": {"b": 1}}),
        ([[{"a": 1, "b": 2}], [{"a": 1}]], [{"a": 1}]),
        ([{"a": [1, 2]}, {"a": [1, 3]}], {}),
        ([[{"a": 1}], [{"a": 1}, {"a": 1}]], NOT_SHARED),
        ([{"a": 1}, None], NOT_SHARED),
        ([None, None], None),
        ([{"a": 1}], {"a": 1}),
    ],
)
def test_what_values_share(values: list[Json], common: Json) -> None:
    assert shared(values) == common
