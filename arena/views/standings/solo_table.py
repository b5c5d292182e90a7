"""The table of a solo discipline as columns and remarks."""

from __future__ import annotations

from typing import Final

from arena.ratings.elo.solo_standings import SoloStanding, SoloStandings
from arena.text.numbers import NOTHING, count, fixed, plus_minus, signed
from arena.text.tables import LEAST_NAME, Column, Grid, Show, chance, fault_remarks

_RANGE: Final = "range"
"""Header over the best and the worst score where they share a column."""


def solo_grid(standings: SoloStandings, show: Show) -> Grid:
    """Return columns and remarks; a narrow terminal drops the last columns first.

    ``±`` is half of a 95 % interval, ``–`` a missing number.
    """
    rows = standings.rows
    columns = [
        Column("#", "right", ["" if row.rank is None else str(row.rank) for row in rows]),
        Column("bot", "left", [show(row.name) for row in rows], least=LEAST_NAME),
        Column(show(standings.score), "right", [fixed(row.mean, 2) for row in rows]),
        Column("95 %", "right", [plus_minus(row.error, 2) or NOTHING for row in rows]),
        *_paired(standings, show),
        Column("best", "right", [_whole(row.best) for row in rows], _RANGE),
        Column("worst", "right", [_whole(row.worst) for row in rows], _RANGE),
        Column("games", "right", [str(row.games) for row in rows]),
        Column("faults", "right", [str(sum(row.faults.values())) for row in rows]),
    ]
    return Grid(columns, _remarks(standings, show))


def _paired(standings: SoloStandings, show: Show) -> list[Column]:
    """Return the columns of differences to the reference, whose own row reads ``reference``."""
    if standings.reference is None:
        return []
    cells = [_against(row, row.name == standings.reference) for row in standings.rows]
    headers = (f"against {show(standings.reference)}", "95 %", "better/=/worse")
    briefs = ("against", "", "+/=/-")
    return [
        Column(header, "right", [cell[k] for cell in cells], brief)
        for k, (header, brief) in enumerate(zip(headers, briefs, strict=True))
    ]


def _against(row: SoloStanding, is_reference: bool) -> tuple[str, str, str]:
    paired = row.paired
    if is_reference:
        return "reference", "", ""
    if paired is None:
        return NOTHING, NOTHING, NOTHING
    return (
        signed(paired.difference, 2),
        plus_minus(paired.error, 2) or NOTHING,
        f"{paired.better}/{paired.equal}/{paired.worse}",
    )


def _whole(score: int | None) -> str:
    return NOTHING if score is None else str(score)


def _remarks(standings: SoloStandings, show: Show) -> list[str]:
    """Return the lines below a table, in a fixed order, without those that have no content."""
    names = [show(row.name) for row in standings.rows]
    placed = [show(row.name) for row in standings.rows if row.rank is not None]
    return [
        *chance(placed, "better", standings.first_over_second),
        _scale(standings, show),
        *_scope(standings),
        *_legend(standings),
        *fault_remarks(zip(names, (row.faults for row in standings.rows), strict=True)),
    ]


def _scale(standings: SoloStandings, show: Show) -> str:
    word = "fewer" if standings.less_is_better else "more"
    parts = [f"{word} {show(standings.score)} are better"]
    if any(row.forfeits for row in standings.rows):
        parts.append(f"a forfeit counts {standings.worst_score}")
    if any(row.error is not None for row in standings.rows):
        parts.append("± is the 95 % interval, of differences on the same deals")
    parts.append(count(standings.deals, "deal"))
    return "; ".join(parts)


def _scope(standings: SoloStandings) -> list[str]:
    if standings.complete:
        return []
    return ["not all have played all deals: means are of all games, differences of common deals"]


def _legend(standings: SoloStandings) -> list[str]:
    played = [row for row in standings.rows if row.games]
    unknown = any(
        row.error is None or (row.paired is not None and row.paired.error is None) for row in played
    )
    return [f"mark {NOTHING}: too few deals, or all went alike; no interval"] if unknown else []
