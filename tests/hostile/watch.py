"""What must be after a game as it was before: the worker, the processes, the folders."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any, Final

import psutil

from arena.hosting.machine import cgroups

_MEMORY: Final = 5 << 20
"""By how many bytes a worker may grow in one game."""
_PATIENCE: Final = 3.0
_NAP: Final = 0.02


class Watch:
    """Of one worker and of what it may leave."""

    def __init__(self, worker: int, workspace: Path, mark: str) -> None:
        """``mark``: a text in the environment of every bot."""
        self._worker = worker
        self._workspace = workspace
        self._mark = mark.encode()
        self._kin = set(_descendants())
        self._before = self._state()

    def surprises(self) -> list[str]:
        """What is not as it was, in words; strays are killed, and the new state is the old one."""
        found = self._strays()
        if not psutil.pid_exists(self._worker):
            return [*found, "the worker is gone"]
        after = self._settled()
        for name, old in self._before.items():
            new = after[name]
            if name == "memory":
                if new - old > _MEMORY:
                    found.append(f"the worker grew by {(new - old) >> 20} MiB")
            elif new != old:
                found.append(f"{name}: {_difference(old, new)}")
        self._before = after
        return found

    def _settled(self) -> dict[str, Any]:
        """The state, once it is as before or patience has ended."""
        give_up = time.monotonic() + _PATIENCE
        while True:
            state = self._state()
            same = all(new == self._before[name] for name, new in state.items() if name != "memory")
            if same or time.monotonic() > give_up:
                return state
            time.sleep(_NAP)

    def _state(self) -> dict[str, Any]:
        process = psutil.Process(self._worker)
        return {
            "memory": _memory(process),
            "limits": frozenset(_told(self._worker, "limits")),
            "priority": process.nice(),
            "cores": [
                each
                for each in _told(self._worker, "status")
                if each.startswith("Cpus_allowed_list")
            ],
            "scheduling": os.sched_getscheduler(self._worker),
            "descriptors": process.num_fds(),
            "threads": process.num_threads(),
            "state": "stopped" if process.status() == psutil.STATUS_STOPPED else "runs",
            "workspace": _tree(self._workspace),
            "cgroups": _groups(self._workspace.name),
        }

    def _strays(self) -> list[str]:
        give_up = time.monotonic() + _PATIENCE
        while strays := self._alive():
            if time.monotonic() > give_up:
                named = [_named(pid) for pid in sorted(strays)]
                for pid in strays:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, 9)
                return [f"left over: {name}" for name in named]
            time.sleep(_NAP)
        return []

    def _alive(self) -> set[int]:
        """Processes that we or the worker have inherited, and those that bear the mark.

        Nothing of ours can leave our descendants: the pool adopts orphans.
        """
        return {pid for pid in _descendants() if pid not in self._kin} | self._marked()

    def _marked(self) -> set[int]:
        found = set()
        for entry in os.listdir(psutil.PROCFS_PATH):
            if entry.isdigit():
                with contextlib.suppress(OSError):
                    if self._mark in Path(psutil.PROCFS_PATH, entry, "environ").read_bytes():
                        found.add(int(entry))
        return found - self._kin - {os.getpid()}


def _told(pid: int, file: str) -> list[str]:
    """What the kernel tells of a process, line by line."""
    return Path(psutil.PROCFS_PATH, str(pid), file).read_text().splitlines()


def _memory(process: psutil.Process) -> int:
    """Bytes of a process alone; where the kernel does not count them, those of no file."""
    found = process.memory_full_info()
    return found.uss if hasattr(found, "uss") else found.rss - found.shared


def _descendants() -> list[int]:
    return [process.pid for process in psutil.Process().children(recursive=True)]


def _named(pid: int) -> str:
    try:
        process = psutil.Process(pid)
        return f"{pid} {process.status()} {' '.join(process.cmdline())[:80]}"
    except psutil.Error:
        return str(pid)


def _tree(folder: Path) -> frozenset[str]:
    return frozenset(
        os.path.join(top, name)
        for top, folders, files in os.walk(folder)
        for name in (*folders, *files)
    )


def _groups(workspace: str) -> frozenset[str]:
    """Control groups that are named after the workspace."""
    key = workspace.removeprefix("arena-")
    return frozenset(
        os.path.join(base, name)
        for base in cgroups.folders()
        for name in os.listdir(base)
        if key in name
    )


def _difference(old: Any, new: Any) -> str:
    if isinstance(old, frozenset):
        return f"more {sorted(new - old)[:3]}, fewer {sorted(old - new)[:3]}"
    return f"{old} -> {new}"
