"""Panels of pairs: head to head, fitted differences, likelihoods of superiority."""

from __future__ import annotations

from collections.abc import Sequence

from arena.ratings.full.crosstable import Cell
from arena.ratings.full.numbers import Full
from arena.text.grid import NOTHING, Column
from arena.text.numbers import count
from arena.text.panel import Panel
from arena.views.standings.full_words import (
    MARK,
    MATRIX,
    Style,
    likelihood,
    list_remark,
    matrix,
    nearest_pairs,
    pair_columns,
    percent,
    plus_minus,
    signed,
)

_FEW = 3
"""Bots: the whole cell of each pair fits into a list."""


def pair_panels(full: Full, style: Style) -> list[Panel]:
    """Below a table of two and more bots."""
    if len(full.names) < 2:
        return []
    panels = [_crosstable(full, style), _differences(full, style)]
    if _FEW < len(full.names) <= MATRIX:
        panels.append(_superiority(full, style))
    return panels


def _crosstable(full: Full, style: Style) -> Panel:
    as_matrix = _FEW < len(full.names) <= MATRIX
    columns, remarks = _cell_matrix(full, style) if as_matrix else _cell_list(full, style)
    title = "head to head: score of the row against the column in percent"
    return Panel(
        key="crosstable",
        title=title if as_matrix else "head to head: score and LOS in percent",
        columns=columns if full.cells else (),
        remarks=remarks if full.cells else ["nobody has met anybody"],
        data=tuple(full.cells.values()),
    )


def _cell_matrix(full: Full, style: Style) -> tuple[list[Column], list[str]]:
    def shown(name: str, other: str) -> Sequence[str]:
        cell = full.cells.get((name, other))
        if cell is None:
            return (NOTHING,)
        return (_mark(cell, style) + percent(cell.score), _error(cell))

    return matrix(full.names, shown, style), _cell_remarks(full, style, "±")


def _cell_list(full: Full, style: Style) -> tuple[list[Column], list[str]]:
    near, reach = nearest_pairs(full.names)
    cells = [full.cells[pair] for pair in near if pair in full.cells]
    columns = [
        *pair_columns([(cell.name, cell.other) for cell in cells], style),
        Column("%", "right", [_mark(cell, style) + percent(cell.score, 1) for cell in cells]),
        Column("W-D-L", "right", [f"{c.wins}-{c.draws}-{c.losses}" for c in cells]),
        Column("LOS", "right", [likelihood(cell.superiority, 1) for cell in cells]),
        Column("Elo", "right", [_elo(cell) for cell in cells]),
        Column("95 %", "right", [_interval(cell) for cell in cells]),
        Column("blocks", "right", [str(cell.blocks) for cell in cells]),
    ]
    remarks = _cell_remarks(full, style, "behind Elo")
    if any(cell.elo is None for cell in cells):
        remarks.append("Elo > or <: the 97.5 % limit of a perfect or zero score, block by block")
    return columns, [*remarks, *list_remark(full.names, reach)]


def _cell_remarks(full: Full, style: Style, interval: str) -> list[str]:
    cells = full.cells.values()
    remarks = [f"{interval} is the 95 % interval; {count(len(cells) // 2, 'pair')} met"]
    marked = sum(cell.significant for cell in cells) // 2
    if marked:
        of = "the only pair" if len(cells) == 2 else f"{marked} of {len(cells) // 2} pairs"
        differs = f"mark {style.show(MARK)}: differs from 50 % at the 5 % level"
        remarks.append(f"{differs}, Holm over all pairs: {of}")
    else:
        remarks.append("no score differs from 50 % at the 5 % level, Holm over all pairs")
    return remarks


def _mark(cell: Cell, style: Style) -> str:
    return style.show(MARK) if cell.significant else ""


def _error(cell: Cell) -> str:
    return plus_minus(None if cell.score_error is None else 100 * cell.score_error)


def _elo(cell: Cell) -> str:
    if cell.elo is not None:
        return signed(cell.elo)
    return f">{signed(cell.low)}" if cell.low is not None else f"<{signed(cell.high)}"


def _interval(cell: Cell) -> str:
    if cell.elo is None or (cell.low is None and cell.high is None):
        return NOTHING
    low, high = signed(cell.low), signed(cell.high)
    if cell.high is None:
        return f"above {low}"
    return f"{low} … {high}" if cell.low is not None else f"below {high}"


def _differences(full: Full, style: Style) -> Panel:
    as_matrix = _FEW < len(full.names) <= MATRIX
    columns, remarks = _fit_matrix(full, style) if as_matrix else _fit_list(full, style)
    remarks = ["from all games together; ± is the 95 % interval", *remarks]
    if any(each.elo is not None and each.error is None for each in full.differences.values()):
        remarks.append("mark ?: no interval: the results do not bound the difference, or all alike")
    title = "fitted Elo differences"
    return Panel(
        key="differences",
        title=f"{title}: row less column" if as_matrix else f"{title}, LOS in percent",
        columns=columns,
        remarks=remarks,
        data=tuple(full.differences.values()),
    )


def _fit_matrix(full: Full, style: Style) -> tuple[list[Column], list[str]]:
    def shown(name: str, other: str) -> Sequence[str]:
        each = full.differences[name, other]
        doubt = "?" if each.elo is not None and each.error is None else ""
        return (signed(each.elo) + doubt, plus_minus(each.error))

    return matrix(full.names, shown, style), []


def _fit_list(full: Full, style: Style) -> tuple[list[Column], list[str]]:
    near, reach = nearest_pairs(full.names)
    found = [full.differences[pair] for pair in near]
    doubts = ["?" if each.elo is not None and each.error is None else "" for each in found]
    elo = [signed(each.elo) + doubt for each, doubt in zip(found, doubts, strict=True)]
    columns = [
        *pair_columns([(each.name, each.other) for each in found], style),
        Column("Elo", "right", elo),
        Column("95 %", "right", [plus_minus(each.error) or NOTHING for each in found]),
        Column("LOS", "right", [likelihood(each.superiority, 1) for each in found]),
    ]
    return columns, list_remark(full.names, reach)


def _superiority(full: Full, style: Style) -> Panel:
    def shown(name: str, other: str) -> Sequence[str]:
        return (likelihood(full.differences[name, other].superiority),)

    return Panel(
        key="superiority",
        title="likelihood that the row is stronger than the column in percent (LOS)",
        columns=matrix(full.names, shown, style),
        remarks=["of each pair on its own; see ranks for what all together say"],
        data=None,
    )
