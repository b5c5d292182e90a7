"""Assign cores to workers, among all arenas on this machine.

A core is taken by binding a socket to an abstract name with its number. Such a name is the same for
all users and folders of one network namespace. The system releases it when its holder ends in any
way. If every core is taken, or nothing can be bound, cores are shared.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator, Sequence
from typing import Final

_NAME: Final = "\0core-of-arena-{}"
_BOOT: Final = "/proc/sys/kernel/random/boot_id"


@contextlib.contextmanager
def taken(workers: int, among: Sequence[int] | None = None) -> Iterator[list[int]]:
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


def free() -> tuple[int, ...]:
    """Return the cores that this process may use and no arena has taken."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    allowed = os.sched_getaffinity(0)
    with taken(len(allowed), sorted(allowed)) as cores:
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
