"""How far a bot is kept apart from the machine: the levels, and what is needed to start one."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from arena.results import Limits


class Level(StrEnum):
    """How far a bot is kept apart, weakest first. Each has all that the ones before it have.

    At every level: a clean environment, no descriptor but the three standard ones, a private
    copy of its folder or a read-only view of it, a session of its own, never root, and the end of
    everything it started.
    """

    NONE = "none"
    """No more than that: for bots of one's own."""
    LIMITS = "limits"
    """Limits on memory, processes, CPU and files; no new privileges; ends with its worker."""
    LANDLOCK = "landlock"
    """Files, network, signals and rare system calls are closed by Landlock and seccomp."""
    BUBBLEWRAP = "bubblewrap"
    """Namespaces of its own: no network, no other process, a read-only system."""

    def at_least(self, other: Level) -> bool:
        """Whether it is as strict as the other or stricter."""
        order = list(Level)
        return order.index(self) >= order.index(other)


SANDBOX: Final = "sandbox"
"""Asks for the strongest of LANDLOCK and BUBBLEWRAP that the machine gives."""


class IsolationError(Exception):
    """The machine does not give what was asked for; the text says what is missing, and the
    remedy, in one line."""


class Launch(msgspec.Struct, frozen=True):
    """How to start a bot."""

    command: tuple[str, ...]
    """Program (absolute path) and arguments; no shell."""
    folder: str
    """Working directory, absolute; or what a private copy of is to be that."""
    env: dict[str, str] = {}
    """Added to the clean environment."""
    level: Level = Level.NONE
    limits: Limits = Limits()
    """In force from Level.LIMITS on."""
    copied: bool = False
    """True: the process gets a private copy of ``folder``, or a read-only view of it if
    ``is_shareable``. Paths into it in ``command`` then lead there."""
    readable: tuple[str, ...] = ()
    """Absolute paths outside of the folder that it may read where files are closed otherwise."""
    writable: bool = False
    """Whether it may write below its working directory at every level: for building a bot, in
    a copy."""

    @property
    def is_shareable(self) -> bool:
        """True if processes can use one copy of ``folder``, because none of them can change it."""
        return self.copied and not self.writable and self.level.at_least(Level.LANDLOCK)


class Isolation(StrEnum):
    """How far bots are to be kept apart: a level, or the strongest that the machine gives."""

    NONE = Level.NONE.value
    LIMITS = Level.LIMITS.value
    LANDLOCK = Level.LANDLOCK.value
    BUBBLEWRAP = Level.BUBBLEWRAP.value
    SANDBOX = SANDBOX
    """LANDLOCK or BUBBLEWRAP."""

    def closes_files(self) -> bool:
        """Whether a bot sees no files at it but the system's and those of its own folder."""
        return self not in (Isolation.NONE, Isolation.LIMITS)
