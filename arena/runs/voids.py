"""Read and write ``voids.jsonl``: the games that failed through no fault of a bot.

The file has one line for each such failure. The game is played again, so a game may have several
lines here and one among the results. Each game that is stored later carries the digest of this
file at that time, so that no earlier line can be lost or changed unnoticed.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Final

import msgspec

from arena.runs.disk import (
    STORE_LOG,
    AppendLog,
    check_file,
    complete_lines_end,
    reading,
    sync,
)
from arena.values.bad_input import printable
from arena.values.results import GameVoid, VoidCause

VOIDS: Final = "voids.jsonl"
_REASON: Final = 300
"""Greatest length of a stored reason, in characters."""

log = logging.getLogger(STORE_LOG)


class Void(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of voids.jsonl: a game that could not be played."""

    game: str
    cause: VoidCause
    reason: str
    """Reason, on one line."""
    entrants: tuple[str, ...]
    """Names, by seat."""
    machine: str = ""
    """Machine on which the game failed; empty for the machine that holds the run."""

    @classmethod
    def of(cls, void: GameVoid, entrants: tuple[str, ...]) -> Void:
        """Return the line for a reported failure."""
        return cls(void.game_id, void.cause, in_one_line(void.reason), entrants, void.machine)


def in_one_line(reason: str) -> str:
    """Return the last line of a reason (the exception of a traceback), cut to ``_REASON``."""
    last = reason.strip().splitlines()[-1:] or [""]
    return printable(last[0])[:_REASON]


class VoidLog:
    """Writer of ``voids.jsonl`` for a run that is being played."""

    def __init__(self, folder: Path) -> None:
        """Open the file and cut off a line torn by a kill. Raises OSError or StoreError."""
        self.path = folder / VOIDS
        self._sum = hashlib.sha256()
        self.digest = ""
        """SHA-256 of the file, in hex; empty while the file is missing or empty."""
        self._log = self._open() if self.path.exists() else None

    def add(self, void: Void) -> None:
        """Write a line to disk. Raises OSError; after that, no more lines may be added."""
        if self._log is None:
            self._log = self._open()
            sync(self.path.parent)
        line = msgspec.json.encode(void) + b"\n"
        self._log.append(line)
        self._count(line)

    def is_in_place(self) -> bool:
        """Return whether the path of the file still leads to the file that was written."""
        return self._log is None or self._log.is_in_place()

    def is_as_left(self) -> bool:
        """Return whether the file still has the length that this writer left. Raises OSError."""
        return self._log is None or self._log.is_as_left()

    def close(self) -> None:
        """Close the file."""
        if self._log is not None:
            self._log.close()

    def _open(self) -> AppendLog:
        check_file(self.path)
        end = complete_lines_end(self.path)
        if self.path.exists():
            data = self.path.read_bytes()
            if len(data) > end:
                log.warning("%s: its last line was torn and is cut away", self.path)
            self._count(data[:end])
        return AppendLog(self.path, end)

    def _count(self, data: bytes) -> None:
        if data:
            self._sum.update(data)
            self.digest = self._sum.hexdigest()


def digests(folder: Path) -> tuple[set[str], bool]:
    """Return the values of ``VoidLog.digest`` after each line, and whether the last line is torn.

    The empty digest, of a file without lines, is included. Raises StoreError.
    """
    path = folder / VOIDS
    check_file(path)
    with reading(path):
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    found, so_far = {""}, hashlib.sha256()
    for line in lines:
        if line.endswith(b"\n"):
            so_far.update(line)
            found.add(so_far.hexdigest())
    return found, bool(lines) and not lines[-1].endswith(b"\n")
