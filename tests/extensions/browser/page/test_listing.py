"""The list of games of a report, as ``arena games`` prints it."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources
from typing import Final

import pytest

from arena.extensions.browser.page.model import Listing
from arena.extensions.browser.page.render import listing_data
from arena.values import clean
from arena.values.results import FaultKind
from arena.views.game.find import NumberRange
from arena.views.game.rows import GameFilter, GameOrder, GameOutcome, ordered
from tests.views.game.test_games import _rows
from tests.views.game.test_games import cup as cup

SCRIPT: Final = """
globalThis.module = globalThis.exports = undefined; // a page has none
const fs = require("fs"), vm = require("vm");
const [given, ...files] = process.argv.slice(1);
for (const file of files) vm.runInThisContext(fs.readFileSync(file, "utf8"));
const { listing, calls } = JSON.parse(fs.readFileSync(given, "utf8"));
const games = arena.rows.read(listing);
console.log(JSON.stringify(calls.map(([filter, key, sign]) => arena.rows.arranged(
  games, { ...arena.rows.NO_FILTER, ...filter }, key, sign).map(({ number }) => number))));
"""
_SIDES: Final = (
    ({}, {}),
    ({"bots": ("anna",)}, {"bot": "anna"}),
    ({"bots": ("anna",), "against": ("anna",)}, {"bot": "anna", "against": "anna"}),
    ({"against": ("dora",)}, {"against": "dora"}),
    *(
        ({"bots": ("berta",), "outcome": outcome}, {"bot": "berta", "result": outcome.value})
        for outcome in GameOutcome
    ),
    ({"faults": frozenset(FaultKind)}, {"fault": "any fault"}),
    ({"bots": ("anna",), "faults": {FaultKind.CRASH}}, {"bot": "anna", "fault": "crash"}),
    ({"discipline": "krak-4", "plies": NumberRange(2, 5)}, {"discipline": "krak-4", "plies": "2",
                                                      "mostPlies": "5"}),
    ({"margin": NumberRange(None, 9)}, {"mostMargin": "9"}),
    ({"margin": NumberRange(10, None)}, {"margin": "10"}),
)  # fmt: skip
"""Conditions of the command, and the same of the report."""


def test_a_report_lists_the_same_games_in_the_same_order(cup, tmp_path) -> None:
    program = shutil.which("node")
    if program is None:
        pytest.skip("needs node")
    rows = _rows(cup)
    listing = Listing(rows, [0] * len(rows), len(rows), 0, "", False)
    expected, calls = [], []
    for own, theirs in _SIDES:
        for order in GameOrder:
            for is_reversed in (False, True):
                kept = [row for row in rows if GameFilter(**own).keeps(row)]
                expected.append(
                    [row.number for row in ordered(kept, order, is_reversed=is_reversed)]
                )
                sign = 1 if is_reversed != (order is GameOrder.NUMBER) else -1
                calls.append([theirs, order.value, sign])
    assert min(map(len, expected)) > 0
    given = tmp_path / "given.json"
    given.write_text(clean.json_document({"listing": listing_data(listing), "calls": calls}))
    viewer = resources.files("arena.extensions.browser.viewer").joinpath("assets")
    page = resources.files("arena.extensions.browser.page").joinpath("assets")
    files = [viewer / "vendor/htm-preact.js", viewer / "namespace.js", viewer / "viewer/model.js"]
    files += [page / "report-sort.js", page / "report-rows.js"]
    done = subprocess.run(
        [program, "-e", SCRIPT, str(given), *map(str, files)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == expected
