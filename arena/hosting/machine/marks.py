"""Mark processes of bots indelibly, and kill marked processes whose arena is gone.

Limits on file locks and on resident memory have had no effect since Linux 2.4. So they can carry
a mark. A bot gets hard limits on both, which it cannot raise without privileges, and it gives up
new privileges for good. All descendants inherit the mark, even if they change their session,
environment or death signal. A process that starts bots is their keeper and shows it by a soft
limit.

A marked process without a keeper above it was left by a killed arena. An arena whose own hard limit
on file locks is low cannot be a keeper, and marks no process. Linux only.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from typing import Final

from arena.hosting.machine import procfs

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
    return sys.platform == "linux" and _is_above(resource.getrlimit(LOCKS)[1], BOT)


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
    if sys.platform != "linux" or all(
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
