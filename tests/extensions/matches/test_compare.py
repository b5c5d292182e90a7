"""``arena compare`` from the outside: verdicts, exit codes, what is kept."""

from __future__ import annotations

import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import BOT, Result, arena, bot, ended, environment, started, wait_for_games
from tests.entrants.repositories import git
from tests.projects import project
from tests.rows import some
from tests.runs.test_damage import flip

pytestmark = [pytest.mark.slow, pytest.mark.process]

BOTS = Path(__file__).parents[3] / "bots"
GREEDY, RANDOM = BOTS / "greedy", BOTS / "random"
PAIR = (GREEDY, RANDOM, "-g", "dragonheart")
ACT = 'elif message["type"] == "act":'
CRASHING = BOT.replace(ACT, f"{ACT}\n        1 / 0")


def compare(folder: Path, *args: str | Path) -> Result:
    return arena(folder, "compare", *args)


def report(folder: Path, *args: str | Path) -> tuple[int, dict[str, Any]]:
    done = compare(folder, *args, "--json", "-q")
    return done.code, json.loads(done.out)


def check_workers_and_kills(folder: Path, *args: str) -> None:
    """The report of a match is the same with one worker and after a kill."""
    for name in ("straight", "one", "killed"):
        (folder / name).mkdir(exist_ok=True)
    code, straight = report(folder / "straight", *args, "-j", "2")
    with started(folder / "killed", "compare", *args, "-j", "2"):
        wait_for_games(folder / "killed")
    measured = {"seconds", "games_stored", "commitment"}
    for name, workers in (("one", "1"), ("killed", "2")):
        other_code, other = report(folder / name, *args, "-j", workers)
        assert other_code == code
        assert other | dict.fromkeys(measured) == straight | dict.fromkeys(measured)


def run_of(folder: Path) -> Path:
    [run] = (folder / "runs").iterdir()
    return run


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which greedy was compared with random."""
    folder = tmp_path_factory.mktemp("match")
    done = compare(folder, *PAIR)
    assert done.code == 0
    (folder / "printed").write_text(done.out)
    return folder


@pytest.fixture
def passed(match: Path, tmp_path: Path) -> Path:
    """Its run, to be changed."""
    shutil.copytree(match, tmp_path, dirs_exist_ok=True)
    return run_of(tmp_path)


def test_stronger_passes_within_a_few_dozen_games_once(passed: Path, tmp_path: Path) -> None:
    told = (tmp_path / "printed").read_text()
    words = " ".join(told.split())
    assert re.match(r"PASS …?\S*/greedy is stronger than ", words)
    stored = json.loads((passed / "match.json").read_text())
    assert stored["verdict"] == "pass"
    assert stored["games_counted"] <= 48
    assert arena(tmp_path, "verify", passed).code == 0
    games = (passed / "games.jsonl").read_bytes()
    again = compare(tmp_path, *PAIR)
    assert (again.out, "games/s" in again.err) == (told, False)
    assert (passed / "games.jsonl").read_bytes() == games


@pytest.mark.extensions("sources")
def test_a_revision_is_called_as_it_was_given(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    git(folder, "tag", "v2", "origin/main")
    args = ("bots/mine", "@v2", "-g", "dragonheart", "--junit", "out.xml", "--markdown", "out.md")
    env = environment(GITHUB_ACTIONS="true")
    done = arena(folder, "compare", *args, "--mode", "no-regression", "-q", env=env)
    assert done.code == 0, done.err
    run = run_of(folder)
    stored = json.loads((run / "match.json").read_text())
    said = "bots/mine is not weaker than @v2 by 40 nElo"
    assert done.out.startswith(f"PASS  {said}: ")
    assert stored["baseline"]["given"] == "@v2"
    assert stored["baseline"]["name"].startswith("mine-")
    assert said in (folder / "out.xml").read_text().replace("\n      ", " ")
    assert said.replace("@", "@<!-- -->") in (folder / "out.md").read_text().replace("\\", "")
    swapped = ("compare", "bots/mine@v2", "bots/mine", "-g", "dragonheart")
    failed = arena(folder, *swapped, "--max-games", "60", env=env)
    assert failed.code in (1, 3)
    assert "  bots/mine@v2 " in failed.err.replace("no verdict on ", " ")
    assert arena(folder, "verify", run).code == 0


def test_the_same_bot_is_never_green(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(RANDOM, copy)
    for first, second, mode in (
        (copy, RANDOM, "gain"), (copy, RANDOM, "no-regression"), (GREEDY, f"{GREEDY}/", "gain"),
    ):  # fmt: skip
        code, found = report(tmp_path, first, second, "-g", "dragonheart", "--mode", mode)
        assert (code, found["verdict"]) == (4, "invalid")
        assert "same files" in found["reason"]
    assert found["reason"].startswith(f"{GREEDY} and {GREEDY}/ are the same files")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "game", some(["dragonkrak:4", "dragonkrak:3", "dragonkrak:1", "dragonrealm"], every=2)
)
def test_every_table_size(tmp_path: Path, game: str) -> None:
    code, found = report(tmp_path, GREEDY, RANDOM, "-g", game)
    assert (code, found["verdict"]) == (0, "pass")
    for word in ("verify", "standings"):
        assert arena(tmp_path, word, run_of(tmp_path)).code == 0


def test_alone_and_several_games_in_one_verdict(tmp_path: Path) -> None:
    args = (GREEDY, RANDOM, "-g", "dragonkrak:3", "-g", "dragonheart", "--lineup", "alone")
    code, found = report(tmp_path, *args)
    assert code == 0
    three, two = found["games"]
    assert (three["lineup"], three["block_games"]) == ("1 v 2", 3)
    assert (two["lineup"], two["block_games"]) == ("1 v 1", 2)
    assert three["blocks"] >= 20
    assert two["blocks"] >= 20


def test_bots_that_play_alike_are_never_green(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(GREEDY, copy)
    (copy / "NOTES").write_text("only this differs\n")
    args = (copy, GREEDY, "-g", "dragonheart", "--mode", "no-regression")
    code, found = report(tmp_path, *args)
    assert (code, found["verdict"]) == (4, "invalid")
    assert "play alike" in found["reason"]
    code, found = report(tmp_path, *args, "--allow-identical")
    assert (code, found["verdict"]) == (0, "pass")


@pytest.mark.parametrize("side", [0, 1])
def test_a_crashing_bot_is_never_green(tmp_path: Path, side: int) -> None:
    crashing = bot(tmp_path, "crashing", CRASHING)
    pair = (crashing, GREEDY) if side == 0 else (GREEDY, crashing)
    code, found = report(tmp_path, *pair, "-g", "dragonheart")
    assert (code, found["verdict"]) == (4, "invalid")
    assert "crashing" in found["reason"]
    assert arena(tmp_path, "verify", run_of(tmp_path)).code == 0


def test_a_bot_that_cannot_start_is_never_green(tmp_path: Path) -> None:
    silent = bot(tmp_path, "silent", "raise SystemExit(3)")
    for pair in ((silent, GREEDY), (GREEDY, silent)):
        code, found = report(tmp_path, *pair, "-g", "dragonheart")
        assert (code, found["verdict"]) == (4, "invalid")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("nowhere", RANDOM, "-g", "dragonheart"), "nowhere"),
        ((GREEDY, RANDOM, "-g", "dragonhart"), 'did you mean "dragonheart"'),
        ((GREEDY, RANDOM, "-g", "dragonheart:7"), "found 7, expected"),
        ((GREEDY, RANDOM, "-g", "dragonheart:x"), "expected GAME or GAME:SEATS"),
        ((GREEDY, RANDOM), "found no game"),
        ((*PAIR, "--elo0", "9", "--elo1", "3"), "elo0 below elo1"),
        ((*PAIR, "--elo1", "9999"), "at most"),
        ((*PAIR, "--elo1", "nan"), "elo1"),
        ((*PAIR, "--max-games", "1"), "at least 2"),
        ((*PAIR, "--max-time", "soon"), "--max-time"),
        ((*PAIR, "--max-faults", "7"), "--max-faults"),
        ((*PAIR, "--by", "luck"), "--by"),
        ((*PAIR, "--lineup", "odd"), "--lineup"),
        ((*PAIR, "--file", "no.yaml"), "no.yaml"),
        ((*PAIR, "--set", "clock.mov=1"), "clock"),
        ((f"{GREEDY}@nonsense", RANDOM, "-g", "dragonheart"), "nonsense"),
        ((GREEDY, "@", "-g", "dragonheart"), "@"),
        ((*PAIR, "--set", "game=dragonkrak"), "found"),
        ((*PAIR, "--set", "schedule.deals=3"), "a match has its own"),
        ((*PAIR, "--set", "seed=3"), "--seed"),
    ],
)  # fmt: skip
def test_bad_input_is_told_and_ends_with_2(tmp_path, args, expected) -> None:
    done = compare(tmp_path, *args)
    assert (done.code, done.out) == (2, "")
    assert expected in done.err
    assert "Traceback" not in done.err


def test_games_of_a_command_may_be_those_of_an_older_version(tmp_path: Path) -> None:
    """Only the files that it names are known; what they import is not."""
    home = bot(tmp_path, "anna")
    program = f"python3 {home / 'main.py'}"
    args = (RANDOM, "-g", "dragonheart", "--max-games", "2", "-q")
    assert compare(tmp_path, program, *args, "-o", "run").err == ""
    assert "main is a command" in compare(tmp_path, program, *args, "-o", "run").err
    assert compare(tmp_path, home, *args).err == compare(tmp_path, home, *args).err == ""


def test_games_of_nobody_knows_which_match_do_not_count(undecided, tmp_path) -> None:
    """With another seed they would be under its commitment, and their own seed lost."""
    run = undecided
    (run / "run.json").unlink()
    seed = (run / "seed.json").read_bytes()
    done = compare(tmp_path, *PAIR, "--max-games", "20", "-q")
    assert (done.code, "holds games.jsonl but no run.json" in done.err) == (2, True)
    assert (run / "seed.json").read_bytes() == seed


def test_a_larger_budget_goes_on(tmp_path: Path) -> None:
    weak = bot(tmp_path, "weak")
    args = (weak, RANDOM, "-g", "dragonheart", "--elo1", "5", "--seed", "7")
    code, some = report(tmp_path, *args, "--max-games", "20")
    assert (code, some["verdict"], some["games_counted"]) == (3, "inconclusive", 20)
    code, more = report(tmp_path, *args, "--max-games", "60")
    assert (code, more["verdict"], more["games_counted"]) == (3, "inconclusive", 60)
    code, less = report(tmp_path, *args, "--max-games", "20")
    assert (less["llr"], less["games_stored"]) == (some["llr"], more["games_stored"])


def test_time_is_a_limit_too(tmp_path: Path) -> None:
    weak = bot(tmp_path, "weak")
    args = (weak, RANDOM, "-g", "dragonheart", "--elo1", "1", "--max-games", "100000")
    code, found = report(tmp_path, *args, "--max-time", "2 s")
    assert (code, found["verdict"]) == (3, "inconclusive")
    assert "time" in found["reason"]


def test_workers_and_kills_change_nothing(tmp_path: Path) -> None:
    """The report is a function of the games alone."""
    for name in ("straight", "one", "killed"):
        (tmp_path / name).mkdir()
        bot(tmp_path / name, "weak")
    args = ("weak", GREEDY, "-g", "dragonkrak:3", "--seed", "5", "--elo0", "-90", "--elo1", "-60")
    check_workers_and_kills(tmp_path, *args)


def test_interrupted_is_130_and_goes_on(tmp_path: Path) -> None:
    bot(tmp_path, "weak")
    args = ("weak", RANDOM, "-g", "dragonheart", "--elo1", "1", "--max-games", "100000")
    with started(tmp_path, "compare", *args) as process:
        wait_for_games(tmp_path)
        done = ended(process, signal.SIGINT)
    assert (done.code, done.out) == (130, "")
    assert "the same command" in done.err
    assert compare(tmp_path, *args[:-1], "20").code == 3


def test_on_the_terms_of_a_tournament_file(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(
        f"arena: 1\ngames: [dragonheart, {{rules: dragonkrak, seats: 4}}]\n"
        f"entrants:\n  - bot: {GREEDY}\n  - {{bot: {RANDOM}, name: chance}}\n"
        f"  - {{bot: {RANDOM}, name: other}}\n  - {{bot: {RANDOM}, name: fourth}}\n"
        "clock: {move: 3 s}\nratings: {anchor: chance}\n"
    )
    code, found = report(tmp_path, "greedy", "chance", "--file", "cup.yaml")
    assert code == 0
    assert [game["discipline"] for game in found["games"]] == ["dragonheart-2", "dragonkrak-4"]
    weak = bot(tmp_path, "weak")
    code, found = report(tmp_path, "greedy", weak, "--file", "cup.yaml", "-g", "dragonheart")
    assert (code, found["baseline"]["name"]) == (0, "weak")
    [run] = (path for path in (tmp_path / "runs").iterdir() if "weak" in path.name)
    assert json.loads((run / "run.json").read_text())["identity"]["clock"]["move"] == 3.0
    done = compare(tmp_path, "gredy", "chance", "--file", "cup.yaml")
    assert (done.code, done.err.count("gredy")) == (2, 2)
    assert 'did you mean "greedy"' in done.err
    twice = ("-g", "dragonheart", "-g", "dragonheart-2")  # two of a name make no run
    done = compare(tmp_path, "greedy", "chance", "--file", "cup.yaml", *twice)
    assert (done.code, "a second time" in done.err) == (2, True)


def test_a_command_is_played_anew(tmp_path: Path) -> None:
    """What it imports may have changed without being seen to."""
    main = bot(tmp_path, "weak") / "main.py"
    args = (f"python3 {main}", RANDOM, "-g", "dragonheart", "--max-games", "4", "-q")
    assert [compare(tmp_path, *args).code for _ in range(2)] == [3, 3]
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_game_that_cannot_be_played_ends_the_match(tmp_path: Path) -> None:
    deadly = "import os, signal\n" + BOT.replace(
        ACT, f"{ACT}\n        os.kill(os.getppid(), signal.SIGKILL)"
    )
    home = bot(tmp_path, "deadly", deadly)
    code, found = report(tmp_path, home, RANDOM, "-g", "dragonheart", "-j", "1")
    assert (code, found["verdict"]) == (4, "invalid")


@pytest.fixture(scope="module")
def without_verdict(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a match came to no verdict."""
    folder = tmp_path_factory.mktemp("undecided")
    assert compare(folder, *PAIR, "--max-games", "20", "-q").code == 3
    return folder


@pytest.fixture
def undecided(without_verdict: Path, tmp_path: Path) -> Path:
    """Its run, to be changed."""
    shutil.copytree(without_verdict, tmp_path, dirs_exist_ok=True)
    return run_of(tmp_path)


def test_what_a_run_says_of_itself_is_checked_in_its_report(undecided, tmp_path) -> None:
    run = undecided
    text = (run / "match.json").read_text()
    for path, value in (
        (("candidate", "name"), "strong"),
        (("baseline", "name"), "strong"),
        (("candidate", "digest"), "0" * 64),
        (("commitment",), "0" * 64),
        (("games_stored",), 1),
        (("games_stored",), 1000),
        (("test", "mode"), "no-regression"),
        (("test", "mode"), "other"),
        (("verdict",), "pass"),
    ):
        stored = json.loads(text)
        inner = stored
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        (run / "match.json").write_text(json.dumps(stored))
        done = arena(tmp_path, "verify", run)
        assert done.code == 1, path
        assert done.out.startswith("match.json: ")
    (run / "match.json").unlink()
    (run / "match.json").symlink_to("nowhere")
    assert arena(tmp_path, "verify", run).out.startswith("match.json: ")


def test_a_verdict_without_a_decision_is_found_out(tmp_path: Path) -> None:
    """Stopped by the time, so that no decision of the games contradicts it."""
    compare(tmp_path, *PAIR, "-q", "--max-time", "1 ms")
    run = run_of(tmp_path)
    assert arena(tmp_path, "verify", run).code == 0
    stored = json.loads((run / "match.json").read_text())
    (run / "match.json").write_text(json.dumps(stored | {"verdict": "pass"}))
    done = arena(tmp_path, "verify", run)
    assert done.code == 1
    assert "verdict is pass, the stored games give inconclusive" in done.out


def test_a_changed_report_is_found_out_whatever_the_run_says_it_is(undecided, tmp_path) -> None:
    run = undecided
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(manifest | {"source": None}))
    path = run / "match.json"
    path.write_text(path.read_text().replace('"inconclusive"', '"pass"'))
    assert arena(tmp_path, "verify", run).code == 1


def test_second_attempts_count_like_first_ones(passed: Path, tmp_path: Path) -> None:
    """Else killed workers would change a verdict although all games were played again."""
    lines = [json.loads(line) for line in (passed / "games.jsonl").read_text().splitlines()]
    specs = [line["result"]["spec"] for line in lines]
    void = {"cause": "worker", "reason": "died"}
    for number in (1, len(specs)):
        voids = [
            void | {"game": spec["game_id"], "entrants": spec["entrants"]}
            for spec in specs[:number]
        ]
        text = "".join(json.dumps(void) + "\n" for void in voids)
        (passed / "voids.jsonl").write_text(text)
        done = compare(tmp_path, *PAIR, "-q")
        assert (done.code, "PASS" in done.out) == (0, True), done.out + done.err
        assert arena(tmp_path, "verify", passed).code == 0


def test_a_match_is_not_run_on_as_a_tournament(passed: Path, tmp_path: Path) -> None:
    done = arena(tmp_path, "run", passed)
    assert (done.code, "arena compare" in done.err) == (2, True)


def test_a_damaged_match_is_repaired_by_the_same_command(passed: Path, tmp_path: Path) -> None:
    before = json.loads((passed / "match.json").read_text())
    flip(passed, 3)
    assert arena(tmp_path, "verify", passed).code == 1
    done = compare(tmp_path, *PAIR, "-q")
    assert (done.code, "games.jsonl:3: record" in done.err) == (0, True)
    assert arena(tmp_path, "verify", passed).code == 0
    after = json.loads((passed / "match.json").read_text())
    varies = {"seconds", "games_stored"}
    assert {k: v for k, v in after.items() if k not in varies} == {
        k: v for k, v in before.items() if k not in varies
    }
