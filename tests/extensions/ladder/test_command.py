"""``arena ladder`` with real bots: from nothing to a table, killed, stopped, waiting."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import BOT, arena, bot, command, environment, wait_for_lines, wait_until
from tests.rows import some

pytestmark = [pytest.mark.slow, pytest.mark.process]

FILE = """\
arena: 1
game: dragonheart
seed: 1
schedule: {deals: 1}
isolation: limits
anchors:
  - {bot: anchors/rock, elo: 1000}
  - bot: anchors/sand
"""
LATE = BOT.replace("import json", "import time; time.sleep(0.01)\nimport json")
PRINTS = BOT.replace("for line in", "print('hello')\nfor line in")
PATIENCE = 60.0


def ladder(folder: Path, more: str = "budget: {games: 8}\n") -> Path:
    """Two anchors, and bots of two authors who are done since a while."""
    home = folder / "ladder"
    for name in ("anchors", "submissions/anna", "submissions/bert"):
        (home / name).mkdir(parents=True)
    for number, name in enumerate(("rock", "sand")):
        bot(home / "anchors", name, f"# {number}\n{BOT}")
    (home / "ladder.yaml").write_text(FILE + more)
    submit(folder, "anna", "x", BOT)
    submit(folder, "bert", "y", LATE)
    return home


def submit(folder: Path, author: str, name: str, source: str) -> None:
    """By a rename; what is in it was written long enough ago once ``--once`` has waited."""
    bot(folder, name, source)
    (folder / name).rename(folder / "ladder" / "submissions" / author / name)


def rows(home: Path) -> dict[str, Any]:
    found = json.loads((home / "table.json").read_text())
    return {each["name"]: each for each in found["data"]["bots"]}


def test_from_nothing_to_a_table_that_is_proved(tmp_path: Path) -> None:
    home = ladder(tmp_path)
    submit(tmp_path, "bert", "chatty", PRINTS)
    done = arena(tmp_path, "ladder", "ladder", "--once", "-j", "2", "--site", "public")
    assert done.code == 0, done.err
    assert "anna.x: admitted" in done.err
    assert "anna.x" in (tmp_path / "public" / "index.html").read_text()
    assert "bert.chatty: refused: print-on-stdout: " in done.err
    answer = (home / "answers" / "bert" / "chatty.txt").read_text()
    assert "print-on-stdout" in answer
    assert str(tmp_path) not in answer
    assert set(rows(home)) == {"rock", "sand", "anna.x", "bert.y"}
    assert sum(each["games"] for each in rows(home).values()) >= 16
    assert "anna.x" in done.out
    for words in (["verify", "ladder"], ["standings", "ladder"], ["report", "ladder"]):
        asked = arena(tmp_path, *words)
        assert asked.code == 0, asked.err
    shown = arena(tmp_path, "ladder", "ladder", "--status", "--json")
    assert json.loads(shown.out) == json.loads((home / "table.json").read_text())
    again = arena(tmp_path, "ladder", "ladder", "--once", "-q")
    assert (again.code, again.err) == (0, "")
    shutil.rmtree(home / "submissions" / "anna" / "x")
    (home / "day.json").unlink()  # as if it was tomorrow
    done = arena(tmp_path, "ladder", "ladder", "--once", "--rounds", "1")
    assert done.code == 0, done.err
    assert "anna.x plays no more" in done.err
    assert "anna.x" not in rows(home)


@pytest.mark.parametrize(
    "flags", [("--once",), ("--rounds", "1"), ("--retry",), ("--site", "s"), ("--publish", "p")]
)
def test_status_is_refused_beside_what_it_would_ignore(tmp_path, flags) -> None:
    (tmp_path / "ladder").mkdir()
    done = arena(tmp_path, "ladder", "ladder", "--status", *flags)
    expected = f"error: --status: found {flags[0]} beside it, expected only one of them\n"
    assert (done.code, done.err) == (2, expected)


def started(home: Path, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("ladder", str(home), "-q", *args), env=environment(), start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize("number", some([signal.SIGKILL, signal.SIGTERM], every=2))
def test_killed_or_stopped_it_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    home = ladder(tmp_path, "")
    games = home / "run" / "games.jsonl"
    for _ in range(3):
        before = games.read_bytes().count(b"\n") if games.exists() else 0
        process = started(home)
        wait_for_lines(games, before + 8)
        assert told_too_early(home / "run") == []
        os.killpg(process.pid, number) if number is signal.SIGKILL else process.send_signal(number)
        assert process.wait(PATIENCE) == (130 if number is signal.SIGTERM else -signal.SIGKILL)
    done = arena(tmp_path, "ladder", "ladder", "--once", "--rounds", "2")
    assert done.code == 0, done.err
    ids = [json.loads(line)["result"]["spec"]["game_id"] for line in games.read_text().splitlines()]
    assert len(ids) == len(set(ids)) >= 20
    proved = arena(tmp_path, "verify", "ladder")
    assert proved.code == 0, proved.out + proved.err
    commitment = json.loads((home / "run" / "run.json").read_text())["commitment"]
    done = arena(tmp_path, "export", "ladder", "--proof", "-o", "proof")
    assert done.code == 0, done.err
    shutil.rmtree(home)
    proved = arena(tmp_path, "verify", "proof", "--commitment", commitment)
    assert proved.code == 0, proved.out + proved.err
    assert "its seed is a secret: of the deals after round" in proved.err
    lines = (tmp_path / "proof" / "games.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "proof" / "games.jsonl").write_bytes(b"".join(lines[:-1]))
    proved = arena(tmp_path, "verify", "proof", "--commitment", commitment)
    assert (proved.code, "games are missing: 1" in proved.out) == (1, True)


def told_too_early(run: Path) -> list[str]:
    """The rounds whose seeds the lines tell though games of theirs are not on disk, as it plays."""
    lines = (run / "entries.jsonl").read_bytes().splitlines(keepends=True)
    rounds = [json.loads(line) for line in lines if line.endswith(b"\n")]
    games = (run / "games.jsonl").read_bytes().splitlines(keepends=True)
    played = [json.loads(line)["result"]["spec"]["game_id"] for line in games]
    follows = {each["follows"]["over"]: each for each in rounds if "follows" in each}
    return [
        f"round{number}"
        for number, each in follows.items()
        if "opens" in each["follows"]
        and sum(f"/round{number}/" in game for game in played)
        < 2 * len(follows[number - 1]["pairings"]["dragonheart-2"])
    ]


def test_it_waits_for_bots_and_is_kept_by_one(tmp_path: Path) -> None:
    home = ladder(tmp_path, "")
    path = home / "ladder.yaml"
    path.write_text(path.read_text().replace("  - bot: anchors/sand\n", ""))
    for author in ("anna", "bert"):
        shutil.rmtree(home / "submissions" / author)
    process = started(home)
    try:
        wait_until((home / "bots").exists)
        wait_until(lambda: arena(tmp_path, "ladder", "ladder", "--once").code == 2)
        assert "another arena keeps" in arena(tmp_path, "ladder", "ladder", "--once").err
        assert process.poll() is None
        (home / "submissions" / "anna").mkdir()
        submit(tmp_path, "anna", "x", BOT)
        wait_for_lines(home / "run" / "games.jsonl", 2)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nowhere"], "LADDER: found no folder nowhere, expected one with a ladder.yaml"),
        (["empty"], "empty/ladder.yaml: no such file"),
        (["ladder", "--set", "keeps=3 d"], 'unknown key "keeps"'),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(tmp_path: Path, args: list[str], said: str) -> None:
    ladder(tmp_path)
    (tmp_path / "empty").mkdir()
    done = arena(tmp_path, "ladder", *args)
    assert (done.code, said in done.err, "Traceback" in done.err) == (2, True, False), done.err


@pytest.mark.soak
def test_a_build_in_which_it_is_killed_again_and_again_holds_up_nobody(tmp_path: Path) -> None:
    home = ladder(tmp_path)
    build = '[[touch, "begun"], [sleep, "600"]]'
    bot(tmp_path, "hangs", BOT, build=build)
    (tmp_path / "hangs").rename(home / "submissions" / "anna" / "hangs")
    checks = home / "checks.json"
    for times in (1, 2, 3):
        process = started(home)
        wait_for_lines(home / "submissions.jsonl", 2)  # the others come first
        wait_until(
            lambda times=times: checks.exists() and ended(checks) == [times], seconds=PATIENCE
        )
        assert process.poll() is None
        odd(home / "submissions", times)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
    done = arena(tmp_path, "ladder", "ladder", "--once", "-j", "2")
    assert done.code == 0, done.err
    assert "anna.hangs: quarantined: the ladder was ended 3 times while these" in done.err
    assert "warning: anna.hangs is quarantined since 20" in done.err
    assert set(rows(home)) == {"rock", "sand", "anna.x", "bert.y"}
    book = [json.loads(line) for line in (home / "submissions.jsonl").read_text().splitlines()]
    decided = [(each["what"], each["author"], each["bot"]) for each in book]
    assert sorted(decided) == [
        ("admitted", "anna", "x"),
        ("admitted", "bert", "y"),
        ("refused", "odd3", "x"),
    ]
    for name in ("odd1", "odd2", "odd3"):
        assert "\nrefused" in (home / "answers" / name / "x.txt").read_text()
    assert ended(checks) == [3]
    assert not list((home / "bots").glob(".new*"))


def ended(checks: Path) -> list[int]:
    """How often checks were begun and never came to an end."""
    return list(json.loads(checks.read_text())["times"].values())


def odd(submissions: Path, number: int) -> None:
    """Puts there what no bot is, while something else is checked."""
    folder = submissions / f"odd{number}" / "x"
    folder.mkdir(parents=True)
    match number:
        case 1:
            os.mkfifo(folder / "bot.yaml")
        case 2:
            (folder / "bot.yaml").symlink_to("/dev/zero")
            (folder.parent / "author.yaml").symlink_to("/dev/zero")
        case _:
            (folder / "bot.yaml").mkdir()
            os.mkdir(os.fsencode(folder) + b"/\xff\n")
            os.mkfifo(folder.parent / "author.yaml")


FAILING = """
import arena.extensions.ladder.admission as admission
from arena.cli import main
checked = admission.check
def failing(text, *args, **terms):
    if b"time" in open(text + "/main.py", "rb").read():
        raise ZeroDivisionError("a bug")
    return checked(text, *args, **terms)
admission.check = failing
main()
"""


@pytest.mark.soak
def test_a_bug_in_a_check_is_told_and_stops_nothing(tmp_path: Path) -> None:
    home = ladder(tmp_path)
    (tmp_path / "tmp").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", FAILING, "ladder", str(home), "--once", "-q"],
        env=environment(TMPDIR=str(tmp_path / "tmp")), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (report,) = (tmp_path / "tmp").glob("arena-crash-*.txt")
    assert done.stderr.startswith(
        f"error: bert.y is quarantined: this is a bug in arena; what happened is in {report}\n"
        "warning: bert.y is quarantined since 20"
    )
    assert "ZeroDivisionError: a bug" in report.read_text()
    assert "the check itself failed" in (home / "answers" / "bert" / "y.txt").read_text()
    assert set(rows(home)) == {"rock", "sand", "anna.x"}
    done = arena(tmp_path, "ladder", "ladder", "--once", "--rounds", "1")
    assert "bert.y: admitted" in done.err


def test_a_missing_program_quarantines_until_it_is_on_path(tmp_path: Path) -> None:
    home = ladder(tmp_path, "budget: {games: 4}\n")
    bot(tmp_path, "tool", BOT, command="[arena-test-tool, main.py]")
    (tmp_path / "tool").rename(home / "submissions" / "anna" / "tool")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "arena-test-tool").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (programs / "arena-test-tool").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    states = []
    for given in (os.environ["PATH"], path, os.environ["PATH"], path):
        (home / "day.json").unlink(missing_ok=True)  # as if it was tomorrow
        words = ("ladder", "ladder", "--once", "-j", "2")
        done = arena(tmp_path, *words, env=environment(PATH=given), is_warm=True)
        assert done.code == 0, done.err
        warned = "warning: anna.tool is quarantined since 20" in done.err
        states.append((warned, rows(home).get("anna.tool", {}).get("state")))
        shown = arena(tmp_path, "ladder", "ladder", "--status", "--json")
        said = json.loads(shown.out)["warnings"]
        assert [each.partition(" ")[0] for each in said] == ["anna.tool"] * warned
    assert [warned for warned, _ in states] == [True, False, True, False]
    assert states[0][1] is None
    assert states[2][1] == "quarantined"
    book = [json.loads(line) for line in (home / "submissions.jsonl").read_text().splitlines()]
    assert sorted(each["what"] for each in book) == ["admitted"] * 3
    assert arena(tmp_path, "verify", "ladder").code == 0
