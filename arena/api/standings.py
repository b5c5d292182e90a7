"""Standings as a table, of a run or of any rows of seats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from arena.api.errors import as_error
from arena.api.tables import Table
from arena.documents.bad_input import BadInput
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.scale import Anchor, Model
from arena.ratings.elo.standings import Standing
from arena.results import DISCIPLINE_JOINT, Fault, FaultKind, GameResult, GameSpec, Termination
from arena.views.data.columns import ColumnKind, DataTable, TableColumn
from arena.views.standings.standings import rated
from arena.views.standings.tables import Section

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


def rate(rows: Iterable[Mapping[str, Any]], anchors: Mapping[str, float] | None = None) -> Table:
    """Return the standings of rows of ``seats``, from any runs or made by hand.

    Each row needs ``game``, ``seat``, ``bot`` and ``place``; ``run``, ``score`` and ``fault`` are
    optional. Games whose ids differ only in the part behind the last colon are seatings of one
    deal. ``anchors``: known ratings. Raises Error.
    """
    with as_error():
        games: dict[tuple[object, str], list[Mapping[str, Any]]] = {}
        for row in rows:
            missing = [key for key in ("game", "seat", "bot", "place") if row.get(key) is None]
            if missing:
                raise BadInput(f"rate: found a row without {missing[0]}: {dict(row)!r}")
            games.setdefault((row.get("run"), row["game"]), []).append(row)
        tally = Tally()
        for (run, name), seats in games.items():
            try:
                tally.add(_result(str(run), name, sorted(seats, key=lambda row: int(row["seat"]))))
            except ValueError as error:
                raise BadInput(f"rate: game {name}: {error}") from None
        known = tuple(Anchor(name, float(elo)) for name, elo in (anchors or {}).items())
        found = [
            rated(each, tally.only(each), Model(anchors=known), ()).section
            for each in tally.disciplines
        ]
        columns = standing_rows(found)
    return Table(STANDINGS, lambda: iter([columns]))


def _result(run: str, name: str, seats: list[Mapping[str, Any]]) -> GameResult:
    """Return the result of a game. Raises ValueError."""
    if [int(row["seat"]) for row in seats] != list(range(len(seats))):
        raise ValueError(f"expected a row for each seat from 0, found {len(seats)} rows")
    discipline, joint, rest = name.partition(DISCIPLINE_JOINT)
    if not joint:
        discipline, rest = f"game-{len(seats)}", name
    block = f"{run}{DISCIPLINE_JOINT}{rest.rpartition(':')[0] or rest}"
    faults = tuple(
        Fault(int(row["seat"]), FaultKind(row["fault"]), 0, "")
        for row in seats
        if isinstance(row.get("fault"), str)
    )
    bots = tuple(row["bot"] for row in seats)
    is_over = bool(faults) and len(seats) <= 2
    return GameResult(
        GameSpec(f"{discipline}{DISCIPLINE_JOINT}", block, block, 0, bots),
        Termination.FORFEITED if is_over else Termination.COMPLETED,
        tuple(int(row["place"]) for row in seats),
        0,
        "",
        None,
        faults,
    )
