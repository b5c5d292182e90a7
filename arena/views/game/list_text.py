"""A list of games as terminal text, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from arena.values import clean
from arena.values.numbers import NOTHING, count, score_line
from arena.values.results import FaultKind
from arena.values.schema import RunAnswer
from arena.values.titles import called
from arena.views.cells import Duration, Label, is_empty
from arena.views.game.rows import GameOrder, GameRow
from arena.views.tables import (
    LEAST_NAME,
    Column,
    Emphasis,
    draw_close,
    markdown_list,
    markdown_table,
    wrapped,
)

_FEWEST: Final = 3
"""Columns that are kept where room is short, besides those of the seats."""


class GameList(NamedTuple):
    """The games to list, and the counts of those left out."""

    run: str
    """Title of the run."""
    folder: str
    """Folder of the run, as the person named it."""
    rows: Sequence[GameRow]
    fitting: int
    """Number of games that meet the conditions, listed or not."""
    games: int
    """Number of stored games."""
    planned: int | None
    """Number of planned games; None for a run without an end."""
    titles: Mapping[str, str]
    """Titles of the disciplines, by name."""
    has_leads: bool
    """True if the records were replayed."""
    order: GameOrder = GameOrder.NUMBER
    """Key by which the rows are sorted; its column is one of the first."""
    notes: Sequence[str] = ()
    """Sentences on what is unknown, and why."""


def render(found: GameList, form: str, *, width: int | None = None, color: bool = False) -> str:
    """Return the list as ``txt``, ``md``, ``csv`` or ``json``, with a final newline.

    ``width``: columns of the text, None for any; ``color``: True for a bold header.
    """
    match form:
        case "txt":
            return _text(found, width, Emphasis.BOLD if color else Emphasis.PLAIN)
        case "md":
            return _markdown(found)
        case "csv":
            return _csv(found)
        case _:
            return _json(found)


def _text(found: GameList, width: int | None, emphasis: Emphasis) -> str:
    lines = []
    if found.rows:
        columns = _columns(found)
        seats = sum(column.title.startswith("seat ") for column in columns)
        head, *rest = draw_close(columns, width, seats + _FEWEST).split("\n")
        lines = [emphasis.header(head), *rest]
    for remark in (*_remarks(found), *_next(found)):
        lines += wrapped(remark, width)
    return "\n".join(lines) + "\n"


def _markdown(found: GameList) -> str:
    parts = [markdown_table(_columns(found)) + "\n"] if found.rows else []
    parts.append(markdown_list(_remarks(found)))
    return "\n".join(parts)


def _remarks(found: GameList) -> list[str]:
    """Return how many games there are, and what is unknown of them."""
    lines = [_counts(found)]
    if found.planned is not None and found.games < found.planned:
        lines.append(f"{found.games} of {found.planned} planned games are stored")
    return [*lines, *found.notes]


def _counts(found: GameList) -> str:
    """Return how many games are listed, of how many."""
    shown, fitting, games = len(found.rows), found.fitting, count(found.games, "game")
    if not fitting:
        return f"no game of {found.games} is like that"
    if shown == fitting:
        return games if fitting == found.games else f"{fitting} of {games}"
    if fitting == found.games:
        return f"the first {shown} of {games}"
    return f"the first {shown} of {fitting} that fit, of {games}"


def _next(found: GameList) -> list[str]:
    """Return the line on how to look at a listed game; none without games."""
    if not found.rows:
        return []
    folder = shlex.quote(found.folder)
    return [f"arena replay {folder} {found.rows[0].number} steps through one"]


def _columns(found: GameList) -> list[Column]:
    """Return the columns, without those that say nothing here, most important first."""
    rows = found.rows
    names = [row.names for row in rows]
    columns = [Column("game", "right", [row.number for row in rows])]
    disciplines = [found.titles[row.discipline] for row in rows]
    if len({*disciplines}) > 1:
        columns.append(Column("discipline", "left", [*map(Label, disciplines)], least=LEAST_NAME))
    for seat, own in enumerate(zip_longest(*names, fillvalue="")):
        columns.append(Column(f"seat {seat}", "left", [*map(Label, own)], least=LEAST_NAME))
    scores = [NOTHING if row.scores is None else score_line(row.scores) for row in rows]
    columns.append(Column("scores", "left", scores))
    others = [
        _number_column("margin", [row.margin for row in rows]),
        _number_column("plies", [row.plies for row in rows]),
    ]
    if found.has_leads:
        leads = [row.lead for row in rows]
        others += [
            _number_column("decided", [None if lead is None else lead.decided for lead in leads]),
            _number_column("swing", [None if lead is None else lead.swing for lead in leads]),
        ]
    others += [
        Column("faults", "left", [_faults(row) for row in rows], least=LEAST_NAME),
        Column("slowest", "right", [Duration(row.slowest_us) for row in rows]),
        Column("places", "left", [score_line(row.places) for row in rows]),
        Column("deal", "left", [row.deal.partition("/")[2] for row in rows]),
        Column("id", "left", [row.game_id for row in rows]),
    ]
    others.sort(key=lambda column: column.header != found.order.value)
    columns += others
    return [each for each in columns if not all(map(is_empty, each.cells))]


def _number_column(title: str, values: Sequence[int | None]) -> Column:
    return Column(title, "right", [NOTHING if value is None else value for value in values])


def _faults(row: GameRow) -> str:
    return ", ".join(f"{fault.kind} of {called(row.names[fault.seat])}" for fault in row.faults)


class ListedFault(msgspec.Struct, frozen=True):
    """The fault of a seat in JSON."""

    kind: FaultKind
    ply: int | None


class ListedSeat(msgspec.Struct, frozen=True):
    """One seat of a listed game in JSON."""

    bot: str
    score: int | None
    place: int
    fault: ListedFault | None


class ListedRow(msgspec.Struct, frozen=True):
    """One game of the list in JSON."""

    number: int
    game: str
    discipline: str
    deal: str
    seats: tuple[ListedSeat, ...]
    margin: int | None
    plies: int
    slowest_us: int | None
    decided: int | UnsetType | None = UNSET
    """Last change of the lead; unset unless the records were replayed."""
    swing: int | UnsetType | None = UNSET
    swing_ply: int | UnsetType | None = UNSET


class ListData(msgspec.Struct, frozen=True):
    """The list in JSON."""

    stored: int
    planned: int | None
    fitting: int
    games: tuple[ListedRow, ...]


class GamesDocument(RunAnswer[ListData], frozen=True, tag="arena.games/1"):
    """The JSON form of a list of games."""


def _csv(found: GameList) -> str:
    """Return a line for each game, with columns for each seat; empty for no number."""
    seats = max((len(row.names) for row in found.rows), default=0)
    kinds = ("bot", "score", "place", "fault", "fault_ply")
    header = ["number", "game", "discipline", "deal", *_numbers(found)]
    header += [f"{kind}_{seat}" for seat in range(seats) for kind in kinds]
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(header)
    for row in found.rows:
        cells: list[object] = [row.number, row.game_id, row.discipline]
        cells += [row.deal, *(_number(row, name) for name in _numbers(found))]
        for seat in _seats(row):
            fault = (None, None) if seat.fault is None else (seat.fault.kind, seat.fault.ply)
            cells += [seat.bot, seat.score, seat.place, *fault]
        writer.writerow(clean.shown_cells([*cells, *[None] * (len(header) - len(cells))]))
    return out.getvalue()


def _json(found: GameList) -> str:
    games = (
        ListedRow(
            row.number,
            row.game_id,
            row.discipline,
            row.deal,
            tuple(_seats(row)),
            **{name: _number(row, name) for name in _numbers(found)},
        )
        for row in found.rows
    )
    data = ListData(found.games, found.planned, found.fitting, tuple(games))
    return clean.json_document(GamesDocument(run=found.run, data=data, warnings=(*found.notes,)))


def _seats(row: GameRow) -> Iterator[ListedSeat]:
    """Yield by seat the bot, its score and place, and its fault."""
    faults = {each.seat: ListedFault(each.kind, each.ply) for each in row.faults}
    for seat, name in enumerate(row.names):
        score = None if row.scores is None else row.scores[seat]
        yield ListedSeat(name, score, row.places[seat], faults.get(seat))


def _numbers(found: GameList) -> tuple[str, ...]:
    """Return the names of the numbers of each game."""
    replayed = ("decided", "swing", "swing_ply") if found.has_leads else ()
    return ("margin", "plies", "slowest_us", *replayed)


def _number(row: GameRow, name: str) -> Any:
    """Return the number called ``name``; None if unknown."""
    value = getattr(row, name, None)
    return getattr(row.lead, name, None) if value is None else value
