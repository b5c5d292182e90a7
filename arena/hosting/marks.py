"""A mark that no process of a bot can take off, and the end of those that nobody keeps any more.

The limit on file locks has had no effect since Linux 2.4, so it is free to tell something. A bot
gets a low hard limit, which nobody without rights can raise again, besides giving up new rights
for good. Both pass on to everything that it starts, whatever becomes of its session, environment
and death signal. Who starts bots is their keeper and says so by a soft limit.

What is marked and has no keeper above it is left of a killed arena. Linux only.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from typing import Final

from arena.hosting import procfs

BOT: Final = 60_000
"""Hard limit on file locks of a bot, at most."""
KEEPER: Final = 60_001
"""Soft limit of who starts bots; the hard one is higher, or it could not be told from a bot."""
LOCKS: Final = 10
"""RLIMIT_LOCKS, which the module ``resource`` does not name."""

_KILL_SECONDS: Final = 2.0


def keep() -> None:
    """Be a keeper of bots from now on."""
    if sys.platform == "linux":
        hard = resource.getrlimit(LOCKS)[1]
        if _is_above(hard):
            resource.setrlimit(LOCKS, (KEEPER, hard))


def end_abandoned() -> None:
    """Kill what bots of killed arenas have left, as far as it is ours to kill.

    Goes on until none is found, for a bounded time. Never raises OSError.
    """
    if sys.platform != "linux" or not _is_above(resource.getrlimit(LOCKS)[1]):
        return  # all that is ours looks like a bot
    give_up = time.monotonic() + _KILL_SECONDS
    while sum(map(_end, _newest_first())) and time.monotonic() < give_up:
        pass


def is_abandoned(pid: int) -> bool:
    """Whether it is a bot's process that no keeper is left above. Raises OSError if it is gone."""
    if _is_free(pid) or procfs.status(pid).get(b"NoNewPrivs") != b"1":
        return False
    above = procfs.process(pid).parent
    while above and not _is_free(above):
        pid, above = above, procfs.process(above).parent
    if not above or procfs.locks(above)[0] == KEEPER:  # or out of our sight
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


def _is_free(pid: int) -> bool:
    """Whether it is no bot's process."""
    return _is_above(procfs.locks(pid)[1])


def _is_above(hard: int) -> bool:
    return hard == resource.RLIM_INFINITY or hard > BOT
