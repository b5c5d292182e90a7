"""Isolation levels, and the data needed to start a bot at a level."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from arena.values.results import Limits


class Level(StrEnum):
    """Isolation of a bot from the machine, weakest level first; each includes the ones before it.

    At every level: a clean environment, no descriptor but the three standard ones, a private
    copy of its folder or a read-only view of it, a session of its own, never root, and the end of
    everything it started.
    """

    NONE = "none"
    """Nothing more, for bots of one's own."""
    LIMITS = "limits"
    """Limits on memory, processes, CPU and files; no new privileges; ends with its worker."""
    LANDLOCK = "landlock"
    """Files, network, signals and rare system calls are closed by Landlock and seccomp."""
    BUBBLEWRAP = "bubblewrap"
    """Namespaces of its own: no network, no other process, a read-only system."""

    def at_least(self, other: Level) -> bool:
        """Return whether this level is at least as strict as ``other``."""
        order = list(Level)
        return order.index(self) >= order.index(other)


SANDBOX: Final = "sandbox"
"""Request for the strongest of LANDLOCK and BUBBLEWRAP that the machine provides."""


class IsolationError(Exception):
    """The machine lacks the requested isolation; the message has the reason and the remedy."""


class Launch(msgspec.Struct, frozen=True):
    """Request to start a bot: its command and folder, the isolation level and the limits."""

    command: tuple[str, ...]
    """Program (absolute path) and arguments; no shell."""
    folder: str
    """Absolute path of the working directory, or of the folder that is copied to become it."""
    env: dict[str, str] = {}
    """Variables added to the clean environment."""
    level: Level = Level.NONE
    limits: Limits = Limits()
    """Limits, in force from Level.LIMITS on."""
    copied: bool = False
    """True if the process gets a private copy of ``folder``, or a read-only view of it if
    ``is_shareable``. Paths into it in ``command`` then lead there."""
    readable: tuple[str, ...] = ()
    """Absolute paths outside its folder that the bot may read where files are closed otherwise."""
    writable: bool = False
    """True if the bot may write below its working directory at every level: for building a bot, in
    a copy."""

    @property
    def is_shareable(self) -> bool:
        """True if processes can use one copy of ``folder``, because none of them can change it."""
        return self.copied and not self.writable and self.level.at_least(Level.LANDLOCK)


class Isolation(StrEnum):
    """Requested isolation: a level, or the strongest that the machine provides."""

    NONE = Level.NONE.value
    LIMITS = Level.LIMITS.value
    LANDLOCK = Level.LANDLOCK.value
    BUBBLEWRAP = Level.BUBBLEWRAP.value
    SANDBOX = SANDBOX
    """Either LANDLOCK or BUBBLEWRAP."""

    def closes_files(self) -> bool:
        """Return whether bots see no files except the system's and those in their own folder."""
        return self not in (Isolation.NONE, Isolation.LIMITS)
