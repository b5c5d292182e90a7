"""Makes less of a number that the kernel counts up and that every process can read.

A pipe or socket has the next inode number, whoever makes it. So a bot could use up a certain
amount of them, and what it starts from would tell that to the next process.
"""

from __future__ import annotations

import os
import secrets
from typing import Final

NUMBERS: Final = 2048
"""Fewer than so many are used up."""


def numbers() -> None:
    """Use up a secret amount of inode numbers of this processor. Raises OSError.

    To be done by a process whose use of the processor no bot sees: it tells the amount.
    """
    for _ in range(secrets.randbelow(NUMBERS)):
        for end in os.pipe():
            os.close(end)
