"""Writers of table files: JSON lines and CSV."""

from __future__ import annotations

import contextlib
import csv
import io
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

    def add(self, rows: int, data: Any) -> None:
        """Add rows, converted for this sink."""

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


def json_lines(table: DataTable, columns: Sequence[list[Any]]) -> bytes:
    """Return a JSON object on a line for each row."""
    names = table.names
    return _encode_lines([dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)])


def csv_rows(table: DataTable, columns: Sequence[list[Any]]) -> bytes:
    """Return the rows as CSV; unknown values are empty."""
    shown = list(columns)
    for at, each in enumerate(table.columns):
        if each.kind is ColumnKind.BOOLEAN:
            shown[at] = [None if value is None else str(value).lower() for value in shown[at]]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(zip(*shown, strict=True))
    return text.getvalue().encode()


class TextSink:
    """A file of text."""

    def __init__(self, path: Path, earlier: Path | None, head: bytes = b"") -> None:
        """Create the file with the line ``head``. Raises OSError, BadInput.

        ``earlier``: file that comes first, with its head.
        """
        self.rows = 0
        self.earlier = max(0, _copied(earlier, path) - head.count(b"\n"))
        self._file = path.open("ab", buffering=_BUFFER)
        if earlier is None:
            self._file.write(head)

    def add(self, rows: int, data: Any) -> None:
        """Add rows, which are text in UTF-8. Raises OSError."""
        self.rows += rows
        self._file.write(data)

    def close(self) -> None:
        """Write everything to the file and close it. Raises OSError."""
        self._file.close()

    def abandon(self) -> None:
        """Close the file, which stays incomplete. Raises nothing."""
        with contextlib.suppress(OSError):
            self._file.close()
