"""Kills a tournament with SIGKILL again and again, resumes it, and compares with a quiet run.

    python -m tests.soak.kill_resume [--kills 20] [--deals 40] [--seed 1] [--games RULES:SEATS ...]

Three runs of one tournament, in which one bot crashes now and then: one worker, two workers, and
two workers killed at random moments (the parent, or one of its workers, drawn by chance) until as
many kills are done. Their records (measured lines aside) and tables must be identical, and no
process of theirs may be left. Exit code 1 if not.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from arena.records.read import unpack
from arena.tournament.store import read_record, stored_games
from tests.cli.shell import BOT

# slowed down, so that there is something left to kill
SLOW_BOT = BOT.replace("action = rng", "__import__('time').sleep(0.0005); action = rng")
# decided by the seed of the game alone, so every run has the same crashes
FRAIL_BOT = SLOW_BOT.replace("action = rng", "rng.random() < 0.002 and sys.exit(3); action = rng")
GAMES = ["dragonheart:2", "dragonkrak:4", "dragonkrak:1"]
MARK = "ARENA_SOAK_MARK"


def main() -> int:
    """Run the comparison; 0 if nothing was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="RULES:SEATS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tournament = write_tournament(folder, options.games, options.deals)
        for workers in (1, 2):
            wait(start(tournament, folder / f"j{workers}", workers))
        kills = killed_run(tournament, folder / "killed", options.kills, rng)
        expected = fingerprint(folder / "j1")
        different = [run for run in ("j2", "killed") if fingerprint(folder / run) != expected]
        left = survivors(folder)
        games = len(expected[0])
    print(f"{games} games, {kills} kills, different: {different or 'none'}, left over: {left}")
    return 1 if different or left or kills < options.kills else 0


def write_tournament(folder: Path, games: list[str], deals: int) -> Path:
    """A tournament of four bots, one of them weak of health, marked by their environment."""
    (folder / "bot.py").write_text(SLOW_BOT)
    (folder / "frail.py").write_text(FRAIL_BOT)
    programs = {"anna": "bot.py", "berta": "bot.py", "clara": "bot.py", "dora": "frail.py"}
    entrants = "".join(
        f"  - {{name: {name}, command: [python3, {file}], env: {{{MARK}: {folder.name}}}}}\n"
        for name, file in programs.items()
    )
    pairs = [game.split(":") for game in games]
    played = "".join(f"  - {{rules: {rules}, seats: {seats}}}\n" for rules, seats in pairs)
    path = folder / "soak.yaml"
    path.write_text(
        f"arena: 1\ngames:\n{played}seed: soak\nschedule: {{deals: {deals}}}\n"
        f"clock: {{move: 30 s}}\nentrants:\n{entrants}"
    )
    return path


def start(tournament: Path, run: Path, workers: int) -> subprocess.Popen[bytes]:
    """A run of the tournament in its own process."""
    command = [sys.executable, "-m", "arena", "run", str(tournament), "-q", "-j", str(workers)]
    command += ["--output", str(run)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"CI": "1"})


def wait(process: subprocess.Popen[bytes]) -> None:
    """Raises if the run did not end well."""
    if process.wait() != 0:
        raise SystemExit(f"arena run ended with {process.returncode}")


def killed_run(tournament: Path, run: Path, kills: int, rng: random.Random) -> int:
    """Kill and resume until as many kills are done, then let it end; how many there were."""
    done = 0
    while done < kills:
        process = start(tournament, run, 2)
        time.sleep(rng.uniform(0.1, 1.5))
        victims = [process.pid, process.pid, *worker_pids(process.pid)]
        if process.poll() is not None:
            break
        victim = rng.choice(victims)
        os.kill(victim, signal.SIGKILL)
        done += 1
        if victim == process.pid:
            process.wait()
        else:
            time.sleep(rng.uniform(0.0, 0.5))
            process.kill()
            process.wait()
            done += 1
    wait(start(tournament, run, 2))
    return done


def worker_pids(parent: int) -> list[int]:
    """The descendants of a run that are not bots."""
    try:
        family = psutil.Process(parent).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [process.pid for process in family if not is_marked(process)]


def is_marked(process: psutil.Process) -> bool:
    """Whether the process is a bot of a soak."""
    try:
        return MARK in process.environ()
    except psutil.Error:
        return False


def survivors(folder: Path, patience: float = 5.0) -> int:
    """Bots still alive after a while."""
    give_up = time.monotonic() + patience
    while True:
        alive = [p for p in psutil.process_iter() if is_marked(p)]
        if not alive or time.monotonic() > give_up:
            return len(alive)
        time.sleep(0.1)


def fingerprint(run: Path) -> tuple[dict[str, bytes], list[bytes]]:
    """By game id the record without what was measured, and all tables."""
    games = {
        stored.result.spec.game_id: b"".join(
            unpack(read_record(run, stored.record)).splitlines(keepends=True)[:-2]
        )
        for stored in stored_games(run)
    }
    return games, [path.read_bytes() for path in sorted(run.glob("standings.*"))]


if __name__ == "__main__":
    if shutil.which("python3") is None:
        raise SystemExit("python3 was not found on PATH")
    sys.exit(main())
