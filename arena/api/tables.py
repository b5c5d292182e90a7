"""Tables of rows, read when they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from arena.api.errors import as_error
from arena.views.data.columns import DataTable

Batches: TypeAlias = Callable[[], Iterator[Sequence[list[Any]]]]
"""Function that yields the rows by column, some at a time."""


class Table:
    """A table with typed columns. Iterating it yields a dictionary for each row.

    Rows are read from the run each time that the table is used, and never kept.
    """

    def __init__(self, table: DataTable, batches: Batches) -> None:
        self._table = table
        self._batches = batches

    @property
    def name(self) -> str:
        """Name of the table."""
        return self._table.name

    @property
    def columns(self) -> dict[str, str]:
        """Meaning of each column, by its name."""
        return {column.name: column.meaning for column in self._table.columns}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self._table.names
        with as_error():
            for columns in self._batches():
                for row in zip(*columns, strict=True):
                    yield dict(zip(names, row, strict=True))

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table``. Needs the extra ``botarena[data]``. Raises Error."""
        with as_error():
            from arena.views.data.parquet import arrow, arrow_schema, record_batch

            pa, schema = arrow(), arrow_schema(self._table)
            pending: list[list[Any]] = [[] for _ in self._table.columns]
            batches = []
            for columns in self._batches():
                for kept, column in zip(pending, columns, strict=True):
                    kept.extend(column)
                if len(pending[0]) >= 4096:
                    batches.append(record_batch(pending, schema))
                    pending = [[] for _ in pending]
            batches.append(record_batch(pending, schema))
            return pa.Table.from_batches(batches, schema)

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame``. Needs pandas and ``botarena[data]``. Raises Error."""
        found = self.to_arrow()
        with as_error():
            _needed("pandas")
        return found.to_pandas()

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame``. Needs polars and ``botarena[data]``. Raises Error."""
        found = self.to_arrow()
        with as_error():
            polars = _needed("polars")
        return polars.from_arrow(found)

    def __repr__(self) -> str:
        return f"<arena.Table {self.name}: {', '.join(self._table.names)}>"


def _needed(package: str) -> Any:
    """Return an imported package. Raises BadInput if it is not installed."""
    from importlib import import_module

    from arena.documents.bad_input import BadInput

    try:
        return import_module(package)
    except ImportError:
        told = f"needs {package}, which is not installed: pip install {package}"
        raise BadInput(told) from None
