"""Read a file of lines to which another process appends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from arena.runs.disk import NOT_READABLE, StoreError, check_file

_CHUNK: Final = 4 << 20
T = TypeVar("T")


class Replaced(Exception):
    """The file was replaced or truncated since the last read."""


class Tail(Generic[T]):
    """Incremental reader of a JSON lines file that another process appends to."""

    def __init__(self, path: Path, kind: type[T], what: str) -> None:
        """Prepare to read ``path``. ``what``: word for a line in error messages."""
        self._path = path
        self._what = what
        self._decoder = msgspec.json.Decoder(kind)
        self._offset = 0
        self._file: tuple[int, int] | None = None
        self.lines = 0
        """Number of lines read so far."""
        self.size = 0
        """Size of the file at the last read, in bytes."""

    @property
    def share(self) -> float:
        """Share of the file that has been read, 0 to 1."""
        return self._offset / self.size if self.size else 1.0

    def read(self) -> list[tuple[int, T]]:
        """Return the next complete lines with their numbers, from 1; an empty list if none are new.

        A call may not return all new lines: call again until it returns none. Raises StoreError at
        an invalid line, Replaced if the file is not the one read before.
        """
        data = self._next()
        end = data.rfind(b"\n") + 1
        found = []
        for line in data[:end].splitlines():
            self.lines += 1
            try:
                found.append((self.lines, self._decoder.decode(line)))
            except NOT_READABLE as error:
                where = f"{self._path}:{self.lines}"
                raise StoreError(f"{where}: no {self._what}: {error}") from None
        self._offset += end
        return found

    def _next(self) -> bytes:
        check_file(self._path)
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                self._check(status)
                file.seek(self._offset)
                data = file.read(_CHUNK)
                while b"\n" not in data and (more := file.read(_CHUNK)):
                    data += more  # a line longer than any that arena writes
                return data
        except FileNotFoundError:
            if self._file is not None:
                raise Replaced from None
            return b""
        except OSError as error:
            raise StoreError(f"{self._path}: cannot be read: {error.strerror}") from None

    def _check(self, status: os.stat_result) -> None:
        """Raise Replaced for another file, or one cut by more than a torn last line."""
        identity = status.st_dev, status.st_ino
        if self._file not in (None, identity) or status.st_size < self._offset:
            raise Replaced
        self._file, self.size = identity, status.st_size
