"""Assign cores to workers, among all arenas of this user on this machine.

A core is taken by locking a file named after its number; the system releases the lock when its
holder ends in any way. If every core is taken, or files cannot be locked, cores are shared.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_FOLDER: Final = "cores-of-arena-{}"
"""Name of the folder with locks, below that for temporary files, by user."""


@contextlib.contextmanager
def taken(workers: int) -> Iterator[list[int]]:
    """Provide a core for each worker, from those that this process may use.

    A core is -1 where the system cannot pin processes. Until the block ends, no other arena gets
    one of these cores, as long as there are others.
    """
    if not hasattr(os, "sched_getaffinity"):
        yield [-1] * workers
        return
    allowed = sorted(os.sched_getaffinity(0))
    cores: list[int] = []
    with contextlib.ExitStack() as held:
        for core in allowed:
            if len(cores) < workers and (lock := _lock(core)) is not None:
                held.callback(os.close, lock)
                cores.append(core)
        yield cores + [allowed[n % len(allowed)] for n in range(workers - len(cores))]


def _lock(core: int) -> int | None:
    """Return the lock of a core as an open file; None if it is taken or cannot be locked."""
    folder = Path(tempfile.gettempdir(), _FOLDER.format(os.getuid()))
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            return None
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        lock = os.open(folder / str(core), flags, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock
