"""``arena calibrate`` with real bots and small budgets."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import BOT, Result, arena, bot, ended, started

pytestmark = [pytest.mark.slow, pytest.mark.process]

ALIKE = BOT.replace('rng.randrange(len(message["legal"]))', "0")
SLOW = BOT.replace(
    'rng.seed(message["seed"])', 'rng.seed(message["seed"]); late = message["seed"] % 40 == 0'
).replace("action = rng", "import time; late and time.sleep(60); action = rng")
"""In one game of twenty it is so slow that no machine makes a difference."""
BROKEN = BOT.replace("action = rng", "rng.random() < 0.05 and sys.exit(3); action = rng")


def calibrate(folder: Path, source: str, *args: str) -> Result:
    bot(folder, "anna", source)
    done = arena(folder, "calibrate", "anna", "--tests", "60", *args)
    assert "Traceback" not in done.err
    assert not list(folder.glob("runs*"))
    return done


def document(done: Result) -> Any:
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_two_seats(tmp_path: Path) -> None:
    done = calibrate(tmp_path, BOT, "-g", "dragonheart", "--max-games", "60", "-j", "1,2", "--json")
    found = document(done)
    assert (found["schema"], found["bot"]) == ("arena.calibration/1", "anna")
    assert [load["workers"] for load in found["loads"]] == [1, 2]
    assert sum(load["games"] for load in found["loads"]) == 60
    for load in found["loads"]:
        assert 0 < load["usual"] <= load["slowest"]
        assert load["answers"] > load["games"]
    low, middle, high = (found["seat_advantage"][key] for key in ("low", "value", "high"))
    assert low < middle < high
    assert 0 < found["deviation"]["value"] < 0.8
    assert found["elo_of_40"] == pytest.approx(80 * found["deviation"]["value"], rel=0.05)
    null = found["null"]
    assert null["passes"] / null["tests"] == null["share"]["value"] < 0.25
    assert not null["re_paired"]
    assert found["advice"]["workers"] in (1, 2)
    assert found["advice"]["move"] >= 0.01
    assert "anna against itself, 30 games, 1 worker" in done.err
    assert "simulating" in done.err


def test_text_and_a_bot_that_cancels_itself(tmp_path: Path) -> None:
    done = calibrate(tmp_path, ALIKE, "-g", "dragonheart", "--max-games", "40", "-j", "1", "-q")
    assert (done.code, done.err) == (0, "")
    assert "anna against itself in Dragonheart, Kosmos edition: 20 blocks of 2 games" in done.out
    assert "two copies play the games of a deal alike, so that they cancel" in done.out
    assert "put together from games of different deals of the 20 played" in done.out
    assert "luck " not in done.out
    assert "clock.move" in done.out


def test_a_table_of_three_and_a_game_alone(tmp_path: Path) -> None:
    bot(tmp_path, "anna")
    args = ("--max-games", "16", "-j", "2", "--tests", "20", "--json")
    table = document(arena(tmp_path, "calibrate", "anna", "-g", "dragonkrak:3", *args))
    assert len(table["seats_worth"]) == table["seats"] == 3
    assert table["seat_advantage"] is None
    alone = document(arena(tmp_path, "calibrate", "anna", "-g", "dragonkrak:1", *args))
    assert (alone["measure"], alone["score"], alone["seats_worth"]) == ("margin", "deserters", [])
    assert alone["deviation"]["value"] > 0


def test_time_losses_are_counted_and_the_move_limit_is_raised(tmp_path: Path) -> None:
    args = ("-g", "dragonheart", "--max-games", "60", "-j", "2", "--seed", "1", "--json")
    found = document(calibrate(tmp_path, SLOW, *args))
    load = found["loads"][0]
    assert 0 < load["timeouts"] <= 6
    assert load["other_faults"] == 0
    assert load["slowest"] >= found["move"] == 1
    assert found["advice"]["move"] >= 2
    assert "time losses even at 2 workers" in found["advice"]["workers_reason"]


@pytest.mark.parametrize("source", [BROKEN, "raise SystemExit(1)\n"])
def test_a_bot_with_too_many_faults_is_not_calibrated(tmp_path: Path, source: str) -> None:
    done = calibrate(tmp_path, source, "-g", "dragonheart", "--max-games", "60", "-j", "1,2")
    assert done.code == 4
    assert done.out == ""
    assert "error: anna: found faults in " in done.err
    assert "expected at most 10%" in done.err
    assert "2 workers" not in done.err, "stops after the first load"


def test_runs_are_kept_on_demand_and_serve_as_pilots(tmp_path: Path) -> None:
    args = ("-g", "dragonheart", "--max-games", "40", "-j", "1,2", "-q", "-o", "kept")
    assert calibrate(tmp_path, BOT, *args).code == 0
    deals = [
        {json.loads(line)["result"]["spec"]["game_id"] for line in path.read_text().splitlines()}
        for path in sorted(tmp_path.glob("kept/*/games.jsonl"))
    ]
    assert len(deals) == 2
    assert deals[0] <= deals[1] or deals[1] <= deals[0], "the same deals"
    seeds = {path.read_text() for path in tmp_path.glob("kept/*/seed.json")}
    assert len({json.loads(seed)["seed"] for seed in seeds}) == 1
    assert arena(tmp_path, "plan", "kept/workers-2").code == 0
    again = arena(tmp_path, "calibrate", "anna", *args)
    assert again.code == 2
    assert "expected a folder that is not there yet" in again.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("-g", "dragonheart", "-j", "1,x"), "expected whole numbers: 1,2,4"),
        (("-g", "dragonheart", "-j", "0"), "expected numbers from 1 to 1024"),
        (("-g", "checkers"), "checkers"),
    ],
)
def test_bad_input(tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    done = calibrate(tmp_path, BOT, *args)
    assert done.code == 2
    assert message in done.err


def test_interrupted(tmp_path: Path) -> None:
    bot(tmp_path, "anna")
    (tmp_path / "scratch").mkdir()
    words = ("calibrate", "anna", "-g", "dragonheart", "--max-games", "100000", "-j", "1")
    with started(tmp_path, *words, TMPDIR=str(tmp_path / "scratch")) as process:
        assert process.stderr is not None
        assert "anna against itself" in process.stderr.readline()
        done = ended(process, signal.SIGINT)
    assert (done.code, done.out) == (130, "")
    assert not list((tmp_path / "scratch").glob("arena-calibrate-*"))
