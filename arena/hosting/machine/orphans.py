"""Find and kill what bots leave behind: children of a worker, and processes of killed arenas.

A daemon of a bot escapes its group. A worker calls ``adopt_orphans`` once. From then on, every
descendant whose parent ends becomes a child of the worker, and ``sweep`` finds it. Where the
kernel offers neither, both do nothing.

Processes of bots are also marked indelibly. Limits on file locks and on resident memory have had no
effect since Linux 2.4. So they can carry a mark. A bot gets hard limits on both, which it cannot
raise without privileges, and it gives up new privileges for good. All descendants inherit the mark,
even if they change their session, environment or death signal. A process that starts bots is their
keeper and shows it by a soft limit.

A marked process without a keeper above it was left by a killed arena. An arena whose own hard limit
on file locks is low cannot be a keeper, and marks no process. Linux only.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import threading
import time
from collections.abc import Container
from typing import Final

from arena.hosting.machine import kernel, procfs

_PR_SET_CHILD_SUBREAPER: Final = 36
_SWEEP_SECONDS: Final = 1.0
_NAP_SECONDS: Final = 0.001

HELPERS: Final[set[int]] = set()
"""Children of this process that are not bots and end with it."""
STARTING: Final = threading.Lock()
"""Held while another thread starts a helper, so that nobody takes it for an orphan."""


def adopt_orphans() -> None:
    """Make this process the parent of every orphan among its descendants."""
    kernel.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children() -> list[int]:
    """Return the ids of this process's children, including ended ones, except ``HELPERS``."""
    with STARTING:
        found = procfs.children(os.getpid())
        found = _children_by_parents() if found is None else found
        return [pid for pid in found if pid not in HELPERS] if HELPERS else found


def _children_by_parents() -> list[int]:
    """Return the children from all processes of the machine: not all kernels list children."""
    me, found = os.getpid(), []
    for pid in procfs.all_pids():
        with contextlib.suppress(OSError):
            if procfs.process(pid).parent == me:
                found.append(pid)
    return found


def end_helpers() -> None:
    """Kill and reap the helpers of this process, which ends right afterwards. Thread-safe."""
    for pid in list(HELPERS):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def sweep(keep: Container[int]) -> int:
    """Kill and reap every child not in ``keep``, repeatedly, until no other is left.

    Gives up after a second, in case a program forks faster than it is killed. Returns how many were
    killed.
    """
    killed: set[int] = set()
    give_up = time.monotonic() + _SWEEP_SECONDS
    while (strays := [pid for pid in children() if pid not in keep]) and time.monotonic() < give_up:
        killed.update(strays)
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        buried = [_reap(pid) for pid in strays]
        if not any(buried):
            time.sleep(_NAP_SECONDS)
    return len(killed)


def _reap(pid: int) -> bool:
    """Reap a child if it has ended, without waiting; return whether it is gone."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


BOT: Final = 60_000
"""Hard limit on file locks of a bot, at most."""
RESIDENT: Final = 1 << 60
"""Hard limit on resident memory of a bot, in bytes, at most: more than any program needs."""
KEEPER: Final = 60_001
"""Soft limit on file locks of a keeper; its hard limit is higher than that of a bot."""
LOCKS: Final = 10
"""RLIMIT_LOCKS, which the module ``resource`` does not name."""

_MARKS: Final = ((LOCKS, BOT), (resource.RLIMIT_RSS, RESIDENT))
_KILL_SECONDS: Final = 2.0


def keep() -> None:
    """Mark this process as a keeper, which starts bots; do nothing unless ``can_keep``."""
    if can_keep():
        resource.setrlimit(LOCKS, (KEEPER, resource.getrlimit(LOCKS)[1]))


def can_keep() -> bool:
    """Return whether this process can be distinguished from a bot, and so be a keeper."""
    return kernel.offered().shows_processes and _is_above(resource.getrlimit(LOCKS)[1], BOT)


def of_bots() -> tuple[tuple[int, int], ...] | None:
    """Return the limits that mark a bot of this process: number of the limit, and its maximum.

    Returns None if this process cannot be a keeper.
    """
    return _MARKS if can_keep() else None


def sees_others() -> bool:
    """Return whether we can inspect processes of other users, such as our ancestors."""
    try:
        return bool(procfs.locks(1))
    except OSError:
        return False


def end_abandoned() -> None:
    """Kill what bots of killed arenas have left, as far as this user may.

    Repeats until no such process is found, for a bounded time. Never raises OSError.
    """
    if not kernel.offered().shows_processes or all(
        not _is_above(resource.getrlimit(limit)[1], most) for limit, most in _MARKS
    ):
        return  # all own processes look like bots
    give_up = time.monotonic() + _KILL_SECONDS
    while sum(map(_end, _newest_first())) and time.monotonic() < give_up:
        pass


def is_abandoned(pid: int) -> bool:
    """Return whether a bot's process has no keeper above it. Raises OSError if it is gone."""
    if not _is_marked(pid):
        return False
    above = procfs.process(pid).parent
    while above and _is_marked(above):
        pid, above = above, procfs.process(above).parent
    if not above:  # or not visible
        return False
    soft, hard = procfs.locks(above)
    if soft == KEEPER or not _is_above(hard, BOT):  # or it may be a keeper that cannot show it
        return False
    return procfs.process(pid).parent == above  # else the parent has ended meanwhile


def _newest_first() -> list[int]:
    """Return all process ids, highest first: endless chains of forks have the newest ids."""
    return sorted(procfs.all_pids(), reverse=True)


def _end(pid: int) -> bool:
    """Kill the process if it is abandoned; return whether it was and had not ended."""
    with contextlib.suppress(OSError):
        if is_abandoned(pid) and not (found := procfs.process(pid)).has_ended:
            procfs.kill(found)
            return True
    return False


def _is_marked(pid: int) -> bool:
    """Return whether a process belongs to a bot. Raises OSError if it is gone."""
    if _is_above(procfs.locks(pid)[1], BOT) or _is_above(procfs.resident(pid)[1], RESIDENT):
        return False
    return procfs.status(pid).get(b"NoNewPrivs") == b"1"


def _is_above(hard: int, most: int) -> bool:
    return hard == resource.RLIM_INFINITY or hard > most
