"""Chunks of games and their rows, converted for the files of a format.

A chunk depends on the games alone, so the number of processes changes no byte of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.views.data.columns import DECISIONS, PLIES, TABLES, DataTable
from arena.views.data.moves import Columns
from arena.views.data.sinks import TableSink, TextSink, csv_rows, json_lines
from arena.views.data.source import ChosenGame, ChosenGames
from arena.views.data.stream import TableStream
from arena.views.processes import shared, uncollected

_SIZE: Final = 1024
"""Least number of plies in a chunk; of games in tables without plies."""
_FEW: Final = 64
"""Number of chunks that are converted faster than processes are started."""


class TableFormat(NamedTuple):
    """A format of table files."""

    sink: Callable[[DataTable, Path, Path | None], TableSink]
    """Function that creates a file, from its table, its path and the file whose rows come first."""
    convert: Callable[[DataTable, Columns], Any]
    """Function that converts rows for the sink."""


def _parquet(table: DataTable, path: Path, earlier: Path | None) -> TableSink:
    from arena.views.data.parquet import ParquetSink

    return ParquetSink(table, path, earlier)


def _record_batch(table: DataTable, columns: Columns) -> Any:
    from arena.views.data.parquet import arrow_schema, record_batch

    return record_batch(columns, arrow_schema(table))


FORMATS: Final = {
    "parquet": TableFormat(_parquet, _record_batch),
    "jsonl": TableFormat(lambda _table, path, earlier: TextSink(path, earlier), json_lines),
    "csv": TableFormat(
        lambda table, path, earlier: TextSink(path, earlier, csv_rows(table, _head(table))),
        csv_rows,
    ),
}


class TableChunk(NamedTuple):
    """The rows of some games."""

    games: int
    tables: dict[str, tuple[int, Any]]
    """Number of rows of each table, and the rows for its sink."""
    thinned: int
    lost: int
    """Number of games without plies, as in ``ExportedRun``."""
    bad_numbers: int


def chunks(
    source: ChosenGames, name: str, tables: Sequence[str], form: str, workers: int
) -> Generator[TableChunk, None, None]:
    """Yield the rows of all games of a run, converted by ``workers`` processes.

    ``name``: value of ``run``. ``form``: a key of ``FORMATS``. Raises BadInput, StoreError.
    """
    has_moves = PLIES.name in tables or DECISIONS.name in tables
    as_text = bytes if form == "parquet" else bytes.decode
    with TableStream(source, name, tables, as_text) as stream:
        work = partial(_converted, stream=stream, form=form)
        jobs = workers if has_moves else 1
        with closing(shared(work, _split(source, has_moves=has_moves), jobs, _FEW)) as found:
            yield from found


def _split(source: ChosenGames, *, has_moves: bool) -> Iterator[list[ChosenGame]]:
    games, size = list[ChosenGame](), 0
    for game in source:
        games.append(game)
        size += 1 + has_moves * game.stored.result.plies
        if size >= _SIZE:
            yield games
            games, size = [], 0
    if games:
        yield games


def _converted(games: Sequence[ChosenGame], stream: TableStream, form: str) -> TableChunk:
    """Return the rows of ``games``. Raises StoreError."""
    records, convert = stream.records, FORMATS[form].convert
    records.thinned = records.lost = stream.bad_numbers = 0
    joined: dict[str, Columns] = {}
    with uncollected():
        for game in games:
            for table, columns in stream.columns(game).items():
                if table not in joined:
                    joined[table] = columns
                    continue
                for before, column in zip(joined[table], columns, strict=True):
                    before.extend(column)
        tables = {
            table: (len(columns[0]), convert(TABLES[table], columns))
            for table, columns in joined.items()
        }
    return TableChunk(len(games), tables, records.thinned, records.lost, stream.bad_numbers)


def _head(table: DataTable) -> Columns:
    return [[name] for name in table.names]
