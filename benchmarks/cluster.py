"""What a game costs on a real cluster: python -m benchmarks.cluster [--quick]

A scheduler and workers of Dask, with TLS, each a process of its own on this machine. Their hosts
report a game from memory as often as they are asked, so only the way to them is measured: CPU time
for a game of the parent (storing included), the scheduler and the workers, on direct lines and by
way of the scheduler. That the machine is busy makes the wall time longer and these times hardly.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import dask
import msgspec
import psutil
from distributed.security import Security
from tabulate import tabulate

from arena.extensions.machines.dask import DaskTransport
from arena.extensions.machines.fleet import Fleet
from arena.extensions.machines.messages import Setup
from arena.runs.config.tournament import load_tournament
from arena.runs.live import locked
from arena.runs.store import Store
from arena.schedule.seeds import Seeds
from arena.tournament.executor import NOWHERE
from arena.tournament.prepare import job_of
from arena.tournament.run import open_run
from arena.tournament.session import Session
from arena.values.results import GameDone, Limits
from benchmarks.machine import machine
from benchmarks.machines import _file, _model, _wall
from benchmarks.pretended import MODEL

_WORKERS: Final = (1, 4)
_THREADS: Final = 8


def _certificates(folder: Path) -> dict[str, str]:
    """Settings of Dask with certificates of its own making."""
    made, found = Security.temporary(), {}
    for key, name in (("tls_ca_file", "ca-file"), ("tls_scheduler_cert", "cert")):
        (folder / name).write_text(getattr(made, key))
    (folder / "key").write_text(made.tls_scheduler_key)
    found["distributed.comm.tls.ca-file"] = str(folder / "ca-file")
    for role in ("scheduler", "worker", "client"):
        for part in ("cert", "key"):
            found[f"distributed.comm.tls.{role}.{part}"] = str(folder / part)
    return found


@contextlib.contextmanager
def _cluster(
    folder: Path, settings: dict[str, str], workers: int, *, direct: bool
) -> Iterator[tuple[str, psutil.Process, list[psutil.Process]]]:
    """Path of the scheduler file, the scheduler and the workers."""
    told = {f"DASK_{key.replace('.', '__').replace('-', '_').upper()}": value
            for key, value in settings.items()}  # fmt: skip
    told |= {"DASK_ARENA__DIRECT": str(direct), "PYTHONPATH": str(Path(__file__).parents[1])}
    told |= {MODEL: str(folder / "model"), "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
    file = folder / f"scheduler-{workers}-{direct}.json"
    quiet = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    words = ["scheduler", "--scheduler-file", str(file), "--host", "tls://127.0.0.1", "--port", "0"]
    commands = [[*words, "--no-jupyter", *quiet]]
    words = ["worker", "--scheduler-file", str(file), "--nthreads", str(_THREADS), "--no-nanny"]
    words += ["--memory-limit", "0", "--preload", "benchmarks.pretended", "--host", "127.0.0.1"]
    commands += [[*words, "--local-directory", str(folder), *quiet]] * workers
    started: list[subprocess.Popen[bytes]] = []
    try:
        with open(folder / "log", "ab") as log:
            for command in commands:
                full = [sys.executable, "-m", "dask", *command]
                started.append(subprocess.Popen(full, env=os.environ | told, stderr=log))
                while not file.exists():
                    time.sleep(0.1)
        scheduler, *others = [psutil.Process(each.pid) for each in started]
        yield str(file), scheduler, others
    finally:
        for each in started:
            each.terminate()
            each.wait()


def _spent(*processes: psutil.Process) -> float:
    """Seconds of CPU."""
    return sum(sum(each.cpu_times()[:2]) for each in processes)


def _row(
    folder: Path, settings: dict[str, str], path: Path, workers: int, *, direct: bool
) -> tuple[object, ...]:
    tournament, run_folder = load_tournament(path), folder / f"run-{workers}-{direct}"
    with (
        _cluster(folder, settings, workers, direct=direct) as (where, scheduler, others),
        locked(run_folder),
        DaskTransport(where, 1) as transport,
        Store(run_folder) as store,
    ):
        run = open_run(tournament, run_folder, None)
        setup = Setup(job_of(tournament, run, NOWHERE), (), Limits(), (), 1, pin=False)
        with Fleet(transport, setup, Seeds.of(run.opening.seed)) as fleet:
            session = Session(run, store)
            parts = (scheduler, *others)
            before = [_spent(each) for each in parts]
            began, wall = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
            session.play(nullcontext(fleet), math.inf)
            wall = time.monotonic() - wall
            ended = resource.getrusage(resource.RUSAGE_SELF)
            own = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
            after = [_spent(each) for each in parts]
    games = session.progress.done
    there = [now - then for now, then in zip(after, before, strict=True)]
    each = [f"{seconds / games * 1e6:.0f} µs" for seconds in (own, there[0], sum(there[1:]))]
    way = "direct" if direct else "scheduler"
    return way, workers, workers * _THREADS, games, *each, round(games / own), round(games / wall)


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="a tenth of the games")
    games = 4_000 if parser.parse_args().quick else 40_000
    print(machine())
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        bots = Path(__file__).parents[1] / "bots"
        path = _file(folder, "heart", bots, "rules: dragonheart", games // 2)
        _wall(path, folder, 20)
        model: GameDone = _model(folder / "timed")
        (folder / "model").write_bytes(msgspec.msgpack.encode(model))
        settings = _certificates(folder)
        with dask.config.set(settings):
            rows = [
                _row(folder, settings, path, workers, direct=direct)
                for direct in (False, True)
                for workers in _WORKERS
            ]
    heads = ("way", "workers", "places", "games", "parent", "scheduler", "workers")
    print(tabulate(rows, (*heads, "parent's most/s", "games/s here"), disable_numparse=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
