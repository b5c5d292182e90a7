"""A mark that no process of a bot can take off, and the end of those that nobody keeps any more.

The limits on file locks and on resident memory have had no effect since Linux 2.4, so they are
free to tell something. A bot gets hard limits on both, which nobody without rights can raise again,
besides giving up new rights for good. All that passes on to everything that it starts, whatever
becomes of its session, environment and death signal. Who starts bots is their keeper and says so
by a soft limit.

What is marked and has no keeper above it is left of a killed arena. An arena whose own hard limit
on file locks is low can be no keeper, and marks nobody. Linux only.
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
"""Hard limit on resident memory of a bot, at most: more than any program would mind."""
KEEPER: Final = 60_001
"""Soft limit of who starts bots; the hard one is higher, or it could not be told from a bot."""
LOCKS: Final = 10
"""RLIMIT_LOCKS, which the module ``resource`` does not name."""

_MARKS: Final = ((LOCKS, BOT), (resource.RLIMIT_RSS, RESIDENT))
_KILL_SECONDS: Final = 2.0


def keep() -> None:
    """Be a keeper of bots from now on."""
    if can_keep():
        resource.setrlimit(LOCKS, (KEEPER, resource.getrlimit(LOCKS)[1]))


def can_keep() -> bool:
    """Whether this process can be told from a bot."""
    return sys.platform == "linux" and _is_above(resource.getrlimit(LOCKS)[1], BOT)


def of_bots() -> tuple[tuple[int, int], ...] | None:
    """The limits that mark a bot of this process: number and most. None: it can keep none."""
    return _MARKS if can_keep() else None


def sees_others() -> bool:
    """Whether we see what there is to see of processes of other users, who may be above ours."""
    try:
        return bool(procfs.locks(1))
    except OSError:
        return False


def end_abandoned() -> None:
    """Kill what bots of killed arenas have left, as far as it is ours to kill.

    Goes on until none is found, for a bounded time. Never raises OSError.
    """
    if sys.platform != "linux" or all(
        not _is_above(resource.getrlimit(limit)[1], most) for limit, most in _MARKS
    ):
        return  # all that is ours looks like a bot
    give_up = time.monotonic() + _KILL_SECONDS
    while sum(map(_end, _newest_first())) and time.monotonic() < give_up:
        pass


def is_abandoned(pid: int) -> bool:
    """Whether it is a bot's process that no keeper is left above. Raises OSError if it is gone."""
    if not _is_marked(pid):
        return False
    above = procfs.process(pid).parent
    while above and _is_marked(above):
        pid, above = above, procfs.process(above).parent
    if not above:  # or out of our sight
        return False
    soft, hard = procfs.locks(above)
    if soft == KEEPER or not _is_above(hard, BOT):  # or one that cannot say whether it is one
        return False
    return procfs.process(pid).parent == above  # else that one has ended meanwhile


def _newest_first() -> list[int]:
    """One that forks and ends, for ever, is best caught while its number is new."""
    return sorted(procfs.all_pids(), reverse=True)


def _end(pid: int) -> bool:
    """Kill it if it is abandoned; whether it was, and had not ended before."""
    with contextlib.suppress(OSError):
        if is_abandoned(pid) and not (found := procfs.process(pid)).has_ended:
            procfs.kill(found)
            return True
    return False


def _is_marked(pid: int) -> bool:
    """Whether it is a bot's process. Raises OSError if it is gone."""
    if _is_above(procfs.locks(pid)[1], BOT) or _is_above(procfs.resident(pid)[1], RESIDENT):
        return False
    return procfs.status(pid).get(b"NoNewPrivs") == b"1"


def _is_above(hard: int, most: int) -> bool:
    return hard == resource.RLIM_INFINITY or hard > most
