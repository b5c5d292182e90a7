"""Writer of Parquet files, with pyarrow, which only this module imports."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from arena import extensions
from arena.extensions.data.tables.columns import SCHEMA, ColumnKind, DataTable, TableColumn
from arena.values.bad_input import BadInput

_LONGEST_JOINED: Final = 1 << 30
"""Most characters of one array of texts, whose offsets have 31 bits."""
_GROUP_ROWS: Final = 1 << 16
_GROUP_BYTES: Final = 4 << 20
"""Sizes at which a row group is written; they bound the memory of an export."""


def arrow() -> Any:
    """Return pyarrow. Raises BadInput if it is not installed."""
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        told = extensions.uninstalled(error)
        raise BadInput(f"{told}; the formats jsonl and csv need nothing") from None
    return pyarrow


@cache
def arrow_schema(table: DataTable) -> Any:
    """Return the Arrow schema of a table. Raises BadInput without pyarrow."""
    pa = arrow()
    types = {
        ColumnKind.TEXT: pa.string(),
        ColumnKind.JSON: pa.string(),
        ColumnKind.INTEGER: pa.int64(),
        ColumnKind.NUMBER: pa.float64(),
        ColumnKind.BOOLEAN: pa.bool_(),
    }
    fields = [
        pa.field(each.name, types[each.kind], metadata=_facts(each)) for each in table.columns
    ]
    return pa.schema(fields, metadata={"schema": SCHEMA, "table": table.name})


def _facts(column: TableColumn) -> dict[str, str]:
    facts = {"type": column.kind.value, "unit": column.unit, "meaning": column.meaning}
    return {name: value for name, value in facts.items() if value}


def record_batch(columns: Sequence[list[Any]], schema: Any) -> Any:
    """Return an Arrow record batch of rows that are given by column."""
    pa = arrow()
    arrays = [
        _texts(values) if field.type == pa.string() else pa.array(values, type=field.type)
        for values, field in zip(columns, schema, strict=True)
    ]
    return pa.record_batch(arrays, schema=schema)


def _texts(values: list[Any]) -> Any:
    """Return an Arrow array of texts, which are str or UTF-8.

    Most are joined, which takes a third of the memory.
    """
    pa = arrow()
    try:
        is_encoded = bool(values) and type(values[0]) is bytes
        joined = b"".join(values) if is_encoded else "".join(values)
    except TypeError:  # some are None
        return pa.array(values, type=pa.string())
    if len(joined) > _LONGEST_JOINED or not (is_encoded or joined.isascii()):
        return pa.array(values, type=pa.string())
    ends = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, values), np.int32, len(values)), out=ends[1:])
    data = joined if isinstance(joined, bytes) else joined.encode()
    buffers = pa.py_buffer(ends), pa.py_buffer(data)
    return pa.StringArray.from_buffers(len(values), *buffers)


class ParquetSink:
    """A Parquet file with the rows of a table."""

    def __init__(self, table: DataTable, path: Path, earlier: Path | None) -> None:
        """Create the file. ``earlier``: file whose rows come first. Raises OSError, BadInput."""
        self.rows = self.earlier = 0
        self._arrow = arrow()
        from pyarrow import parquet

        self._schema = arrow_schema(table)
        self._batches: list[Any] = []
        self._waiting = self._size = 0
        self._file = path.open("xb")
        short = [each.name for each in table.columns if each.kind is not ColumnKind.JSON]
        self._writer = parquet.ParquetWriter(
            self._file,
            self._schema,
            compression="zstd",
            write_statistics=short,  # those of long texts would be kept for each row group
        )
        for found in () if earlier is None else self._groups(earlier):
            self._writer.write_table(found)
            self.earlier += found.num_rows

    def _groups(self, earlier: Path) -> Iterator[Any]:
        """Yield the row groups of a file. Raises BadInput if it is damaged."""
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(earlier) as before:
                for group in range(before.num_row_groups):
                    yield before.read_row_group(group).cast(self._schema)
        except (self._arrow.ArrowException, OSError, ValueError) as error:
            self.abandon()
            told = str(error).partition("\n")[0]
            raise BadInput(f"{earlier}: cannot be read: {told}") from None

    def add(self, rows: int, data: Any) -> None:
        """Add a record batch. Raises OSError."""
        self.rows += rows
        self._batches.append(data)
        self._waiting += rows
        self._size += data.nbytes
        if self._size >= _GROUP_BYTES or self._waiting >= _GROUP_ROWS:
            self._write()

    def _write(self) -> None:
        self._writer.write_table(self._arrow.Table.from_batches(self._batches, self._schema))
        self._batches, self._waiting, self._size = [], 0, 0

    def close(self) -> None:
        """Write everything to the file and close it. Raises OSError."""
        try:
            self._write()
            self._writer.close()
        except BaseException:
            self.abandon()
            raise
        self._file.close()

    def abandon(self) -> None:
        """Close the file without writing anything more."""
        self._writer.is_open = False  # or it writes when it is collected
        with contextlib.suppress(OSError):
            self._file.close()


def arrow_table(table: DataTable, batches: Iterable[Sequence[list[Any]]]) -> Any:
    """Return a ``pyarrow.Table`` of rows by column. Raises BadInput without pyarrow."""
    pa, schema = arrow(), arrow_schema(table)
    pending: list[list[Any]] = [[] for _ in table.columns]
    found = []
    for columns in batches:
        for kept, column in zip(pending, columns, strict=True):
            kept.extend(column)
        if len(pending[0]) >= 4096:
            found.append(record_batch(pending, schema))
            pending = [[] for _ in pending]
    found.append(record_batch(pending, schema))
    return pa.Table.from_batches(found, schema)
