"""Build Landlock rules as values: the paths that a bot may use, and how. The launcher applies them.

Everything that Landlock controls is closed (files, TCP, signals to other processes, abstract Unix
sockets), except for what the rules open.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from arena.hosting.machine import kernel

LOWEST: Final = 6
"""First version that restricts signals and abstract sockets; older versions are not used alone."""

_EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_FOLDER: Final = 1 << 3
_TRUNCATE: Final = 1 << 14
_DEVICE_IOCTL: Final = 1 << 15

ALL: Final = (1 << 16) - 1
"""All rights on files known to version 6."""
READ: Final = _EXECUTE | _READ_FILE | _READ_FOLDER
OF_A_FILE: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE_IOCTL
"""Rights that a rule for a file, not a folder, may have."""
USE: Final = ALL & ~_DEVICE_IOCTL
"""Rights to read and change everything."""
DEVICE: Final = _READ_FILE | _WRITE_FILE

_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16}
"""Number of rights on files known to each version."""
_FIRST_WITH_TCP: Final = 4
_ALL_OF_TCP: Final = 1 << 0 | 1 << 1
_ALL_SCOPES: Final = 1 << 0 | 1 << 1
_CREATE_RULESET: Final = 444
_VERSION: Final = 1

Rule: TypeAlias = tuple[str, int]
"""A path, and the rights on it and everything below."""


class Ruleset(NamedTuple):
    """Rules in the form that the launcher passes to the kernel."""

    handled: bytes
    """Content of a ``struct landlock_ruleset_attr``."""
    of_a_file: int
    rules: tuple[Rule, ...]
    """Rules; those with missing paths are skipped."""


@cache
def version() -> int:
    """Return the version of Landlock in the kernel; 0 if it is missing or switched off."""
    if not kernel.offered().controls_processes:  # the number may be that of another call
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _VERSION)))


def ruleset(
    readable: Iterable[str],
    writable: Iterable[str] = (),
    devices: Iterable[str] = (),
    version: int = LOWEST,
) -> Ruleset:
    """Return rules that allow to read and execute ``readable`` and also to change ``writable``.

    ``devices``: files that may be read and written. ``version``: of the kernel, from 1; before
    ``LOWEST``, the rules restrict less.
    """
    known = (1 << _RIGHTS[min(version, LOWEST)]) - 1
    rules = [(path, READ) for path in readable]
    rules += [(path, USE & known) for path in writable]
    rules += [(path, DEVICE) for path in devices]
    tcp = _ALL_OF_TCP if version >= _FIRST_WITH_TCP else 0
    scopes = _ALL_SCOPES if version >= LOWEST else 0
    return Ruleset(struct.pack("=QQQ", ALL & known, tcp, scopes), OF_A_FILE & known, tuple(rules))
