"""Find processes that escaped their group: daemons of a bot become children of the worker.

A worker calls ``adopt_orphans`` once. From then on, every descendant whose parent ends becomes a
child of the worker, and ``sweep`` finds it. Linux only; elsewhere both do nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Container
from typing import Final

from arena.hosting.machine import procfs

_PR_SET_CHILD_SUBREAPER: Final = 36
_SWEEP_SECONDS: Final = 1.0
_NAP_SECONDS: Final = 0.001

HELPERS: Final[set[int]] = set()
"""Children of this process that are not bots and end with it."""


def adopt_orphans() -> None:
    """Make this process the parent of every orphan among its descendants."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> list[int]:
    """Return the ids of this process's children, including ended ones, except ``HELPERS``."""
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
