"""Landlock rules as values: which paths a bot may use, and how. The launcher puts them in force.

Everything that Landlock knows is closed (files, TCP, signals to other processes, abstract unix
sockets) but for what the rules open.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

LOWEST: Final = 6
"""The first version that keeps signals and abstract sockets in; older ones are not used."""

_EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_FOLDER: Final = 1 << 3
_TRUNCATE: Final = 1 << 14
_DEVICE_IOCTL: Final = 1 << 15

ALL: Final = (1 << 16) - 1
"""Every right on files that version 6 knows."""
READ: Final = _EXECUTE | _READ_FILE | _READ_FOLDER
OF_A_FILE: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE_IOCTL
"""Rights that a rule for a file, not a folder, may have."""
USE: Final = ALL & ~_DEVICE_IOCTL
"""To read and to change everything."""
DEVICE: Final = _READ_FILE | _WRITE_FILE

_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16}
"""How many of the rights on files each version knows."""
_FIRST_WITH_TCP: Final = 4
_ALL_OF_TCP: Final = 1 << 0 | 1 << 1
_ALL_SCOPES: Final = 1 << 0 | 1 << 1
_CREATE_RULESET: Final = 444
_VERSION: Final = 1

Rule: TypeAlias = tuple[str, int]
"""A path and the rights on it and on everything below."""


class Ruleset(NamedTuple):
    """What the launcher gives to the kernel."""

    handled: bytes
    """``struct landlock_ruleset_attr``."""
    of_a_file: int
    rules: tuple[Rule, ...]
    """A path that does not exist is skipped."""


def version() -> int:
    """Which version of Landlock the kernel has; 0: none, or switched off."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _VERSION)))


def ruleset(
    readable: Iterable[str],
    writable: Iterable[str] = (),
    devices: Iterable[str] = (),
    version: int = LOWEST,
) -> Ruleset:
    """What may be read and executed, what may also be changed, what is a device to write to.

    ``version``: of the kernel, from 1 on; before ``LOWEST``, less is closed.
    """
    known = (1 << _RIGHTS[min(version, LOWEST)]) - 1
    rules = [(path, READ) for path in readable]
    rules += [(path, USE & known) for path in writable]
    rules += [(path, DEVICE) for path in devices]
    tcp = _ALL_OF_TCP if version >= _FIRST_WITH_TCP else 0
    scopes = _ALL_SCOPES if version >= LOWEST else 0
    return Ruleset(struct.pack("=QQQ", ALL & known, tcp, scopes), OF_A_FILE & known, tuple(rules))
