"""Writers of table files: JSON lines and CSV."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from arena.documents.bad_input import BadInput
from arena.views.data.columns import ColumnKind, DataTable

_encode_lines: Final = msgspec.json.Encoder().encode_lines
_BUFFER: Final = 1 << 20


class TableSink(Protocol):
    """Writer of one file with the rows of a table. Methods raise OSError."""

    rows: int
    """Number of rows added."""
    earlier: int
    """Number of rows of the earlier file."""

    def add(self, columns: Sequence[list[Any]]) -> None:
        """Add rows, given by column."""

    def close(self) -> None:
        """Write everything; the file is then complete."""

    def abandon(self) -> None:
        """Close the file, which stays incomplete. Raises nothing."""


def _copied(earlier: Path | None, path: Path) -> int:
    """Begin a file with a copy of ``earlier``; return the number of its whole lines.

    Raises OSError; BadInput if ``earlier`` cannot be read.
    """
    if earlier is None:
        return 0
    try:
        before = earlier.open("rb")
    except OSError as error:
        raise BadInput(f"{earlier}: cannot be read: {error.strerror}") from None
    lines = 0
    with before, path.open("xb") as file:
        while part := before.read(_BUFFER):
            lines += part.count(b"\n")
            file.write(part)
    return lines


class JsonLinesSink:
    """A file with a JSON object for each row."""

    def __init__(self, table: DataTable, path: Path, earlier: Path | None) -> None:
        """Create the file. ``earlier``: file whose rows come first. Raises OSError, BadInput."""
        self.rows = 0
        self._names = table.names
        self.earlier = _copied(earlier, path)
        self._file = path.open("ab", buffering=_BUFFER)

    def add(self, columns: Sequence[list[Any]]) -> None:
        """Add rows, given by column. Raises OSError."""
        self.rows += len(columns[0])
        names = self._names
        rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        self._file.write(_encode_lines(rows))

    def close(self) -> None:
        """Write everything to the file and close it. Raises OSError."""
        self._file.close()

    def abandon(self) -> None:
        """Close the file, which stays incomplete. Raises nothing."""
        with contextlib.suppress(OSError):
            self._file.close()


class CsvSink:
    """A CSV file with a head; unknown values are empty."""

    def __init__(self, table: DataTable, path: Path, earlier: Path | None) -> None:
        """Create the file. ``earlier``: file whose rows come first. Raises OSError, BadInput."""
        self.rows = 0
        self.earlier = max(0, _copied(earlier, path) - 1)  # without its head
        self._flags = [
            at for at, each in enumerate(table.columns) if each.kind is ColumnKind.BOOLEAN
        ]
        self._file = path.open("a", buffering=_BUFFER, encoding="utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")
        if earlier is None:
            self._writer.writerow(table.names)

    def add(self, columns: Sequence[list[Any]]) -> None:
        """Add rows, given by column. Raises OSError."""
        self.rows += len(columns[0])
        shown = list(columns)
        for at in self._flags:
            shown[at] = [None if value is None else str(value).lower() for value in shown[at]]
        self._writer.writerows(zip(*shown, strict=True))

    def close(self) -> None:
        """Write everything to the file and close it. Raises OSError."""
        self._file.close()

    def abandon(self) -> None:
        """Close the file, which stays incomplete. Raises nothing."""
        with contextlib.suppress(OSError):
            self._file.close()
