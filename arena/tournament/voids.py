"""The games of a run that could not be played through no fault of a bot's: ``voids.jsonl``.

One line for each time. Such a game is played again, so the same game may have several lines,
and a line among the results besides.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena.tournament.disk import Log, check_file, complete_lines_end, stored_lines, sync_folder
from arena.tournament.jobs import GameVoid, VoidCause
from arena.tournament.problems import printable

VOIDS: Final = "voids.jsonl"
_REASON: Final = 300
"""Characters kept of a reason."""


class Void(msgspec.Struct, frozen=True):
    """One line of voids.jsonl."""

    game: str
    cause: VoidCause
    reason: str
    """In one line."""
    entrants: tuple[str, ...]
    """By seat."""

    @classmethod
    def of(cls, void: GameVoid, entrants: tuple[str, ...]) -> Void:
        """The line of a report."""
        return cls(void.game_id, void.cause, in_one_line(void.reason), entrants)


def in_one_line(reason: str) -> str:
    """The last line of a reason, which of a traceback is the exception, cut to a bound."""
    last = reason.strip().splitlines()[-1:] or [""]
    return printable(last[0])[:_REASON]


class VoidLog:
    """``voids.jsonl`` of a run that is played."""

    def __init__(self, folder: Path) -> None:
        """Cut away a line that a kill has torn. Raises OSError or StoreError."""
        self._path = folder / VOIDS
        self._log = self._open() if self._path.exists() else None

    def add(self, void: Void) -> None:
        """Put a line on disk. Raises OSError; then nothing more may be added."""
        if self._log is None:
            self._log = self._open()
            sync_folder(self._path.parent)
        self._log.append(msgspec.json.encode(void) + b"\n")

    def close(self) -> None:
        """Close the file."""
        if self._log is not None:
            self._log.close()

    def _open(self) -> Log:
        check_file(self._path)
        return Log(self._path, complete_lines_end(self._path))


def stored_voids(folder: Path) -> Iterator[Void]:
    """Every void in order; none without a file, and a torn last line is left out.

    Raises StoreError at a line that is none, with its number.
    """
    for _, void in stored_lines(folder / VOIDS, Void, "void game"):
        yield void
