"""arena on a system that has the calls of POSIX alone, see ``tests.posix``."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from tests.hosting.bots import needs_linux
from tests.rows import some

ROOT: Final = Path(__file__).parents[1]
MARK: Final = "ARENA_TESTS_MARK"
VERDICTS: Final = {
    "forking.py": "",
    "life.py hangs": "timeout",
    "life.py ignores_sigterm": "timeout",
    "life.py segfaults": "crash",
    "life.py exits_with_0": "crash",
    "pipes.py closes_all": "timeout",
    "pipes.py leaves_its_pipes_to_a_child": "crash",
    "pipes.py floods_without_a_line_end": "overflow",
}
"""Hostile bots, and the fault of each in every game; empty for none."""

pytestmark = [pytest.mark.slow, pytest.mark.process, needs_linux, pytest.mark.timeout(400)]


@cache
def _why_not() -> str:
    done = subprocess.run(_words("true"), cwd=ROOT, capture_output=True, text=True)
    return done.stderr[-200:] if done.returncode else ""


def _words(*words: str) -> list[str]:
    return [sys.executable, "-m", "tests.posix", *words]


class Elsewhere:
    """Commands in the other system, with files in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "private").mkdir()
        (folder / "tmp").symlink_to("private")  # as /tmp is on macOS
        shutil.copytree(ROOT / "tests" / "bots" / "hostile", folder / "bots")
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        own = {"TMPDIR": str(folder / "tmp"), "XDG_CACHE_HOME": str(folder / "cache")}
        self.env = {**os.environ, **own, "PYTHONPATH": str(ROOT)}

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            _words(sys.executable, "-m", "arena", *words),
            cwd=ROOT,
            env=self.env,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def arena(self, *words: str, code: int = 0) -> str:
        with self.start(*words) as running:
            said, _ = running.communicate(timeout=300)
        assert running.returncode == code, said
        return said

    def cup(self, bots: dict[str, list[str]], **keys: Any) -> Path:
        """A tournament file in which each of ``bots`` meets the last one."""
        *hostile, honest = bots
        env = {MARK: self.mark}
        file = {
            "arena": 1,
            "game": "dragonheart",
            "seed": 1,
            "schedule": {"kind": "pairings", "pairings": [[name, honest] for name in hostile]},
            "clock": {"move": "1 s", "startup": "60 s"},
            "breaker": {"then": "ignore"},
            "execution": {"workers": 2},
            "entrants": [
                {"name": name, "command": words, "cwd": str(self.folder / "bots"), "env": env}
                for name, words in bots.items()
            ],
        }
        file["schedule"] |= keys
        path = self.folder / "cup.yaml"
        path.write_text(json.dumps(file))  # which is YAML
        return path

    def alive(self) -> list[int]:
        """Processes of its bots."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get(MARK) == self.mark:
                    found.append(process.pid)
            except psutil.Error:
                continue
        return found

    def left(self) -> list[int]:
        """Processes of its bots that do not end."""
        give_up = time.monotonic() + 20
        while (found := self.alive()) and time.monotonic() < give_up:
            time.sleep(0.05)
        return found


@pytest.fixture
def elsewhere(tmp_path: Path) -> Elsewhere:
    if why := _why_not():
        pytest.skip(f"needs user namespaces: {why}")
    return Elsewhere(tmp_path)


def bots(*words: str) -> dict[str, list[str]]:
    named = {each.replace(".py", "").replace(" ", "-"): each for each in words}
    return {name: ["python3", *each.split()] for name, each in named.items()}


@pytest.mark.extensions("games")
@pytest.mark.parametrize("level", some(["limits", "none"], every=2))
def test_hostile_bots_lose_by_their_faults_and_leave_nothing(level, elsewhere: Elsewhere) -> None:
    cup = elsewhere.cup(bots(*VERDICTS, "life.py honest"), deals=1)
    run = elsewhere.folder / "run"
    elsewhere.arena("run", str(cup), "-o", str(run), "--isolation", level)
    assert elsewhere.left() == []
    assert os.listdir(elsewhere.folder / "tmp") == []
    for line in map(json.loads, (run / "games.jsonl").read_text().splitlines()):
        result = line["result"]
        [mine] = [n for n, name in enumerate(result["spec"]["entrants"]) if name != "life-honest"]
        [verdict] = [
            verdict
            for words, verdict in VERDICTS.items()
            if [*bots(words)] == [result["spec"]["entrants"][mine]]
        ]
        found = [(fault["seat"], fault["kind"]) for fault in result.get("faults", ())]
        assert found == ([(mine, verdict)] if verdict else []), line
        assert {tuple(spent[2:]) for spent in line["spent"]} == {(0, 0, 0)}, "not measured"


@pytest.mark.extensions("games")
def test_a_killed_run_is_resumed_and_its_bots_are_ended(elsewhere: Elsewhere) -> None:
    """Arena and its workers die at one blow; a bot that does not care lives on until then."""
    cup = elsewhere.cup(bots("life.py stays_after_bye", "life.py slow"), deals=4)
    whole, run = str(elsewhere.folder / "whole"), elsewhere.folder / "run"
    undisturbed = elsewhere.arena("run", str(cup), "-o", whole)
    with elsewhere.start("run", str(cup), "-o", str(run)) as running:
        give_up = time.monotonic() + 100
        while not (run / "games.jsonl").exists() or not (run / "games.jsonl").read_text():
            assert time.monotonic() < give_up
            time.sleep(0.02)
        os.killpg(running.pid, signal.SIGKILL)
    assert elsewhere.alive()
    resumed = elsewhere.arena("run", str(run))
    assert elsewhere.left() == []
    assert table(resumed) == table(undisturbed)
    assert "as it should be" in elsewhere.arena("verify", str(run))


def table(said: str) -> list[str]:
    """The rows of the bots in the printed standings."""
    rows = [line for line in said.splitlines() if line.startswith(("  1  ", "  2  "))]
    assert len(rows) == 2, said
    return rows


@pytest.mark.extensions
def test_other_commands_work_and_a_sandbox_is_refused_in_one_line(elsewhere: Elsewhere) -> None:
    run, page = str(elsewhere.folder / "run"), elsewhere.folder / "report.html"
    play = ["run", "-g", "dragonheart", "-n", "2", "builtin:greedy", "bots/random", "-o"]
    elsewhere.arena(*play, run)
    assert "greedy" in elsewhere.arena("standings", run)
    elsewhere.arena("replay", run, "1")
    elsewhere.arena("report", run, "-o", str(page))
    assert page.stat().st_size > 10_000
    elsewhere.arena("try", "bots/random")
    elsewhere.arena("check", "bots/random", "--quick")
    elsewhere.arena("compare", "builtin:greedy", "builtin:random", "-g", "dragonheart")
    said = elsewhere.arena("doctor")
    assert "limits      yes  tried and closed: root" in said
    for level in ("sandbox", "landlock", "bubblewrap"):
        said = elsewhere.arena(*play, run + level, "--isolation", level, code=2)
        [line] = said.splitlines()
        assert "needs calls of Linux" in line


@pytest.mark.extensions("games")
def test_the_collection_of_hostile_bots_is_judged_there(elsewhere: Elsewhere) -> None:
    """What its rows state is of Linux; the bots and the worker are looked at as there."""
    words = [sys.executable, "-m", "tests.hostile", "--bot", "life.py:segfaults"]
    done = subprocess.run(_words(*words), cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert re.search("^2 games in .* min, 0 with surprises$", done.stdout, re.MULTILINE)


@pytest.mark.soak
@pytest.mark.parametrize("room", ["hosting", "referee", "runs", "tournament", "cli"])
def test_what_does_not_need_linux_passes_there(room: str, elsewhere: Elsewhere) -> None:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{room}"]
    done = subprocess.run(_words(*words), cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:]
