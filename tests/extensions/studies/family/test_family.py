"""``arena compare --best`` and ``--baseline`` from the outside."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from arena import __version__
from tests.cli.shell import arena, bot
from tests.extensions.matches.test_compare import (
    BOTS,
    CRASHING,
    GREEDY,
    RANDOM,
    check_workers_and_kills,
    compare,
    report,
    run_of,
)
from tests.rows import some
from tests.schemas import validator

pytestmark = [pytest.mark.slow, pytest.mark.process]

FIRST = BOTS / "first-legal"
ALL = (GREEDY, RANDOM, FIRST)
GAME = ("-g", "dragonheart")


@pytest.mark.parametrize(
    "game", some(["dragonheart", "dragonkrak:3", "dragonkrak:4", "dragonkrak:1"], every=4)
)
def test_the_best_is_chosen_and_proved(tmp_path: Path, game: str) -> None:
    code, found = report(tmp_path, *ALL, "-g", game, "--best", "--gap", "80", "--seed", "3")
    validator(found["schema"]).validate(found)
    assert (code, found["schema"], found["verdict"]) == (0, "arena.best/1", "pass")
    assert found["best"] == "greedy"
    run = run_of(tmp_path)
    assert json.loads((run / "family.json").read_text())["best"] == "greedy"
    assert arena(tmp_path, "verify", run).code == 0


def test_a_stored_family_is_looked_at_and_answers(tmp_path: Path) -> None:
    args = (*ALL, *GAME, "--best", "--gap", "100", "--seed", "3")
    first = compare(tmp_path, *args)
    assert first.out.startswith("BEST  ")
    assert "nElo to the best: how much stronger" in first.out
    run = run_of(tmp_path)
    for line in (("standings",), ("watch", "--once")):
        done = arena(tmp_path, line[0], run, *line[1:])
        assert done.code == 0, done.err
    assert done.out.splitlines()[0].endswith(": finished")
    again = compare(tmp_path, *args)
    assert again.out == first.out
    assert "games/s" not in again.err


def test_against_a_baseline_each_has_a_verdict(tmp_path: Path) -> None:
    files = ("--junit", "out.xml", "--markdown", "out.md")
    code, found = report(tmp_path, GREEDY, FIRST, *GAME, "--baseline", RANDOM, *files)
    assert (code, found["schema"], found["verdict"]) == (0, "arena.against/1", "pass")
    assert found["passed"] == ["greedy"]
    verdicts = {test["candidate"]["name"]: test["verdict"] for test in found["tests"]}
    assert verdicts["greedy"] == "pass"
    assert verdicts["first-legal"] in ("fail", "inconclusive")
    suite = ET.parse(tmp_path / "out.xml").getroot()[0]
    assert suite.attrib["tests"] == "2"
    assert "### PASS: " in (tmp_path / "out.md").read_text()
    run = run_of(tmp_path)
    assert arena(tmp_path, "verify", run).code == 0
    text = (run / "family.json").read_text()
    (run / "family.json").write_text(text.replace(f'"arena": "{__version__}"', '"arena": "0.0.9"'))
    assert arena(tmp_path, "verify", run).code == 0
    for old, new, said in (
        ('"games_stored": ', '"games_stored": 1', "games_stored is 1"),
        ('"reason": "', '"reason": "x', "tests is not what the stored games give"),
        ('"mode": "gain"', '"mode": "no-regression"', "test.mode is no-regression, the bounds"),
    ):
        (run / "family.json").write_text(text.replace(old, new))
        assert f"family.json: {said}" in arena(tmp_path, "verify", run).out


@pytest.mark.soak
def test_nobody_better_is_1_and_a_cap_is_3(tmp_path: Path) -> None:
    assert report(tmp_path, RANDOM, FIRST, *GAME, "--baseline", GREEDY)[0] == 1
    code, found = report(tmp_path, *ALL, *GAME, "--best", "--max-games", "8")
    assert (code, found["verdict"]) == (3, "inconclusive")
    assert {each["state"] for each in found["candidates"]} == {"left"}
    code, found = report(tmp_path, *ALL, *GAME, "--best", "--max-time", "0.01 s", "-o", "timed")
    assert (code, "time" in found["reason"]) == (3, True)
    assert arena(tmp_path, "verify", "timed").code == 0
    forged = found | {"verdict": "pass", "reason": "greedy is best"}
    (tmp_path / "timed" / "family.json").write_text(json.dumps(forged))
    said = arena(tmp_path, "verify", "timed").out
    assert "family.json: verdict is pass, the stored games give inconclusive" in said


@pytest.mark.soak
def test_who_crashes_is_out_and_the_others_go_on(tmp_path: Path) -> None:
    crashing = bot(tmp_path, "crashing", CRASHING)
    args = (GREEDY, RANDOM, crashing, *GAME, "--best", "--gap", "100")
    code, found = report(tmp_path, *args)
    states = {each["side"]["name"]: each["state"] for each in found["candidates"]}
    assert (code, states["greedy"], states["crashing"]) == (0, "best", "faulty")
    code, found = report(tmp_path, GREEDY, crashing, *GAME, "--baseline", RANDOM)
    verdicts = {test["candidate"]["name"]: test["verdict"] for test in found["tests"]}
    assert (code, verdicts) == (0, {"greedy": "pass", "crashing": "invalid"})


@pytest.mark.soak
def test_workers_and_kills_change_nothing(tmp_path: Path) -> None:
    args = (*ALL, "-g", "dragonkrak:3", "--seed", "5", "--best", "--gap", "60")
    check_workers_and_kills(tmp_path, *args)


@pytest.mark.soak
def test_on_the_terms_of_a_tournament_file(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(
        f"arena: 1\ngame: dragonheart\nentrants:\n  - bot: {GREEDY}\n  - bot: {RANDOM}\n"
        "schedule: {deals: 3}\n"
    )
    args = ("greedy", "random", FIRST, "--file", "cup.yaml", "--best", "--gap", "100")
    code, found = report(tmp_path, *args)
    assert (code, found["best"]) == (0, "greedy")
    args = ("greedy", FIRST, "--file", "cup.yaml", "--baseline", "random")
    assert report(tmp_path, *args)[1]["passed"] == ["greedy"]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((GREEDY, *GAME, "--best"), "found one candidate, expected at least two"),
        ((*GAME, "--best"), "found no candidate"),
        ((*GAME, "--baseline", RANDOM), "found no candidate"),
        ((*ALL, *GAME), "found 3 bots, expected two, or --best or --baseline"),
        ((*ALL, *GAME, "--best", "--baseline", GREEDY), "--best: found --baseline beside it"),
        ((*ALL, *GAME, "--baseline", GREEDY), "found the baseline among the candidates"),
        ((RANDOM, f"{GREEDY}/", *GAME, "--baseline", GREEDY), "the baseline among the candidates"),
        ((GREEDY, GREEDY, *GAME, "--best"), "a second time"),
        ((GREEDY, f"{GREEDY}/", *GAME, "--best"), "the same files with the same options"),
        ((*ALL, "--best"), "found no game"),
        ((*ALL, *GAME, "--best", "--gap", "0"), "a gap above 0"),
        ((*ALL, *GAME, "--best", "--alpha", "0.8"), "alpha"),
        ((*ALL, *GAME, "--best", "--mode", "no-regression"), "--mode: found it beside --best"),
        ((*ALL, *GAME, "--best", "--elo1", "20"), "--elo1: found it beside --best"),
        ((*ALL, *GAME, "--best", "--lineup", "alone"), "--lineup: found alone beside --best"),
        ((*ALL, *GAME, "--best", "--max-games", "3"), "expected at least 4, one round"),
        ((*ALL, *GAME, "--best", "--badge", "b.json"), "--badge: found several candidates"),
        ((RANDOM, *GAME, "--baseline", GREEDY, "--gap", "9"), "--gap: found it without --best"),
        ((RANDOM, GREEDY, *GAME, "--gap", "9"), "--gap: found it without --best"),
        ((*ALL, *GAME, "--best", "--set", "schedule.deals=3"), "a match has its own"),
    ],
)  # fmt: skip
def test_bad_input_is_told_and_ends_with_2(tmp_path, args, expected) -> None:
    done = compare(tmp_path, *args)
    assert (done.code, done.out) == (2, "")
    assert expected in done.err
    assert "Traceback" not in done.err
