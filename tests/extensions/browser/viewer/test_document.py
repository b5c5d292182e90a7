"""The document of a game for a browser: complete, and nothing in it that its views do not show."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from arena.extensions.browser.page.html import game_page as page
from arena.extensions.browser.viewer.document import all_views, document, patch
from arena.extensions.browser.viewer.viewer import (
    SCRIPTS,
    STYLES,
    asset,
    board_scripts,
    board_styles,
    json_for_html,
    policy,
)
from arena.games.board import Json
from arena.games.luck import Luck, derive_key
from arena.referee.records.perspective import SPECTATOR
from arena.views.game.replay import Replay, is_shown, nothing_seen, sentence, view_of
from tests.views.game import replays
from tests.views.game.viewer_games import TITLES, opened, random_replay

RULES = replays.rules_of()


def applied(value: Json, change: Json) -> Json:
    """What the viewer does with a patch."""
    if change is None:
        return value
    if isinstance(change, list):
        return change[0]
    if isinstance(value, list) and "+" in change:
        return [*value, *change["+"]]
    if isinstance(value, list):
        return [applied(item, change.get(str(at))) for at, item in enumerate(value)]
    value = dict(value)
    for key, inner in change.items():
        if inner == 0:
            del value[key]
        else:
            value[key] = applied(value.get(key), inner)
    return value


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (1, 1, None),
        (1, None, [None]),
        ([1], [1, 2], {"+": [2]}),
        ([1], [2, 2], [[2, 2]]),
        ([], [2], [[2]]),
        ([[], [1], []], [[], [1, 2], [3]], {"1": {"+": [2]}, "2": [[3]]}),
        ({"a": 1}, {"a": 1}, None),
        ({"a": 1, "b": {"c": 1}}, {"a": 1, "b": {"c": 2}}, {"b": {"c": [2]}}),
        ({"a": 1, "b": 0}, {"b": 0}, {"a": 0}),
        ({"a": None}, {"b": None}, {"b": [None], "a": 0}),
        ({"a": {}}, {"a": []}, {"a": [[]]}),
        ({"a": 1}, [1], [[1]]),
        ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 3}], {"1": {"a": [3]}}),
        ([{"a": 1}, {"b": 2}], [{"a": 4}, {}], {"0": {"a": [4]}, "1": {"b": 0}}),
        (
            {"a": [{"b": [{}, {}]}]},
            {"a": [{"b": [{}, {"c": 1}]}]},
            {"a": {"0": {"b": {"1": {"c": [1]}}}}},
        ),
        ([{"a": 1}, 2], [{"a": 1}, 3], [[{"a": 1}, 3]]),
        ([{"a": 1}], [{"a": 1}, {"a": 1}], {"+": [{"a": 1}]}),
    ],
)
def test_patches(before, after, change):
    assert patch(before, after) == change
    assert applied(before, change) == after


@pytest.mark.parametrize(("title", "seats"), TITLES)
def test_every_observation_comes_back(title, seats):
    replay = random_replay(title, seats)
    made = opened(document(all_views(replay)))
    keys = [*map(str, range(seats)), *(["spectator"] if seats > 1 else [])]
    assert sorted(made["observers"]) == sorted(keys)
    assert [view["key"] for view in made["views"]] == ["all", *keys]
    for key in keys:
        view = view_of(replay, SPECTATOR if key == "spectator" else int(key))
        seen = made["observers"][key]["start"]
        for position, step in enumerate(made["observers"][key]["steps"], 1):
            seen = applied(seen, step)
            assert seen == view.observations(position)[view.seat], (key, position)


@pytest.mark.parametrize(("title", "seats"), TITLES)
def test_views_together_show_what_each_shows_alone(title, seats):
    replay = random_replay(title, seats)
    views = all_views(replay)
    made = opened(document(views))
    for view, together in zip(views, made["views"], strict=True):
        alone = opened(document([view]))
        assert alone["views"] == [together]
        assert alone["observers"] == {key: made["observers"][key] for key in together["observers"]}


def test_what_views_have_in_common_is_told_once():
    replay = random_replay("dragonrealm", 3)
    made = document(all_views(replay))
    told = [ply for view in made["views"] for ply in view["plies"]]
    assert sum(isinstance(ply, int) for ply in told) > len(told) / 2
    assert [view["scores"] for view in made["views"][1:]] == [0] * 4
    public = {name for step in made["observers"]["spectator"]["steps"] for name in step or ()}
    seats = [step for seat in "012" for step in made["observers"][seat]["steps"]]
    assert public
    assert not any(public & set(step or ()) for step in seats)


@pytest.mark.parametrize(("title", "seats"), TITLES)
def test_a_decision_tells_what_it_was_chosen_from(title, seats):
    replay = random_replay(title, seats)
    shown = document([view_of(replay, None)])["views"][0]
    for ply, legal in zip(shown["plies"], replay.seen.legal, strict=True):
        assert ("legal" in ply) == (ply["seat"] is not None)
        if "legal" in ply:
            assert len(ply["legal"]) == len(legal)
            assert legal[ply["chosen"]] == ply["action"]


def test_scores_are_those_of_the_board_and_of_the_end():
    replay = random_replay("dragonheart", 2)
    view = view_of(replay, None)
    shown = document([view])["views"][0]
    assert len(shown["scores"]) == len(view.plies) + 1
    assert shown["scores"][30] == view.scores_at(30)
    assert shown["scores"][-1] == shown["final"] == replay.record.end.scores


@pytest.mark.parametrize("plies", [3, 11, 20, 35])
@pytest.mark.parametrize("seat", [0, 1])
def test_what_a_seat_could_not_see_does_not_change_its_page(plies, seat):
    replay = replays.replay_of(RULES, replays.record_of(RULES, plies=plies))
    other = replays.replay_of(
        RULES, replays.hidden_elsewhere(replay, seat, Luck(derive_key("hide", plies, seat)))
    )
    for whose, alike in ((None, False), (seat, True), (SPECTATOR, True)):
        pages = [page(document([view_of(each, whose)])) for each in (replay, other)]
        assert (pages[0] == pages[1]) == alike, whose


@pytest.mark.parametrize("key", ["all", "0", "1", "spectator"])
def test_a_view_has_its_observers_and_no_others(key):
    replay = random_replay("dragonheart", 2)
    whose = {"all": None, "spectator": SPECTATOR}.get(key) if not key.isdigit() else int(key)
    made = document([view_of(replay, whose)])
    own = {"all": ["0", "1"], "spectator": ["spectator"]}.get(key, [key])
    assert sorted(made["observers"]) == own
    (view,) = made["views"]
    assert (view["key"], view["observers"]) == (key, own)
    assert view["bot_seeds"] == {seat: 7001 + int(seat) for seat in own if seat.isdigit()}


def test_a_seats_view_knows_no_thoughts_of_others():
    replay = random_replay("dragonheart", 2)
    (view,) = document([view_of(replay, 0)])["views"]
    for ply in view["plies"]:
        if ply.get("hidden"):
            assert set(ply) == {"seat", "words", "hidden"}
            assert ply["seat"] is None
        elif ply["seat"] != 0:
            assert (ply["action"], ply["think_us"]) == (None, None)
            assert not {"info", "legal", "chosen", "autopilot"} & set(ply)
    assert [n for n, ply in enumerate(view["plies"]) if ply.get("hidden")] == [1]
    assert any("info" in ply for ply in view["plies"])


@pytest.mark.parametrize("title", ["dragonheart", "dragonkrak", "dragonrealm"])
@pytest.mark.parametrize("seat", [0, 1, SPECTATOR])
def test_no_card_that_a_view_never_saw_is_in_its_document(title, seat):
    replay = random_replay(title, 2, plies=24)
    own = view_of(replay, seat)
    seen = set(_texts([own.start[seat], [[p.after, p.events, p.action] for p in own.plies]]))
    actions = [ply.action for ply in replay.record.plies]
    observations = [[*observer] for observer in replay.seen.observers.values()]
    everything = set(_texts([observations, replay.seen.events, actions]))
    hidden = {text for text in everything - seen if ":" in text}
    made = json.dumps(document([own]))
    assert [text for text in hidden if f'"{text}"' in made] == []
    assert hidden  # else this proves nothing


def _texts(value: Any) -> Iterator[str]:
    """All strings in JSON, tuples included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def forfeited(stderr: str) -> Replay:
    record = replays.record_of(RULES, plies=20)
    (found,) = record.measured.evidence
    told = msgspec.structs.replace(found, stderr=stderr)
    measured = msgspec.structs.replace(record.measured, evidence=(told,))
    return replays.replay_of(RULES, record._replace(measured=measured))


def test_faults_are_told_with_their_lines_where_the_view_knows_them():
    made = opened(document(all_views(forfeited("boom"))))
    lines = {view["key"]: view["faults"][0]["lines"] for view in made["views"]}
    seat = made["views"][0]["faults"][0]["seat"]
    assert any("boom" in line for line in lines["all"])
    assert lines[str(seat)] == lines["all"]
    assert len(lines[str(1 - seat)]) == len(lines["spectator"]) == 1


def test_what_the_autopilot_played_is_marked():
    view = view_of(replays.autopilot_replay(), None)
    plies = document([view])["views"][0]["plies"]
    assert [n for n, ply in enumerate(plies) if ply.get("autopilot")] == [
        ply.ply for ply in view.plies if ply.autopilot
    ]


HOSTILE = "</script><script>alert(1)</script><!-- \u2028 & \"'"


def test_nothing_in_the_data_ends_the_script():
    text = json_for_html({"a": HOSTILE})
    assert "<" not in text
    assert json.loads(text) == {"a": HOSTILE}


def test_hostile_names_are_text_everywhere():
    replay = random_replay("dragonheart", 2)
    header = replay.record.header
    spec = msgspec.structs.replace(header.spec, entrants=(HOSTILE, "b"))
    record = replay.record._replace(header=msgspec.structs.replace(header, spec=spec))
    text = page(document(all_views(replay._replace(record=record))))
    usual = page(document(all_views(replay)))
    assert len(re.findall("(?i)<script", text)) == len(re.findall("(?i)<script", usual))
    assert "<script>alert" not in text


@pytest.mark.parametrize("seat", [None, 0])
def test_without_scripts_all_plies_are_listed_by_their_numbers(seat):
    view = view_of(random_replay("dragonheart", 2), seat)
    text = page(document([view])).split("<noscript>")[1].split("</noscript>")[0]
    listed = re.findall("<li>(.*)</li>", text)
    assert '<ol start="0">' in text
    assert [html.unescape(words) for words in listed] == [
        sentence(view, ply) if is_shown(ply) else nothing_seen(view) for ply in view.plies
    ]


def test_a_policy_allows_these_scripts_alone():
    text = policy(["alert(1)"])
    assert "script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='" in text
    assert text.startswith("default-src 'none'; ")
    assert "http" not in text


def test_every_file_of_the_viewer_is_in_the_page():
    text = page(document([view_of(random_replay("dragonheart", 2), 0)]))
    own = [*board_styles(["dragonheart"]), *board_scripts(["dragonheart"])]
    for part in [*map(asset, (*STYLES, *SCRIPTS)), *own]:
        assert part in text
    assert len(own) == 6
    assert "arena.boards.dragonkrak" not in text
