"""Which core belongs to which worker, among all arenas of this user on this machine.

A core is taken by the lock of a file that bears its number; the system frees it however its holder
ends. Where every core is taken they are shared, and so they are where nothing can be locked.
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
"""In the folder for temporary files, by user."""


@contextlib.contextmanager
def taken(workers: int) -> Iterator[list[int]]:
    """A core for each worker, from those this process may use; -1 where cores have no names.

    Nobody else who asks gets one of them meanwhile, as long as there are others.
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
    """The lock of a core as an open file; None: somebody has it, or nothing can be locked."""
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
