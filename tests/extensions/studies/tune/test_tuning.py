"""``arena tune`` with a made-up bot whose best options are known."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli import shell
from tests.schemas import validator

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.timeout(900)]

GREEDY = Path(__file__).parents[4] / "bots/greedy"
OPTIONS = """
  depth: {type: int, default: 1, min: 1, max: 9}
  risk: {type: float, default: 0.9, min: 0, max: 1}
  style: {type: choice, default: bold, choices: [bold, careful]}
"""
SLIPS = (
    shell.BOT.replace("import json,", "import dragonheart, json,")
    .replace(
        'rng.seed(message["seed"])',
        'rng.seed(message["seed"]); given = message["bot_options"]; slips = '
        'abs(given["depth"] - 7) / 8 + abs(given["risk"] - 0.3)',
    )
    .replace(
        'action = rng.randrange(len(message["legal"]))',
        "slip = rng.random() < slips; "
        'action = rng.randrange(len(message["legal"])) if slip else dragonheart.choose(message)',
    )
    .replace('"protocol": 1', '"protocol": 1, "wants": ["observation", "legal"]')
)
"""Best with depth 7 and risk 0.3, where no decision is left to chance."""
ARGS = ("--param", "depth", "--param", "risk=0:1", "-g", "dragonheart", "--seed", "4")


def made(folder: Path, source: str = SLIPS) -> None:
    folder.mkdir(exist_ok=True)
    home = shell.bot(folder, "mine", source, options=OPTIONS)
    shutil.copy(GREEDY / "dragonheart.py", home)


def run(folder: Path, *args: str) -> shell.Result:
    """The command, for as long as it takes: each stage starts dozens of bots."""
    words = shell.command("tune", *args)
    done = subprocess.run(
        words, cwd=folder, env=shell.environment(), capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return shell.Result(done.returncode, done.stdout, done.stderr)


def tuned(folder: Path, *args: str) -> tuple[shell.Result, Any]:
    done = run(folder, "mine", *ARGS, *args, "-q", "--json")
    return done, json.loads(done.out) if done.out else None


@pytest.mark.soak
def test_the_planted_best_is_found_and_told(tmp_path: Path) -> None:
    made(tmp_path)
    done, found = tuned(tmp_path, "--search-games", "120")
    assert (done.code, done.err) == (0, "")
    validator(found["schema"]).validate(found)
    assert (found["schema"], found["verdict"], found["bot"]) == ("arena.tune/1", "pass", "mine")
    assert (found["games"], found["stages"], found["disciplines"]) == (120, 1, ["dragonheart-2"])
    assert 5 <= found["options"]["depth"] <= 9
    assert 0 <= found["options"]["risk"] <= 0.6
    depth, risk = found["parameters"]
    assert (depth["name"], depth["low"], depth["high"], depth["default"]) == ("depth", 1, 9, 1)
    assert depth["worst"] == 1
    assert risk["found"] == found["options"]["risk"]
    for each in found["parameters"]:
        assert each["lost"]["low"] < each["lost"]["value"] < each["lost"]["high"]
    assert found["match"]["verdict"] == "pass"
    [folder] = (tmp_path / "runs").iterdir()
    assert json.loads((folder / "tune.json").read_text())["options"] == found["options"]
    names = sorted(path.name.partition("-")[0] for path in folder.iterdir())
    assert names == ["match", "stage", "tune.json"]
    games = (folder / "stage-01/games.jsonl").read_bytes()
    for played in folder.glob("*-*"):
        assert shell.arena(tmp_path, "verify", played).code == 0
    whole = shell.arena(tmp_path, "verify", folder)
    assert (whole.code, whole.out.count("all as it should be")) == (0, 2)
    proved = json.loads(shell.arena(tmp_path, "verify", folder, "--json").out)
    assert (proved["run"], proved["data"]["games"] > 120) == (folder.name, True)
    assert shell.arena(tmp_path, "verify", folder, "--commitment", "0" * 64).code == 2
    text = run(tmp_path, "mine", *ARGS, "--search-games", "120")
    assert (folder / "stage-01/games.jsonl").read_bytes() == games
    assert text.code == 0
    assert "stage 1 of 1: 120 games" in text.err
    words = ", ".join(f"{name}: {value}" for name, value in found["options"].items())
    assert f"  options: {{{words}}}" in text.out
    declared = yaml.safe_load(text.out.partition("as new defaults")[2].partition("\n")[2])
    assert declared["options"]["depth"] == {
        "type": "int", "default": found["options"]["depth"], "min": 1, "max": 9
    }  # fmt: skip
    assert "PASS  mine as tuned" in text.out
    longer, more = tuned(tmp_path, "--search-games", "150")
    assert (longer.code, more["games"], more["stages"]) == (0, 144, 1)
    assert (folder / "stage-01/games.jsonl").read_bytes().startswith(games)


@pytest.mark.soak
def test_workers_and_kills_change_nothing(tmp_path: Path) -> None:
    for name in ("straight", "killed"):
        made(tmp_path / name)
    args = ("--search-games", "216", "--max-games", "60")
    straight, found = tuned(tmp_path / "straight", *args, "-j", "1")
    for stage, least in (("stage-01", 40), ("stage-02", 1)):
        with shell.started(tmp_path / "killed", "tune", "mine", *ARGS, *args, "-j", "2") as process:
            deadline = time.monotonic() + 90
            while time.monotonic() < deadline and process.poll() is None:
                files = list((tmp_path / "killed").glob(f"runs/*/{stage}/games.jsonl"))
                if any(path.read_bytes().count(b"\n") >= least for path in files):
                    break
                time.sleep(0.02)
    again, same = tuned(tmp_path / "killed", *args, "-j", "2")
    for each in (found, same):
        for key in ("seconds", "games_stored", "commitment"):
            each["match"].pop(key)
    assert again.code == straight.code
    assert same == found


@pytest.mark.soak
def test_interrupted_is_130(tmp_path: Path) -> None:
    made(tmp_path)
    with shell.started(tmp_path, "tune", "mine", *ARGS, "--search-games", "240") as process:
        shell.wait_for_games(tmp_path, "stage-01")
        done = shell.ended(process, signal.SIGINT)
    assert (done.code, done.out) == (130, "")
    assert "interrupted, everything is saved; the same command continues" in done.err


@pytest.mark.soak
def test_a_bot_that_cannot_play_is_invalid_at_once(tmp_path: Path) -> None:
    made(tmp_path, shell.BOT.replace("action = rng", "1 / 0; action = rng"))
    done, found = tuned(tmp_path, "--search-games", "240")
    assert (done.code, found["verdict"], found["match"]) == (4, "invalid", None)
    assert (found["parameters"], found["options"]) == ([], {})
    assert found["reason"].startswith("faults in ")
    assert found["games"] < 192


@pytest.mark.soak
def test_a_table_of_four_a_game_alone_and_choices(tmp_path: Path) -> None:
    shell.bot(tmp_path, "mine", options=OPTIONS)
    games = "-g dragonkrak:4 -g dragonkrak:1 --search-games 48 --max-games 40"
    done = run(tmp_path, "mine", "--param", "style", *games.split(), "--json", "-q")
    found = json.loads(done.out)
    assert found["disciplines"] == ["dragonkrak-4", "dragonkrak-1"]
    assert (found["games"], found["stages"]) == (48, 1)
    assert found["parameters"][0]["values"] == ["bold", "careful"]
    if found["options"] == {"style": "bold"}:
        assert (done.code, found["verdict"], found["match"]) == (1, "fail", None)
        assert found["reason"] == "nothing better than the default was found"
    else:
        assert done.code in (1, 3)


DEPTH = "mine -g dragonheart --param depth"


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with bots, a search in ``old`` and a run in ``cup``."""
    folder = tmp_path_factory.mktemp("searched")
    made(folder)
    shell.bot(folder, "plain")
    shell.bot(folder, "other", options=OPTIONS, plays="{dragonkrak: [2]}")
    words = f"tune {DEPTH} -o old --search-games 24 --max-games 2 -q"
    assert shell.arena(folder, *words.split()).code in (1, 3)
    words = "run mine plain -g dragonheart -n 1 -q -o cup"
    assert shell.arena(folder, *words.split()).code == 0
    return folder


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("none -g dragonheart --param depth", 'none: found "none", expected a folder with a bot'),
        ("mine@v1 -g dragonheart --param depth", "mine@v1: "),
        (f"mine {DEPTH}", 'error: found "mine", expected no more; arena tune --help explains'),
        ("plain -g dragonheart --param depth", "which plain does not declare, expected options in"),
        ("builtin:greedy -g dragonheart --param depth", "which greedy does not declare"),
        ("other -g dragonheart --param depth", 'other: bot "other" does not play dragonheart at'),
        ("mine -g dragonheart", "error: --param: missing; --param depth=2:8 tunes an option"),
        ("mine -g dragonheart --param dept=2:8", 'found "dept", which mine does not declare'),
        (f"{DEPTH} --param depth=2:8", 'error: --param depth=2:8: found "depth" a second time'),
        ("mine --param depth", "command line: found no game, expected -g GAME, or --file FILE"),
        ("mine --param depth -g halma", '-g halma: game.rules: found "halma", expected "chess"'),
        ("mine --param depth -g dragonheart:5", "-g dragonheart: game.seats: found 5, expected 2"),
        (f"{DEPTH} --file none.yaml", "none.yaml: no such file"),
        (f"{DEPTH} --search-games 10", "error: --search-games: found 10, expected at least 24"),
        (f"{DEPTH} --search-games 0", 'error: --search-games: found "0", expected a whole number'),
        (f"{DEPTH} --max-games 1", "error: --max-games: found 1, expected at least 2, one block"),
        (f"{DEPTH} --elo0 50", "error: --elo0: expected elo0 below elo1, found 50 and 40"),
        (f"{DEPTH} --alpha 2", "error: --alpha: expected alpha above 0 and below 0.5, found 2"),
        (f"{DEPTH} --set x=1", '--set x=1: unknown key "x"'),
        (f"{DEPTH} --set schedule.deals=3", '--set schedule.deals=3: found "schedule.deals"'),
        (f"{DEPTH} --isolation x", 'error: --isolation: found "x", expected none, limits'),
        (f"{DEPTH} -j 0", 'error: --workers: found "0", expected a whole number of at least 1'),
        (f"{DEPTH} --on x", 'error: --on: found "x", expected dask, tls://HOST:PORT'),
        (f"{DEPTH} --mode gain", 'error: unknown option "--mode"'),
        (f"{DEPTH} --format md", 'error: --format: found "md", expected txt or json'),
        (f"{DEPTH} -o mine/main.py", "error: mine/main.py/stage-01: cannot be written: Not a"),
        (f"{DEPTH} -o cup", "error: --output: found the run cup, expected a folder for several"),
        (
            "mine -g dragonheart --param style -o old",
            "error: old/stage-01: holds another search: --param depth, asked for is --param style",
        ),
        (f"{DEPTH}=2:3 -o old", "asked for is --param depth=2:3; search into another folder (-o)"),
        (f"{DEPTH} -o old --seed x", "holds another search: seed: the run has another one"),
        (f"{DEPTH} -o old --set clock.move=9s", "holds another search: clock.move: "),
        ("mine -g dragonkrak:2 --param depth -o old", "holds another search: games: "),
    ],
)
def test_a_wrong_call_gets_one_line(searched: Path, words: str, said: str) -> None:
    """A mistake in bots and games is counted in a second one; nothing is begun or changed."""
    before = sorted(searched.rglob("*"))
    done = shell.arena(searched, "tune", *words.split())
    assert (done.code, done.out) == (2, "")
    told = re.sub(r"\n\d errors?; nothing was started\n$", "\n", done.err)
    assert said in told
    assert told.count("\n") == 1
    assert sorted(searched.rglob("*")) == before


def test_a_command_declares_nothing(tmp_path: Path) -> None:
    made(tmp_path)
    done = run(tmp_path, "python3 mine/main.py", "--param", "a", "-g", "dragonheart")
    assert done.code == 2
    assert "expected a folder with a bot.yaml, which declares the options" in done.err
