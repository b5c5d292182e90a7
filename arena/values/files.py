"""Open files that other people or programs wrote."""

from __future__ import annotations

import errno
import os
import stat


def regular(path: str, flags: int) -> int:
    """Open a regular file without waiting: an ``opener`` for ``open``.

    A pipe without a writer would wait for ever, and a device never ends. Raises OSError for them,
    for a folder IsADirectoryError; ``strerror`` says what was found.
    """
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "no regular file", path)
