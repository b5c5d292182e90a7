"""Ratings of a bot's versions, one below the other."""

from __future__ import annotations

from arena.ratings.elo.rating import Bound
from arena.ratings.full.history import VersionChange, VersionHistory, VersionResult
from arena.text import clean
from arena.text.numbers import NOTHING
from arena.views.page.blocks.block import PageBlock
from arena.views.page.blocks.standings import STYLE
from arena.views.page.drawing.grids import GridCell, GridTable, Head, name_cell
from arena.views.page.drawing.scale import PlotScale, over
from arena.views.page.drawing.strips import axis, interval
from arena.views.standings.history import change_words, ends, when_words, words
from arena.views.standings.ratings_table import elo_text, interval_cell
from arena.views.standings.versions import SHORT


def history_block(title: str, found: VersionHistory) -> PageBlock:
    """Return the block of one table; ``title`` is the title of the table."""
    scale = over(ends(found.versions), least=100.0)
    steps = {step.name: step for step in found.steps}
    table = GridTable(
        f"{clean.plain(found.bot)} over time, {clean.plain(title)}",
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
        [_row(point, steps.get(point.name), scale) for point in found.versions],
        "r-strips",
    )
    return PageBlock(
        key="history",
        title=f"{clean.plain(found.bot)}: {clean.plain(title)}",
        intro=(
            "The oldest version first, all on one scale, with 95 % intervals. Each step is tested "
            "against noise, with all steps considered."
        ),
        tables=[table],
        remarks=[*words(found, STYLE)],
    )


def _row(point: VersionResult, step: VersionChange | None, scale: PlotScale) -> list[GridCell]:
    name, told = clean.plain(point.name), interval_cell(point).text
    low, high, elo = point.low, point.high, point.elo
    if point.bound is not Bound.BOTH:  # the rating is a guess, so the limit replaces it
        elo = point.limit
        low = point.limit if point.bound is Bound.ABOVE else None
        high = point.limit if point.bound is Bound.BELOW else None
    shown = elo_text(point.elo)
    drawn = interval(
        scale,
        elo,
        low,
        high,
        title=f"{name}: {shown} Elo, {told}",
        is_open=point.bound is not Bound.BOTH,
    )
    return [
        name_cell(name),
        GridCell("", plot=drawn),
        GridCell(shown, point.elo),
        GridCell(told),
        GridCell(change_words(step), None if step is None else step.elo),
        GridCell(str(point.games), float(point.games)),
        GridCell(when_words(point), point.first),
        GridCell(point.digest[:SHORT] or NOTHING),
    ]
