"""Looks for what one bot can see of another: compares all that it can read before and after.

    python -m tests.hostile.census [--level L ...] [--rounds N]

Two processes are started as bots are. One looks twice, the other acts, the first looks again,
twice. Printed is what changed only while the other acted, in every round. What depends on the rest
of the machine shows up now and then: a machine that does nothing else tells best.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from arena.hosting.machine import usage
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.sandbox.probes import resolve
from arena.hosting.workspace.cells import Workspace
from arena.values.results import Limits

PROGRAM: Final = Path(__file__).parents[1] / "bots" / "looking" / "census.py"
LIMITS: Final = Limits(memory=256 << 20, processes=32, cpu=120.0, disk=8 << 20, files=64)
SANDBOXES: Final = ("landlock", "bubblewrap")
_SECONDS: Final = 120.0
_BY_FAR: Final = 3
_MOST_BELOW: Final = 2000
_ROOTS: Final = ("/proc/sys", "/sys/fs", "/sys/kernel", "/dev", "/run", "/tmp", "/var/tmp", "/etc")
_SHARED: Final = "/usr/share"
_ANY_PROCESS: Final = re.compile(r"(?<=^/proc/)\d+|(?<= of )\d+$")

Told = dict[str, Any]


def differences(level: str, rounds: int) -> list[str]:
    """What a bot can read of the other one. Raises OSError, IsolationError."""
    found: set[str] | None = None
    for _ in range(rounds):
        with (
            contextlib.closing(Workspace.create()) as workspace,
            tempfile.TemporaryDirectory() as name,
        ):
            once = _once(Level(level), workspace, Path(name))
        found = once if found is None else found & once
    return _folded(found or set())


def _folded(names: set[str]) -> list[str]:
    """One line for a file, and for all files of a folder that holds many."""
    whole = {name.partition("#")[0] for name in names}
    groups: dict[tuple[str, str], list[str]] = {}
    for name in whole:
        folder = next(
            (root for root in (_SHARED, "/proc/sys", "/sys") if name.startswith(root)), ""
        )
        groups.setdefault((folder, name.rpartition(".")[2] if folder else name), []).append(name)
    return sorted(
        each[0] if len(each) == 1 else f"{folder}/… ({len(each)} times .{field})"
        for (folder, field), each in groups.items()
    )


def _once(level: Level, workspace: Workspace, folder: Path) -> set[str]:
    shutil.copy(PROGRAM, folder)
    (folder / "paths").write_text("\n".join(_paths()))
    place = str(workspace.snapshot("census", folder))
    looking, acting = (
        BotProcess(
            Launch(
                (sys.executable, "-S", PROGRAM.name, mode),
                place,
                level=level,
                limits=LIMITS,
                copied=True,
            ),
            workspace,
        )
        for mode in ("looks", "acts")
    )
    try:
        pids = [os.getpid(), *usage.tree(acting.pid)]
        question = json.dumps({"pids": pids})
        told = [json.loads(_answer(looking, question)) for _ in range(3)]
        _answer(acting, "{}")
        told += [json.loads(_answer(looking, question)) for _ in range(2)]
    finally:
        looking.kill()
        acting.kill()
    return {_ANY_PROCESS.sub("PID", name) for name in changed(*told[1:])}


def changed(one: Told, two: Told, three: Told, four: Told) -> Iterator[str]:
    """What is another between the second and the third time alone, or by far more than else."""
    for name in two.keys() | three.keys():
        before, after = two.get(name), three.get(name)
        if before == after:
            continue
        quiet = _change(one, two, name), _change(three, four, name)
        if isinstance(before, int) and isinstance(after, int) and None not in quiet:
            usual = max(abs(each) for each in quiet if each is not None)
            if abs(after - before) > _BY_FAR * usual:
                yield name
        elif one.get(name) == before and after == four.get(name):
            yield name


def _change(one: Mapping[str, Any], two: Mapping[str, Any], name: str) -> int | None:
    first, second = one.get(name), two.get(name)
    return second - first if isinstance(first, int) and isinstance(second, int) else None


def _paths() -> Iterator[str]:
    """What somebody may know to exist."""
    yield from ("/", "/proc", "/proc/self", "/proc/self/ns/mnt", "/proc/self/fd", "/dev/shm")
    for name in os.listdir("/proc"):
        if not name.isdigit() and name not in {"kmsg", "kcore", "kpagecount", "kpageflags"}:
            yield f"/proc/{name}"
    for root in (*_ROOTS, _SHARED):
        below = (
            os.path.join(folder, name)
            for folder, folders, names in os.walk(root)
            for name in (*folders, *names)
        )
        for path, _ in zip(below, range(_MOST_BELOW), strict=False):
            if "\n" not in path:
                yield path


def _answer(process: BotProcess, question: str) -> str:
    """One line for one line. Raises OSError."""
    os.set_blocking(process.stdin, True)
    os.write(process.stdin, question.encode() + b"\n")
    got, give_up = b"", time.monotonic() + _SECONDS
    while not got.endswith(b"\n"):
        with contextlib.suppress(BlockingIOError):
            os.read(process.stderr, 1 << 16)
        try:
            got += os.read(process.stdout, 1 << 16)
        except BlockingIOError:
            time.sleep(0.005)
        if process.ended() or time.monotonic() > give_up:
            raise OSError(f"no answer: {process.exit_status()} {process.start_error()}")
    return got.decode()


def main() -> int:
    """0 if everything could be tried."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.census")
    parser.add_argument("--level", nargs="+", choices=list(Level), default=list(SANDBOXES))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for level in options.level:
        try:
            resolve(level)
        except IsolationError as error:
            print(error)
            return 1
        print(f"{level}:", *differences(level, options.rounds), sep="\n    ", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
