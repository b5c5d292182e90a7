"""The tables of ratings and of a solo discipline, as columns and remarks.

The column ``95 %`` has the half-width of the interval or a mark: ``anchor``; ``<n`` or ``>n``, the
one-sided 97.5 % limit of a bot that lost or won everything; ``<``, ``>``, ``?`` where results set
no limit; ``–`` where blocks are too few or all had the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from msgspec import UNSET

from arena.ratings.elo.rating import Bound, Estimate
from arena.ratings.elo.scale import Anchor
from arena.ratings.elo.solo_standings import SoloStanding, SoloStandings
from arena.ratings.elo.standings import Standing, Standings
from arena.ratings.full.history import VersionResult
from arena.text.cells import (
    NAME_COLUMNS,
    Cell,
    HalfWidth,
    Interval,
    Label,
    Quantity,
    Share,
    Text,
    key_of,
)
from arena.text.numbers import NOTHING, count, fixed, listed, plus_minus, reach, signed
from arena.text.tables import LEAST_NAME, Column, Grid, chance, fault_remarks
from arena.views.standings.noteworthy import is_advantage_known, is_correlation_known

_RESULTS: Final = "W-D-L"
"""Header over wins, draws and losses where they share a column."""


Rated: TypeAlias = Standing | VersionResult
"""A rating with its interval: a row of a table, or a version in a history."""


Row = TypeVar("Row", Standing, SoloStanding)
Table = TypeVar("Table", Standings, SoloStandings)


class RatingColumn(NamedTuple, Generic[Row, Table]):
    """A column of a table: an entry of COLUMNS or SOLO_COLUMNS appears in every form.

    CSV and JSON show it if it has a ``key``.
    """

    header: str
    """Header; of a column with ``heading`` only for messages."""
    cell: Callable[[Row, Table], Cell]
    align: str = "right"
    brief: str = ""
    """Header where room is short, see ``Column``."""
    least: int | None = None
    is_present: Callable[[Table], bool] = lambda standings: True
    site: int = 9
    """Order among the last columns of a site; 0 if the site shows it elsewhere or never."""
    key: str = ""
    """Name in CSV and JSON of the value of the cell, if it is not in the row."""
    heading: Callable[[Table], Label] | None = None
    """Function that returns the header, where it depends on the table."""


def elo_text(elo: float | None, sign: str = "") -> str:
    """Return a whole rating; ``sign`` is ``+`` to show the sign of a positive one."""
    return NOTHING if elo is None else format(round(elo), sign + "d")


def rating(elo: float | None, sign: str = "") -> Cell:
    """Return the cell of a rating, see ``elo_text``."""
    return Text(elo_text(elo, sign), elo)


def interval_cell(row: Rated, *, is_fixed: bool = False, sign: str = "") -> Cell:
    """Return the 95 % interval of a rating, or the mark in its place.

    ``is_fixed``: the rating was set, without an error.
    """
    if row.elo is not None and row.bound is not Bound.BOTH:
        half = None if row.low is None or row.high is None else (row.high - row.low) / 2
        limit = "" if row.limit is None else elo_text(row.limit, sign)
        return Text(f"{row.bound.value}{limit}", half)
    if row.elo is not None and is_fixed:
        return Text("anchor", None)
    return Interval(row.elo, row.low, row.high)


def difference_text(elo: float | None, low: float | None, high: float | None) -> str:
    """Return a difference in Elo with its interval; NOTHING without a difference."""
    return NOTHING if elo is None else f"{signed(elo)} {reach(elo, low, high)}".strip()


def _sign(standings: Standings) -> str:
    return "+" if standings.anchor_elo == 0 else ""


def _rank(row: Standing | SoloStanding, _: Standings | SoloStandings) -> Cell:
    return "" if row.rank is None else row.rank


def _name(row: Standing | SoloStanding, _: Standings | SoloStandings) -> Cell:
    return Label(row.name)


def _interval(row: Standing, standings: Standings) -> Cell:
    return interval_cell(row, is_fixed=standings.is_fixed(row.name), sign=_sign(standings))


COLUMNS: Final[tuple[RatingColumn[Standing, Standings], ...]] = (
    RatingColumn("#", _rank, site=0),
    RatingColumn("bot", _name, "left", least=LEAST_NAME, site=0),
    RatingColumn("Elo", lambda row, whole: rating(row.elo, _sign(whole)), site=0),
    RatingColumn("95 %", _interval, site=0),
    RatingColumn(
        "group",
        lambda row, _: row.group or NOTHING,
        "left",
        is_present=lambda standings: any(row.group for row in standings.rows),
        site=0,
    ),
    RatingColumn("score", lambda row, _: Share(row.score, 1, unit=" %"), site=2),
    RatingColumn("points", lambda row, _: Quantity(row.points, 1), site=0),
    RatingColumn("games", lambda row, _: row.games, site=1),
    RatingColumn("win", lambda row, _: row.wins, brief=_RESULTS, site=0),
    RatingColumn("draw", lambda row, _: row.draws, brief=_RESULTS, site=0),
    RatingColumn("loss", lambda row, _: row.losses, brief=_RESULTS, site=0),
    RatingColumn("faults", lambda row, _: sum(row.faults.values()), site=3),
)
"""Columns of the table of ratings, most important first, for all forms."""


def _columns(standings: Standings | SoloStandings) -> Sequence[RatingColumn[Any, Any]]:
    """Return the columns that a table has."""
    declared: Sequence[RatingColumn[Any, Any]] = COLUMNS
    if isinstance(standings, SoloStandings):
        declared = SOLO_COLUMNS
    return [each for each in declared if each.is_present(standings)]


def _filled(standings: Standings | SoloStandings) -> list[Column]:
    """Return the columns with their cells."""
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


def ratings_grid(standings: Standings) -> Grid:
    """Return columns and remarks; a narrow terminal drops the last columns first."""
    return Grid(_filled(standings), _remarks(standings))


def site_columns(standings: Standings | SoloStandings) -> list[RatingColumn[Any, Any]]:
    """Return the last columns of the table of a site, in its order."""
    shown = [each for each in _columns(standings) if each.site]
    return sorted(shown, key=lambda each: each.site)


def added_keys() -> list[str]:
    """Return the names in CSV and JSON of values that are not in rows."""
    keys = [each.key for each in COLUMNS] + [each.key for each in SOLO_COLUMNS]
    return [*filter(None, keys)]


def added_values(
    row: Standing | SoloStanding, standings: Standings | SoloStandings
) -> dict[str, Any]:
    """Return the values of ``added_keys`` of a row."""
    columns = _columns(standings)
    return {each.key: key_of(each.cell(row, standings)) for each in columns if each.key}


def _remarks(standings: Standings) -> list[str]:
    """Return the lines below a table, in a fixed order, without those that have no content."""
    return [
        *_ahead(standings, "stronger"),
        *_seats(standings),
        *_luck(standings),
        _level(standings),
        *_assumed(standings),
        *_legend(standings),
        *fault_remarks((row.name, row.faults) for row in standings.rows),
    ]


def _ahead(standings: Standings | SoloStandings, word: str) -> list[str]:
    """Return the line on the first and the second, unless they share a place."""
    ahead = [row for row in standings.rows if row.rank is not None][:2]
    if len({row.rank for row in ahead}) < 2:
        return []
    return chance([row.name for row in ahead], word, standings.first_over_second)


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


def _estimate(estimate: Estimate) -> str:
    return " ".join(filter(None, (signed(estimate.elo), plus_minus(estimate.error))))


def _luck(standings: Standings) -> list[str]:
    correlation = standings.luck_correlation
    if correlation is None or not is_correlation_known(standings.blocks):
        return []
    games = "the two" if len(standings.seats) == 2 else "any two"
    return [f"correlation of {games} games of a deal: {fixed(correlation, 2)}"]


def _level(standings: Standings) -> str:
    inside = any(row.bound is Bound.BOTH and row.group for row in standings.rows)
    mean = "the mean of group A" if inside else "the mean"
    if standings.anchors is not UNSET:
        level, scale = _anchored(standings, standings.anchors), "on this scale"
    else:
        level = mean if standings.anchor is None else standings.anchor
        level, scale = f"{level} is set to {elo_text(standings.anchor_elo)} Elo", f"against {level}"
    against = scale if standings.anchor_in_core else f"against {mean}"
    parts = [level]
    shown = [reach(row.elo, row.low, row.high) for row in standings.rows if row.error is not None]
    if shown:
        marks = "± or + and - is" if any(" " in each for each in shown) else "± is"
        parts.append(f"{marks} the 95 % interval {against}")
    parts.append(count(standings.blocks, "block"))
    return "; ".join(parts)


def _anchored(standings: Standings, anchors: Sequence[Anchor]) -> str:
    """Return a line on the set ratings of ``anchors``; with an error, also the computed ones."""
    elo = {row.name: row.elo for row in standings.rows}
    said = [
        f"{each.name} is set to {elo_text(each.elo)}"
        + (f" {plus_minus(each.error)} (here {elo_text(elo[each.name])})" if each.error else "")
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


_RANGE: Final = "range"
"""Header over the best and the worst score where they share a column."""


def _against(row: SoloStanding, standings: SoloStandings) -> tuple[Cell, Cell, Cell]:
    """Return the difference to the reference; its own row reads ``reference``."""
    paired = row.paired
    if row.name == standings.reference:
        return "reference", "", ""
    if paired is None:
        return NOTHING, NOTHING, NOTHING
    counts = Text(f"{paired.better}/{paired.equal}/{paired.worse}", paired.better)
    return Quantity(paired.difference, 2, is_signed=True), HalfWidth(paired.error, 2), counts


def _paired(header: str, part: int, brief: str) -> RatingColumn[SoloStanding, SoloStandings]:
    """Return a column of differences, the ``part`` of ``_against``."""
    return RatingColumn(
        header,
        lambda row, whole: _against(row, whole)[part],
        brief=brief,
        is_present=lambda whole: whole.reference is not None,
        site=0,
    )


def _whole(score: float | None) -> Cell:
    return NOTHING if score is None else Text(f"{score:g}", score)


SOLO_COLUMNS: Final[tuple[RatingColumn[SoloStanding, SoloStandings], ...]] = (
    RatingColumn("#", _rank, site=0),
    RatingColumn("bot", _name, "left", least=LEAST_NAME, site=0),
    RatingColumn(
        "mean",
        lambda row, _: Quantity(row.mean, 2),
        site=0,
        heading=lambda whole: Label(whole.score),
    ),
    RatingColumn("95 %", lambda row, _: HalfWidth(row.error, 2), site=0),
    _paired("against", 0, "against")._replace(
        heading=lambda whole: Label(f"against {whole.reference}", NAME_COLUMNS + len("against "))
    ),
    _paired("95 %", 1, ""),
    _paired("better/=/worse", 2, "+/=/-"),
    RatingColumn("best", lambda row, _: _whole(row.best), brief=_RANGE, site=0),
    RatingColumn("worst", lambda row, _: _whole(row.worst), brief=_RANGE, site=0),
    RatingColumn("games", lambda row, _: row.games, site=1),
    RatingColumn("faults", lambda row, _: sum(row.faults.values()), site=2),
)
"""Columns of the table of a solo discipline, most important first, for all forms."""


def solo_grid(standings: SoloStandings) -> Grid:
    """Return columns and remarks; a narrow terminal drops the last columns first.

    ``±`` is half of a 95 % interval, ``–`` a missing number.
    """
    return Grid(_filled(standings), _solo_remarks(standings))


def _solo_remarks(standings: SoloStandings) -> list[str]:
    """Return the lines below a table, in a fixed order, without those that have no content."""
    return [
        *_ahead(standings, "better"),
        _scale(standings),
        *_scope(standings),
        *_solo_legend(standings),
        *fault_remarks((row.name, row.faults) for row in standings.rows),
    ]


def _scale(standings: SoloStandings) -> str:
    word = "fewer" if standings.less_is_better else "more"
    parts = [f"{word} {standings.score} are better"]
    if any(row.forfeits for row in standings.rows):
        what = "a deal with a forfeit" if standings.of_blocks else "a forfeit"
        parts.append(f"{what} counts {standings.worst_score:g}")
    if any(row.error is not None for row in standings.rows):
        same = "" if standings.of_blocks else ", of differences on the same deals"
        parts.append(f"± is the 95 % interval{same}")
    parts.append(count(standings.deals, "deal"))
    return "; ".join(parts)


def _scope(standings: SoloStandings) -> list[str]:
    if standings.complete:
        return []
    return ["not all have played all deals: means are of all games, differences of common deals"]


def _solo_legend(standings: SoloStandings) -> list[str]:
    played = [row for row in standings.rows if row.games]
    unknown = any(
        row.error is None or (row.paired is not None and row.paired.error is None) for row in played
    )
    return [f"mark {NOTHING}: too few deals, or all went alike; no interval"] if unknown else []
