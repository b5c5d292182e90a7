"""Turning points: which plies are worth a jump, from made-up scores, notes and times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest

from arena.extensions.browser.viewer.moments import Moment, MomentKind, moments
from arena.games.board import BoardDisplay
from arena.games.guarded_board import board_of
from arena.games.registry import GAMES, make_rules, resolve
from arena.referee.records.format import Ply, evaluation
from arena.referee.records.perspective import SPECTATOR, GameViews, Observer
from arena.values.results import FaultKind
from arena.views.game.replay import Plies, ShownFault, View, view_of
from tests.games.games import default_data
from tests.views.game.replays import (
    autopilot_replay,
    changed,
    record_of,
    renamed,
    replay_of,
    rules_of,
)

NAMES = ("anna", "bert")


@cache
def bare(seats: int = 2) -> View:
    """A view to be filled."""
    rules = rules_of()
    view = view_of(replay_of(rules, record_of(rules)), None)
    view = renamed(view, NAMES[:seats])
    return changed(view, places=(1, 2)[:seats], rules="scores")._replace(faults=())


@pytest.fixture(autouse=True)
def scores_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games whose observations are the scores."""
    none: Any = None
    board = BoardDisplay(none, lambda observation: observation["scores"], none, none, none)
    for name, shown in (("scores", board), ("fewest", board._replace(fewest_lead=True))):
        game = GAMES["dragonheart"]._replace(name=name, board=lambda shown=shown: shown)
        monkeypatch.setitem(GAMES.loaded, name, game)


def game(
    scores: Sequence[tuple[int, ...] | None],
    *,
    infos: Sequence[Any] = (),
    times: Sequence[int] = (),
    events: dict[int, Any] | None = None,
    chance: int = 0,
    seats: int = 2,
) -> View:
    """One ply less than scores; the seats decide in turn after so many plies of chance."""
    number = len(scores) - 1
    seats_of = [None if at < chance else at % seats for at in range(number)]
    notes = infos or [None] * number
    own = [Ply(at, {}, seat, notes[at]) for at, seat in enumerate(seats_of)]
    base = replay_of(rules_of(), record_of(rules_of()))
    used = tuple(times) or (1000,) * number
    measured = msgspec.structs.replace(base.record.measured, think_us=used)
    said = [(events or {}).get(at, {"type": "say"}) for at in range(number)]
    observer = Observer(len(scores), None, [{"scores": score} for score in scores])
    given = [{0: event} for event in said]
    seen = GameViews({0: observer}, given, ((),) * number, (0,) * number)
    record = base.record._replace(plies=tuple(own), measured=measured)
    start = {0: observer[0]}
    plies = Plies(base._replace(record=record, seen=seen), None, start)
    return bare(seats)._replace(start=start, plies=plies)


def told(view: View, *kinds: MomentKind) -> list[tuple[int, str]]:
    return [(ply, words) for ply, kind, words in moments(view) if kind in kinds]


def test_the_lead_changes_when_another_seat_leads_alone():
    view = game([(0, 0), (2, 0), (2, 3), (3, 3), (3, 4), (5, 4), (5, 4)])
    assert told(view, MomentKind.LEAD) == [
        (1, "bert takes the lead: 2–3"),
        (4, "anna takes the lead: 5–4"),
    ]


def test_with_fewest_points_one_leads_where_fewest_are_best():
    view = changed(game([(9, 9), (8, 9), (8, 7), (8, 7)]), rules="fewest")
    assert told(view, MomentKind.LEAD) == [(1, "bert takes the lead: 8–7")]


def test_the_longest_leads_are_kept():
    scores = [(0, 0), (1, 0)]
    for length in (1, 5, 2, 6, 3, 4):
        first, second = scores[-1]
        ahead = (first, first + 1) if first > second else (second + 1, second)
        scores += [ahead] * length
    taken = [ply for ply, _ in told(game(scores), MomentKind.LEAD)]
    assert taken == [2, 9, 15, 18]  # those of 5, 6, 3 and 4 plies


def test_what_is_dealt_is_no_change():
    view = game([(0, 0), (24, 0), (24, 24), (23, 24), (23, 22)], chance=2)
    assert told(view, MomentKind.CHANGE) == [(3, "bert -2: 23–22")]


def test_the_largest_changes_are_gains_or_losses():
    scores = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 9), (3, 9), (3, 2), (9, 2), (9, 3), (14, 3)]
    assert told(game(scores), MomentKind.CHANGE) == [
        (3, "bert +8: 2–9"),
        (5, "bert -7: 3–2"),
        (6, "anna +6: 9–2"),
    ]
    assert told(game([(0, 0), (1, 0), (1, 1), (2, 1)]), MomentKind.CHANGE) == [], "all are usual"


def test_a_game_without_scores_has_neither():
    view = game([None] * 4)
    assert [moment.kind for moment in moments(view)] == [MomentKind.END]
    assert told(game([(0,), (3,), (1,)], seats=1), MomentKind.LEAD) == [], "alone one leads nobody"


def test_the_largest_swing_of_each_seat():
    infos = [{"eval": 0.5}, {"eval": 1}, None, {"eval": 1.25}, {"eval": -0.25}, {"eval": 1}]
    assert told(game([(0, 0)] * 7, infos=infos), MomentKind.SWING) == [
        (3, "bert: eval 1 → 1.25"),
        (4, "anna: eval 0.5 → -0.25"),
    ]


@pytest.mark.parametrize(
    "info",
    [
        None, 5, "eval", [], {}, {"eval": None}, {"eval": "NaN"}, {"eval": True}, {"eval": [1]},
        {"eval": {"eval": 1}}, {"eval": 1e300}, {"eval": -(10**400)}, {"eval": float("inf")},
        {"eval": float("nan")},
    ],
)  # fmt: skip
def test_what_is_no_evaluation(info: Any):
    assert evaluation(info) is None
    infos = [{"eval": 1}, None, info, None, {"eval": 2}]
    swings = told(game([(0, 0)] * 6, infos=infos), MomentKind.SWING)
    assert swings == [(4, "anna: eval 1 → 2")]


def test_the_longest_thought_where_it_stands_out():
    times = [1000] * 20
    times[6], times[9] = 90_000, 3_000
    assert told(game([(0, 0)] * 21, times=times), MomentKind.SLOW) == [
        (6, "anna thought 90.0 ms, usually 1.0 ms")
    ]
    few = game([(0, 0)] * 5, times=[1, 1, 90_000, 1])
    assert told(few, MomentKind.SLOW) == [], "too few to compare"


def test_the_end_and_its_announcement():
    view = game([(0, 0)] * 5, events={2: {"type": "say", "final_turn": 7}})
    assert told(view, MomentKind.END) == [
        (2, "turn 7 will be the last"),
        (3, "over: 1. anna, 2. bert"),
    ]


def test_faults_are_shown_after_the_ply_they_cost():
    replay = autopilot_replay()
    view = view_of(replay, None)
    assert told(view, MomentKind.FAULT) == [(5, "b: malformed")]
    assert view.plies[5].autopilot
    assert told(view_of(replay, SPECTATOR), MomentKind.FAULT) == [(5, "b: malformed")]


def test_a_fault_that_ended_the_game_is_shown_by_the_last_ply():
    rules = rules_of()
    for plies in (35, 0):
        view = view_of(replay_of(rules, record_of(rules, plies=plies)), None)
        assert [ply for ply, _ in told(view, MomentKind.FAULT)] == [plies - 1]


def test_a_game_full_of_them_has_at_most_20():
    size, number = 2, 400
    scores = [(k * k % 97, k * 31 % 89) for k in range(number + 1)]
    infos = [{"eval": (-1) ** k * k} for k in range(number)]
    times = [10**6 if k in (200, 201) else 1 for k in range(number)]
    view = game(scores, infos=infos, times=times, events={5: {"final_turn": 1}})
    faults = tuple(
        ShownFault(k % size, FaultKind.ILLEGAL, k, None, None) for k in range(0, number, 2)
    )
    found = moments(view._replace(faults=faults))
    assert len(found) == 18  # of two seats; with four there are two more of their own
    assert {moment.kind for moment in found} == set(MomentKind)
    assert found == sorted(found, key=lambda moment: moment.ply)
    assert found == moments(view._replace(faults=faults))


@pytest.mark.parametrize("name", sorted(GAMES))
def test_boards_know_whether_fewest_points_lead(name: str):
    seats = GAMES[name].seats[-1]
    info = make_rules(resolve(name, seats, {}, default_data(name))).info
    assert board_of(name, 2).fewest_lead == info.less_is_better


def test_a_seat_is_told_nothing_of_the_notes_and_times_of_others():
    rules = rules_of()
    replay = replay_of(rules, record_of(rules))
    infos = [{"eval": ply.ply} if ply.seat is not None else None for ply in replay.record.plies]
    plies = tuple(
        msgspec.structs.replace(ply, info=info)
        for ply, info in zip(replay.record.plies, infos, strict=True)
    )
    think = tuple(10**6 if ply == 40 else 1 for ply in range(len(plies)))
    measured = msgspec.structs.replace(replay.record.measured, think_us=think)
    noted = replay._replace(record=replay.record._replace(plies=plies, measured=measured))
    kinds = (MomentKind.SWING, MomentKind.SLOW)
    decided = plies[40].seat
    assert decided is not None
    all_told = told(view_of(noted, None), *kinds)
    assert len(all_told) == 3
    assert told(view_of(noted, SPECTATOR), *kinds) == []
    assert [w for _, w in told(view_of(noted, 1 - decided), *kinds)] == [
        w for _, w in all_told if w.startswith(f"{('greedy', 'random')[1 - decided]}: eval")
    ]


def test_moments_are_plain_data():
    assert Moment(1, MomentKind.LEAD, "x")._asdict() == {"ply": 1, "kind": "lead", "words": "x"}
