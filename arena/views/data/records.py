"""Read the records of a run one after another, with each file opened once."""

from __future__ import annotations

import os
from pathlib import Path

from arena.records.read import RecordError, SealedRecord, parse_sealed, unpack
from arena.runs.disk import StoreError, check_file
from arena.runs.reader import StoredRun
from arena.runs.store import Stored, check_inside


class RecordFiles:
    """The open files of records of one run. Use as a context manager."""

    def __init__(self, run: StoredRun) -> None:
        self._run = run
        self._open: dict[str, tuple[int, int]] = {}
        """Descriptor and size of each file; descriptor -1 for a file that is lost."""
        self.thinned = 0
        """Number of records asked for that were removed by rule."""
        self.lost = 0
        """Number of records asked for that are lost."""

    def __enter__(self) -> RecordFiles:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor, _size in self._open.values():
            if descriptor >= 0:
                os.close(descriptor)
        self._open.clear()

    def read(self, stored: Stored) -> SealedRecord | None:
        """Return the record of a game; None if it was removed or is lost, which is counted.

        Raises StoreError, with the game, if the record is damaged or that of another game.
        """
        with self._run.record_errors(stored):
            if self._run.is_expired(stored.record):
                self.thinned += 1
                return None
            data = self._bytes(stored)
            if data is None:
                self.lost += 1
                return None
            record = parse_sealed(unpack(data))
            if record.header.spec != stored.result.spec:
                raise RecordError(1, f"found the game {record.header.spec.game_id}")
            return record

    def _bytes(self, stored: Stored) -> bytes | None:
        """Return the packed record; None if it is lost. Raises StoreError."""
        name, offset, length = stored.record.file, stored.record.offset, stored.record.length
        try:
            if name not in self._open:
                self._open[name] = _opened(self._run.folder, self._run.folder / name)
            descriptor, size = self._open[name]
            if descriptor < 0 or not 0 <= offset <= offset + length <= size:
                return None
            return os.pread(descriptor, length, offset)
        except OSError as error:
            told = error.strerror
        except ValueError as error:
            told = str(error)
        raise StoreError(f"{self._run.folder / name}: cannot be read: {told}")


def _opened(folder: Path, path: Path) -> tuple[int, int]:
    """Open a file of records; return its descriptor and size, or -1 and 0 if it is missing."""
    check_inside(folder, path)
    check_file(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return -1, 0
    return descriptor, os.fstat(descriptor).st_size
