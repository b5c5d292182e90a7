"""Chunks of games, converted for the files of a format, and the writers of these files.

A chunk depends on the games alone, so the number of processes changes no byte of a file.
"""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from arena.extensions.data.tables.columns import DECISIONS, PLIES, TABLES, ColumnKind, DataTable
from arena.extensions.data.tables.moves import Columns
from arena.extensions.data.tables.source import ChosenGame, ChosenGames
from arena.extensions.data.tables.stream import TableStream
from arena.extensions.publishing.processes import shared, uncollected
from arena.values.bad_input import BadInput
from arena.values.clean import csv_cells

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


def _copied(earlier: Path | None, path: Path, head: bytes) -> int:
    """Begin a file with a copy of ``earlier``; return the number of its whole lines.

    ``head``: its first line. Raises OSError; BadInput if ``earlier`` cannot be read or begins with
    something else.
    """
    if earlier is None:
        return 0
    try:
        before = earlier.open("rb")
    except OSError as error:
        raise BadInput(f"{earlier}: cannot be read: {error.strerror}") from None
    lines = 0
    with before, path.open("xb") as file:
        if before.read(len(head)) != head:
            raise BadInput(f"{earlier}: found other columns than those of this version of arena")
        before.seek(0)
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
        elif each.kind is ColumnKind.TEXT:
            shown[at] = csv_cells(shown[at])
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
        self.earlier = max(0, _copied(earlier, path, head) - head.count(b"\n"))
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
    from arena.extensions.data.tables.parquet import ParquetSink

    return ParquetSink(table, path, earlier)


def _record_batch(table: DataTable, columns: Columns) -> Any:
    from arena.extensions.data.tables.parquet import arrow_schema, record_batch

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
