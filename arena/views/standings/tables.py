"""Standings as terminal text, Markdown, CSV and JSON.

A document shows one section for each table, in the order given. A run of several disciplines puts
the table of all of them last: a terminal keeps its last lines in sight, and in a file readers look
for the sum below its parts. A text of a tournament by rounds begins with its places.

Tables contain no measured values, so equal results give equal bytes; only the panels of machines
and costs are measured. In a tournament by rounds the places and the pairings come before the
ratings, which decide nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType
from wcwidth import wcswidth

import arena
from arena.ratings.counting.usage import CostNumbers, MachineNumbers
from arena.ratings.elo.crosstable import PairResult
from arena.ratings.elo.rating import Rated, ScorePair
from arena.ratings.elo.standings import Standings
from arena.values import clean
from arena.values.numbers import GameCount, count
from arena.values.results import FaultKind
from arena.values.titles import called
from arena.views.standings.headline import Headline
from arena.views.standings.ratings_table import added_keys, added_values, columns_of, remarks_of
from arena.views.tables import (
    Blocks,
    Emphasis,
    PageBlock,
    Piece,
    chance,
    draw_text,
    flat,
    markdown_list,
    markdown_table,
    wrapped,
)

SCHEMA: Final = "arena.standings/2"
FULL_SCHEMA: Final = "arena.ratings/1"
"""Schema of documents whose sections have panels."""
RATINGS: Final = "ratings"
"""Title of the table of ratings where another panel precedes it."""

T = TypeVar("T")


class Withdrawn(msgspec.Struct, frozen=True):
    """A withdrawn bot, which is not ranked."""

    name: str
    ground: str
    """Ground of the withdrawal, in one word."""
    reason: str
    games: int
    """Number of games that led to the withdrawal."""
    faults: dict[FaultKind, int]
    """Number of faults of the bot in these games, by kind."""


class Voids(msgspec.Struct, frozen=True):
    """Void games of one cause, for which no bot is to blame."""

    times: int
    """Number of voids; one game may be void more than once."""
    played_again: int
    """Number of games that were void and have been played since."""
    waiting: int
    """Number of games that are still to be played."""


class Section(NamedTuple):
    """One table with its notices and panels."""

    title: str
    """Name of the discipline, or ``overall``."""
    standings: Standings
    notices: tuple[str, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    annulled: int = 0
    """Planned games that count for nobody, because a withdrawn bot has a seat in them."""
    voids: Mapping[str, Voids] = {}
    """Void games by cause: ``arena``, ``machine`` or ``worker``.

    Unlike the other fields, they may differ between runs with equal results.
    """
    panels: Blocks | None = None
    """Blocks below the table of a full page; None for the table alone."""
    machines: tuple[MachineNumbers, ...] = ()
    """All machines of a run on several machines, over all disciplines.

    Set in the last section of a full page only.
    """
    costs: tuple[CostNumbers, ...] = ()
    """Known costs of the bots of one discipline, for a full page."""
    pairs: Callable[[], tuple[PairResult, ...]] | None = None
    """Function that counts the pairs that met, for a rated table; called where they are shown."""
    titles: Mapping[str, str] = {}
    """Titles of the disciplines for people, by name; names without one are shown themselves."""
    rounds: Blocks | None = None
    """Blocks that decide a tournament by rounds, shown before the ratings.

    They are the places by points and the pairings, or the bracket.
    """
    gone: Blocks | None = None
    """Blocks below the table of a ladder, on bots that play no more."""
    games: GameCount = GameCount()
    """Numbers of games of a run; zeros for results of other programs."""
    headline: Headline | None = None
    """The leaders or winners, in the main section of a run; None before there are any."""
    hints: Callable[[], Sequence[str]] = tuple
    """Function that returns the lines of extensions, which are shown and not stored."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notices, then the lines of extensions."""
        return (*self.notices, *self.hints())

    @property
    def heading(self) -> str:
        """Title of the discipline for people, or ``overall``."""
        return self.titles.get(self.title, self.title)

    @property
    def kind(self) -> str:
        """Kind of the section: ``ratings`` or ``solo``."""
        return "ratings" if self.standings.unit.is_elo else "solo"


class _Structure:
    """Structure in JSON of some attributes of a record."""

    def __init__(self, name: str, record: type, names: str, **types: Any) -> None:
        """Create the structure ``name``.

        ``names``: attributes of ``record`` in order, as ``JSON=attribute`` where these differ.
        ``types``: types of those that have other ones in JSON.
        """
        parts = (each.partition("=") for each in names.split())
        self._names = {key: own or key for key, _, own in parts}
        hints = get_type_hints(record) | types
        fields: list[Any] = []
        for key, own in self._names.items():
            may_miss = UnsetType in get_args(hints[own])
            fields.append((key, hints[own], UNSET) if may_miss else (key, hints[own]))
        self.type: Any = msgspec.defstruct(name, fields, frozen=True)

    def of(self, record: object, **values: Any) -> Any:
        """Return the structure of ``record``; ``values``: those that are not its attributes."""
        known = {key: getattr(record, own) for key, own in self._names.items() if key not in values}
        return self.type(**known, **values)


_PAIRED = _Structure("PairedScores", ScorePair, "deals difference error better equal worse")
_RATING = _Structure(
    "RatingRow",
    Rated,
    "rank name elo=value error low high bound limit group games points wins draws losses score "
    "faults",
    group=str | None,
)
_SCORE = _Structure(
    "ScoreRow",
    Rated,
    "rank name games mean=value standard_error error best worst paired forfeits faults",
    paired=_PAIRED.type | None,
)
_RATINGS = _Structure(
    "Ratings",
    Standings,
    "rows disciplines anchor anchor_elo anchor_in_core blocks first_over_second seat_advantage "
    "seats luck_correlation anchors prior seat_terms",
    rows=tuple[_RATING.type, ...],  # type: ignore[name-defined]  # made at run time
)
_SCORES = _Structure(
    "Scores",
    Standings,
    "rows score less_is_better worst_score reference deals=blocks complete first_over_second "
    "of_blocks",
    rows=tuple[_SCORE.type, ...],  # type: ignore[name-defined]  # made at run time
    score=str,
    less_is_better=bool,
)


class _SectionTable(msgspec.Struct, frozen=True, tag_field="kind", kw_only=True):
    """A section in JSON, with numbers of six decimals instead of rounded ones."""

    panels: dict[str, Any] | UnsetType = UNSET
    """Data of the panels that are not empty, by key: docs/ratings-page.md."""
    title: str
    notices: tuple[str, ...]
    withdrawn: tuple[Withdrawn, ...]
    annulled: int
    voids: dict[str, Voids]


class RatingsTable(_SectionTable, frozen=True, tag="ratings", kw_only=True):
    """The JSON form of a section with ratings."""

    data: _RATINGS.type  # type: ignore[name-defined]
    pairs: tuple[PairResult, ...] | UnsetType = UNSET
    """Every pair that met, once; a full page has the pairs among its panels."""


class ScoresTable(_SectionTable, frozen=True, tag="solo", kw_only=True):
    """The JSON form of a section with mean scores."""

    data: _SCORES.type  # type: ignore[name-defined]


class StandingsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON form of standings."""

    schema: str
    arena: str
    run: str | UnsetType | None = UNSET
    """Title of the run, for standings that are not full."""
    source: str | UnsetType | None = UNSET
    """Title of the run or name of the file of results, for full pages."""
    tables: tuple[RatingsTable | ScoresTable, ...]
    warnings: tuple[str, ...]


def text(
    sections: Sequence[Section],
    *,
    width: int | None = None,
    emphasis: Emphasis = Emphasis.PLAIN,
) -> str:
    """Return the text for a terminal of ``width`` columns (None for any), with a final newline.

    A table that is too wide is first drawn closer, then loses columns from the right; remarks are
    wrapped. The notices of a section are the last lines of its table. Several sections are headed
    by their titles.
    """
    parts = []
    for section in _places_first(sections):
        lines = [] if len(sections) < 2 else _heading(section.heading, width)
        for number, piece in enumerate(_pieces(section, width)):
            lines += [*[""] * bool(number), *piece.text(emphasis)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _pieces(section: Section, width: int | None) -> Iterator[Piece]:
    """Yield the pieces of a section in order; ``width``: columns of the terminal, None for any."""
    for panel in leading(section):
        yield panel.piece(width)
    below = [*below_table(section), *section.remarks]
    remarks = [line for each in below for line in wrapped(each, width)]
    lines = [*draw_text(columns_of(section.standings), width).split("\n"), *remarks]
    yield Piece("" if section.rounds is None else RATINGS, lines)
    for panel in _below(section):
        yield panel.piece(width)


def markdown(sections: Sequence[Section]) -> str:
    """Return GitHub tables, each with a list of its remarks and notices, with a final newline."""
    parts = []
    for section in _places_first(sections):
        if len(sections) > 1:
            parts.append(f"## {clean.markdown(section.heading)}\n")
        for panel in leading(section):
            parts += panel.markdown()
        if section.rounds is not None:
            parts.append(f"### {RATINGS}\n")
        parts.append(markdown_table(columns_of(section.standings)) + "\n")
        parts.append(markdown_list([*below_table(section), *section.remarks]))
        for panel in _below(section):
            parts += panel.markdown()
    return "\n".join(parts)


def csv_text(sections: Sequence[Section]) -> str:
    """Return one quoted line per table and entrant: full names, unrounded, empty for no number.

    Withdrawn bots come last, without a rank; their games and faults are those that led to the
    withdrawal.

    The columns are the same for all tables; a row leaves the columns of the other kind empty.
    Characters that control a terminal are replaced as in the other forms.

    With panels there are also lines for each row of a panel: ``panel`` names the panel, and the
    other columns depend on the panels. Readers should select columns by name.
    """
    if _are_full(sections):
        rows = [row for section in sections for row in _full_rows(section)]
        columns = list(dict.fromkeys(column for row in rows for column in row))
    else:
        rows = [row for section in sections for row in csv_rows(section)]
        columns = [*CSV_FIELDS, *added_keys()]
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(clean.shown_cells(row.get(each, "") for each in columns) for row in rows)
    return out.getvalue()


def json_text(
    sections: Sequence[Section], *, source: str | None = None, warnings: Sequence[str] = ()
) -> str:
    """Return the ``StandingsDocument`` as indented JSON with a final newline.

    ``source``: title of the run, or name of the file of results.
    """
    is_full = _are_full(sections)
    document = StandingsDocument(
        schema=FULL_SCHEMA if is_full else SCHEMA,
        arena=arena.__version__,
        run=UNSET if is_full else source,
        source=source if is_full else UNSET,
        tables=tuple(map(_json_table, sections)),
        warnings=tuple(warnings),
    )
    found = msgspec.to_builtins(document)
    for section, table in zip(sections, found["tables"], strict=True):
        table["data"]["rows"] = data_rows(section.standings)
    return clean.json_document(found)


def _are_full(sections: Sequence[Section]) -> bool:
    return any(section.panels is not None for section in sections)


def leading(section: Section) -> Sequence[PageBlock]:
    """Return the panels before the ratings."""
    return () if section.rounds is None else section.rounds()


def _below(section: Section) -> Iterator[PageBlock]:
    """Yield the panels after the ratings."""
    for panels in (section.gone, section.panels):
        yield from () if panels is None else panels()


def _panels(section: Section) -> Sequence[PageBlock]:
    return (*leading(section), *_below(section))


def _places_first(sections: Sequence[Section]) -> Sequence[Section]:
    """Return the sections in the order of a text: the one with the places by rounds first."""
    return sections if not sections or sections[-1].rounds is None else overall_first(sections)


def overall_first(sections: Sequence[T]) -> Sequence[T]:
    """Return the sections in the order of a screen: the section of all disciplines first."""
    return sections if len(sections) < 2 else (sections[-1], *sections[:-1])


THROUGH: Final = {
    "arena": "a failure of arena",
    "rules": "a failure of the rules",
    "machine": "the machine",
    "worker": "the end of a worker process",
}
"""Causes of void games in words."""


def below_table(section: Section, *, has_head: bool = False) -> list[str]:
    """Return the lines directly below a table, the leader or winner first, before its notices.

    ``has_head``: whether the headline is shown elsewhere. A likelihood that is part of the headline
    is not repeated.
    """
    headline = section.headline
    lines = [] if headline is None or has_head else [headline.words()]
    remarks = remarks_of(section.standings)
    if headline is not None and headline.likelihood is not None:
        names = headline.names[0], headline.second
        known = chance(names, headline.comparative, headline.likelihood)
        remarks = [line for line in remarks if line not in known]
    return [*lines, *_losses(section), *remarks]


def _losses(section: Section) -> list[str]:
    """Return the lines on games that did not count."""
    lines = [f"{called(gone.name)}: withdrawn: {gone.reason}" for gone in section.withdrawn]
    if section.annulled:
        games = count(section.annulled, "game")
        lines.append(
            f"without the {games} of withdrawn bots, which count for nobody, played or not"
        )
    for cause, voids in section.voids.items():
        through = f"void through {THROUGH[cause]}"
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


RATING_FIELDS: Final = (
    "elo", "error", "low", "high", "bound", "limit", "group",
    "score", "points", "wins", "draws", "losses",
)  # fmt: skip
"""Columns that rows of mean scores leave empty."""
SCORE_FIELDS: Final = ("mean", "standard_error", "mean_error", "best", "worst", "forfeits")
PAIRED_FIELDS: Final = ("deals", "difference", "difference_error", "better", "equal", "worse")
CSV_FIELDS: Final = (
    "table", "rank", "name", "games", *RATING_FIELDS, *SCORE_FIELDS, *PAIRED_FIELDS,
    "faults", *(f"fault_{kind}" for kind in FaultKind), "withdrawn",
)  # fmt: skip


def _common_cells(row: Rated | Withdrawn) -> dict[str, Any]:
    return {
        "name": row.name,
        "games": row.games,
        "faults": sum(row.faults.values()),
        **{f"fault_{kind}": row.faults.get(kind, 0) for kind in FaultKind},
    }


def _row(row: Rated, standings: Standings) -> Any:
    """Return the structure of a row in JSON."""
    if standings.unit.is_elo:
        return _RATING.of(row, group=row.letters)
    return _SCORE.of(row, paired=None if row.paired is None else _PAIRED.of(row.paired))


def data_rows(standings: Standings) -> list[dict[str, Any]]:
    """Return the rows as plain values, for JSON and CSV."""
    return [
        msgspec.to_builtins(_row(row, standings)) | added_values(row, standings)
        for row in standings.rows
    ]


def csv_rows(section: Section) -> Iterator[dict[str, Any]]:
    """Yield the rows of CSV by ``CSV_FIELDS``; only those of withdrawn bots have ``withdrawn``."""
    title = {"table": section.title}
    standings = section.standings
    for row, cells in zip(standings.rows, data_rows(standings), strict=True):
        if not standings.unit.is_elo:
            cells["mean_error"] = cells.pop("error")
            paired = cells.pop("paired") or {}
            if paired:
                paired["difference_error"] = paired.pop("error")
            cells |= paired
        yield {**title, **cells, **_common_cells(row)}
    for gone in section.withdrawn:
        yield {**title, **_common_cells(gone), "withdrawn": gone.reason}


def _full_rows(section: Section) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table, the withdrawn bots, then each panel."""
    title = section.title
    parts = [
        flat(section.kind, data_rows(section.standings)),
        flat("withdrawn", msgspec.to_builtins(section.withdrawn)),
        *(panel.rows() for panel in _panels(section)),
    ]
    for key, row in chain.from_iterable(parts):
        yield {"table": title, "panel": key, **row}


def _json_table(section: Section) -> RatingsTable | ScoresTable:
    standings = section.standings
    panels: dict[str, Any] | UnsetType = UNSET
    if made := _panels(section):
        panels = {panel.key: panel.data for panel in made if panel.data is not None}
    head: dict[str, Any] = {
        "panels": panels,
        "title": section.title,
        "notices": section.remarks,
        "withdrawn": section.withdrawn,
        "annulled": section.annulled,
        "voids": dict(section.voids),
    }
    rows = tuple(_row(row, standings) for row in standings.rows)
    unit = standings.unit
    if unit.is_elo:
        pairs = section.pairs() if section.panels is None and section.pairs is not None else UNSET
        return RatingsTable(**head, data=_RATINGS.of(standings, rows=rows), pairs=pairs)
    scores = _SCORES.of(standings, rows=rows, score=unit.name, less_is_better=unit.less_is_better)
    return ScoresTable(**head, data=scores)
