"""Blur traces of an ended process that the kernel keeps and shows to the next process.

All processes get the inode numbers of pipes and sockets from one counter. So a bot could use
up a certain amount of numbers, and the numbers would carry a message to the next process.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import secrets
import socket
from functools import partial
from typing import Final

MAX_INODE_NUMBERS: Final = 2048
"""Upper bound, exclusive, on the amount of numbers used up."""
_NO_PROTOCOL: Final = 99
"""No protocol of local sockets. The kernel numbers a socket before it refuses the protocol."""
DROP_CACHES: Final = "/proc/sys/vm/drop_caches"
_DROP_NAMES_QUIETLY: Final = b"6"
"""Value that drops names and inodes, without a line in the kernel log. Takes far less than a
millisecond where few are kept."""

_libc: Final = ctypes.CDLL(None, use_errno=True)
_refused_socket: Final = partial(
    _libc.socket, int(socket.AF_UNIX), int(socket.SOCK_STREAM), _NO_PROTOCOL
)
"""Use up a number in half of the time that a pipe takes. The seccomp filter refuses bots this."""


def skip_inode_numbers() -> None:
    """Use up a secret amount of inode numbers of this processor. Raises OSError.

    The caller must be a process whose processor use no bot sees, because it reveals the amount.
    """
    use_up = _refused_socket if _is_numbered() else _pipe
    for _ in range(secrets.randbelow(MAX_INODE_NUMBERS)):
        use_up()


def _is_numbered() -> bool:
    """Return whether ``_refused_socket`` gets as far as the number; other rules may forbid it."""
    return _refused_socket() == -1 and ctypes.get_errno() == errno.EPROTONOSUPPORT


def _pipe() -> None:
    for end in os.pipe():
        os.close(end)


def drop_name_cache() -> None:
    """Make the kernel forget which file names were looked up.

    The kernel also remembers missing names; a second lookup of a missing name is faster. Call this
    when no process of the bot lives. Does nothing where the machine does not permit it.
    """
    with contextlib.suppress(OSError), open(DROP_CACHES, "wb", buffering=0) as file:
        file.write(_DROP_NAMES_QUIETLY)


def can_drop_name_cache() -> bool:
    """Return whether ``drop_name_cache`` has an effect on this machine."""
    return os.access(DROP_CACHES, os.W_OK)
