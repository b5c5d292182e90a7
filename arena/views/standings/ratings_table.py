"""The table of ratings as columns and remarks.

The column ``95 %`` has the half-width of the interval or a mark: ``anchor``; ``<n`` or ``>n``, the
one-sided 97.5 % limit of a bot that lost or won everything; ``<``, ``>``, ``?`` where results set
no limit; ``–`` where blocks are too few or all had the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from arena.ratings.elo.rating import Bound, Estimate
from arena.ratings.elo.scale import Anchor
from arena.ratings.elo.standings import Standing, Standings
from arena.text.numbers import NOTHING, count, fixed, listed, percent, plus_minus, reach, signed
from arena.text.tables import LEAST_NAME, Column, Grid, Show, chance, fault_remarks

_RESULTS: Final = "W-D-L"
"""Header over wins, draws and losses where they share a column."""


def ratings_grid(standings: Standings, show: Show) -> Grid:
    """Return columns and remarks; a narrow terminal drops the last columns first."""
    rows = standings.rows
    sign = "+" if standings.anchor_elo == 0 else ""
    group = Column("group", "left", [row.group or NOTHING for row in rows])
    columns = [
        Column("#", "right", ["" if row.rank is None else str(row.rank) for row in rows]),
        Column("bot", "left", [show(row.name) for row in rows], least=LEAST_NAME),
        Column("Elo", "right", [_number(row.elo, sign) for row in rows]),
        Column("95 %", "right", [show(_interval(row, standings, sign)) for row in rows]),
        *([group] if any(row.group for row in rows) else []),
        Column("score", "right", [percent(row.score) for row in rows]),
        Column("points", "right", [f"{row.points:.1f}" for row in rows]),
        Column("games", "right", [str(row.games) for row in rows]),
        Column("win", "right", [str(row.wins) for row in rows], _RESULTS),
        Column("draw", "right", [str(row.draws) for row in rows], _RESULTS),
        Column("loss", "right", [str(row.losses) for row in rows], _RESULTS),
        Column("faults", "right", [str(sum(row.faults.values())) for row in rows]),
    ]
    return Grid(columns, _remarks(standings, show))


def _number(elo: float | None, sign: str = "") -> str:
    return NOTHING if elo is None else format(round(elo), sign + "d")


def _interval(row: Standing, standings: Standings, sign: str) -> str:
    if row.elo is None:
        return NOTHING
    if row.bound is not Bound.BOTH:
        return row.bound.value + ("" if row.limit is None else _number(row.limit, sign))
    if standings.is_fixed(row.name):
        return "anchor"
    return reach(row.elo, row.low, row.high) or NOTHING


def _remarks(standings: Standings, show: Show) -> list[str]:
    """Return the lines below a table, in a fixed order, without those that have no content."""
    names = [show(row.name) for row in standings.rows]
    placed = [show(row.name) for row in standings.rows if row.rank is not None]
    return [
        *chance(placed, "stronger", standings.first_over_second),
        *_seats(standings),
        *_luck(standings),
        _level(standings, show),
        *_assumed(standings),
        *_legend(standings),
        *fault_remarks(zip(names, (row.faults for row in standings.rows), strict=True)),
    ]


def _seats(standings: Standings) -> list[str]:
    """Return the seat advantages, unless the table is of several disciplines."""
    if len(standings.disciplines) != 1:
        return []
    if standings.seat_advantage is not None:
        known = standings.seat_advantage.error is not None
        worth = f"seat 0 is worth {_estimate(standings.seat_advantage)} Elo against seat 1"
        return [worth] if known else []
    terms = [f"{t.seat}: {_estimate(Estimate(t.elo, t.error))}" for t in standings.seats]
    worth = f"seats of {len(terms)} in Elo against their mean: {', '.join(terms)}"
    return [worth] if terms else []


def _estimate(estimate: Estimate) -> str:
    return " ".join(filter(None, (signed(estimate.elo), plus_minus(estimate.error))))


def _luck(standings: Standings) -> list[str]:
    correlation = standings.luck_correlation
    if correlation is None:
        return []
    games = "the two" if len(standings.seats) == 2 else "any two"
    return [f"correlation of {games} games of a deal: {fixed(correlation, 2)}"]


def _level(standings: Standings, show: Show) -> str:
    inside = any(row.bound is Bound.BOTH and row.group for row in standings.rows)
    mean = "the mean of group A" if inside else "the mean"
    if standings.anchors is not UNSET:
        level, scale = _anchored(standings, standings.anchors, show), "on this scale"
    else:
        level = mean if standings.anchor is None else show(standings.anchor)
        level, scale = f"{level} is set to {_number(standings.anchor_elo)} Elo", f"against {level}"
    against = scale if standings.anchor_in_core else f"against {mean}"
    parts = [level]
    shown = [reach(row.elo, row.low, row.high) for row in standings.rows if row.error is not None]
    if shown:
        marks = "± or + and - is" if any(" " in each for each in shown) else "± is"
        parts.append(f"{marks} the 95 % interval {against}")
    parts.append(count(standings.blocks, "block"))
    return "; ".join(parts)


def _anchored(standings: Standings, anchors: Sequence[Anchor], show: Show) -> str:
    """Return the ratings that anchors with errors were set to, and those that they have here."""
    elo = {row.name: row.elo for row in standings.rows}
    said = [
        f"{show(each.name)} is set to {_number(each.elo)}"
        + (f" {plus_minus(each.error)} (here {_number(elo[each.name])})" if each.error else "")
        for each in anchors
    ]
    return f"{listed(said)} Elo"


def _assumed(standings: Standings) -> list[str]:
    """Return the options of the ratings that differ from the usual ones."""
    told = []
    if standings.seat_terms is not UNSET:
        told.append("seats were taken to be worth nothing")
    if standings.prior is not UNSET:
        games = f"{standings.prior:g} drawn game{'s'[: standings.prior != 1]} with a mean bot"
        told.append(f"prior: {games if standings.prior else 'none'}")
    return told


def _legend(standings: Standings) -> list[str]:
    marks = {row.bound for row in standings.rows if row.elo is not None}
    unknown = any(
        row.elo is not None
        and row.bound is Bound.BOTH
        and row.error is None
        and not standings.is_fixed(row.name)
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
