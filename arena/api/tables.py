"""Tables of rows, read when they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import Any, Final, TypeAlias

from arena.api.errors import MAPPING, NUMBER, TEXT, ArgumentKind, as_error, check_argument, checked
from arena.documents.bad_input import BadInput
from arena.documents.problems import check_entrant, either, quote
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.scale import Anchor, Model
from arena.ratings.elo.standings import Standing
from arena.results import DISCIPLINE_JOINT, Fault, FaultKind, GameResult, GameSpec, Termination
from arena.views.data.columns import ColumnKind, DataTable, TableColumn
from arena.views.standings.standings import rated
from arena.views.standings.tables import Section

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


_ROWS: Final = ArgumentKind(
    "rows, such as those of run.seats() or frame.to_dict('records')",
    lambda value: (
        isinstance(value, Table) or (isinstance(value, Iterable) and not hasattr(value, "columns"))
    ),
)
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
    ),
)


def standing_rows(sections: Iterable[Section]) -> list[list[Any]]:
    """Return the rows of STANDINGS by column."""
    rows = [
        (section.title, *_values(row)) for section in sections for row in section.standings.rows
    ]
    if not rows:
        return [[] for _ in STANDINGS.columns]
    return [list(column) for column in zip(*rows, strict=True)]


def _values(row: Any) -> tuple[Any, ...]:
    faults = sum(row.faults.values())
    if isinstance(row, Standing):
        rating = row.elo, row.error, row.low, row.high
        counts = row.games, row.points, row.wins, row.draws, row.losses
        return (row.rank, row.name, *rating, *counts, None, faults)
    none = (None,) * 4
    return (row.rank, row.name, None, row.error, None, None, row.games, *none, row.mean, faults)


@checked(rows=_ROWS, anchors=MAPPING)
def rate(rows: Iterable[Mapping[str, Any]], anchors: Mapping[str, float] | None = None) -> Table:
    """Return the standings of rows of ``seats``, from any runs or made by hand.

    Each row needs ``game``, ``seat``, ``bot`` and ``place``; ``run``, ``score`` and ``fault`` are
    optional. Games whose ids differ only in the part behind the last colon are seatings of one
    deal. ``anchors``: known ratings. Raises Error.
    """
    games: dict[tuple[object, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        check_argument("rows", row, MAPPING)
        missing = [key for key in ("game", "seat", "bot", "place") if row.get(key) is None]
        if missing:
            raise BadInput(f"rows: found a row without {missing[0]}: {dict(row)!r}")
        for key in ("game", "bot"):
            check_argument(f"rows: {key}", row[key], TEXT)
        games.setdefault((row.get("run"), row["game"]), []).append(row)
    tally = Tally()
    names = {row["bot"]: None for seats in games.values() for row in seats}
    for name, elo in (anchors or {}).items():
        check_entrant("anchors", name, names, "a bot of the rows")
        check_argument(f"anchors: {name}", elo, NUMBER)
    for (run, name), seats in games.items():
        try:
            tally.add(_result(str(run), name, seats))
        except ValueError as error:
            raise BadInput(f"rows: game {name}: {error}") from None
    known = tuple(Anchor(name, float(elo)) for name, elo in (anchors or {}).items())
    found = [
        rated(each, tally.only(each), Model(anchors=known), ()).section
        for each in tally.disciplines
    ]
    columns = standing_rows(found)
    return Table(STANDINGS, lambda: iter([columns]))


def _result(run: str, name: str, rows: list[Mapping[str, Any]]) -> GameResult:
    """Return the result of a game. Raises ValueError."""
    order = sorted((_whole(row, "seat", 0, 63), at) for at, row in enumerate(rows))
    if [seat for seat, _ in order] != [*range(len(rows))]:
        found = ", ".join(str(seat) for seat, _ in order)
        raise ValueError(f"found rows of seat {found}, expected one for each seat from 0")
    rows = [rows[at] for _, at in order]
    discipline, joint, rest = name.partition(DISCIPLINE_JOINT)
    if not joint:
        discipline, rest = f"game-{len(rows)}", name
    block = f"{run}{DISCIPLINE_JOINT}{rest.rpartition(':')[0] or rest}"
    kinds = [each.value for each in FaultKind]
    faults = []
    for seat, row in enumerate(rows):
        fault = row.get("fault")
        if isinstance(fault, str):  # frames have NaN for null
            if fault not in kinds:
                raise ValueError(f"fault: found {quote(fault)}, expected {either(kinds)}")
            faults.append(Fault(seat, FaultKind(fault), 0, ""))
    is_over = bool(faults) and len(rows) <= 2
    return GameResult(
        GameSpec(
            f"{discipline}{DISCIPLINE_JOINT}", block, block, 0, tuple(row["bot"] for row in rows)
        ),
        Termination.FORFEITED if is_over else Termination.COMPLETED,
        tuple(_whole(row, "place", 1, len(rows)) for row in rows),
        0,
        "",
        None,
        tuple(faults),
    )


def _whole(row: Mapping[str, Any], key: str, least: int, most: int) -> int:
    """Return a whole number of a row, also one that a frame made a float. Raises ValueError."""
    value = row[key]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        found = index(value)
    except TypeError:
        found = least - 1
    if not least <= found <= most:
        raise ValueError(f"{key}: found {quote(value)}, expected {least} to {most}")
    return found
