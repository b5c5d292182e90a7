"""``arena check`` of several bots: one line each, whatever is wrong with the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import BOT, arena, bot
from tests.schemas import validator

pytestmark = [pytest.mark.slow, pytest.mark.process]


def test_several_bots_get_a_line_each(tmp_path: Path) -> None:
    plays = {"plays": "{dragonheart: [2]}"}
    bot(tmp_path, "good", **plays)
    bot(tmp_path, "bad", BOT.replace('"type": "action"', '"type": "deed"'), **plays)
    bot(tmp_path, "unbuilt", build="[[sh, -c, 'echo no luck; exit 3']]", **plays)
    (tmp_path / "empty").mkdir()
    names = ("good", "bad", "unbuilt", "empty")
    options = ("--isolation", "none", "--case", "a game")
    done = arena(tmp_path, "check", *names, *options)
    lines = done.out.splitlines()
    assert lines[0].startswith("pass  good")
    assert lines[1].startswith("FAIL  bad: fault ")
    assert lines[2] == "FAIL  unbuilt: fault build-failed"
    assert lines[3:] == ["1 of 4 bots would lose no game by a fault"]
    assert done.err.startswith("FAIL  empty: ")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert arena(tmp_path, "check", "good", "bad", *options).code == 1
    told = json.loads(arena(tmp_path, "check", *names, *options, "--json").out)
    validator(told["schema"]).validate(told)
    assert told["schema"] == "arena.checks/1"
    assert [each["bot"] for each in told["bots"]] == [*names]
    assert ["problems" in each for each in told["bots"]] == [False, False, False, True]
