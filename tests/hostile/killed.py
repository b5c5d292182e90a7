"""A bot in a run whose arena and workers are all killed at once, and the next start of arena."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import psutil

from tests.hostile.canaries import Canaries
from tests.hostile.facts import Facts, here
from tests.hostile.folders import MARK_VARIABLE, missing
from tests.hostile.judge import Finding, unexpected
from tests.hostile.rows import Row
from tests.hostile.run import tournament

_START_SECONDS: Final = 60.0
_DYING_SECONDS: Final = 1.0
_NAP: Final = 0.02

_LOCKS: Final = 10
_ABOVE: Final = f"""
import resource, subprocess, sys
from arena.hosting.machine import orphans
resource.setrlimit({_LOCKS}, (-1, -1))
orphans.adopt_orphans()
print(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL).pid, flush=True)
sys.stdin.read()
"""
"""Inherits what a killed arena leaves, and is no arena itself."""
_NEXT_START: Final = "from arena.hosting.workspace.cells import clear_abandoned; clear_abandoned()"


def killed_findings(rows: Sequence[Row], levels: Sequence[str], known: Facts) -> Iterator[Finding]:
    """Play each bot at each level until it is where it wants to be; kill; start again."""
    for level in levels:
        for row in rows:
            if level in row.levels and not missing(row):
                began = time.monotonic()
                before, after = _survivors(row, level)
                attack = "ok" if after else "blocked"
                detail = f"{len(before)} lived until the next start, {len(after)} longer"
                surprises = unexpected(here(row, known), level, row.verdict, attack, detail)
                seconds = time.monotonic() - began
                yield Finding(row, level, 2, row.verdict, attack, detail, seconds, tuple(surprises))


def _survivors(row: Row, level: str) -> tuple[set[int], set[int]]:
    """Who lives when arena is dead, and who still does after the next start."""
    with Canaries() as canaries, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, _ = tournament([row], level, canaries, folder)
        environment = os.environ | {"CI": "1"}
        words = [sys.executable, "-m", "arena", "run", str(path), "--output", str(folder / "run")]
        with subprocess.Popen(
            [sys.executable, "-c", _ABOVE, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        ) as above:
            assert above.stdout is not None
            arena = int(above.stdout.readline())
            try:
                _wait(lambda: bool(_hidden(canaries.mark)), _START_SECONDS)
                _signal(arenas := {arena, *_workers(arena, canaries.mark)}, signal.SIGSTOP)
                _signal(arenas, signal.SIGKILL)  # nobody has seen another one go
                _wait(lambda: not _hidden(canaries.mark), _DYING_SECONDS)
                before = _hidden(canaries.mark)
                subprocess.run([sys.executable, "-c", _NEXT_START], env=environment, check=True)
                _wait(lambda: not _hidden(canaries.mark), _DYING_SECONDS)
                return before, _hidden(canaries.mark)
            finally:
                left = {process.pid for process in psutil.Process(above.pid).children(True)}
                _signal(left, signal.SIGKILL)
                above.kill()


def _hidden(mark: str) -> set[int]:
    """Living processes that were started under the mark as their name."""
    found = set()
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.cmdline()[:1] == [mark]:
                found.add(process.pid)
    return found


def _workers(arena: int, mark: str) -> set[int]:
    """What belongs to arena itself, told from bots by the environment."""
    found = set()
    for process in psutil.Process(arena).children(True):
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK_VARIABLE) != mark and process.cmdline()[:1] != [mark]:
                found.add(process.pid)
    return found


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _wait(condition: Callable[[], bool], seconds: float) -> None:
    give_up = time.monotonic() + seconds
    while not condition() and time.monotonic() < give_up:
        time.sleep(_NAP)
