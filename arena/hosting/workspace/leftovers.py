"""Find and kill processes left in a workspace, and remove the workspace.

Each cell has an entry with a line for each tenant: the worker that created the cell, with the user
id that it assigned, and the bot's process. A process is killed only if it surely belongs to the
workspace, by any of these signs: it was started when the entry says; it is in the session of such a
process; its user id was assigned and can belong to no other process now; its environment names the
workspace; or it is in a control group named after the workspace.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from arena.hosting.machine import cgroups, kernel, procfs
from arena.hosting.machine.procfs import Process
from arena.hosting.workspace.trees import remove_tree

MARKER: Final = "ARENA_CELL"
"""Variable in the environment of a bot's process with the names of its workspace and cell."""
HIGH_USERS: Final = 1879048192
"""Lowest of the user ids of bots that belong to a single living worker."""

WORKER: Final = "worker"
BOT: Final = "bot"
NEW_LOCK: Final = "lock.new"
"""Name of the lock of a workspace until it is held."""

_UNFINISHED_SECONDS: Final = 5.0
"""Age of an unlocked workspace, in seconds, that its creation surely does not take."""
_KILL_SECONDS: Final = 2.0
_NAP_SECONDS: Final = 0.002
_MOST_TEXT: Final = 1 << 16
_PS: Final = ("-A", *(f"-o{column}=" for column in ("pid", "pgid", "state", "etime", "command")))


class Tenant(NamedTuple):
    """A process recorded in the entry of a cell."""

    role: str
    """Role of the process: WORKER or BOT."""
    pid: int
    started: int
    """Start time, see ``procfs.Process``; without ``/proc``, when it was recorded, in seconds since
    1970."""
    user: int = 0
    """User id that this worker assigned; 0 for none."""

    @classmethod
    def of(cls, role: str, pid: int, user: int | None = None) -> Tenant:
        """Return the line for the process ``pid`` as it is now. Raises OSError if it is gone.

        ``role`` and ``user``: as in the fields.
        """
        known = kernel.offered().shows_processes
        started = procfs.process(pid).started if known else math.ceil(time.time())
        return cls(role, pid, started, user or 0)

    def lives(self) -> bool:
        """Return whether this very process still lives."""
        with contextlib.suppress(OSError):
            return procfs.process(self.pid).started == self.started
        return False


def here() -> str:
    """Return a line with the boot and the process namespace, then lines with folders of groups.

    The first line determines what ids and start times of processes refer to.
    """
    boot, space = "", 0
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        space = os.stat("/proc/self/ns/pid").st_ino
    return "\n".join([f"{boot} {space}", *map(str, cgroups.folders()), ""])


def add(place: Path, tenant: Tenant) -> None:
    """Add the line of ``tenant`` to the entry of a cell. Raises OSError."""
    line = " ".join(map(str, tenant)).encode("ascii") + b"\n"
    entry = os.open(place / "entry", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        os.write(entry, line)
    finally:
        os.close(entry)


def abandoned(root: Path) -> int | None:
    """Return the lock, now held, of this user's workspace if its owner is gone; else None.

    The caller closes the lock.
    """
    try:
        found = root.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return None
        lock = os.open(root / "lock", os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if stat.S_ISREG(os.fstat(lock).st_mode):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if (root / "lock").exists():  # no other arena has cleared it meanwhile
                return lock
    except OSError:
        pass
    os.close(lock)
    return None


def remove_unfinished(root: Path) -> None:
    """Remove this user's workspace if its owner was killed before it held the lock."""
    with contextlib.suppress(OSError):
        found = root.lstat()
        is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        if is_ours and time.time() - found.st_mtime > _UNFINISHED_SECONDS:
            if os.listdir(root) == [NEW_LOCK]:
                (root / NEW_LOCK).unlink()
            root.rmdir()  # fails if the folder is not empty


def clear(root: Path) -> None:
    """Kill what lives in a workspace and remove it. The lock is held. Never raises OSError."""
    place, *bases = _read(root / "lock").splitlines() or [""]
    bases += map(str, cgroups.folders())  # a bot may have damaged the lock file
    cells = root / "cells"
    tenants = list(_tenants(cells)) if place == here().partition("\n")[0] else []
    if not kernel.offered().shows_processes:
        _kill_listed(root, tenants)
    elif _names(cells):
        _kill_all(lambda: _found(root, tenants))
    for base in map(Path, dict.fromkeys(bases)):
        cgroups.clear(base, f"{root.name}-")
    for name in _names(root):
        if name != "lock":  # removed last: while it is there, the next start can resume the removal
            with contextlib.suppress(OSError):
                _remove(root / name)
    if set(_names(root)) <= {"lock"}:
        with contextlib.suppress(OSError):
            remove_tree(root)


def _remove(path: Path) -> None:
    """Remove a file or folder. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
    else:
        path.unlink()


def _tenants(cells: Path) -> Iterator[Tenant]:
    for name in _names(cells):
        for line in _read(cells / name / "entry").splitlines():
            with contextlib.suppress(ValueError):  # cut off by a kill
                role, *numbers = line.split()
                pid, start, user = map(int, numbers)
                yield Tenant(role, pid, start, user)


def _found(root: Path, tenants: list[Tenant]) -> Iterator[Process]:
    """Yield living processes of the workspace, except for this one and its ancestors."""
    living = [tenant for tenant in tenants if tenant.lives()]
    known = {tenant.pid for tenant in living}
    sessions = {tenant.pid for tenant in living if tenant.role == BOT}
    users = {tenant.user for tenant in tenants if _is_free(tenant)}
    mark = f"{MARKER}={root.name}/".encode()
    for pid in set(procfs.all_pids()) - procfs.ancestors(os.getpid()):
        with contextlib.suppress(OSError):
            each = procfs.process(pid)
            if not each.has_ended and (
                pid in known
                or each.session in sessions
                or (users and not users.isdisjoint(procfs.users(pid)))
                or _is_marked(pid, mark)
            ):
                yield each


def _is_free(tenant: Tenant) -> bool:
    """Return whether no other living worker can have assigned the user id of this tenant."""
    if tenant.user < HIGH_USERS:
        return False
    return tenant.lives() or not Path(f"/proc/{tenant.pid}").exists()


def _is_marked(pid: int, mark: bytes) -> bool:
    with contextlib.suppress(OSError):  # a process of another user
        return any(entry.startswith(mark) for entry in procfs.environment(pid))
    return False


def _kill_all(found: Callable[[], Iterator[Process]]) -> None:
    """Kill repeatedly until no process is found, for a bounded time."""
    give_up = time.monotonic() + _KILL_SECONDS
    while victims := list(found()):
        for victim in victims:
            with contextlib.suppress(OSError):
                procfs.kill(victim)
        if time.monotonic() > give_up:
            return
        time.sleep(_NAP_SECONDS)


def _kill_listed(root: Path, tenants: list[Tenant]) -> None:
    """Kill what ``ps`` lists of the workspace, repeatedly, for a bounded time."""
    give_up = time.monotonic() + _KILL_SECONDS
    while (victims := list(_listed(root, tenants))) and time.monotonic() < give_up:
        for victim in victims:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(victim, signal.SIGKILL)
        time.sleep(_NAP_SECONDS)


def _listed(root: Path, tenants: list[Tenant]) -> Iterator[int]:
    """Yield the living processes of the workspace, where there is no ``/proc``.

    Yields the negated ids of groups whose leaders are as old as their entries, and ids of processes
    whose environment names the workspace, where ``ps`` shows it.
    """
    recorded = {tenant.pid: tenant.started for tenant in tenants if tenant.role == BOT}
    mark, text = f" {MARKER}={root.name}/", ""
    with contextlib.suppress(OSError):
        for words in (["ps", "-Eww", *_PS], ["ps", *_PS]):  # with environments, or without
            done = subprocess.run(words, capture_output=True, text=True, errors="replace")
            if text := done.stdout:
                break
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            pid, group, state, age, command = line.split(maxsplit=4)
            began = time.time() - _seconds(age) - 1
            if pid == group and began <= recorded.get(int(pid), 0) and state[0] != "Z":
                yield -int(pid)
            elif mark in f" {command} " and state[0] != "Z":
                yield int(pid)


def _seconds(age: str) -> int:
    """Return the seconds of ``[[days-]hours:]minutes:seconds``. Raises ValueError."""
    days, _, clock = age.rpartition("-")
    hours, minutes, seconds = map(int, ("0:0:" + clock).split(":")[-3:])
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read(path: Path) -> str:
    """Return the beginning of a file; empty if it cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return os.read(file, _MOST_TEXT).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(file)
