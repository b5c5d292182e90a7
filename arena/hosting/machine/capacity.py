"""Find what memory and processes are left for workers and bots, and give each worker a core.

Required limits are measured values, rounded up. A core is taken by binding a socket to an abstract
name with its number. Such a name is the same for all users and folders of one network namespace.
The system releases it when its holder ends in any way. If every core is taken, or nothing can be
bound, cores are shared.
"""

from __future__ import annotations

import contextlib
import os
import resource
import socket
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from arena.hosting.machine import cgroups, procfs
from arena.hosting.sandbox import bubblewrap
from arena.hosting.sandbox.isolation import IsolationError, Level

MOST_BOTS: Final = 1000
"""Greatest number of bots of one worker at once, if there is room."""

_FILES: Final = 16
_FILES_OF_WORKER: Final = 6
_FILES_IN_WORKER: Final = 24
_FILES_OF_BOT: Final = 6

_PROCESSES: Final = 3
"""Number of arena's own threads: one shows progress, two write the log."""
_PROCESSES_OF_WORKER: Final = 3
"""Number of threads of a worker."""

_files_before: tuple[int, int] | None = None
"""Soft and hard limit on open files before ``raise_files`` changed them."""

_MEMORY: Final = 272 << 20
"""Bytes of addresses that each process needs; the limit holds per process, not in total."""


def processes_of(level: Level) -> int:
    """Return how many processes a bot of one process needs at ``level``, launchers included."""
    return 1 + bubblewrap.PROCESSES_ABOVE if level is Level.BUBBLEWRAP else 1


def require(workers: int, bots: int, each: int = 1) -> None:
    """Check that there is room for workers, each with ``bots`` bots of ``each`` processes at once.

    Raises IsolationError, which states what was found and what is needed.
    """
    for problem in _problems(workers, bots, each):
        raise IsolationError(problem)


def bots_at_once(most: int) -> int:
    """Return how many bots this process can have by its limit on open files, up to ``most``."""
    limit = _limit(resource.RLIMIT_NOFILE)
    return most if limit is None else min(most, (limit - _FILES_IN_WORKER) // _FILES_OF_BOT)


def free() -> float:
    """Return the free share of the machine, 0 to 1: of memory, or of processes if that is less.

    Limits of the control groups of this process count, too. Returns 0 if the share is unknown.
    """
    try:
        memory = procfs.fields(Path("/proc/meminfo"))
        total, left = (int(memory[name].split()[0]) for name in (b"MemTotal", b"MemAvailable"))
        tasks = int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[2])
    except (OSError, KeyError, ValueError, IndexError):
        return 0.0
    shares = [left / total, max(0.0, 1 - tasks / _most_tasks())]
    return min(shares + [each.free() for each in cgroups.shared()])


@cache
def _most_tasks() -> int:
    names = ("pid_max", "threads-max")
    return min(int(Path("/proc/sys/kernel", name).read_text("ascii")) for name in names)


def raise_files() -> None:
    """Raise the limit on open files for many bots, if permitted; bots get ``lower_files``."""
    global _files_before
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES_IN_WORKER + MOST_BOTS * _FILES_OF_BOT
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            _files_before = soft, hard


def lower_files(pid: int) -> None:
    """Give a newly started process the limit on open files that this process began with."""
    if _files_before is not None and hasattr(resource, "prlimit"):
        with contextlib.suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, _files_before)


def bots_of_each(workers: int, each: int) -> int | None:
    """Return how many bots of ``each`` processes each of ``workers`` new workers can have at once.

    Returns None if nothing limits it. If ``require`` raises, the result is less than the bots of a
    table.
    """
    left = _processes_left()
    if left is None:
        return None
    return ((left - _PROCESSES) // workers - _PROCESSES_OF_WORKER) // each


def _problems(workers: int, bots: int, each: int) -> Iterator[str]:
    found = _limit(resource.RLIMIT_NOFILE)
    if found is not None and found < (needed := _files(workers, bots)):
        helps = found >= _files(1, bots)
        yield _shortage("open files (ulimit -n)", found, workers, needed, helps=helps)
    found = _processes_left()
    if found is not None and found < (needed := _processes(workers, bots * each)):
        what = "more processes and threads (ulimit -u)"
        yield _shortage(what, found, workers, needed, helps=found >= _processes(1, bots * each))
    found = _limit(resource.RLIMIT_AS)
    if found is not None and found < _MEMORY:
        what = "kB of addresses (ulimit -v)"
        yield _shortage(what, found >> 10, workers, _MEMORY >> 10, helps=False)


def _files(workers: int, bots: int) -> int:
    ours, theirs = workers * _FILES_OF_WORKER, bots * _FILES_OF_BOT
    return max(_FILES + ours, _FILES_IN_WORKER + theirs)


def _processes(workers: int, theirs: int) -> int:
    return _PROCESSES + workers * (_PROCESSES_OF_WORKER + theirs)


def _processes_left() -> int | None:
    """Return the number of further processes; None for no limit, as for root, or if unknown."""
    limit = None if os.geteuid() == 0 else _limit(resource.RLIMIT_NPROC)
    if limit is None or (used := procfs.threads_of(os.getuid())) is None:
        return None
    return max(0, limit - used)


def _shortage(what: str, found: int, workers: int, needed: int, *, helps: bool) -> str:
    whom = "1 worker needs" if workers == 1 else f"{workers} workers need"
    remedy = "raise the limit" + (", or take fewer workers (-j)" if helps else "")
    return f"only {found} {what} can be had here, {whom} {needed}: {remedy}"


def _limit(which: int) -> int | None:
    soft = resource.getrlimit(which)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_NAME: Final = "\0core-of-arena-{}"
_BOOT: Final = "/proc/sys/kernel/random/boot_id"


@contextlib.contextmanager
def taken_cores(workers: int, among: Sequence[int] | None = None) -> Iterator[list[int]]:
    """Provide a core for each worker, from those that this process may use.

    A core is -1 where the system cannot pin processes. Until the block ends, no other arena gets
    one of these cores, as long as there are others. ``among`` are the only cores to take, each for
    one worker at most; a worker without one gets -1.
    """
    if not hasattr(os, "sched_getaffinity"):
        yield [-1] * workers
        return
    allowed = sorted(os.sched_getaffinity(0)) if among is None else among
    cores: list[int] = []
    with contextlib.ExitStack() as held:
        for core in allowed:
            if len(cores) < workers and (lock := _lock(core)) is not None:
                held.enter_context(lock)
                cores.append(core)
        missing = range(workers - len(cores))
        yield cores + [-1 if among is not None else allowed[n % len(allowed)] for n in missing]


def free_cores() -> tuple[int, ...]:
    """Return the cores that this process may use and no arena has taken."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    allowed = os.sched_getaffinity(0)
    with taken_cores(len(allowed), sorted(allowed)) as cores:
        return tuple(core for core in cores if core >= 0)


def boot_id() -> str:
    """Return the kernel's id of the time since this machine was started, or ""."""
    try:
        with open(_BOOT, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _lock(core: int) -> socket.socket | None:
    """Return a socket that holds the core; None if it is taken or nothing can be bound."""
    with contextlib.ExitStack() as undo:
        try:
            lock = undo.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            lock.bind(_NAME.format(core))
        except OSError:
            return None
        undo.pop_all()
        return lock
