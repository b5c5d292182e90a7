"""``arena compare`` of results that were counted elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import arena
from tests.schemas import validator

pytestmark = [pytest.mark.slow, pytest.mark.process]


def answer(folder: Path, *args: str) -> tuple[int, Any]:
    done = arena(folder, "compare", "--json", *args)
    return done.code, json.loads(done.out)


def own(elo0: float, elo1: float, scale: str) -> tuple[str, ...]:
    return "--elo0", str(elo0), "--elo1", str(elo1), "--scale", scale


@pytest.mark.parametrize(
    ("results", "test", "published", "code"),
    [
        # fastchess, app/tests/sprt_test.cpp
        (("--pairs", "365,16618,36229,16974,390"), own(0, 2, "normalized"), 2.25, 3),
        (("--pairs", "127,4883,10712,5150,104"), own(-1.75, 0.25, "normalized"), 3.01, 0),
        (("--pairs", "0,0,0,0,5550"), own(0, 5, "normalized"), 111.82, 0),
        (("--pairs", "223,9863,21279,10037,246"), own(0.5, 2.5, "logistic"), -3.07, 1),
        (("--wdl", "36433,68692,36027"), own(0, 2, "normalized"), 0.92, 3),
        (("--wdl", "57433,106593,57030"), own(0, 2, "logistic"), -2.59, 3),
    ],
)
def test_published_results(tmp_path, results, test, published, code) -> None:
    found, document = answer(tmp_path, *results, *test)
    assert document["llr"] == pytest.approx(published, rel=0.01)
    assert found == code
    assert document["verdict"] == {0: "pass", 1: "fail", 3: "inconclusive"}[code]
    assert (document["games_left"] is None) == (code != 3)
    validator(document["schema"]).validate(document)
    assert document["schema"] == "arena.sprt/1"


def test_a_lost_cause_fails(tmp_path: Path) -> None:
    done = arena(tmp_path, "compare", "--wdl", "0,0,60", "--mode", "no-regression")
    assert done.code == 1
    assert "FAIL  -40 nElo is accepted against 0" in done.out
    assert "LOS     less than 0.1 %" in done.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "BOT: found 0 bots, expected two, or --best or --baseline BOT"),
        (("bots/a",), "BOT: found 1 bot, expected two"),
        (("--pairs", "1,2,3,4,x"), "expected 5 whole numbers: LL,LD,DD,WD,WW"),
        (("--wdl", "1,-2,3"), "expected 3 whole numbers: W,D,L"),
        (("--wdl", "0,0,0"), "found no games"),
        (("--wdl", "1,2,3", "--pairs", "1,2,3,4,5"), "expected one of them"),
        (("--wdl", "9999999999999,2,3"), "expected numbers of 12 digits at most"),
        (("--wdl", "1,2,3", "--mode", "loss"), "expected gain or no-regression"),
        (("--wdl", "1,2,3", "--scale", "x"), "expected normalized or logistic"),
        (("--wdl", "1,2,3", "--elo0", "1"), "expected --elo1 beside it"),
        (("--wdl", "1,2,3", *own(5, 0, "normalized")), "elo0 below elo1"),
        (("--wdl", "1,2,3", *own(0, 1e-200, "normalized")), "at least 0.01 apart"),
        (("--wdl", "1,2,3", *own(0, 99999, "logistic")), "--elo0: "),
        (("--wdl", "1,2,3", "--alpha", "0.5"), "alpha"),
        (("a", "--wdl", "1,2,3"), "found BOT beside --wdl, expected no bots"),
        (("--wdl", "1,2,3", "-g", "dragonheart"), "found --game beside --wdl"),
        (("--pairs", "1,2,3,4,5", "--isolation", "none"), "found --set or --isolation beside"),
        (("--pairs", "1,2,3,4,5", "--max-games", "7"), "found --max-games beside --pairs"),
    ],
)
def test_what_cannot_be_tested(tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    done = arena(tmp_path, "compare", *args)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert done.out == ""
