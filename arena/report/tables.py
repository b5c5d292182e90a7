"""Standings as terminal text, Markdown, CSV and JSON.

Nothing measured enters a table, so equal results give equal bytes. Marks in the column
``95 %``: a half-width; ``anchor``; ``<n`` or ``>n``, the one-sided 97.5 % limit of a bot
that won or lost everything; ``<``, ``>``, ``?`` where results set no limit; ``–`` where
blocks are too few or all went alike.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec
from tabulate import tabulate
from wcwidth import wcswidth

import arena
from arena.ratings.marks import Bound
from arena.ratings.rating import Estimate
from arena.ratings.standings import Standing, Standings
from arena.report import clean
from arena.results import FaultKind

SCHEMA: Final = "arena.standings/1"
NAME_COLUMNS: Final = 24
"""Terminal columns of a name in text; longer ones are cut."""
NOTHING: Final = "–"


class Emphasis(Enum):
    """How the header of terminal text is set."""

    PLAIN = "plain"
    BOLD = "bold"
    """With terminal escape codes: only for a terminal that takes them."""


class Document(msgspec.Struct, frozen=True):
    """The JSON form. Numbers are not rounded for show: Elo has six decimals."""

    schema: str
    arena: str
    run: str | None
    data: Standings
    warnings: tuple[str, ...]


class Column(NamedTuple):
    """A column of the text and Markdown forms."""

    header: str
    align: str
    cell: Callable[[Standing], str]


def text(
    standings: Standings,
    *,
    width: int | None = None,
    notices: Sequence[str] = (),
    emphasis: Emphasis = Emphasis.PLAIN,
) -> str:
    """For a terminal of ``width`` columns (None: any width), with a final newline.

    Too wide a table loses columns from the right: faults, loss, draw, win, games, points,
    score, group, 95 %. ``notices`` are printed last, one per line.
    """
    columns = _columns(standings, _short)
    table = _table(standings, columns, "simple")
    while width is not None and _width(table) > width and len(columns) > 3:
        columns = columns[:-1]
        table = _table(standings, columns, "simple")
    if emphasis is Emphasis.BOLD:
        header, newline, rest = table.partition("\n")
        table = f"\x1b[1m{header}\x1b[0m{newline}{rest}"
    lines = [table, *_remarks(standings, _short), *map(clean.plain, notices)]
    return "\n".join(lines) + "\n"


def markdown(standings: Standings, *, notices: Sequence[str] = ()) -> str:
    """A GitHub table, then a list of remarks and notices, with a final newline."""
    table = _table(standings, _columns(standings, clean.markdown), "github")
    remarks = _remarks(standings, clean.markdown) + [clean.markdown(line) for line in notices]
    return table + "\n\n" + "".join(f"- {line}\n" for line in remarks)


def csv_text(standings: Standings) -> str:
    """One quoted line per entrant: full names, no rounding, empty where there is no number.

    Characters that steer a terminal are replaced as in the other forms.
    """
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    kinds = list(FaultKind)
    writer.writerow([*CSV_COLUMNS, "faults", *(f"fault_{kind}" for kind in kinds)])
    for row in standings.rows:
        values = [getattr(row, column) for column in CSV_COLUMNS]
        values[CSV_COLUMNS.index("name")] = clean.plain(row.name)
        faults = [row.faults.get(kind, 0) for kind in kinds]
        writer.writerow([*values, sum(faults), *faults])
    return out.getvalue()


CSV_COLUMNS: Final = (
    "rank", "name", "elo", "error", "bound", "limit", "group", "score", "points", "games",
    "wins", "draws", "losses",
)  # fmt: skip
"""Fields of ``Standing``; the fault columns follow."""


def json_text(standings: Standings, *, run: str | None = None, warnings: Sequence[str] = ()) -> str:
    """The ``Document`` as indented JSON with a final newline."""
    document = Document(SCHEMA, arena.__version__, run, standings, tuple(warnings))
    encoded = msgspec.json.format(msgspec.json.encode(document), indent=2)
    return clean.json_text(encoded) + "\n"


def _short(name: str) -> str:
    return clean.cut(clean.plain(name), NAME_COLUMNS)


def _columns(standings: Standings, show: Callable[[str], str]) -> list[Column]:
    sign = "+" if standings.anchor_elo == 0 else ""
    grouped = any(row.group for row in standings.rows)
    group = [Column("group", "left", lambda row: row.group or NOTHING)] if grouped else []
    return [
        Column("#", "right", lambda row: str(row.rank)),
        Column("bot", "left", lambda row: show(row.name)),
        Column("Elo", "right", lambda row: _number(row.elo, sign)),
        Column("95 %", "right", lambda row: show(_interval(row, standings, sign))),
        *group,
        Column("score", "right", lambda row: _percent(row.score)),
        Column("points", "right", lambda row: f"{row.points:.1f}"),
        Column("games", "right", lambda row: str(row.games)),
        Column("win", "right", lambda row: str(row.wins)),
        Column("draw", "right", lambda row: str(row.draws)),
        Column("loss", "right", lambda row: str(row.losses)),
        Column("faults", "right", lambda row: str(sum(row.faults.values()))),
    ]


def _table(standings: Standings, columns: Sequence[Column], form: str) -> str:
    cells = [[column.cell(row) for column in columns] for row in standings.rows]
    return tabulate(
        cells,
        headers=[column.header for column in columns],
        tablefmt=form,
        disable_numparse=True,
        colalign=[column.align for column in columns] if cells else None,
    )


def _width(table: str) -> int:
    return max(wcswidth(line) for line in table.splitlines())


def _number(elo: float | None, sign: str = "") -> str:
    return NOTHING if elo is None else format(round(elo), sign + "d")


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f} %"


def _interval(row: Standing, standings: Standings, sign: str) -> str:
    if row.elo is None:
        return NOTHING
    if row.bound is not Bound.BOTH:
        return row.bound.value + ("" if row.limit is None else _number(row.limit, sign))
    if row.name == standings.anchor:
        return "anchor"
    return NOTHING if row.error is None else f"±{row.error:.0f}"


def _remarks(standings: Standings, show: Callable[[str], str]) -> list[str]:
    """The lines below a table, in a fixed order; those without content are left out."""
    return [
        *_superiority(standings, show),
        *_seats(standings),
        *_luck(standings),
        _level(standings, show),
        *_legend(standings),
        *_faults(standings, show),
    ]


def _superiority(standings: Standings, show: Callable[[str], str]) -> list[str]:
    chance = standings.first_over_second
    if chance is None:
        return []
    first, second = (show(row.name) for row in standings.rows[:2])
    shown = f"{100 * chance:.1f} %"
    if chance > 0.999:
        shown = "more than 99.9 %"
    return [f"chance that {first} is stronger than {second}: {shown}"]


def _seats(standings: Standings) -> list[str]:
    lines = []
    if standings.seat_advantage is not None and standings.seat_advantage.error is not None:
        lines.append(f"seat 0 is worth {_estimate(standings.seat_advantage)} Elo against seat 1")
    for seats in sorted({term.seats for term in standings.seats} - {2}):
        terms = [term for term in standings.seats if term.seats == seats]
        worth = ", ".join(f"{t.seat}: {_estimate(Estimate(t.elo, t.error))}" for t in terms)
        lines.append(f"seats of {seats} in Elo against their mean: {worth}")
    return lines


def _estimate(estimate: Estimate) -> str:
    known = estimate.error is not None
    return f"{round(estimate.elo):+d}" + (f" ±{estimate.error:.0f}" if known else "")


def _luck(standings: Standings) -> list[str]:
    correlation = standings.luck_correlation
    if correlation is None:
        return []
    return [f"correlation of the two games of a deal: {round(correlation, 2) + 0.0:.2f}"]


def _level(standings: Standings, show: Callable[[str], str]) -> str:
    inside = any(row.bound is Bound.BOTH and row.group for row in standings.rows)
    mean = "the mean of group A" if inside else "the mean"
    level = mean if standings.anchor is None else show(standings.anchor)
    against = level if standings.anchor_in_core else mean
    parts = [f"{level} is set to {_number(standings.anchor_elo)} Elo"]
    if any(row.error is not None for row in standings.rows):
        parts.append(f"± is the 95 % interval against {against}")
    parts.append(f"{standings.blocks} block" + ("" if standings.blocks == 1 else "s"))
    return "; ".join(parts)


def _legend(standings: Standings) -> list[str]:
    marks = {row.bound for row in standings.rows if row.elo is not None}
    unknown = any(
        row.elo is not None
        and row.bound is Bound.BOTH
        and row.error is None
        and row.name != standings.anchor
        for row in standings.rows
    )
    legend = [
        (
            Bound.BELOW in marks,
            "mark <: no points from stronger groups; Elo may be any amount lower",
        ),
        (
            Bound.ABOVE in marks,
            "mark >: no points lost to weaker groups; Elo may be any amount higher",
        ),
        (Bound.OPEN in marks, "mark ?: not connected by results; Elo is a guess"),
        (unknown, f"mark {NOTHING}: too few blocks, or all went alike; no interval"),
    ]
    return [line for present, line in legend if present]


def _faults(standings: Standings, show: Callable[[str], str]) -> list[str]:
    lines = []
    for row in standings.rows:
        counts = ", ".join(f"{count} {kind}" for kind, count in row.faults.items())
        if counts:
            lines.append(f"faults of {show(row.name)}: {counts}")
    return lines
