"""Support for processes that use one copy of a bot's folder: mounts and access times."""

from __future__ import annotations

import ctypes
import os
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Final

_NEW_MOUNTS: Final = 0x00020000
_PRIVATE: Final = 1 << 18 | 1 << 14
"""MS_PRIVATE with MS_REC: mounts are not propagated to other namespaces."""
_BIND: Final = 1 << 12
_NEVER_READ: Final = 1 << 33
"""Seconds since 1970, in the year 2242. The kernel updates the access time of a file, unless it is
later than all other times. So this access time does not show who has read the file."""


def keep_access_times(folder: Path) -> None:
    """Make the access times of a folder's contents constant (on mounts with ``relatime``).

    A process could leave a bit for the next process in each file that it reads. Raises OSError.
    """
    for above, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            path = os.path.join(above, name)
            changed = os.lstat(path).st_mtime_ns
            times = (_NEVER_READ * 1_000_000_000, changed)
            os.utime(path, ns=times, follow_symlinks=False)


@cache
def can_mount() -> bool:
    """Return whether a process of arena may mount one folder at the place of another.

    Tries it in a thread with a namespace of its own, which ends with the thread. Containers often
    forbid it to root.
    """
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(_mounts()))
    thread.start()
    thread.join()
    return found == [True]


def _mounts() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    private, bind = ctypes.c_ulong(_PRIVATE), ctypes.c_ulong(_BIND)
    with tempfile.TemporaryDirectory() as place:
        target = os.fsencode(place)
        return bool(
            libc.unshare(_NEW_MOUNTS) == 0
            and libc.mount(b"none", b"/", None, private, None) == 0
            and libc.mount(b"/", target, None, bind, None) == 0
            and libc.umount2(target, 0) == 0
        )
