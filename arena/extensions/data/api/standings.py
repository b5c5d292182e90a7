"""Tables that programs read: those of a run, and standings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from arena.extensions.data.api.errors import Error, as_error
from arena.extensions.data.tables.columns import ColumnKind, DataTable, TableColumn
from arena.values.bad_input import BadInput, lacking
from arena.values.clean import cut
from arena.values.results import OVERALL
from arena.views.standings.measured import full_section
from arena.views.standings.standings import SectionData, StandingsTable, render
from arena.views.standings.tables import Section, csv_rows

_TEXT, _INTEGER, _NUMBER = ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.NUMBER
STANDINGS: Final = DataTable(
    "standings",
    "bot in a discipline",
    (
        TableColumn("discipline", _TEXT, "Rules with their options at one table size"),
        TableColumn("rank", _INTEGER, "Rank; null without a place"),
        TableColumn("bot", _TEXT, "Name of the bot"),
        TableColumn("elo", _NUMBER, "Rating; null alone, or if the games do not fix it", "Elo"),
        TableColumn("error", _NUMBER, "Half the 95 % interval of the rating, or of the mean"),
        TableColumn("low", _NUMBER, "Lower end of the 95 % interval", "Elo"),
        TableColumn("high", _NUMBER, "Upper end of the 95 % interval", "Elo"),
        TableColumn("games", _INTEGER, "Number of games", "games"),
        TableColumn("points", _NUMBER, "Sum of the points of its seats; null alone"),
        TableColumn("wins", _INTEGER, "Games with the first place alone; null alone", "games"),
        TableColumn("draws", _INTEGER, "Games with a shared first place; null alone", "games"),
        TableColumn("losses", _INTEGER, "Other games; null alone", "games"),
        TableColumn("mean", _NUMBER, "Mean score of a bot that plays alone; else null"),
        TableColumn("faults", _INTEGER, "Games in which it committed a fault", "games"),
        TableColumn("bound", _TEXT, "Open sides of the rating: <, > or ?; empty if none is"),
        TableColumn("limit", _NUMBER, "97.5 % limit of a perfect or zero score", "Elo"),
        TableColumn("group", _TEXT, "Letter of its group; null if results connect all bots"),
        TableColumn("score", _NUMBER, "Points per game, 0 to 1; null alone"),
        TableColumn("standard_error", _NUMBER, "Standard error of the mean"),
        TableColumn("best", _NUMBER, "Best score of a bot that plays alone"),
        TableColumn("worst", _NUMBER, "Its worst score"),
        TableColumn("forfeits", _INTEGER, "Games alone that a fault ended", "games"),
        TableColumn("deals", _INTEGER, "Deals that it and the reference played alone", "deals"),
        TableColumn("difference", _NUMBER, "Its mean less that of the reference on these deals"),
        TableColumn("difference_error", _NUMBER, "Half the 95 % interval of the difference"),
        TableColumn("better", _INTEGER, "Deals with a better score than the reference", "deals"),
        TableColumn("equal", _INTEGER, "Deals with the same score", "deals"),
        TableColumn("worse", _INTEGER, "Deals with a worse score", "deals"),
    ),
)
_SHOWN_ROWS: Final = 3
_CELL: Final = 24
"""Terminal columns of a value that a table shows of itself."""

Batches: TypeAlias = Callable[[], Iterator[Sequence[list[Any]]]]
"""Function that yields the rows by column, some at a time."""


class Table:
    """A table with typed columns. Iterating it yields a dictionary for each row.

    Rows are read from the run each time that the table is used, and never kept.
    """

    def __init__(
        self, table: DataTable, batches: Batches, count: Callable[[], int] | None = None
    ) -> None:
        """``count``: returns the number of rows, if that is faster than reading them."""
        self._table = table
        self._batches = batches
        self._count = count or (lambda: sum(len(columns[0]) for columns in batches()))

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

    def __len__(self) -> int:
        with as_error():
            return self._count()

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table``. Needs the extra ``botarena[data]``. Raises Error."""
        with as_error():
            from arena.extensions.data.tables.parquet import arrow_table  # slow, seldom needed

            return arrow_table(self._table, self._batches())

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
        """Return a line for each column, with its values in the first rows."""
        try:
            rows = [*islice(self, _SHOWN_ROWS)]
        except Error as error:
            return f"<arena.Table {self.name}: {error}>"
        width = max(map(len, self._table.names))
        lines = [f"<arena.Table {self.name}, the first {len(rows)} rows by column:"]
        for name in self._table.names:
            cells = (cut("" if row[name] is None else str(row[name]), _CELL) for row in rows)
            lines.append(f"  {name:{width}}  {'  '.join(f'{c:{_CELL}}' for c in cells)}".rstrip())
        return "\n".join(lines) + ">"


def _needed(package: str) -> Any:
    """Return an imported package. Raises BadInput if it is not installed."""
    from importlib import import_module

    try:
        return import_module(package)
    except ImportError:
        told = f"needs {package}, which is not installed: pip install {package}"
        raise BadInput(told) from None


class Standings(Table):
    """Standings as a ``Table`` with a row for each bot and discipline."""

    def __init__(
        self, source: str, sections: Sequence[Section], parts: Callable[[], Sequence[SectionData]]
    ) -> None:
        own = [each for each in sections if each.title != OVERALL]
        rows = [_values(row) for each in own for row in csv_rows(each) if "withdrawn" not in row]
        columns = [list(column) for column in zip(*rows, strict=True)]
        super().__init__(STANDINGS, lambda: iter([columns] if columns else ()))
        self._source, self._parts = source, parts

    def document(self) -> dict[str, Any]:
        """Return the document that ``arena standings --full --format json`` prints.

        It has pairs, differences with LOS, ranks, groups, cycles and more: docs/ratings-page.md.
        Raises Error.
        """
        with as_error():
            if lacks := lacking("studies"):
                raise BadInput(f"document: {lacks}")
            sections = tuple(full_section(part) for part in self._parts())
            found = json.loads(render(StandingsTable(self._source, sections), "json"))
        return dict(found)


def _values(row: Mapping[str, Any]) -> list[Any]:
    known = {
        **row,
        "discipline": row["table"],
        "bot": row["name"],
        "error": row.get("mean_error", row.get("error")),
    }
    return [known.get(name) for name in STANDINGS.names]
