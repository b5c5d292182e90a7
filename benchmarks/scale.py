"""How time and memory grow with games and entrants: python -m benchmarks.scale [--quick]

Tournaments of instant bots in C are played once at two sizes each, and every command that begins,
goes on with or looks back at a run is let go on each of them. Shown are seconds of wall time, of
CPU with all children, and the most memory that one process held. What grows faster than its input
stands out in the last columns: CPU for each game, beside that of the smallest run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from tabulate import tabulate

from benchmarks.machine import machine
from benchmarks.startup import arena_command
from benchmarks.workshop import FULL, Workshop

_SEATINGS: Final = 2
_COMMANDS: Final = {
    "dry run": ("run", "--dry-run", "FILE"),
    "resume": ("run", "-q", "RUN"),
    "standings": ("standings", "RUN"),
    "watch --once": ("watch", "--once", "RUN"),
    "report": ("report", "-q", "-o", "PAGE", "RUN"),
    "verify": ("verify", "RUN"),
}
"""Of a run that is complete: to go on with it plays nothing."""


class Size(NamedTuple):
    """Of a round robin at Dragonheart."""

    games: int
    entrants: int

    @property
    def deals(self) -> int:
        """For each pairing; at least one."""
        pairings = self.entrants * (self.entrants - 1) // 2
        return max(1, round(self.games / (pairings * _SEATINGS)))


_SIZES: Final = (Size(10_000, 20), Size(10_000, 200), Size(200_000, 20), Size(200_000, 200))
_QUICK: Final = (Size(400, 5), Size(400, 10), Size(2_000, 5), Size(2_000, 10))


class Spent(NamedTuple):
    """What a command took."""

    wall: float
    cpu: float
    memory: float
    """Megabytes."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the games")
    sizes = _QUICK if parser.parse_args().quick else _SIZES
    rows = []
    with tempfile.TemporaryDirectory(prefix="arena-scale-") as name:
        for size in sizes:
            folder = Path(name, f"{size.games}-{size.entrants}")
            for what, games, spent in _measure(size, folder):
                took = f"{spent.wall:.2f} s, CPU {spent.cpu:.2f} s, {spent.memory:.0f} MB"
                print(f"{games} games, {size.entrants} entrants: {what} {took}", file=sys.stderr)
                rows.append((what, games, size.entrants, spent))
    print(machine())
    print(_table(rows))


def _measure(size: Size, folder: Path) -> Iterator[tuple[str, int, Spent]]:
    folder.mkdir()
    shop = Workshop(FULL, folder)
    entrants = [
        {"command": [shop.program("instant")], "name": f"bot-{number}"}
        for number in range(size.entrants)
    ]
    document = {
        "arena": 1,
        "game": "dragonheart",
        "entrants": entrants,
        "seed": 1,
        "schedule": {"deals": size.deals},
    }
    words = {"FILE": folder / "scale.yaml", "RUN": folder / "run", "PAGE": folder / "page.html"}
    words["FILE"].write_bytes(msgspec.json.encode(document))  # JSON is YAML
    games = _SEATINGS * size.deals * size.entrants * (size.entrants - 1) // 2
    yield "first game", games, _first_game(words["FILE"], folder / "first")
    yield "play", games, _spent(["run", "-q", str(words["FILE"]), "-o", str(words["RUN"])])
    for what, command in _COMMANDS.items():
        yield what, games, _spent([str(words.get(word, word)) for word in command])


def _first_game(file: Path, run: Path) -> Spent:
    """From the command to the first game on disk; CPU and memory are of the whole."""
    began = time.perf_counter()
    process = _started(["run", "-q", str(file), "-o", str(run)])
    games = run / "games.jsonl"
    while not (games.exists() and games.stat().st_size) and process.poll() is None:
        time.sleep(0.005)
    wall = time.perf_counter() - began
    process.terminate()
    return _ended(process, began)._replace(wall=wall)


def _spent(arguments: Sequence[str]) -> Spent:
    began = time.perf_counter()
    process = _started(arguments)
    spent = _ended(process, began)
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {process.returncode}")
    return spent


def _started(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*arena_command(), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _ended(process: subprocess.Popen[bytes], began: float) -> Spent:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return Spent(time.perf_counter() - began, cpu, usage.ru_maxrss / 1024)


def _table(rows: Sequence[tuple[str, int, int, Spent]]) -> str:
    base: dict[str, float] = {}
    lines = []
    for what, games, entrants, spent in sorted(rows, key=lambda row: (row[0], row[1:3])):
        each = spent.cpu / games
        base.setdefault(what, each)
        lines.append(
            (
                what,
                f"{games:,}",
                entrants,
                f"{spent.wall:.2f}",
                f"{spent.cpu:.2f}",
                f"{spent.memory:.0f}",
                f"{1000 * each:.3f}",
                f"{each / base[what]:.2f}",
            )
        )
    headers = ("command", "games", "entrants", "wall s", "CPU s", "MB", "CPU ms a game", "ratio")
    return tabulate(lines, headers=headers, disable_numparse=True, stralign="right")


if __name__ == "__main__":
    main()
