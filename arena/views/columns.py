"""Tables for programs: their names, and the types and meanings of their columns."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class ColumnKind(StrEnum):
    """Type of the values of a column; every value may be null."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    JSON = "json"
    """Compact JSON as text."""


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    kind: ColumnKind
    meaning: str
    unit: str = ""


class DataTable(NamedTuple):
    """A table: what a row stands for, and its columns."""

    name: str
    row: str
    columns: tuple[TableColumn, ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]
