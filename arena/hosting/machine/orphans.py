"""Processes that escaped their group: a bot's daemons become children of the worker.

A worker calls ``adopt_orphans`` once; from then on every descendant whose parent ends is the
worker's child and ``sweep`` finds it. Linux only; elsewhere both do nothing.
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
"""Children of this process that are no bots and end with it."""


def adopt_orphans() -> None:
    """Make this process the parent of every orphan among its descendants."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> list[int]:
    """Process ids of this process's children, ended ones included."""
    found = procfs.children(os.getpid())
    found = _children_by_parents() if found is None else found
    return [pid for pid in found if pid not in HELPERS] if HELPERS else found


def _children_by_parents() -> list[int]:
    """The same where the kernel does not tell children: from all processes of the machine."""
    me, found = os.getpid(), []
    for pid in procfs.all_pids():
        with contextlib.suppress(OSError):
            if procfs.process(pid).parent == me:
                found.append(pid)
    return found


def end_helpers() -> None:
    """Kill and reap those of this process, which is about to end at once. From any thread."""
    for pid in list(HELPERS):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def sweep(keep: Container[int]) -> int:
    """Kill and reap every child that is not to be kept, again until none is left.

    Gives up after a second, against a program that forks faster than it is killed.
    Returns how many were killed.
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
    """Bury an ended child, without waiting for one that has not ended; whether it is gone."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
