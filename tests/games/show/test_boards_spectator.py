"""What a spectator is shown: boards made of what everybody knows, at every moment of a game."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from wcwidth import wcswidth

from arena.games.board import GENERIC, BoardDisplay, TableInfo, shared
from arena.games.guarded_board import board_of
from arena.games.registry import GAMES, resolve
from arena.referee.records.perspective import SPECTATOR
from arena.values.results import RulesSpec
from arena.views.game.replay import Replay, View, view_of
from arena.views.game.text import json_text, text
from tests.games.games import OWN, PlayedGame, default_data, label, plain, play
from tests.views.game.replays import autopilot_replay, record_of, replay_of, rules_of

SPECS = [
    resolve(name, seats, {}, default_data(name))
    for name, family in ((name, GAMES[name]) for name in OWN)
    for seats in family.seats
]


@cache
def game(number: int) -> PlayedGame:
    return play(SPECS[number], "spectator")


def table(spec: RulesSpec) -> TableInfo:
    return TableInfo(tuple(f"bot{seat}" for seat in range(spec.seats)), spec.options)


def public(shown: PlayedGame, state: Any) -> Any:
    seen = plain(shown.rules.observe(state, 0))
    return {name: seen[name] for name in shown.rules.info.public if name in seen}


@pytest.mark.parametrize("number", range(len(SPECS)), ids=[label(spec) for spec in SPECS])
def test_a_spectator_sees_a_board_without_hands(number: int) -> None:
    spec, shown = SPECS[number], game(number)
    board: BoardDisplay = board_of(spec.name, spec.seats)
    for state in shown.states[::3]:
        seen = public(shown, state)
        whole = board.lines({SPECTATOR: seen}, table(spec))
        assert max(map(wcswidth, whole)) <= 79
        hands = [line for line in whole if line.startswith("  hand")]
        assert len(hands) == spec.seats
        assert all(" card" in line for line in hands)
        short = board.compact(seen, table(spec))
        assert all(short)
        assert not any(line.startswith("hand:") for line in short)
        assert board.scores(seen) == board.scores(plain(shown.rules.observe(state, 0)))


@pytest.mark.parametrize("number", range(len(SPECS)), ids=[label(spec) for spec in SPECS])
def test_a_seat_sees_its_hand_beside_that(number: int) -> None:
    spec, shown = SPECS[number], game(number)
    state = shown.states[len(shown.states) // 2]
    seen = plain(shown.rules.observe(state, 0))
    own = board_of(spec.name, spec.seats).compact(seen, table(spec))
    without = board_of(spec.name, spec.seats).compact(public(shown, state), table(spec))
    (hand,) = [line for line in own if line not in without]
    assert hand.startswith("hand: ")


@pytest.mark.parametrize("number", range(len(SPECS)), ids=[label(spec) for spec in SPECS])
def test_what_everybody_saw_of_a_ply_is_a_sentence(number: int) -> None:
    spec, shown = SPECS[number], game(number)
    told = 0
    for ply in shown.plies:
        seen = [plain(e) for e in shown.rules.describe(*ply[1:])]
        event = shared(seen)
        if isinstance(event, dict):
            words = board_of(spec.name, spec.seats).sentence(event, table(spec))
            assert re.fullmatch(r"[\w ,;:!×()'-]+", words), words
            assert not re.search(r"_|\b(None|True|False|[a-z]+:\d)", words), words
            told += 1
    assert told > len(shown.plies) // 2


def test_a_board_of_plain_data_names_no_seat() -> None:
    shown = GENERIC.lines({SPECTATOR: {"rolls": [1]}}, TableInfo(("a", "b"), {}))
    assert shown == ["everybody sees", "  rolls: 1"]


def _view(replay: Replay) -> View:
    return view_of(replay, SPECTATOR)


def test_text_and_json_of_a_spectator() -> None:
    rules = rules_of()
    view = _view(replay_of(rules, record_of(rules)))
    lines = list(text(view, range(len(view.plies))))
    assert lines[4] == "view: what everybody saw"
    assert lines[6] == "   2  greedy begins"
    assert not any("info" in line or "thinking" in line for line in lines)
    document = json.loads(json_text(view, range(2, 4)))["data"]
    assert document["header"]["view"] == "spectator"
    assert document["header"]["bot_seeds"] == {}
    assert [list(ply["events"]) for ply in document["plies"]] == [["spectator"], ["spectator"]]
    assert document["plies"][1]["action"] is None
    assert document["plies"][1]["observation"] is None


def test_a_game_without_a_board_is_shown_to_a_spectator() -> None:
    view = _view(autopilot_replay())
    assert view.board is GENERIC
    assert list(text(view, range(len(view.plies))))
    assert view.board.lines(view.observations(8), view.table)[0] == "everybody sees"
