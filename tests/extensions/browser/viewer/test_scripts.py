"""The viewer's scripts that draw nothing, run by node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import pairwise
from typing import Any, Final

import pytest

from arena.extensions.browser.viewer.document import all_views, document, patch
from arena.games.board import Json
from arena.referee.records.perspective import plain
from arena.values.numbers import short_duration
from tests.values.test_numbers import DURATIONS
from tests.views.game.viewer_games import TITLES, opened, random_replay

_PURE: Final = (
    "vendor/htm-preact.js",
    "namespace.js",
    "viewer/model.js",
    "viewer/keys.js",
    "viewer/timeline.js",
    "viewer/moves.js",
)
"""Those that need no page to say what is asked here."""
_RUN: Final = """
globalThis.module = globalThis.exports = undefined; // a page has none
const fs = require("fs"), vm = require("vm");
for (const file of process.argv.slice(1)) vm.runInThisContext(fs.readFileSync(file, "utf8"));
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [code, given] = JSON.parse(line);
  globalThis.given = given;
  let answer;
  try {
    answer = { value: vm.runInThisContext(code) ?? null };
  } catch (error) {
    answer = { error: error.stack };
  }
  process.stdout.write(`${JSON.stringify(answer)}\\n`);
});
"""

Asks = Callable[..., Json]


@pytest.fixture(scope="module")
def node() -> Iterator[Asks]:
    """Evaluates expressions that use ``arena`` and what is ``given`` to them."""
    program = shutil.which("node")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("found no node, which CI needs")
        pytest.skip("needs node")
    folder = resources.files("arena.extensions.browser.viewer").joinpath("assets")
    files = [str(folder.joinpath(name)) for name in _PURE]
    with subprocess.Popen(
        [program, "-e", _RUN, *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def evaluate(code: str, given: Any = None) -> Json:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([code, given]) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert "error" not in answer, answer["error"]
            return answer["value"]

        yield evaluate
        process.communicate()


PATCHED = "given.steps.reduce((now, step) => arena.model.patched(now, step), given.start)"


@pytest.mark.process
def test_patches_lead_to_what_python_saw(node):
    values: list[Json] = [
        {"a": 1, "b": {"c": [1], "d": None}},
        {"a": 1, "b": {"c": [1, 2], "d": 0}},
        {"b": {"d": {}}, "e": []},
        {"b": 0, "e": [[]]},
        [1],
        {"x": 0},
    ]
    steps = [patch(old, new) for old, new in pairwise(values)]
    for n, value in enumerate(values):
        assert node(PATCHED, {"start": values[0], "steps": steps[:n]}) == value


@pytest.mark.parametrize(("title", "seats"), TITLES)
def test_a_document_is_opened_as_it_was_told(node, title, seats):
    made = document(all_views(random_replay(title, seats)))
    assert node("arena.model.opened(given)", plain(made)) == opened(made)


@pytest.mark.parametrize(("title", "seats"), TITLES)
def test_turns_of_real_games(node, title, seats):
    made = document(all_views(random_replay(title, seats))[:1])
    series = "arena.model.series(given.observers[given.views[0].observers[0]], ['turn'])"
    turns = node("arena.model.turns(given, given.views[0])", made)
    told = node(series, made)
    starts = [at for at in range(1, len(told)) if told[at] != told[at - 1]]
    found = [turn["from"] for turn in turns]
    assert found[0] == 0
    assert set(starts) - {len(told) - 1} <= set(found)
    assert [told[turn["from"]][0] for turn in turns] == [turn["turn"] for turn in turns]
    assert {turn["player"] for turn in turns} <= {None, *range(seats)}


VIEW = {
    "key": "all",
    "observers": ["0"],
    "plies": [
        {"seat": None, "words": "deal", "think_us": 0},
        {"seat": 0, "words": "Plays a Card", "think_us": 500, "info": {"eval": 0.5}},
        {"seat": 1, "words": "b plays", "think_us": 3000},
        {"seat": 1, "words": "b again", "think_us": 1000, "info": {"eval": "0.5"}},
        {"seat": None, "words": "plays", "hidden": True},
        {"seat": 0, "words": "a rests", "think_us": 900, "autopilot": True, "info": "x"},
    ],
    "scores": [None, [0, 0], [0, 0], [0, 2], [1, 2], [1, 2], [1, 2]],
    "moments": [{"ply": 6, "kind": "end", "words": ""}, {"ply": 2, "kind": "gain", "words": ""}],
    "faults": [{"seat": 0, "ply": 5, "lines": []}],
}
DOCUMENT = {"observers": {"0": {"start": {"x": 1}, "steps": [None] * 6}}, "views": [VIEW]}


def test_where_to_jump(node):
    stops = node("arena.model.stops(given, given.views[0])", DOCUMENT)
    assert stops == {
        "moments": [3, 6],
        "faults": [6],
        "scores": [1, 3, 4],
        "turns": [0, 1, 2, 5, 6],
        "slowest": [3],
    }


@pytest.mark.parametrize(
    ("position", "direction", "found"),
    [(0, 1, 3), (3, 1, 6), (4, 1, 6), (6, 1, None), (6, -1, 3), (3, -1, None), (9, -1, 6)],
)
def test_the_neighbour_of_a_position(node, position, direction, found):
    assert node(f"arena.model.neighbour([3, 6], {position}, {direction})") == found


def test_the_place_of_a_time(node):
    assert node("given.plies.map((_, ply) => arena.model.timeRank(given, ply))", VIEW) == [
        None,
        {"rank": 1, "of": 1, "median": 500},
        {"rank": 1, "of": 2, "median": 2000},
        {"rank": 2, "of": 2, "median": 2000},
        None,
        None,
    ]


@pytest.mark.parametrize("us", [us for us, _ in DURATIONS])
def test_durations_are_those_of_tables(node, us):
    assert node(f"arena.model.duration({us})") == short_duration(us)


def test_ordinals(node):
    asked = "[1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(arena.model.ordinal)"
    said = node(asked)
    assert " ".join(said) == "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th"


@pytest.mark.parametrize(
    ("info", "notes"),
    [
        ("mate", {"chances": [], "rest": "mate"}),
        ([1], {"chances": [], "rest": [1]}),
        ({}, {"chances": [], "rest": None}),
        ({"eval": 1, "text": "t", "nodes": 7}, {"eval": 1, "text": "t", "nodes": 7, "chances": [],
                                                "rest": None}),
        ({"eval": "1", "text": [], "nodes": -1},
         {"chances": [], "rest": {"eval": "1", "text": [], "nodes": -1}}),
        ({"p": {"a": 0.25, "b": 0.75}}, {"chances": [["b", 0.75], ["a", 0.25]], "rest": None}),
        ({"p": [1, 0]}, {"chances": [["0", 1], ["1", 0]], "rest": None}),
        ({"p": {"a": 2}}, {"chances": [], "rest": {"p": {"a": 2}}}),
        ({"p": []}, {"chances": [], "rest": {"p": []}}),
        ({"p": "x", "depth": 3}, {"chances": [], "rest": {"p": "x", "depth": 3}}),
        ({"p": [0.001] * 201}, {"chances": [], "rest": {"p": [0.001] * 201}}),
        ({"constructor": 1}, {"chances": [], "rest": {"constructor": 1}}),
    ],
)  # fmt: skip
def test_what_bots_tell(node, info, notes):
    assert node("arena.model.notes(given)", info) == notes


def test_only_numbers_are_evaluations(node):
    assert node("arena.model.evaluations(given)", VIEW) == {"0": [[2, 0.5]]}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("plays", [1, 2]), ("CARD plays", [1]), (" ", []), ("nothing", []), ("a", [0, 1, 2, 3, 5])],
)
def test_finding_in_moves(node, wanted, found):
    assert node(f"arena.model.matches(given, {json.dumps(wanted)})", VIEW) == found


@pytest.mark.parametrize(
    ("event", "command"),
    [
        ({"key": "ArrowRight"}, "next"),
        ({"key": "ArrowRight", "shiftKey": True}, "jump:turns"),
        ({"key": "ArrowLeft", "shiftKey": True}, "jump:-turns"),
        ({"key": "]"}, "jump:turns"),
        ({"key": "F", "shiftKey": True}, "jump:-faults"),
        ({"key": "+", "shiftKey": True}, "faster"),
        ({"key": "?", "shiftKey": True}, "help"),
        ({"key": "0"}, "view:all"),
        ({"key": "4"}, "view:3"),
        ({"key": "p"}, "view:spectator"),
        ({"key": " "}, "play"),
        ({"key": " ", "target": {"tagName": "BUTTON"}}, None),
        ({"key": "a", "target": {"tagName": "BUTTON"}}, "choices"),
        ({"key": "a", "target": {"tagName": "INPUT"}}, None),
        ({"key": "ArrowLeft", "target": {"tagName": "TEXTAREA"}}, None),
        ({"key": "a", "target": {"isContentEditable": True}}, None),
        ({"key": "c", "ctrlKey": True}, None),
        ({"key": "ArrowLeft", "altKey": True}, None),
        ({"key": "f", "metaKey": True}, None),
        ({"key": "a", "isComposing": True}, None),
        ({"key": "x"}, None),
        ({"key": "Tab"}, None),
        ({"key": "constructor"}, None),
    ],
)
def test_keys(node, event, command):
    assert node("arena.keys.command(given)", event) == command


@pytest.mark.parametrize("width", [320, 1200])
def test_the_timeline_knows_which_ply_is_where(node, width):
    made = f"arena.timeline.layout({width}, 200, true, false)"
    plan = node(made)
    back = node(
        f"(() => {{ const p = {made}; return [0, 1, 77, 200].map((n) => p.at(p.x(n))); }})()"
    )
    ends = node(f"(() => {{ const p = {made}; return [p.at(-50), p.at(9e9), p.x(200)]; }})()")
    assert back == [0, 1, 77, 200]
    assert ends[:2] == [0, 200]
    assert ends[2] < width
    assert list(plan["bands"]) == ["marks", "scores", "ticks", "times"]
    bands = list(plan["bands"].values())
    assert all(top + height <= below for (top, height), (below, _) in pairwise(bands))
    assert node("arena.timeline.layout(0, 0, false, false).at(5)") == 0


def test_times_are_on_a_log_scale(node):
    assert node("[0, 100, 1e4, 1e6].map((us) => arena.timeline.share(us, 1e6))") == [
        0.06,
        0.06,
        0.5,
        1,
    ]


def test_moves_are_drawn_in_parts_of_whole_turns(node):
    groups = [{"turn": n, "player": 0, "plies": list(range(15 * n, 15 * n + 15))}
              for n in range(5)]  # fmt: skip
    huge = {"turn": 5, "player": 0, "plies": list(range(75, 275))}
    parts = node("arena.moves.parts(given)", [*groups, huge])
    assert [part["size"] for part in parts] == [45, 110, 80, 40]
    assert [ply for part in parts for group in part["groups"] for ply in group["plies"]] == [
        *range(275)
    ]
    assert [group.get("goesOn") for group in parts[-1]["groups"]] == [True]


def test_moves_leave_out_what_is_not_shown(node):
    found = node("arena.moves.groups(given, given.views[0])", DOCUMENT)
    assert [group["plies"] for group in found] == [[0], [1], [2, 3], [5]]
