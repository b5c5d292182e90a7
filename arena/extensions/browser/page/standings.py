"""Standings with their intervals, the crosstable, and the other blocks of a full page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from arena.ratings.elo.crosstable import PairResult, pairs_of
from arena.values.numbers import NOTHING, count, percent_cell, signed
from arena.values.titles import called
from arena.views.cells import Cell, Label, Linked, Share
from arena.views.standings.measured import added, cost_panel
from arena.views.standings.ratings_table import drawn_columns
from arena.views.standings.standings import SectionData
from arena.views.standings.tables import Section, below_table, leading
from arena.views.tables import Column, PageBlock, PageTable

MATRIX: Final = 64
"""Most bots of a crosstable; for more bots, pairs of similar strength are listed."""


def standings_blocks(part: SectionData, *, is_linked: bool) -> Iterator[PageBlock]:
    """Yield the blocks of a section of the standings.

    ``is_linked``: whether cells of the crosstable link to the games of the pair.
    """
    section, standings = part.section, part.section.standings
    yield from leading(section)
    yield standings_block(section, drawn_columns(standings), _remarks(section))
    yield from () if section.gone is None else section.gone()
    yield from _panels(part, is_linked=is_linked)
    if section.costs:
        yield _folded(cost_panel(section.costs))


def standings_block(
    section: Section, columns: Sequence[Column], remarks: Sequence[str], intro: str = ""
) -> PageBlock:
    """Return the block of a table of ratings or mean scores with its ``columns``."""
    title = "Standings" if section.rounds is None else "Standings by rating"
    table = PageTable(title, columns, "standings")
    return PageBlock("standings", title, [table], remarks, intro=intro)


def _remarks(section: Section) -> list[str]:
    meaning = (
        "the order of two bots may be chance where their intervals overlap widely; an arrow "
        "means that the results set no limit on that side"
    )
    below = [*below_table(section, has_head=True), *section.remarks]
    return [meaning, *below] if section.standings.rows else below


def _panels(part: SectionData, *, is_linked: bool) -> Iterator[PageBlock]:
    """Yield the blocks of extensions: pairs and seats open, other statistics folded.

    Those of other packages, whose keys have a dot, come last.
    """
    blocks = [*added(part)]
    names = [row.name for row in part.section.standings.rows]
    as_matrix = part.ratings is not None and 1 < len(names) <= MATRIX
    if as_matrix:
        yield _crosstable(part, names, is_linked)
    # seats of several disciplines are shown with each discipline
    has_seats = sum(block.key == "seats" for block in blocks) == 1
    folded, others = [], []
    for block in blocks:
        if block.key == "crosstable":
            yield from () if as_matrix else (block,)
        elif block.key == "seats" and has_seats:
            intro = "The share of points on each seat, over all who sat on the others."
            yield block._replace(intro=intro)
        elif "." in block.key:
            others.append(block)
        else:
            folded.append(_folded(block))
    yield from folded
    yield from others


def _folded(block: PageBlock) -> PageBlock:
    return block._replace(is_folded=True)


def _crosstable(part: SectionData, names: Sequence[str], is_linked: bool) -> PageBlock:
    cells: dict[tuple[str, str], PairResult] = {}
    for pair in () if part.ratings is None else pairs_of(part.ratings.arrays):
        if {pair.name, pair.other} <= {*names}:
            cells[pair.name, pair.other] = pair
            cells[pair.other, pair.name] = pair.mirrored()
    columns = [Column("bot", "left", [*map(Label, names)])]
    for other in names:
        met = [_met(cells, name, other, is_linked) for name in names]
        columns.append(Column(Label(other), "right", met, kind="heat"))
    return PageBlock(
        key="crosstable",
        title="Head to head",
        intro=(
            "Score of the row against the column in percent. * differs from 50 % at the 5 % level "
            "with all pairs considered."
            + (" A cell leads to the games of the two." if is_linked else "")
        ),
        tables=[PageTable("Head to head, in percent", columns, "matrix", is_sorted=False)],
        remarks=[f"{count(len(cells) // 2, 'pair')} met"],
    )


def _met(
    cells: Mapping[tuple[str, str], PairResult], name: str, other: str, is_linked: bool
) -> Cell:
    if name == other:
        return ""
    cell = cells.get((name, other))
    return NOTHING if cell is None else met_cell(cell, is_linked=is_linked)


def met_cell(cell: PairResult, *, is_linked: bool, unit: str = "") -> Linked:
    """Return the score of a pair in percent; ``is_linked``: with a link to its games."""
    pair = {"bot": called(cell.name), "against": called(cell.other)}
    return Linked(
        Share(cell.score, mark="*" if cell.significant else "", unit=unit),
        "#games&" + urlencode(pair) if is_linked else "",
        _met_words(cell),
    )


def _met_words(cell: PairResult) -> str:
    ends = ""
    if cell.score_low is not None and cell.score_high is not None:
        ends = f" ({percent_cell(cell.score_low, 1)} to {percent_cell(cell.score_high, 1)})"
    shown = f"{percent_cell(cell.score, 1)} %{ends}"
    elo = "" if cell.elo is None else f", Elo {signed(cell.elo)}"
    names = f"{called(cell.name)} against {called(cell.other)}"
    played = f"{cell.wins} won, {cell.draws} drawn, {cell.losses} lost"
    return f"{names}: {shown}{elo}; {played}; {count(cell.blocks, 'block')}"
