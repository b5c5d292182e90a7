"""Panels of a solo discipline: every two bots on the deals that both have played."""

from __future__ import annotations

from collections.abc import Sequence

from arena.ratings.elo.solo_standings import SoloStandings
from arena.ratings.full.solo_pairs import SoloPair
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
    plus_minus,
    signed,
)

_FEW = 3
"""Bots: the whole cell of each pair fits into a list."""


def solo_panels(standings: SoloStandings, found: Sequence[SoloPair], style: Style) -> list[Panel]:
    """``found``: every pair once, in the order of the table."""
    names = tuple(row.name for row in standings.rows)
    if len(names) < 2:
        return []
    pairs = {(own.name, own.other): own for pair in found for own in (pair, pair.mirrored())}
    as_matrix = _FEW < len(names) <= MATRIX
    columns = _matrix(names, pairs, style) if as_matrix else _list(names, pairs, style)
    title = f"paired differences in {style.show(standings.score)} on common deals"
    rank = {name: k for k, name in enumerate(names)}
    data = sorted(pairs.values(), key=lambda pair: (rank[pair.name], rank[pair.other]))
    return [
        Panel(
            key="pairs",
            title=f"{title}: row less column" if as_matrix else title,
            columns=columns if pairs else (),
            remarks=_remarks(names, found, as_matrix, style)
            if pairs
            else ["no deal was played by two"],
            data=tuple(data),
        )
    ]


def _matrix(
    names: Sequence[str], pairs: dict[tuple[str, str], SoloPair], style: Style
) -> list[Column]:
    def shown(name: str, other: str) -> Sequence[str]:
        pair = pairs.get((name, other))
        if pair is None:
            return (NOTHING,)
        mark = style.show(MARK) if pair.significant else ""
        counts = f"{pair.better}/{pair.equal}/{pair.worse}"
        return (mark + signed(pair.difference, 1), plus_minus(pair.error, 1), counts)

    return matrix(names, shown, style)


def _list(
    names: Sequence[str], pairs: dict[tuple[str, str], SoloPair], style: Style
) -> list[Column]:
    own = [pairs[pair] for pair in nearest_pairs(names)[0] if pair in pairs]
    marks = [style.show(MARK) if pair.significant else "" for pair in own]
    difference = [mark + signed(p.difference, 2) for mark, p in zip(marks, own, strict=True)]
    return [
        *pair_columns([(pair.name, pair.other) for pair in own], style),
        Column("difference", "right", difference),
        Column("95 %", "right", [plus_minus(pair.error, 2) or NOTHING for pair in own]),
        Column("better/=/worse", "right", [f"{p.better}/{p.equal}/{p.worse}" for p in own]),
        Column("LOS %", "right", [likelihood(pair.superiority, 1) for pair in own]),
        Column("deals", "right", [str(pair.deals) for pair in own]),
    ]


def _remarks(
    names: Sequence[str], found: Sequence[SoloPair], as_matrix: bool, style: Style
) -> list[str]:
    remarks = ["± is the 95 % interval"]
    if as_matrix:
        remarks[0] += "; below it deals better/equal/worse"
    marked = sum(pair.significant for pair in found)
    if marked:
        of = "the only pair" if len(found) == 1 else f"{marked} of {count(len(found), 'pair')}"
        remarks.append(
            f"mark {style.show(MARK)}: differs from 0 at the 5 % level, Holm over all pairs: {of}"
        )
    else:
        remarks.append("no difference from 0 at the 5 % level, Holm over all pairs")
    return remarks if as_matrix else [*remarks, *list_remark(names, nearest_pairs(names)[1])]
