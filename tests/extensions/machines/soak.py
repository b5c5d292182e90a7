"""Kills whatever plays a tournament on a Dask cluster, and compares with a quiet run.

    python -m tests.extensions.machines.soak [--kills 50] [--deals N] [--seed 1]
        [--games RULES:SEATS ...] [--workers 4]

One worker of this machine plays the tournament alone; then a real cluster of it, of which at random
moments the parent, the scheduler, a worker of Dask's with all its own, a host or a worker of arena
is killed, until as many kills are done. What was killed comes again: a scheduler at its address,
workers with the folders and caches they had. Records (measured lines aside) and tables (void games
aside) must be identical, no game may be stored twice, and no process may be left. Exit code 1 if
not.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.extensions.machines.cluster import Cluster
from tests.soak.kill_resume import (
    EVERY,
    FRAIL_BOT,
    GAMES,
    MARK,
    SLOW_BOT,
    fingerprint,
    has_games,
    is_verified,
    kill,
    stored_twice,
    survivors,
)

SORTS = ("parent", "scheduler", "worker of dask", "host", "worker")


class Soak:
    """One tournament, and a cluster that is killed while it plays it."""

    def __init__(self, cluster: Cluster, tournament: Path, run: Path, rng: random.Random) -> None:
        self._cluster = cluster
        self._tournament = tournament
        self._run = run
        self._rng = rng
        self._parent: subprocess.Popen[bytes] | None = None
        self.kills: Counter[str] = Counter()

    def play(self, kills: int, workers: int) -> None:
        """Kill until as many kills are done, then let it end."""
        for _ in range(workers):
            self._cluster.start_worker()
        while self.kills.total() < kills:
            self._go_on()
            time.sleep(self._rng.uniform(0.2, 4.0))
            self._kill(self._rng.choice(SORTS))
            self._mend(workers)
            if self.kills.total() % EVERY == 0:
                print(f"{self.kills.total():>5} kills", flush=True)
        self._go_on()
        assert self._parent is not None
        if self._parent.wait(600):
            raise SystemExit(f"arena run ended with {self._parent.returncode}")

    def _go_on(self) -> None:
        """The parent plays."""
        if self._parent is None or self._parent.poll() is not None:
            if self._parent is not None and self._parent.returncode not in (0, -signal.SIGKILL):
                raise SystemExit(f"arena run ended by itself with {self._parent.returncode}")
            self._parent = start(self._tournament, self._run, "--on", self._cluster.address)

    def _kill(self, sort: str) -> None:
        cluster = self._cluster
        match sort:
            case "parent" if self._parent is not None:
                self._parent.kill()
                self._parent.wait()
            case "scheduler":
                cluster.scheduler.kill()
                cluster.scheduler.wait()
            case "worker of dask":
                os.killpg(self._rng.choice(cluster.workers).pid, signal.SIGKILL)
            case "host":
                if not (found := cluster.hosts()):
                    return
                kill(self._rng.choice(found).pid)
            case _:
                if not (found := cluster.players()):
                    return
                kill(self._rng.choice(found).pid)
        self.kills[sort] += 1

    def _mend(self, workers: int) -> None:
        """Whoever runs the cluster starts again what has ended."""
        cluster = self._cluster
        if cluster.scheduler.poll() is not None:
            cluster.start_scheduler()
            time.sleep(1.0)  # workers of Dask's end without their scheduler
        alive = [worker for worker in cluster.workers if worker.poll() is None]
        for _ in range(workers - len(alive)):
            cluster.start_worker()
        cluster.workers = [worker for worker in cluster.workers if worker.poll() is None]


def start(tournament: Path, run: Path, *more: str) -> subprocess.Popen[bytes]:
    """A run in a process group of its own."""
    command = [sys.executable, "-m", "arena", "run", str(tournament), "-q", "--output", str(run)]
    return subprocess.Popen([*command, *more], stdout=subprocess.DEVNULL, start_new_session=True)


def write_tournament(folder: Path, games: list[str], deals: int) -> Path:
    """Of four bots, one of them weak of health, in folders that can travel."""
    programs = {"anna": SLOW_BOT, "berta": SLOW_BOT, "clara": SLOW_BOT, "dora": FRAIL_BOT}
    for name, program in programs.items():
        bot = folder / "bots" / name
        bot.mkdir(parents=True)
        (bot / "bot.py").write_text(program)
        (bot / "bot.yaml").write_text(f"bot: 1\nname: {name}\ncommand: [python3, bot.py]\n")
    entrants = "".join(
        f"  - {{bot: bots/{name}, env: {{{MARK}: {folder.name}}}}}\n" for name in programs
    )
    pairs = [game.split(":") for game in games]
    played = "".join(f"  - {{rules: {rules}, seats: {seats}}}\n" for rules, seats in pairs)
    path = folder / "soak.yaml"
    path.write_text(
        f"arena: 1\ngames:\n{played}seed: soak\nschedule: {{deals: {deals}}}\n"
        f"clock: {{move: 30 s, startup: 60 s}}\nentrants:\n{entrants}"
    )
    return path


def main() -> int:
    """Run the comparison; 0 if nothing was lost and nothing is left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--deals", type=int, help="default: 20 and twice the kills")
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="RULES:SEATS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=4)
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # a bot may be another user
        deals = options.deals or 20 + 2 * options.kills
        tournament = write_tournament(folder, options.games, deals)
        quiet = folder / "quiet"
        if start(tournament, quiet, "-j", "1").wait():
            raise SystemExit("the quiet run did not end well")
        run = folder / "killed"
        with Cluster(folder / "cluster") as cluster:
            soak = Soak(cluster, tournament, run, random.Random(options.seed))
            soak.play(options.kills, options.workers)
            left = _left(cluster)
        expected = fingerprint(quiet)
        is_same = fingerprint(run) == expected and is_verified(run) and has_games(run)
        twice, others = stored_twice(run), survivors(folder.name)
    sorts = ", ".join(f"{sort} {count}" for sort, count in sorted(soak.kills.items()))
    kills = soak.kills.total()
    print(f"{len(expected[0])} games, {kills} kills ({sorts}) in {time.monotonic() - began:.0f} s")
    print(f"different: {'none' if is_same else 'the killed run'}, stored twice: {twice or 'none'}")
    print(f"processes left: {left or 'none'}, of bots: {others}")
    return 1 if not is_same or twice or left or others or kills < options.kills else 0


def _left(cluster: Cluster) -> list[int]:
    """What still plays when the run is over, after a while in which it may end."""
    give_up = time.monotonic() + 30.0
    while found := [*cluster.hosts(), *cluster.players(), *cluster.bots()]:
        if time.monotonic() > give_up:
            break
        time.sleep(0.2)
    return [each.pid for each in found]


if __name__ == "__main__":
    sys.exit(main())
