"""Makes less of what the kernel keeps of a process that has ended, and shows to the next one.

A pipe or socket has the next inode number, whoever makes it. So a bot could use up a certain
amount of them, and what it starts from would tell that to the next process.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import Final

NUMBERS: Final = 2048
"""Fewer than so many are used up."""
CACHES: Final = "/proc/sys/vm/drop_caches"
_NAMES_SILENTLY: Final = b"6"
"""Names and inodes, which takes far less than a millisecond where few are kept; without a line in
the log of the kernel each time."""


def numbers() -> None:
    """Use up a secret amount of inode numbers of this processor. Raises OSError.

    To be done by a process whose use of the processor no bot sees: it tells the amount.
    """
    for _ in range(secrets.randbelow(NUMBERS)):
        for end in os.pipe():
            os.close(end)


def names() -> None:
    """Have the kernel forget which names of files were looked for.

    One that does not exist is remembered too, and found not to exist faster the second time. To be
    done when no process of the bot lives. Does nothing where the machine does not permit it.
    """
    with contextlib.suppress(OSError), open(CACHES, "wb", buffering=0) as file:
        file.write(_NAMES_SILENTLY)


def can_forget_names() -> bool:
    """Whether ``names`` does anything here."""
    return os.access(CACHES, os.W_OK)
