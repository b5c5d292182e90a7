"""What it costs to play on other machines: python -m benchmarks.machines [--quick]

First the parent alone: hosts that answer from memory, with the reports of games that were played
before, in growing numbers. Shown is its CPU for a game (what the pretending takes is left out), how
many games a second that makes at most, and how many bytes a game is on the way. Then the same
tournament with two workers, without a cluster and on one of this machine's, each with one share of
the games and with three, in turn: what the second and third share took is free of all starting.
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from tabulate import tabulate

from arena import __version__
from arena.extensions.machines.fleet import Came, Fleet, News
from arena.extensions.machines.messages import (
    About,
    Give,
    Happened,
    HostReady,
    Leave,
    Setup,
    pack,
    read_by_host,
)
from arena.runs.config.tournament import load_tournament
from arena.runs.live import locked
from arena.runs.store import Store, all_lines, read_record
from arena.schedule.seeds import Seeds
from arena.tournament.executor import NOWHERE, BlockDone, Joined
from arena.tournament.prepare import job_of
from arena.tournament.run import open_run
from arena.tournament.session import Session
from arena.values.results import GameDone, Limits
from benchmarks.machine import machine
from benchmarks.startup import arena_command

_HOSTS: Final = (2, 8, 32)
_PLACES: Final = 8
"""Of each host."""
_ROUNDS: Final = 5
_MOST_AT_ONCE: Final = 64
"""What a host says at once; a way to machines groups it alike."""


class Pretending:
    """A transport to hosts that report games from memory as soon as they are given."""

    def __init__(self, hosts: int, model: GameDone) -> None:
        self._model = model
        self._news: deque[News] = deque()
        self._ready: deque[str] = deque()
        self._owed: dict[str, deque[Give]] = {}
        self.seconds = 0.0
        """Of CPU that the pretending took."""
        self.games = self.bytes_there = self.bytes_back = 0
        for number in range(hosts):
            address = f"host-{number}"
            self._owed[address] = deque()
            self._news.append((address, Came(_PLACES)))
            self._news.append((address, pack(About(__version__, address, number))))

    def wait(self, seconds: float) -> Iterator[News]:
        """See Transport."""
        while self._news:
            yield self._news.popleft()
        for address, owed in self._owed.items():
            began = time.thread_time()
            blocks = range(min(len(owed), _MOST_AT_ONCE))
            said = [data for _ in blocks for data in self._played(owed)]
            self.seconds += time.thread_time() - began
            for data in said:
                yield address, data

    def _played(self, owed: deque[Give]) -> Iterator[bytes]:
        give = owed.popleft()
        for game in give.block.games:
            result = msgspec.structs.replace(self._model.result, spec=game)
            done = msgspec.structs.replace(self._model, result=result)
            data = pack(Happened(give.place, 0, done))
            self.games += 1
            self.bytes_back += len(data)
            yield data
        yield pack(Happened(give.place, 0, BlockDone(give.block.block)))

    def send(self, address: str, message: bytes) -> None:
        """See Transport."""
        began = time.thread_time()
        match read_by_host(message):
            case Give() as give:
                self._owed[address].append(give)
                self.bytes_there += len(message)
            case Setup(places=places):
                self._news.append((address, pack(HostReady({}))))
                for place in range(places):
                    self._news.append((address, pack(Happened(place, 0, Joined()))))
            case Leave():
                self._owed.pop(address)
        self.seconds += time.thread_time() - began

    def end(self, address: str) -> None:
        """See Transport."""
        self._owed.pop(address, None)


def _file(folder: Path, name: str, bots: Path, game: str, deals: int) -> Path:
    path = folder / f"{name}.yaml"
    names = ("random", "greedy") * (2 if "seats: 4" in game else 1)
    entrants = "".join(f"  - {{bot: {bots / bot}, name: bot-{n}}}\n" for n, bot in enumerate(names))
    path.write_text(
        f"arena: 1\ngames: [{{{game}}}]\nseed: machines\nschedule: {{deals: {deals}}}\n"
        f"entrants:\n{entrants}"
    )
    return path


def _model(run: Path) -> GameDone:
    """A game that was played, with the median length of its record."""
    stored = sorted((line for _, line in all_lines(run)), key=lambda line: line.record.length)
    middle = stored[len(stored) // 2]
    seats = len(middle.result.spec.entrants)
    return GameDone(middle.result, read_record(run, middle.record), ("",) * seats)


def _parent(folder: Path, path: Path, model: GameDone, hosts: int) -> tuple[object, ...]:
    """A row of the table."""
    run_folder = folder / f"pretended-{hosts}"
    tournament = load_tournament(path)
    with locked(run_folder):
        run = open_run(tournament, run_folder, None)
        setup = Setup(job_of(tournament, run, NOWHERE), (), Limits(), (), _PLACES, pin=False)
        transport = Pretending(hosts, model)
        seeds = Seeds.of(run.opening.seed)
        with Store(run_folder) as store, Fleet(transport, setup, seeds) as fleet:
            session = Session(run, store)
            began = time.process_time()
            session.play(nullcontext(fleet), math.inf)
            seconds = time.process_time() - began - transport.seconds
    games = transport.games
    shutil.rmtree(run_folder)
    sizes = (round(size / games) for size in (transport.bytes_back, transport.bytes_there))
    each = f"{seconds / games * 1e6:.0f} µs"
    return hosts, hosts * _PLACES, games, each, round(games / seconds), *sizes


def _wall(path: Path, folder: Path, deals: int, *more: str) -> float:
    """Seconds of a whole run."""
    run = folder / "timed"
    shutil.rmtree(run, ignore_errors=True)
    command = [*arena_command(), "run", str(path), "-q", "-j", "2", "-o", str(run)]
    began = time.monotonic()
    command += ["--set", f"schedule.deals={deals}", *more]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


def _overhead(path: Path, folder: Path, deals: int, rounds: int) -> Iterator[tuple[float, float]]:
    """Seconds for two shares of the games without a cluster and on one, round by round."""
    for number in range(rounds):
        ways: Sequence[tuple[str, ...]] = ((), ("--on", "dask"))
        found = {}
        for way in ways if number % 2 else ways[::-1]:
            short = _wall(path, folder, deals, *way)
            found[way] = _wall(path, folder, 3 * deals, *way) - short
        yield found[ways[0]], found[ways[1]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.machines", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, one round")
    options = parser.parse_args()
    games, deals, rounds = (2_000, 20, 1) if options.quick else (40_000, 100, _ROUNDS)
    bots = Path(__file__).parents[1] / "bots"
    print(machine())
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        heart = _file(folder, "heart", bots, "rules: dragonheart", games // 2)
        _wall(heart, folder, 20)
        model = _model(folder / "timed")
        rows = [_parent(folder, heart, model, hosts) for hosts in _HOSTS]
        heads = ("hosts", "places", "games", "CPU a game", "games/s", "bytes back", "bytes there")
        print(tabulate(rows, heads, disable_numparse=True))
        four = _file(folder, "krak", bots, "rules: dragonkrak, seats: 4", deals)
        times = list(_overhead(four, folder, deals, rounds))
    ratios = [on / off for off, on in times]
    block = median(off for off, _ in times) * 2 / (2 * deals)
    print(
        f"on a cluster of this machine: {median(ratios):.3f} of the time without one "
        f"[{min(ratios):.3f}..{max(ratios):.3f}], at {block * 1000:.0f} ms a block"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
