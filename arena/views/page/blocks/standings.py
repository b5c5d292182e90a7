"""Standings, their intervals, the crosstable, panels of the full page, and a bot's versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlencode

from markupsafe import Markup

from arena.ratings.elo.rating import ELO_UNIT, Bound, Rated
from arena.ratings.elo.standings import Standings
from arena.ratings.full.crosstable import PairResult
from arena.ratings.full.history import VersionChange
from arena.ratings.full.numbers import Full, full
from arena.text.cells import Quantity, Share, Text, text_of
from arena.text.numbers import NOTHING, count, percent_cell, signed
from arena.text.tables import Panel
from arena.views.page.blocks.block import (
    Figure,
    GridCell,
    GridTable,
    Head,
    PageBlock,
    PageCell,
    from_columns,
    name_cell,
    turned_head,
)
from arena.views.page.drawing import PlotScale, axis, interval, over
from arena.views.page.model import PageSection
from arena.views.standings.history import (
    RatedVersion,
    VersionHistory,
    change_cell,
    ends,
    when_words,
    words,
)
from arena.views.standings.measured import cost_panel
from arena.views.standings.panels import rated_panels, score_panels
from arena.views.standings.ratings_table import grid_of, interval_cell, value_text
from arena.views.standings.rounds.bracket import drawings
from arena.views.standings.tables import below_table, leading
from arena.views.standings.versions import SHORT

MATRIX: Final = 64
"""Most bots of a crosstable; for more bots, pairs of similar strength are listed."""


def standings_blocks(part: PageSection, *, is_linked: bool) -> Iterator[PageBlock]:
    """Yield the blocks of a section of the standings.

    ``is_linked``: whether cells of the crosstable link to the games of the pair.
    """
    yield from rounds_blocks(leading(part.section))
    yield _standings(part)
    yield from map(panel_block, () if part.section.gone is None else part.section.gone())
    standings = part.section.standings
    if part.ratings is None:
        yield from _folded(score_panels(part.tally.solo[part.section.title], standings))
    else:
        numbers = full(standings, part.ratings, part.clean)
        panels = rated_panels(numbers, part.section.titles)
        if len(numbers.names) > 1:
            as_matrix = len(numbers.names) <= MATRIX
            yield _crosstable(numbers, is_linked) if as_matrix else panel_block(panels.pop(0))
        panels = [p for p in panels if p.key != "crosstable" or len(numbers.names) > MATRIX]
        seats = [panel for panel in panels if panel.key == "seats"]
        if len(seats) == 1:  # seats of several disciplines are shown with each discipline
            yield _seats(seats[0])
            panels.remove(seats[0])
        yield from _folded(panels)
    if part.section.costs:
        yield panel_block(cost_panel(part.section.costs), is_folded=True)


def rounds_blocks(panels: Sequence[Panel]) -> Iterator[PageBlock]:
    """Yield the blocks of rounds; a bracket is drawn, with its ties in a table."""
    for panel, bracket in drawings(panels):
        if bracket is None:
            yield panel_block(panel)
            continue
        drawing = Markup(
            '<div class="r-scroll" role="group" tabindex="0" aria-label="{}">{}</div>'
        ).format(panel.title, bracket)
        yield panel_block(panel)._replace(figures=[Figure(drawing)])


def _standings(part: PageSection) -> PageBlock:
    section = part.section
    grid = grid_of(section.standings)
    title = "Standings" if section.rounds is None else "Standings by rating"
    table = from_columns(title, grid.columns, "r-standings")
    intervals = []
    if (strips := _strips(section.standings)) is not None:
        table = table.with_column("95 %", *strips)
        intervals.append(
            "the order of two bots may be chance where their intervals overlap widely; an arrow "
            "means that the results set no limit on that side"
        )
    return PageBlock(
        key="standings",
        title=title,
        tables=[table],
        remarks=[
            *intervals,
            *below_table(section, grid, has_head=True),
            *section.notices,
        ],
    )


def _strips(standings: Standings) -> tuple[Head, list[GridCell]] | None:
    """Return a column of drawn intervals with its axis; None if no row has a value."""
    ends = [place for row in standings.rows for place in _places(row)]
    if not ends:
        return None
    unit = standings.unit
    scale = over(ends, least=100.0 if unit == ELO_UNIT else 1.0)
    cells = [GridCell("", plot=_strip(row, standings, scale)) for row in standings.rows]
    return Head("", is_sorted=False, kind="r-wide", plot=axis(scale, unit.name)), cells


def _strip(row: Rated, standings: Standings, scale: PlotScale) -> Markup:
    unit = standings.unit
    told = text_of(interval_cell(row, unit, is_fixed=standings.is_fixed(row.name)))
    number = value_text(row.value, unit)
    shown = f"{number} {unit.name}, {told}" if unit == ELO_UNIT else f"{number} {told}"
    return interval(
        scale,
        row.value,
        *_reach(row),
        title=f"{row.name}: {shown}",
        anchor=standings.anchor_elo if unit == ELO_UNIT else None,
        is_open=row.bound is not Bound.BOTH,
    )


def _places(row: Rated) -> list[float]:
    low, high = _reach(row)
    return [place for place in (row.value, low, high) if place is not None]


def _reach(row: Rated) -> tuple[float | None, float | None]:
    """Return the ends of the interval; None for an open side."""
    if row.value is None:
        return None, None
    if row.bound is Bound.BELOW:
        return None, max(row.value, row.value if row.limit is None else row.limit)
    if row.bound is Bound.ABOVE:
        return min(row.value, row.value if row.limit is None else row.limit), None
    return row.low, row.high


def _crosstable(numbers: Full, is_linked: bool) -> PageBlock:
    names = numbers.names
    heads = [Head("bot", is_sorted=False), *map(turned_head, names)]
    rows = [
        [
            name_cell(name),
            *(_met(numbers, name, other, is_linked) for other in names),
        ]
        for name in names
    ]
    met = len(numbers.cells) // 2
    return PageBlock(
        key="crosstable",
        title="Head to head",
        intro=(
            "Score of the row against the column in percent. * differs from 50 % at the 5 % level "
            "with all pairs considered."
            + (" A cell leads to the games of the two." if is_linked else "")
        ),
        tables=[GridTable("Head to head, in percent", heads, rows, "r-matrix")],
        remarks=[f"{count(met, 'pair')} met"],
    )


def _met(numbers: Full, name: str, other: str, is_linked: bool) -> GridCell:
    if name == other:
        return GridCell("", kind="r-self")
    cell = numbers.cells.get((name, other))
    return (
        GridCell(NOTHING, kind="r-never") if cell is None else met_cell(cell, is_linked=is_linked)
    )


def met_cell(cell: PairResult, *, is_linked: bool) -> GridCell:
    """Return the score of a pair in percent; ``is_linked``: with a link to its games."""
    pair = {"bot": cell.name, "against": cell.other}
    return GridCell(
        Share(cell.score, mark="*" if cell.significant else ""),
        href="#games&" + urlencode(pair) if is_linked else "",
        title=_met_words(cell),
        kind=f"r-heat{round(10 * cell.score)}",
    )


def _met_words(cell: PairResult) -> str:
    ends = ""
    if cell.score_low is not None and cell.score_high is not None:
        ends = f" ({percent_cell(cell.score_low, 1)} to {percent_cell(cell.score_high, 1)})"
    shown = f"{percent_cell(cell.score, 1)} %{ends}"
    elo = "" if cell.elo is None else f", Elo {signed(cell.elo)}"
    names = f"{cell.name} against {cell.other}"
    played = f"{cell.wins} won, {cell.draws} drawn, {cell.losses} lost"
    return f"{names}: {shown}{elo}; {played}; {count(cell.blocks, 'block')}"


def _seats(panel: Panel) -> PageBlock:
    title = panel.title[0].upper() + panel.title[1:]
    return PageBlock(
        key="seats",
        title=title,
        intro="The share of points on each seat, over all who sat on the others.",
        tables=[from_columns(title, panel.columns)],
        remarks=panel.remarks,
    )


def panel_block(panel: Panel, *, is_folded: bool = False) -> PageBlock:
    """Return a panel of the full page as a block."""
    title = panel.title[0].upper() + panel.title[1:]
    tables = [from_columns(title, panel.columns)] if panel.columns else []
    return PageBlock(panel.key, title, tables=tables, remarks=panel.remarks, is_folded=is_folded)


def _folded(panels: Sequence[Panel]) -> Iterator[PageBlock]:
    return (panel_block(panel, is_folded=True) for panel in panels)


def history_block(title: str, found: VersionHistory) -> PageBlock:
    """Return the block of a bot's history; ``title`` is the title of the table."""
    scale = over(ends([each.rated for each in found.versions]), least=100.0)
    steps = {step.name: step for step in found.steps}
    table = GridTable(
        f"{found.bot} over time, {title}",
        [
            Head("version"),
            Head("", is_sorted=False, kind="r-wide", plot=axis(scale, "Elo")),
            Head("Elo", "right"),
            Head("95 %", "right"),
            Head("change", "right"),
            Head("games", "right"),
            Head("played"),
            Head("digest"),
        ],
        [_row(point, steps.get(point.rated.name), scale) for point in found.versions],
        "r-strips",
    )
    return PageBlock(
        key="history",
        title=f"{found.bot}: {title}",
        intro=(
            "The oldest version first, all on one scale, with 95 % intervals. Each step is tested "
            "against noise, with all steps considered."
        ),
        tables=[table],
        remarks=[*words(found)],
    )


def _row(point: RatedVersion, step: VersionChange | None, scale: PlotScale) -> list[PageCell]:
    row = point.rated
    name, told = row.name, text_of(interval_cell(row))
    low, high, elo = row.low, row.high, row.value
    if row.bound is not Bound.BOTH:  # the rating is a guess, so the limit replaces it
        elo = row.limit
        low = row.limit if row.bound is Bound.ABOVE else None
        high = row.limit if row.bound is Bound.BELOW else None
    shown = value_text(row.value)
    drawn = interval(
        scale,
        elo,
        low,
        high,
        title=f"{name}: {shown} Elo, {told}",
        is_open=row.bound is not Bound.BOTH,
    )
    return [
        name_cell(name),
        GridCell("", plot=drawn),
        Quantity(row.value),
        told,
        change_cell(step),
        row.games,
        Text(when_words(point), point.first),
        point.digest[:SHORT] or NOTHING,
    ]
