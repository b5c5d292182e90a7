"""Where the bots of a run live: snapshots of their folders, and a cell for each process.

A yard is a temporary folder that its owner, the parent of a run, holds locked. Workers join it.
What an owner that was killed has left, processes included, the next one clears away.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from arena.hosting.isolation import Launch

_PREFIX = "arena-"


class Cell:
    """The surroundings of one bot process; goes with it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        """Working directory of the process, absolute."""

    def close(self) -> None:
        """Remove what belongs to it alone. Closed again, it does nothing."""


class Yard:
    """A place for cells."""

    def __init__(self, root: Path) -> None:
        """Join the yard at ``root``."""
        self.root = root

    @classmethod
    def create(cls) -> Yard:
        """Begin a yard and own it. Raises OSError."""
        return cls(Path(tempfile.mkdtemp(prefix=_PREFIX)))

    def snapshot(self, name: str, folder: Path) -> Path:
        """A copy of a bot's folder as it is now. Raises OSError."""
        target = self.root / "bots" / name
        shutil.copytree(folder, target, symlinks=True)
        return target

    def cell(self, launch: Launch) -> Cell:
        """Surroundings for a process. Raises OSError."""
        return Cell(launch.folder)

    def close(self) -> None:
        """Remove everything, processes included. Only for the owner."""
        shutil.rmtree(self.root, ignore_errors=True)
