"""Ask once which calls this system has beyond those of POSIX.

Without them bots are started, limited and ended by POSIX calls alone. Measurements that need other
calls are then missing.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Final, NamedTuple

_GET_NO_NEW_PRIVILEGES: Final = 39


class Kernel(NamedTuple):
    """Calls of Linux that this system offers."""

    shows_processes: bool
    """True if ``/proc`` describes each process."""
    controls_processes: bool
    """True if ``prctl`` makes a process adopt orphans, end with its parent and gain no privileges.
    Such a system also has namespaces, filters of system calls and the rest of a sandbox."""
    name: str
    """Name and release of the system."""


@cache
def offered() -> Kernel:
    """Return what this system offers."""
    return Kernel(
        os.path.exists("/proc/self/stat"),
        prctl(_GET_NO_NEW_PRIVILEGES) >= 0,
        f"{os.uname().sysname} {os.uname().release}",
    )


def prctl(option: int, value: int = 0) -> int:
    """Call ``prctl``; return its result, or -1 if it failed or this system has no such call."""
    call = getattr(ctypes.CDLL(None), "prctl", None)
    return -1 if call is None else int(call(option, value, 0, 0, 0))
