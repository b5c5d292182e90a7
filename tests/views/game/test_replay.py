"""Views of a game: whole texts, and nothing in the view of a seat that the seat did not see."""

from __future__ import annotations

import json
import unicodedata

import msgspec
import pytest
from wcwidth import wcswidth

import arena
from arena.games.luck import Luck, derive_key
from arena.referee.records.perspective import SPECTATOR
from arena.values import clean
from arena.values.results import Evidence, FaultKind
from arena.views.game.replay import MACHINE_COLUMNS, Replay, ShownFault, View, duration, view_of
from arena.views.game.text import exit_words, fault_lines, json_text, text
from tests.views.game import replays

RULES = replays.rules_of()
WITHOUT_THEFT = 35
"""Plies after which nothing has been stolen in the game of the tests yet."""


def whole(view: View) -> range:
    return range(len(view.plies))


def full_text(view: View) -> str:
    return "\n".join(text(view, whole(view)))


def document(view: View) -> dict:
    return json.loads(json_text(view, whole(view)))


def forfeited(plies: int = WITHOUT_THEFT) -> Replay:
    return replays.replay_of(RULES, replays.record_of(RULES, plies=plies))


@pytest.mark.parametrize("file", replays.GOLDEN)
def test_whole_texts(file):
    assert replays.golden_text(replays.GOLDEN[file]) == (replays.FOLDER / file).read_text("utf-8")


@pytest.mark.parametrize("plies", [3, 11, 20, WITHOUT_THEFT])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_view_shows_nothing_that_its_seat_did_not_see(plies, seat):
    replay = forfeited(plies)
    other = replays.replay_of(
        RULES, replays.hidden_elsewhere(replay, seat, Luck(derive_key("hide", plies, seat)))
    )
    assert _shown(replay, None) != _shown(other, None)
    assert _shown(replay, seat) == _shown(other, seat)


def _shown(replay: Replay, seat: int | None) -> list[object]:
    """Everything that is printed of a view."""
    view = view_of(replay, seat)
    return [full_text(view), json_text(view, whole(view))]


def test_only_the_plies_asked_for():
    view = view_of(forfeited(), None)
    lines = list(text(view, range(3, 5)))
    assert lines[6:10] == [
        "plies 3-4 of 0-34",
        "   3  greedy plays Treasure 1 2; draws Petrified 2, Troll 3",
        "   4  random plays Treasure 2 4; draws Fire dragon 3, Knight 1",
        "",
    ]


def test_the_end_after_a_fault_of_which_only_its_seat_has_evidence():
    lines = full_text(view_of(forfeited(), None)).splitlines()
    assert lines[lines.index("forfeited after 35 plies") :] == [
        "forfeited after 35 plies",
        "place 1  greedy (seat 0)",
        "place 2  random (seat 1)",
        "fault of random (seat 1) at ply 35: crash: its process ended",
        "  waited 2.5 ms",
        "  killed by SIGSEGV",
        "  line: {",
        "  end of its standard error:",
        "    Traceback",
        "      boom\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}]0;gone"
        "\N{REPLACEMENT CHARACTER}",
        "thinking time: greedy 16.3 ms, random 16.3 ms",
    ]
    assert full_text(view_of(forfeited(), 0)).splitlines()[-2:] == [
        "fault of random (seat 1) at ply 35: crash",
        "thinking time: greedy 16.3 ms",
    ]


@pytest.mark.parametrize(
    ("microseconds", "words"),
    [(16_300, "16.3 ms"), (9_999_900, "9999.9 ms"), (51_667_500, "51.7 s"),
     (60_000_000, "1 min 0 s"),
     (223_498_100, "3 min 43 s")],
)  # fmt: skip
def test_what_takes_people_long_is_told_in_larger_units(microseconds, words):
    assert duration(microseconds) == words


@pytest.mark.parametrize(
    ("status", "words"),
    [(0, "exit status 0"), (3, "exit status 3"), (-9, "killed by SIGKILL"),
     (-99, "killed by signal 99")],
)  # fmt: skip
def test_how_a_process_ended(status, words):
    assert exit_words(status) == words


WAITED = "  waited 4.300 s, used at least 1.000 s of the processor, was given back 3.300 s "
CRASH, LATE = FaultKind.CRASH, FaultKind.TIMEOUT


@pytest.mark.parametrize(
    ("kind", "detail", "evidence", "said"),
    [
        (CRASH, "the process ended (exit status 255)", {"exit_status": 255}, None),
        (CRASH, "the process ended (signal SIGKILL)", {"exit_status": -9}, None),
        (CRASH, "exit status 25", {"exit_status": 2}, "  exit status 2"),
        (CRASH, None, {"exit_status": 2}, "  exit status 2"),
        (LATE, "no line", {}, None),
        (LATE, "no line", {"waited_us": 300}, "  waited 0.3 ms"),
        (
            LATE, "no line", {"waited_us": 300, "lag_us": 60_000},
            "  waited 0.3 ms, referee late by 60 ms",
        ),
        (
            LATE, "no line", {"waited_us": 1_000_400, "cpu_us": 2_000},
            "  waited 1.000 s, used at least 2.0 ms of the processor, referee late by 0 ms",
        ),
        (
            LATE, "no line",
            {
                "waited_us": 4_300_000, "cpu_us": 1_000_000, "lag_us": 64_400,
                "excused_us": 3_299_500,
            },
            f"{WAITED}that the machine took, referee late by 64 ms",
        ),
        (
            LATE, "no line", {"waited_us": 500_000, "lag_us": 60_000, "excused_us": 60_000},
            "  waited 500.0 ms, was given back 60.0 ms that the machine took, referee late by "
            "60 ms",
        ),
    ],
)  # fmt: skip
def test_an_exit_status_is_said_once_and_who_used_the_time(kind, detail, evidence, said):
    fault = ShownFault(1, kind, 35, detail, Evidence(1, **evidence))
    told = list(fault_lines(view_of(forfeited(), None), fault))[1:]
    assert told == ([] if said is None else [said])


def test_json_of_all():
    replay = forfeited()
    found = document(view_of(replay, None))
    assert (found["schema"], found["arena"], found["run"]) == (
        "arena.replay/1", arena.__version__, "cup",
    )  # fmt: skip
    data = found["data"]
    assert data["header"]["bot_seeds"] == {"0": 4711, "1": 815}
    assert [ply["ply"] for ply in data["plies"]] == list(range(35))
    assert data["plies"][0]["events"].keys() == {"0"}
    assert data["plies"][3]["action"] == {"type": "play", "cards": ["treasure:1", "treasure:2"]}
    assert data["plies"][3]["observation"]["seat"] == 0
    assert data["plies"][3]["events"]["1"] == {
        "type": "play", "seat": 0, "cards": ["treasure:1", "treasure:2"], "drew": 2,
    }  # fmt: skip
    assert data["plies"][5]["info"]["eval"] == 0.5
    evidence = data["end"]["faults"][0]["evidence"]
    assert evidence.keys() == {field.name for field in msgspec.structs.fields(Evidence)}
    assert evidence["exit_status"] == -11


def test_json_of_a_seat():
    data = document(view_of(forfeited(), 0))["data"]
    assert data["header"]["bot_seeds"] == {"0": 4711}
    assert data["header"]["view"] == 0
    assert [ply["ply"] for ply in data["plies"]][:4] == [0, 2, 3, 4]
    assert all(ply["events"].keys() == {"0"} for ply in data["plies"])
    mine, theirs = data["plies"][2], data["plies"][3]
    assert (mine["seat"], mine["think_us"], mine["observation"]["seat"]) == (0, 1003, 0)
    told = {"type": "play", "seat": 1, "cards": ["treasure:2", "treasure:4"], "drew": 2}
    unseen = dict.fromkeys(("action", "observation", "think_us", "info", "autopilot"))
    assert theirs == {"ply": 4, "seat": 1, "events": {"0": told}} | unseen
    assert data["end"]["faults"] == [
        {"seat": 1, "kind": "crash", "ply": 35, "detail": None, "evidence": None}
    ]


def test_the_actions_of_the_autopilot_are_told_to_its_seat_alone():
    replay = replays.autopilot_replay()
    view = view_of(replay, None)
    lines = full_text(view).splitlines()
    start = lines.index("   4  event, what said, value 2, seat 0")
    assert lines[start : start + 7] == [
        "   4  event, what said, value 2, seat 0",
        "   5  autopilot: event, what said, value 0, seat 1",
        "   6  event, what said, value 0, seat 2",
        "   7  event, what rolled, value 2",
        "   8  event, what said, value 1, seat 0",
        "   9  autopilot: event, what said, value 0, seat 1",
        "  10  event, what said, value 1, seat 2",
    ]
    assert lines[-1] == "thinking time: a 0.0 ms, c 0.0 ms"
    assert marks_of(view) == [number in (5, 9) for number in range(11)]
    for seat, told in ((0, False), (1, True), (2, False)):
        own = view_of(replay, seat)
        assert ("autopilot: event" in full_text(own)) is told
        assert (True in marks_of(own)) is told


def marks_of(view: View) -> list[bool | None]:
    return [ply["autopilot"] for ply in document(view)["data"]["plies"]]


def test_no_control_characters_whatever_bots_write():
    evil = "a\x1b[31m\N{RIGHT-TO-LEFT OVERRIDE}"
    record = replays.record_of(RULES, f"{evil}+b:0:0", names=(evil, "b"), plies=20)
    for seat in (None, 0, 1):
        replay = replays.replay_of(RULES, record)
        view = view_of(replay, seat)
        lines = [*text(view, whole(view)), *json_text(view, whole(view)).splitlines()]
        assert not {unicodedata.category(c) for line in lines for c in line} & clean.UNSAFE


def test_the_machine_is_told_if_it_has_a_name_and_all_is_shown():
    replay = forfeited()
    assert "machine" not in full_text(view_of(replay, None))
    assert "machine" not in document(view_of(replay, None))["data"]["header"]
    far = replay._replace(machine="node-7\x1b[2J")
    assert "\nmachine: node-7�[2J\nview: all cards\n" in full_text(view_of(far, None))
    assert document(view_of(far, None))["data"]["header"]["machine"] == "node-7�[2J"
    for seat in (0, 1, SPECTATOR):
        assert _shown(far, seat) == _shown(replay, seat)


@pytest.mark.parametrize("name", ["x" * 10_000, "漢" * 10_000, "a\u0301" * 10_000])
def test_the_name_of_a_machine_has_a_bound(name):
    far = forfeited()._replace(machine=name)
    view = view_of(far, None)
    assert wcswidth(view.machine) <= MACHINE_COLUMNS
    assert max(map(len, full_text(view).splitlines())) < 500


def test_a_game_without_plies():
    replay = replays.replay_of(RULES, replays.record_of(RULES, plies=0))
    view = view_of(replay, None)
    lines = list(text(view, range(0)))
    assert lines[lines.index("view: all cards") + 1 :][:2] == ["", "forfeited after 0 plies"]
    assert document(view)["data"]["plies"] == []
