"""Kills a tournament with SIGKILL again and again, resumes it, and compares with a quiet run.

    python -m tests.soak.kill_resume [--kills 20] [--deals 30] [--seed 1] [--games RULES:SEATS ...]
        [--isolation LEVEL]

Three runs of one tournament, in which one bot crashes now and then: one worker, two workers, and
two workers killed at random moments until as many kills are done. What is killed is drawn by
chance: the parent, a worker, the parent and all workers one by one, or all that is in their
process group at once. Bots are left alone: a killed bot is a crash, which counts. Records
(measured lines aside) and tables (void games aside) must be identical, no game may be stored
twice, and neither a process nor a folder of theirs may be left. Exit code 1 if not.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

import psutil

from arena.referee.records.read import unpack
from arena.runs.reader import StoredRun
from arena.runs.store import all_lines, read_record
from arena.runs.voids import VOIDS
from arena.views.standings.standings import FORMS, render, table_of
from tests.cli.shell import BOT

# slowed down, so that there is something left to kill
SLOW_BOT = BOT.replace("action = rng", "__import__('time').sleep(0.0005); action = rng")
# decided by the seed of the game alone, so every run has the same crashes
FRAIL_BOT = SLOW_BOT.replace("action = rng", "rng.random() < 0.002 and sys.exit(3); action = rng")
GAMES = ["dragonheart:2", "dragonkrak:4", "dragonkrak:1"]
MARK = "ARENA_SOAK_MARK"
_UNFINISHED: Final = 6.0
EVERY: Final = 10
"""Kills between two lines on progress."""
WORKSPACES: Final = "arena-*"
"""The folders that arena makes below TMPDIR."""


class Soak:
    """One tournament with its runs below one folder."""

    def __init__(self, folder: Path, tournament: Path, rng: random.Random) -> None:
        self._folder = folder
        self._tournament = tournament
        self._rng = rng
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.kills: Counter[str] = Counter()
        self._first = 0.0
        """Seconds until a run had stored a game."""

    def run(self, name: str, workers: int) -> Path:
        """Play a run to its end, or go on with it. Raises SystemExit if it does not end well."""
        began = time.monotonic()
        process = self._start(name, workers)
        while process.poll() is None and not has_games(self._folder / name):
            time.sleep(0.02)
        self._first = max(self._first, time.monotonic() - began)
        if process.wait() != 0:
            raise SystemExit(f"arena run ended with {process.returncode}")
        return self._folder / name

    def killed_run(self, name: str, kills: int) -> Path:
        """Kill and resume until as many kills are done, then let it end."""
        shown = 0
        while self.kills.total() < kills:
            process = self._start(name, 2)
            time.sleep(self._rng.uniform(0.05, self._first + 0.8))
            if process.poll() is not None:
                if process.returncode:
                    raise SystemExit(f"arena run ended by itself with {process.returncode}")
                break
            self._kill(process)
            if self.kills.total() >= shown + EVERY:
                shown = self.kills.total()
                stored = sum(1 for _ in all_lines(self._folder / name))
                print(f"{shown:>5} kills, {stored} games stored", flush=True)
        # what was killed at its very first step leaves an empty folder, which no start within
        # the next seconds can tell from one that is being made
        time.sleep(_UNFINISHED)
        return self.run(name, 2)

    def _start(self, name: str, workers: int) -> subprocess.Popen[bytes]:
        """A run in a process group of its own."""
        command = [sys.executable, "-m", "arena", "run", str(self._tournament), "-q"]
        command += ["-j", str(workers), "--output", str(self._folder / name)]
        environment = os.environ | {"CI": "1", "TMPDIR": str(self.temporary)}
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, env=environment, start_new_session=True
        )

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        """One kill of one of the four sorts; a run that lost a worker is then killed too."""
        workers = worker_pids(process.pid)
        sort = self._rng.choice(("parent", "worker", "one by one", "group"))
        if sort == "worker" and not workers:
            sort = "parent"
        self.kills[sort] += 1
        match sort:
            case "parent":
                process.kill()
            case "worker":
                kill(self._rng.choice(workers))
                time.sleep(self._rng.uniform(0.0, 0.5))
                if process.poll() is None:
                    self.kills["parent"] += 1
                    process.kill()
            case "one by one":
                for pid in self._rng.sample([process.pid, *workers], 1 + len(workers)):
                    kill(pid)
            case _:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def has_games(run: Path) -> bool:
    """Whether a game is stored there."""
    games = run / "games.jsonl"
    return games.exists() and games.stat().st_size > 0


def kill(pid: int) -> None:
    """SIGKILL, unless it is gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def main() -> int:
    """Run the comparison; 0 if nothing was lost and nothing is left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--deals", type=int, help="default: 20 and as many as half the kills")
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="RULES:SEATS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--isolation", metavar="LEVEL", help="default: that of arena")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # a sandboxed bot may be another user
        folder.chmod(0o755)
        deals = options.deals or 20 + options.kills // 2
        tournament = write_tournament(folder, options.games, deals, options.isolation)
        soak = Soak(folder, tournament, random.Random(options.seed))
        expected = fingerprint(soak.run("j1", 1))
        runs = {"j2": soak.run("j2", 2), "killed": soak.killed_run("killed", options.kills)}
        different = [name for name, run in runs.items() if fingerprint(run) != expected]
        different += [name for name, run in runs.items() if not is_verified(run)]
        twice = {name: n for name, run in runs.items() if (n := stored_twice(run))}
        left = survivors(folder.name)
        folders = [path.name for path in soak.temporary.glob(WORKSPACES)]
        games, kills = len(expected[0]), soak.kills.total()
    sorts = ", ".join(f"{sort} {count}" for sort, count in sorted(soak.kills.items()))
    print(f"{games} games, {kills} kills ({sorts}) in {time.monotonic() - began:.0f} s")
    print(f"different: {different or 'none'}, stored twice: {twice or 'none'}")
    print(f"processes left: {left}, folders left: {folders or 'none'}")
    return 1 if different or twice or left or folders or kills < options.kills else 0


def write_tournament(
    folder: Path, games: list[str], deals: int, isolation: str | None = None
) -> Path:
    """A tournament of four bots, one of them weak of health, marked by their environment."""
    (folder / "bots").mkdir()
    (folder / "bots" / "bot.py").write_text(SLOW_BOT)
    (folder / "bots" / "frail.py").write_text(FRAIL_BOT)
    programs = {"anna": "bot.py", "berta": "bot.py", "clara": "bot.py", "dora": "frail.py"}
    entrants = "".join(
        f"  - {{name: {name}, command: [python3, {file}], cwd: bots, "
        f"env: {{{MARK}: {folder.name}}}}}\n"
        for name, file in programs.items()
    )
    pairs = [game.split(":") for game in games]
    played = "".join(f"  - {{rules: {rules}, seats: {seats}}}\n" for rules, seats in pairs)
    level = f"isolation: {isolation}\n" if isolation else ""
    path = folder / "soak.yaml"
    path.write_text(
        f"arena: 1\ngames:\n{played}seed: soak\nschedule: {{deals: {deals}}}\n{level}"
        f"clock: {{move: 30 s, startup: 60 s}}\nentrants:\n{entrants}"
    )
    return path


def worker_pids(parent: int) -> list[int]:
    """The children of a run: its workers, whose children are the bots."""
    try:
        family = psutil.Process(parent).children()
    except psutil.NoSuchProcess:
        return []
    return [process.pid for process in family if not mark_of(process)]


def mark_of(process: psutil.Process) -> str | None:
    """Which soak's bot the process is."""
    try:
        mark: str | None = process.environ().get(MARK)
    except psutil.Error:
        return None
    return mark


def survivors(mark: str, patience: float = 5.0) -> int:
    """Bots of this soak still alive after a while."""
    give_up = time.monotonic() + patience
    while True:
        alive = [p for p in psutil.process_iter() if mark_of(p) == mark]
        if not alive or time.monotonic() > give_up:
            return len(alive)
        time.sleep(0.1)


def is_verified(run: Path) -> bool:
    """Whether ``arena verify`` finds all as it should be, the tables in the folder too."""
    command = [sys.executable, "-m", "arena", "verify", str(run)]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def stored_twice(run: Path) -> int:
    """Games with more than one line in games.jsonl."""
    counts = Counter(stored.result.spec.game_id for _, stored in all_lines(run))
    return sum(count > 1 for count in counts.values())


def fingerprint(run: Path) -> tuple[dict[str, bytes], list[bytes]]:
    """By game id the record without what was measured, and all tables.

    These without the games that a killed worker made void: they tell of them.
    """
    games = {
        stored.result.spec.game_id: b"".join(
            unpack(read_record(run, stored.record)).splitlines(keepends=True)[:-2]
        )
        for _, stored in all_lines(run)
    }
    with tempfile.TemporaryDirectory() as name:
        copy = Path(shutil.copytree(run, Path(name, "run")))
        (copy / VOIDS).unlink(missing_ok=True)
        table = table_of(StoredRun(copy))
    return games, [render(table, form).encode() for form in FORMS]


if __name__ == "__main__":
    if shutil.which("python3") is None:
        raise SystemExit("python3 was not found on PATH")
    sys.exit(main())
