"""Standings as terminal text, Markdown, CSV and JSON.

A document has one section for each table and shows them in the order given. A run of
several disciplines puts the table of all of them last: a terminal keeps its last lines in
sight, and in a file the sum is looked for below its parts. Nothing measured enters a
table, so equal results give equal bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from wcwidth import wcswidth

import arena
from arena.ratings.elo.solo_standings import SoloStanding, SoloStandings
from arena.ratings.elo.standings import Standing, Standings
from arena.results import FaultKind
from arena.text import clean
from arena.text.grid import Grid, Show, draw, draw_text, short
from arena.text.numbers import count
from arena.views.standings.ratings_table import ratings_grid
from arena.views.standings.solo_table import solo_grid

SCHEMA: Final = "arena.standings/2"

T = TypeVar("T")


class Emphasis(Enum):
    """How the headers of terminal text are set."""

    PLAIN = "plain"
    BOLD = "bold"
    """With terminal escape codes: only for a terminal that takes them."""


class Withdrawn(msgspec.Struct, frozen=True):
    """A bot that was given up; it is not ranked."""

    name: str
    ground: str
    """In one word."""
    reason: str
    games: int
    """That led to it."""
    faults: dict[FaultKind, int]
    """Its own in these games."""


class Voids(msgspec.Struct, frozen=True):
    """Games that could not be played through no fault of a bot's."""

    times: int
    """How often that happened; the same game may be void more than once."""
    played_again: int
    """Games that were void and have been played since."""
    waiting: int
    """Games that are still to be played."""


class Section(NamedTuple):
    """One table with what has to be said about it."""

    title: str
    """The discipline, or ``overall``."""
    standings: Standings | SoloStandings
    notices: tuple[str, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    annulled: int = 0
    """Planned games that count for nobody, because a withdrawn bot has a seat in them."""
    voids: Mapping[str, Voids] = {}
    """By cause: ``arena``, ``machine`` or ``worker``. Other than the rest, they may differ
    between runs with equal results."""


class RatingsTable(msgspec.Struct, frozen=True, tag_field="kind", tag="ratings"):
    """A section in JSON. Numbers are not rounded for show: they have six decimals."""

    title: str
    notices: tuple[str, ...]
    withdrawn: tuple[Withdrawn, ...]
    annulled: int
    voids: dict[str, Voids]
    data: Standings


class SoloTable(msgspec.Struct, frozen=True, tag_field="kind", tag="solo"):
    """A section of a solo discipline in JSON."""

    title: str
    notices: tuple[str, ...]
    withdrawn: tuple[Withdrawn, ...]
    annulled: int
    voids: dict[str, Voids]
    data: SoloStandings


class Document(msgspec.Struct, frozen=True):
    """The JSON form."""

    schema: str
    arena: str
    run: str | None
    tables: tuple[RatingsTable | SoloTable, ...]
    warnings: tuple[str, ...]


def text(
    sections: Sequence[Section],
    *,
    width: int | None = None,
    emphasis: Emphasis = Emphasis.PLAIN,
) -> str:
    """For a terminal of ``width`` columns (None: any width), with a final newline.

    Too wide a table loses columns from the right, but never the first three. The notices
    of a section are its last lines. Several sections are headed by their titles.
    """
    parts = []
    for section in sections:
        grid = grid_of(section.standings, short)
        table = draw_text(grid.columns, width)
        if emphasis is Emphasis.BOLD:
            header, newline, rest = table.partition("\n")
            table = f"\x1b[1m{header}\x1b[0m{newline}{rest}"
        lines = [table, *losses(section, short), *grid.remarks]
        lines += map(clean.plain, section.notices)
        if len(sections) > 1:
            lines = [*_heading(section.title, width), *lines]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def markdown(sections: Sequence[Section]) -> str:
    """GitHub tables, each with a list of its remarks and notices, with a final newline."""
    parts = []
    for section in sections:
        grid = grid_of(section.standings, clean.markdown)
        remarks = [*losses(section, clean.markdown), *grid.remarks]
        remarks += map(clean.markdown, section.notices)
        lines = "".join(f"- {line}\n" for line in remarks)
        heading = f"## {clean.markdown(section.title)}\n\n" if len(sections) > 1 else ""
        parts.append(f"{heading}{draw(grid.columns, 'github')}\n\n{lines}")
    return "\n".join(parts)


def csv_text(sections: Sequence[Section]) -> str:
    """One quoted line per table and entrant: full names, no rounding, empty for no number.

    Withdrawn bots come last, without a rank; games and faults are those that led to it.

    The columns are the same whatever the tables; a row leaves those of the other kind
    empty. Characters that steer a terminal are replaced as in the other forms.
    """
    out = io.StringIO()
    writer = csv.DictWriter(
        out, CSV_COLUMNS, restval="", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
    )
    writer.writeheader()
    for section in sections:
        for row in section.standings.rows:
            own = _rating_cells(row) if isinstance(row, Standing) else _solo_cells(row)
            writer.writerow({"table": clean.plain(section.title), **own, **_common_cells(row)})
        for gone in section.withdrawn:
            writer.writerow({"table": clean.plain(section.title), **_withdrawn_cells(gone)})
    return out.getvalue()


def json_text(
    sections: Sequence[Section], *, run: str | None = None, warnings: Sequence[str] = ()
) -> str:
    """The ``Document`` as indented JSON with a final newline."""
    tables = tuple(_json_table(section) for section in sections)
    document = Document(SCHEMA, arena.__version__, run, tables, tuple(warnings))
    encoded = msgspec.json.format(msgspec.json.encode(document), indent=2)
    return clean.json_text(encoded) + "\n"


def overall_first(sections: Sequence[T]) -> Sequence[T]:
    """In the order in which they are looked at on a screen: that of all disciplines first."""
    return sections if len(sections) < 2 else (sections[-1], *sections[:-1])


def grid_of(standings: Standings | SoloStandings, show: Show) -> Grid:
    """The columns of a table, and the remarks on them."""
    if isinstance(standings, Standings):
        return ratings_grid(standings, show)
    return solo_grid(standings, show)


_THROUGH: Final = {
    "arena": "a failure of arena",
    "machine": "the machine",
    "worker": "the end of a worker process",
}


def losses(section: Section, show: Show) -> list[str]:
    """What did not count, and why: the lines directly below a table."""
    lines = [f"{show(gone.name)}: withdrawn: {gone.reason}" for gone in section.withdrawn]
    if section.annulled:
        games = count(section.annulled, "game")
        lines.append(
            f"without the {games} of withdrawn bots, which count for nobody, played or not"
        )
    for cause, voids in section.voids.items():
        through = f"void through {_THROUGH[cause]}"
        if voids.played_again:
            were = "was" if voids.played_again == 1 else "were"
            lines.append(f"{count(voids.played_again, 'game')} {were} {through} and played again")
        if voids.waiting:
            are = "is" if voids.waiting == 1 else "are"
            lines.append(f"{count(voids.waiting, 'game')} {are} {through} and still to be played")
    return lines


def _heading(title: str, width: int | None) -> list[str]:
    shown = clean.plain(title)
    if width is not None:
        shown = clean.cut(shown, width)
    return [shown, "=" * wcswidth(shown), ""]


RATING_COLUMNS: Final = (
    "elo", "error", "bound", "limit", "group", "score", "points", "wins", "draws", "losses",
)  # fmt: skip
"""Fields of ``Standing`` that solo rows do not have."""
SOLO_COLUMNS: Final = ("mean", "standard_error", "mean_error", "best", "worst", "forfeits")
PAIRED_COLUMNS: Final = ("deals", "difference", "difference_error", "better", "equal", "worse")
CSV_COLUMNS: Final = (
    "table", "rank", "name", "games", *RATING_COLUMNS, *SOLO_COLUMNS, *PAIRED_COLUMNS,
    "faults", *(f"fault_{kind}" for kind in FaultKind), "withdrawn",
)  # fmt: skip


def _common_cells(row: Standing | SoloStanding | Withdrawn) -> dict[str, Any]:
    return {
        "name": clean.plain(row.name),
        "games": row.games,
        "faults": sum(row.faults.values()),
        **{f"fault_{kind}": row.faults.get(kind, 0) for kind in FaultKind},
    }


def _withdrawn_cells(gone: Withdrawn) -> dict[str, Any]:
    return {**_common_cells(gone), "withdrawn": clean.plain(gone.reason)}


def _rating_cells(row: Standing) -> dict[str, Any]:
    return {column: getattr(row, column) for column in ("rank", *RATING_COLUMNS)}


def _solo_cells(row: SoloStanding) -> dict[str, Any]:
    values = (row.mean, row.standard_error, row.error, row.best, row.worst, row.forfeits)
    cells = {"rank": row.rank, **dict(zip(SOLO_COLUMNS, values, strict=True))}
    if row.paired is not None:
        paired = row.paired
        against = (paired.deals, paired.difference, paired.error, paired.better, paired.equal)
        cells |= zip(PAIRED_COLUMNS, (*against, paired.worse), strict=True)
    return cells


def _json_table(section: Section) -> RatingsTable | SoloTable:
    standings = section.standings
    lost = section.withdrawn, section.annulled, dict(section.voids)
    if isinstance(standings, Standings):
        return RatingsTable(section.title, section.notices, *lost, standings)
    return SoloTable(section.title, section.notices, *lost, standings)
