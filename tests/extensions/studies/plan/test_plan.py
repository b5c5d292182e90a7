"""``arena plan`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import BOT, PAIR, arena, bot, tournament

pytestmark = [pytest.mark.slow, pytest.mark.process]


def plan(folder: Path, *args: str | Path) -> Any:
    done = arena(folder, "plan", "--json", *args)
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pilot")
    path = tournament(folder, deals=10, bots=PAIR | {"clara": BOT})
    assert arena(folder, "run", path, "-q").code == 0
    return folder / "runs" / "cup"


@pytest.fixture(scope="module")
def solo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("solo")
    for name in ("anna", "berta"):
        bot(folder, name)
    args = ("-g", "dragonkrak", "-s", "1", "anna", "berta", "-n", "12", "--name", "alone", "-q")
    assert arena(folder, "run", *args).code == 0
    return folder / "runs" / "alone"


def test_hypotheses_of_your_own(tmp_path: Path) -> None:
    found = plan(tmp_path, "--elo0", "-5", "--elo1", "5", "--true", "2.5", "--beta", "0.1")
    assert [row["true"] for row in found["rows"]] == [-15, -10, -5, 0, 2.5, 5, 10, 15]
    assert (found["alpha"], found["beta"]) == (0.05, 0.1)
    by_mode = plan(tmp_path, "--mode", "no-regression")
    assert (by_mode["elo0"], by_mode["elo1"]) == (-40, 0)


def test_precision_by_the_stated_spread(tmp_path: Path) -> None:
    found = plan(tmp_path, "--precision", "20", "--deviation", "0.4")
    games = {(row["true"], row["width"]): row["games"] for row in found["rows"]}
    assert games[0, 20] == 742
    assert games[0, 10] == 2968
    assert games[400, 20] > games[0, 20]
    draws = plan(tmp_path, "--precision", "20", "--draws", "0.36")
    assert draws["rows"] == found["rows"]


def test_a_difference_at_fixed_length(tmp_path: Path) -> None:
    found = plan(tmp_path, "--difference", "20")
    rows = {row["true"]: row for row in found["rows"]}
    assert found["fixed_length"] == rows[20]["games"] == rows[20]["needs"] == 3266
    assert rows[10]["passes"] == pytest.approx(0.5, abs=1e-3)
    assert rows[0]["passes"] == pytest.approx(0.05, abs=1e-3)
    assert rows[0]["needs"] is None


def test_a_run_is_a_pilot(tmp_path: Path, run: Path) -> None:
    found = plan(tmp_path, run, "-j", "3")
    source = found["source"]
    assert (source["kind"], source["pair"], source["blocks"]) == ("pilot", ["anna", "berta"], 10)
    assert source["deviation"]["low"] < source["deviation"]["value"] < source["deviation"]["high"]
    assert [row["is_pilot"] for row in found["rows"]].count(True) == 1
    for row in found["rows"]:
        assert row["seconds"] == pytest.approx(row["games"] * source["seconds"] / 3)


def test_pair_and_order_can_be_chosen(tmp_path: Path, run: Path) -> None:
    one, other = (plan(tmp_path, run, "--pair", pair) for pair in ("berta,clara", "clara,berta"))
    assert one["source"]["pair"] == ["berta", "clara"]
    assert one["source"]["nelo"]["value"] == pytest.approx(-other["source"]["nelo"]["value"])
    assert one["source"]["deviation"]["value"] == pytest.approx(
        other["source"]["deviation"]["value"]
    )


def test_alone_margins_are_planned(tmp_path: Path, solo_run: Path) -> None:
    found = plan(tmp_path, solo_run, "--precision", "2")
    assert (found["unit"], found["source"]["measure"]) == ("deserters", "margin")
    assert [row["width"] for row in found["rows"]] == [4, 2, 1]
    sequential = plan(tmp_path, solo_run)
    assert sequential["source"]["block_games"] == 2
    assert {row["elo"] for row in sequential["rows"]} == {None}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--precision", "5", "--difference", "5"), "found more than one question"),
        (("--difference", "nan"), "--difference: found nan"),
        (("--true", "1e300"), "--true: found 1e+300"),
        (("--deviation", "2"), "--deviation: found 2"),
        (("--draws", "1"), "--draws: found 1"),
        (("--draws", "0.2", "--deviation", "0.3"), "expected one of them"),
        (("--pair", "a,b"), "without the folder of a run"),
        (("--elo0", "5", "--elo1", "0"), "elo0 below elo1"),
        (("nowhere",), "found no run.json, expected the folder of a run"),
        (("RUN", "--deviation", "0.3"), "which measures it"),
        (("RUN", "--pair", "anna"), "expected two entrants: A,B"),
        (("RUN", "--pair", "anna,bertha"), 'did you mean "berta"?'),
        (("RUN", "--game", "checkers"), "expected dragonheart-2"),
    ],
)
def test_bad_input(tmp_path: Path, run: Path, args: tuple[str, ...], message: str) -> None:
    done = arena(tmp_path, "plan", *(str(run) if arg == "RUN" else arg for arg in args))
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_pilot_in_which_all_blocks_are_alike_plans_nothing(tmp_path: Path) -> None:
    bots = {"good": BOT, "bad": "print('hello', flush=True)\nopen(0).read()"}
    path = tournament(tmp_path, deals=3, bots=bots, more="breaker: {then: ignore}\n")
    arena(tmp_path, "run", path, "-q")
    done = arena(tmp_path, "plan", "runs/cup")
    assert done.code == 2
    assert "all 3 blocks came out alike" in done.err


def test_a_run_without_a_finished_block_plans_nothing(tmp_path: Path) -> None:
    arena(tmp_path, "run", tournament(tmp_path, deals=2), "-q")
    games = tmp_path / "runs" / "cup" / "games.jsonl"
    games.write_text(games.read_text().splitlines(keepends=True)[0])
    done = arena(tmp_path, "plan", "runs/cup")
    assert done.code == 2
    assert "found no finished block that compares them" in done.err
