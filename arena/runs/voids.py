"""The games of a run that could not be played through no fault of a bot's: ``voids.jsonl``.

One line for each time. Such a game is played again, so the same game may have several lines,
and a line among the results besides. A game that is stored later carries the digest of the file
as it was then, so that no line before it can be lost or changed unnoticed.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena.documents.problems import printable
from arena.results import GameVoid, VoidCause
from arena.runs.disk import (
    STORE_LOG,
    Log,
    StoreError,
    check_file,
    complete_lines_end,
    stored_lines,
    sync_folder,
)

VOIDS: Final = "voids.jsonl"
_REASON: Final = 300
"""Characters kept of a reason."""

log = logging.getLogger(STORE_LOG)


class Void(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of voids.jsonl."""

    game: str
    cause: VoidCause
    reason: str
    """In one line."""
    entrants: tuple[str, ...]
    """By seat."""
    machine: str = ""
    """Where it could not be played; empty: on the machine that holds the run."""

    @classmethod
    def of(cls, void: GameVoid, entrants: tuple[str, ...]) -> Void:
        """The line of a report."""
        return cls(void.game_id, void.cause, in_one_line(void.reason), entrants, void.machine)


def in_one_line(reason: str) -> str:
    """The last line of a reason, which of a traceback is the exception, cut to a bound."""
    last = reason.strip().splitlines()[-1:] or [""]
    return printable(last[0])[:_REASON]


class VoidLog:
    """``voids.jsonl`` of a run that is played."""

    def __init__(self, folder: Path) -> None:
        """Cut away a line that a kill has torn. Raises OSError or StoreError."""
        self.path = folder / VOIDS
        self._sum = hashlib.sha256()
        self.digest = ""
        """SHA-256 of the file, in hex; empty while there is none, or nothing in it."""
        self._log = self._open() if self.path.exists() else None

    def add(self, void: Void) -> None:
        """Put a line on disk. Raises OSError; then nothing more may be added."""
        if self._log is None:
            self._log = self._open()
            sync_folder(self.path.parent)
        line = msgspec.json.encode(void) + b"\n"
        self._log.append(line)
        self._count(line)

    def is_in_place(self) -> bool:
        """Whether what was added is where it is looked for."""
        return self._log is None or self._log.is_in_place()

    def is_as_left(self) -> bool:
        """Whether nobody else made it longer or shorter. Raises OSError."""
        return self._log is None or self._log.is_as_left()

    def close(self) -> None:
        """Close the file."""
        if self._log is not None:
            self._log.close()

    def _open(self) -> Log:
        check_file(self.path)
        end = complete_lines_end(self.path)
        if self.path.exists():
            data = self.path.read_bytes()
            if len(data) > end:
                log.warning("%s: its last line was torn and is cut away", self.path)
            self._count(data[:end])
        return Log(self.path, end)

    def _count(self, data: bytes) -> None:
        if data:
            self._sum.update(data)
            self.digest = self._sum.hexdigest()


def stored_voids(folder: Path) -> Iterator[Void]:
    """Every void in order; none without a file, and a torn last line is left out.

    Raises StoreError at a line that is none, with its number.
    """
    for _, void in stored_lines(folder / VOIDS, Void, "void game"):
        yield void


def digests(folder: Path) -> tuple[set[str], bool]:
    """(``VoidLog.digest`` after each line, whether the last line is torn). Raises StoreError."""
    path = folder / VOIDS
    check_file(path)
    try:
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    found, so_far = {""}, hashlib.sha256()
    for line in lines:
        if line.endswith(b"\n"):
            so_far.update(line)
            found.add(so_far.hexdigest())
    return found, bool(lines) and not lines[-1].endswith(b"\n")
