"""Tables that programs read: those of a run, and standings of a run or of rows."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import index
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from arena.api.errors import MAPPING, NUMBER, TEXT, ArgumentKind, as_error, check_argument, checked
from arena.documents.bad_input import BadInput
from arena.documents.problems import check_entrant, check_one_of, quote
from arena.ratings.elo.scale import Anchor, Model
from arena.results import DISCIPLINE_JOINT, OVERALL
from arena.views.data.columns import GAMES, SEATS, ColumnKind, DataTable, TableColumn
from arena.views.standings.panels import full_section
from arena.views.standings.several import ResultsSource, pooled, rated_parts
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
            sections = tuple(full_section(*part) for part in self._parts())
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


_ROWS: Final = ArgumentKind(
    "rows, such as those of run.seats() or frame.to_dict('records')",
    lambda value: (
        isinstance(value, Table) or (isinstance(value, Iterable) and not hasattr(value, "columns"))
    ),
)
_NEEDED: Final = ("game", "seat", "bot", "place")
_COLUMNS: Final = tuple(dict.fromkeys([*SEATS.names, *GAMES.names]))


@checked(rows=_ROWS)
def rate(
    rows: Iterable[Mapping[str, Any]], anchors: Mapping[str, float] | None = None
) -> Standings:
    """Return the standings of rows of ``seats``, from any runs or made by hand.

    Each row needs ``game``, ``seat``, ``bot`` and ``place``; ``run``, ``score``, ``fault`` and the
    columns of games are optional. Games with the same ``block``, else the same ``deal``, depend on
    each other. Without both columns these are games whose ids differ only in the part behind the
    last colon. ``anchors``: known ratings. Raises Error.
    """
    games: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        check_argument("rows", row, MAPPING)
        for key in row:
            check_one_of("rows", key, _COLUMNS)
        known = {key: value for key, value in row.items() if not _is_null(value)}
        missing = [key for key in _NEEDED if key not in known]
        if missing:
            raise BadInput(f"rows: found a row without {missing[0]}: {dict(row)!r}")
        for key in ("game", "bot"):
            check_argument(f"rows: {key}", known[key], TEXT)
        games.setdefault((str(known.get("run", "")), known["game"]), []).append(known)
    names = {row["bot"]: None for seats in games.values() for row in seats}
    for name, elo in (anchors or {}).items():
        check_entrant("anchors", name, names, "a bot of the rows")
        check_argument(f"anchors: {name}", elo, NUMBER)
    model = Model(anchors=tuple(Anchor(name, float(elo)) for name, elo in (anchors or {}).items()))
    parts = _rated(games, model) if games else []
    return Standings("rows", [part.section for part in parts], lambda: parts)


def _is_null(value: object) -> bool:
    """Return whether a value is missing; frames have NaN for null."""
    return value is None or (isinstance(value, float) and value != value)


def _rated(
    games: Mapping[tuple[str, str], list[dict[str, Any]]], model: Model
) -> list[SectionData]:
    """Return the sections of games by run and id, read as a file of results. Raises BadInput."""
    names = []
    with tempfile.NamedTemporaryFile(prefix="arena-rows-") as kept:
        for (run, name), seats in games.items():
            try:
                line = _line(run, name, seats)
            except ValueError as error:
                raise BadInput(f"rows: game {name}: {error}") from None
            if line is not None:
                names.append(name)
                kept.write(msgspec.json.encode(line) + b"\n")
        kept.flush()
        try:
            pool = pooled([ResultsSource(Path(kept.name), "rows")], full=True) if names else None
        except BadInput as error:  # a line is a game
            where = re.compile(r"^rows:(\d+)")
            told = where.sub(lambda at: f"rows: game {names[int(at[1]) - 1]}", str(error))
            raise BadInput(told) from None
    return [] if pool is None else rated_parts(pool, model)


def _line(run: str, name: str, rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return a game as a line of docs/results-format.md; None if it does not count.

    Raises ValueError.
    """
    order = sorted((_seat(row["seat"]), at) for at, row in enumerate(rows))
    if [seat for seat, _ in order] != [*range(len(rows))]:
        found = ", ".join(str(seat) for seat, _ in order)
        raise ValueError(f"found rows of seat {found}, expected one for each seat from 0")
    rows = [rows[at] for _, at in order]
    common = partial(_common, rows)
    if common("counted") is False:
        return None
    kind, joint, rest = name.partition(DISCIPLINE_JOINT)
    rest = rest if joint else name
    faults = [
        {"seat": seat, "kind": row["fault"]} for seat, row in enumerate(rows) if "fault" in row
    ]
    # Alone a better score is greater only as a margin, and a deal is what all play.
    scores = [_whole(row.get("margin", row.get("score"))) for row in rows]
    block, deal = common("block"), common("deal")
    if len(rows) == 1:
        block = None if deal is not None else block
    return {
        "seats": [row["bot"] for row in rows],
        "places": [_whole(row["place"]) for row in rows],
        "deal": repr((run, block, None if block else deal or rest.rpartition(":")[0] or rest)),
        "discipline": common("discipline") or (kind if joint else None),
        "scores": scores if len(rows) == 1 and scores != [None] else None,
        "faults": faults or None,
        "termination": common("termination"),
    }


def _common(rows: Sequence[Mapping[str, Any]], key: str) -> Any:
    """Return the value that all seats of a game share. Raises ValueError."""
    found = [row.get(key) for row in rows]
    other = [value for value in found if value != found[0]]
    if other:
        both = f"{quote(found[0])} and {quote(other[0])}"
        raise ValueError(f"{key}: found {both}, expected the same for all seats")
    return found[0]


def _whole(value: Any) -> Any:
    """Return a whole number of any type as an int, and other values as they are."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return index(value)
    except TypeError:
        return value if isinstance(value, str | int | float | None) else str(value)


def _seat(value: Any) -> int:
    """Return the number of a seat. Raises ValueError."""
    found = _whole(value)
    if not isinstance(found, int):
        raise ValueError(f"seat: found {quote(value)}, expected a whole number from 0")
    return found
