"""The tables of ratings and of mean scores, as columns and remarks.

The column ``95 %`` has the half-width of the interval or a mark: ``anchor``; ``<n`` or ``>n``, the
one-sided 97.5 % limit of a bot that lost or won everything; ``<``, ``>``, ``?`` where results set
no limit; ``–`` where blocks are too few or all had the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from arena.ratings.elo.rating import ELO_UNIT, Bound, Estimate, Rated, ValueUnit
from arena.ratings.elo.scale import Anchor
from arena.ratings.elo.standings import Standings
from arena.values.numbers import (
    NOTHING,
    PlotScale,
    count,
    fixed,
    listed,
    over,
    plus_minus,
    reach,
    signed,
)
from arena.values.titles import called
from arena.views.cells import (
    NAME_COLUMNS,
    Axis,
    Cell,
    HalfWidth,
    Interval,
    Label,
    Quantity,
    Share,
    Strip,
    Text,
    key_of,
    text_of,
)
from arena.views.tables import LEAST_NAME, Column, chance, fault_remarks

_RESULTS: Final = "W-D-L"
"""Header over wins, draws and losses where they share a column."""
_RANGE: Final = "range"
"""Header over the best and the worst score where they share a column."""
_NARROW: Final = 100.0
"""Half of the widest 95 % interval, in Elo, that excludes a large advantage of a seat."""
_MANY: Final = 25
"""Least number of blocks from which the correlation of their games is stated: by chance alone it
is then about 0.2."""


class RatingColumn(NamedTuple):
    """A column of a table: an entry of COLUMNS appears in every form.

    CSV and JSON show it if it has a ``key``.
    """

    header: str
    """Header; of a column with ``heading`` only for messages."""
    cell: Callable[[Rated, Standings], Cell]
    align: str = "right"
    brief: str = ""
    """Header where room is short, see ``Column``."""
    least: int | None = None
    is_present: Callable[[Standings], bool] = lambda standings: True
    key: str = ""
    """Name in CSV and JSON of the value of the cell, if it is not in the row."""
    heading: Callable[[Standings], Label] | None = None
    """Function that returns the header, where it depends on the table."""


def value_text(value: float | None, unit: ValueUnit = ELO_UNIT) -> str:
    """Return a rating or mean score."""
    return fixed(value, unit.decimals)


def interval_cell(
    row: Rated, unit: ValueUnit = ELO_UNIT, *, is_fixed: bool = False, is_signed: bool = False
) -> Cell:
    """Return the 95 % interval of a value, or the mark in its place.

    ``is_fixed``: the rating was set, without an error.
    """
    if not unit.is_elo:
        return HalfWidth(row.error, unit.decimals)
    if row.value is not None and row.bound is not Bound.BOTH:
        half = None if row.low is None or row.high is None else (row.high - row.low) / 2
        write = signed if is_signed else fixed
        limit = "" if row.limit is None else write(row.limit, unit.decimals)
        return Text(f"{row.bound.value}{limit}", half)
    if row.value is not None and is_fixed:
        return Text("anchor", None)
    return Interval(row.value, row.low, row.high)


def difference_text(elo: float | None, low: float | None, high: float | None) -> str:
    """Return a difference in Elo with its interval; NOTHING without a difference."""
    return NOTHING if elo is None else f"{signed(elo)} {reach(elo, low, high)}".strip()


def _is_signed(standings: Standings) -> bool:
    """Return whether values are differences from an anchor at 0 Elo."""
    return standings.unit.is_elo and standings.anchor_elo == 0


def _value(row: Rated, standings: Standings) -> Cell:
    return Quantity(row.value, standings.unit.decimals, _is_signed(standings))


def _interval(row: Rated, standings: Standings) -> Cell:
    is_fixed, is_signed = standings.is_fixed(row.name), _is_signed(standings)
    return interval_cell(row, standings.unit, is_fixed=is_fixed, is_signed=is_signed)


def _against(row: Rated, standings: Standings) -> tuple[Cell, Cell, Cell]:
    """Return the difference to the reference; its own row reads ``reference``."""
    paired = row.paired
    if row.name == standings.reference:
        return "reference", "", ""
    if paired is None:
        return NOTHING, NOTHING, NOTHING
    counts = Text(f"{paired.better}/{paired.equal}/{paired.worse}", paired.better)
    return Quantity(paired.difference, 2, is_signed=True), HalfWidth(paired.error, 2), counts


def _paired(header: str, part: int, brief: str) -> RatingColumn:
    """Return a column of differences, the ``part`` of ``_against``."""
    return RatingColumn(
        header,
        lambda row, whole: _against(row, whole)[part],
        brief=brief,
        is_present=lambda whole: whole.reference is not None,
    )


def _result(header: str, cell: Callable[[Rated], Cell]) -> RatingColumn:
    """Return a column of results, which mean scores do not have."""
    brief = _RESULTS if header in ("win", "draw", "loss") else ""
    return RatingColumn(
        header, lambda row, _: cell(row), brief=brief, is_present=lambda whole: whole.unit.is_elo
    )


def _extreme(header: str, score: Callable[[Rated], float | None]) -> RatingColumn:
    """Return the column of the best or the worst score."""

    def cell(row: Rated, _: Standings) -> Cell:
        found = score(row)
        return NOTHING if found is None else Text(f"{found:g}", found)

    return RatingColumn(header, cell, brief=_RANGE, is_present=lambda whole: not whole.unit.is_elo)


COLUMNS: Final[tuple[RatingColumn, ...]] = (
    RatingColumn("#", lambda row, _: "" if row.rank is None else row.rank),
    RatingColumn("bot", lambda row, _: Label(row.name), "left", least=LEAST_NAME),
    RatingColumn("value", _value, heading=lambda whole: Label(whole.unit.name)),
    RatingColumn("95 %", _interval),
    RatingColumn(
        "group",
        lambda row, _: row.letters or NOTHING,
        "left",
        is_present=lambda whole: any(row.letters for row in whole.rows),
    ),
    _paired("against", 0, "against")._replace(
        heading=lambda whole: Label(
            f"against {called(whole.reference or '')}", NAME_COLUMNS + len("against ")
        )
    ),
    _paired("95 %", 1, ""),
    _paired("better/=/worse", 2, "+/=/-"),
    _extreme("best", lambda row: row.best),
    _extreme("worst", lambda row: row.worst),
    _result("score", lambda row: Share(row.score, 1, unit=" %")),
    _result("points", lambda row: Quantity(row.points, 1)),
    RatingColumn("games", lambda row, _: row.games),
    _result("win", lambda row: row.wins),
    _result("draw", lambda row: row.draws),
    _result("loss", lambda row: row.losses),
    RatingColumn("faults", lambda row, _: sum(row.faults.values())),
)
"""Columns of a table of ratings or of mean scores, most important first, for all forms."""


def _columns(standings: Standings) -> Sequence[RatingColumn]:
    """Return the columns that a table has."""
    return [each for each in COLUMNS if each.is_present(standings)]


def columns_of(standings: Standings) -> list[Column]:
    """Return the columns with their cells; a narrow terminal drops the last ones first."""
    return [
        Column(
            each.header if each.heading is None else each.heading(standings),
            each.align,
            [each.cell(row, standings) for row in standings.rows],
            each.brief,
            each.least,
        )
        for each in _columns(standings)
    ]


def drawn_columns(standings: Standings) -> list[Column]:
    """Return the columns for a page, where drawn intervals follow the written ones."""
    columns = columns_of(standings)
    at = 1 + next(k for k, each in enumerate(columns) if each.header == "95 %")
    strips = strips_of(standings.rows, standings)
    return [*columns[:at], *([] if strips is None else [strips]), *columns[at:]]


def strips_of(rows: Sequence[Rated], standings: Standings | None = None) -> Column | None:
    """Return a column of drawn intervals with its axis; None if no row has a value.

    ``standings``: the table of the rows; None: they are ratings in Elo of several tables.
    """
    reaches = [_reach(row) for row in rows]
    ends = [each for reach in reaches for each in reach if each is not None]
    if not ends:
        return None
    unit = ELO_UNIT if standings is None else standings.unit
    scale = over(ends, least=100.0 if unit.is_elo else 1.0)
    return Column(Axis(scale, unit.name), "left", [_strip(row, scale, standings) for row in rows])


def _strip(row: Rated, scale: PlotScale, standings: Standings | None = None) -> Strip:
    unit = ELO_UNIT if standings is None else standings.unit
    is_fixed = standings is not None and standings.is_fixed(row.name)
    interval = text_of(interval_cell(row, unit, is_fixed=is_fixed))
    joint = f" {unit.name}, " if unit.is_elo else " "
    value, low, high = _reach(row)
    return Strip(
        scale,
        value,
        low,
        high,
        f"{called(row.name)}: {value_text(row.value, unit)}{joint}{interval}",
        is_open=row.bound is not Bound.BOTH,
        anchor=None if standings is None or not unit.is_elo else standings.anchor_elo,
    )


def _reach(row: Rated) -> tuple[float | None, float | None, float | None]:
    """Return a value and the ends of its interval; a limit stands for a rating that is a guess."""
    if row.bound is Bound.BOTH or row.value is None:
        return row.value, row.low, row.high
    value = row.value if row.limit is None else row.limit
    is_above, is_below = row.bound is Bound.ABOVE, row.bound is Bound.BELOW
    return value, value if is_above else None, value if is_below else None


def added_keys() -> list[str]:
    """Return the names in CSV and JSON of values that are not in rows."""
    return [each.key for each in COLUMNS if each.key]


def added_values(row: Rated, standings: Standings) -> dict[str, Any]:
    """Return the values of ``added_keys`` of a row."""
    columns = _columns(standings)
    return {each.key: key_of(each.cell(row, standings)) for each in columns if each.key}


def remarks_of(standings: Standings) -> list[str]:
    """Return the lines below a table, in a fixed order, without those that have no content.

    ``±`` is half of a 95 % interval, ``–`` a missing number.
    """
    return [
        *_ahead(standings),
        *_seats(standings),
        *_luck(standings),
        _level(standings) if standings.unit.is_elo else _scale(standings),
        *_assumed(standings),
        *_scope(standings),
        *_legend(standings),
        *fault_remarks((row.name, row.faults) for row in standings.rows),
    ]


def comparative(unit: ValueUnit) -> str:
    """Return the word for the better of two entrants."""
    return "stronger" if unit.is_elo else "better"


def _ahead(standings: Standings) -> list[str]:
    """Return the line on the first and the second, unless they share a place."""
    ahead = [row for row in standings.rows if row.rank is not None][:2]
    if len({row.rank for row in ahead}) < 2:
        return []
    names = [row.name for row in ahead]
    return chance(names, comparative(standings.unit), standings.first_over_second)


def _seats(standings: Standings) -> list[str]:
    """Return the line on the seat advantages; none for a table of several disciplines."""
    if len(standings.disciplines) != 1:
        return []
    if standings.seat_advantage is not None:
        worth = f"seat 0 is worth {_estimate(standings.seat_advantage)} Elo against seat 1"
        return [worth] if is_advantage_known(standings.seat_advantage) else []
    estimates = [Estimate(each.elo, each.error) for each in standings.seats]
    if not any(map(is_advantage_known, estimates)):
        return []
    terms = [f"{k}: {_estimate(each)}" for k, each in enumerate(estimates)]
    worth = f"seats of {len(terms)} in Elo against their mean: {', '.join(terms)}"
    return [worth] if terms else []


def is_advantage_known(found: Estimate) -> bool:
    """Return whether the interval of a seat's advantage excludes 0, or large values."""
    return found.error is not None and (found.error <= _NARROW or abs(found.elo) > found.error)


def _estimate(estimate: Estimate) -> str:
    return " ".join(filter(None, (signed(estimate.elo), plus_minus(estimate.error))))


def _luck(standings: Standings) -> list[str]:
    correlation = standings.luck_correlation
    if correlation is None or standings.blocks < _MANY:
        return []
    games = "the two" if len(standings.seats) == 2 else "any two"
    return [f"correlation of {games} games of a deal: {fixed(correlation, 2)}"]


def _level(standings: Standings) -> str:
    inside = any(row.bound is Bound.BOTH and row.letters for row in standings.rows)
    mean = "the mean of group A" if inside else "the mean"
    if standings.anchors is not UNSET:
        level, scale = _anchored(standings, standings.anchors), "on this scale"
    else:
        level = mean if standings.anchor is None else called(standings.anchor)
        scale = f"against {level}"
        level = f"{level} is set to {value_text(standings.anchor_elo)} Elo"
    against = scale if standings.anchor_in_core else f"against {mean}"
    parts = [level]
    shown = [reach(row.value, row.low, row.high) for row in standings.rows if row.error is not None]
    if shown:
        marks = "± or + and - is" if any(" " in each for each in shown) else "± is"
        parts.append(f"{marks} the 95 % interval {against}")
    parts.append(count(standings.blocks, "block"))
    return "; ".join(parts)


def _anchored(standings: Standings, anchors: Sequence[Anchor]) -> str:
    """Return a line on the set ratings of ``anchors``; with an error, also the computed ones."""
    elo = {row.name: row.value for row in standings.rows}
    said = [
        f"{called(each.name)} is set to {value_text(each.elo)}"
        + (f" {plus_minus(each.error)} (here {value_text(elo[each.name])})" if each.error else "")
        for each in anchors
    ]
    return f"{listed(said)} Elo"


def _assumed(standings: Standings) -> list[str]:
    """Return phrases on the options of the ratings that differ from the usual ones."""
    told = []
    if standings.seat_terms is not UNSET:
        told.append("seats were taken to be worth nothing")
    if standings.prior is not UNSET:
        games = f"{standings.prior:g} drawn game{'s'[: standings.prior != 1]} with a mean bot"
        told.append(f"prior: {games if standings.prior else 'none'}")
    return told


def _legend(standings: Standings) -> list[str]:
    marks = {row.bound for row in standings.rows if row.value is not None}
    unknown = any(
        (row.error is None and not standings.is_fixed(row.name))
        or (row.paired is not None and row.paired.error is None)
        for row in standings.rows
        if row.value is not None and row.bound is Bound.BOTH
    )
    blocks = "blocks" if standings.unit.is_elo else "deals"
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
        (unknown, f"mark {NOTHING}: too few {blocks}, or all went alike; no interval"),
    ]
    return [line for present, line in legend if present]


def _scale(standings: Standings) -> str:
    word = "fewer" if standings.unit.less_is_better else "more"
    parts = [f"{word} {standings.unit.name} are better"]
    if any(row.forfeits for row in standings.rows):
        what = "a deal with a forfeit" if standings.of_blocks else "a forfeit"
        parts.append(f"{what} counts {standings.worst_score:g}")
    if any(row.error is not None for row in standings.rows):
        same = "" if standings.of_blocks else ", of differences on the same deals"
        parts.append(f"± is the 95 % interval{same}")
    parts.append(count(standings.blocks, "deal"))
    return "; ".join(parts)


def _scope(standings: Standings) -> list[str]:
    if standings.complete:
        return []
    return ["not all have played all deals: means are of all games, differences of common deals"]
