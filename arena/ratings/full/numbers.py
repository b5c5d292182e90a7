"""Statistics of the full page of a tally with games between entrants."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.encounters import encounters
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import Difference, RatingFit, differences
from arena.ratings.elo.standings import Standings
from arena.ratings.full.crosstable import PairResult, crosstable
from arena.ratings.full.cycles import Cycles, cycles
from arena.ratings.full.forfeits import Forfeits, forfeit_list
from arena.ratings.full.links import ComparableGroup, group_list
from arena.ratings.full.ranks import RankRange, rank_ranges
from arena.ratings.full.seat_scores import SeatScore, seat_scores


@dataclass(frozen=True)
class Full:
    """Statistics of a full page. Pairs are in the order of the table, both ways."""

    names: tuple[str, ...]
    """Names as in the table, strongest first. Entrants without a row in the table have no cell, no
    difference, no rank and no seat here."""
    cells: dict[tuple[str, str], PairResult]
    """Head-to-head results by name and other; pairs that never met are left out."""
    differences: dict[tuple[str, str], Difference]
    """Fitted differences by name and other."""
    places: int
    """Number of rows of the table that have a place."""
    ranks: tuple[RankRange, ...]
    """Ranks of these rows, as far as the results bound them."""
    groups: tuple[ComparableGroup, ...]
    cycles: Cycles | None
    forfeits: tuple[Forfeits, ...]
    compared: bool
    """True if ratings without forfeits were computed."""
    seats: tuple[SeatScore, ...]


def full(standings: Standings, ratings: RatingFit, clean: Tally | None = None) -> Full:
    """Compute the statistics. ``standings`` are those of the fit ``ratings``, or some rows of them.

    ``clean``: the same games without the blocks with faults, if there are any. Cycles are searched
    among all entrants, because they show whether the fit itself can be trusted.
    """
    without = None
    if clean is not None:
        anchors = tuple(a for a in ratings.model.anchors if a.name in clean.entrants)
        model = replace(ratings.model, anchors=anchors, mean=ratings.model.level)
        without = fit_model(arrays_of(clean), model)
    met = encounters(ratings.arrays)
    names = tuple(row.name for row in standings.rows)
    rank = {name: k for k, name in enumerate(names)}
    placed = [row.name for row in standings.rows if row.rank is not None]
    cells: dict[tuple[str, str], PairResult] = {}
    for cell in crosstable(ratings.entrants, met):
        for own in (cell, cell.mirrored()):
            cells[own.name, own.other] = own
    return Full(
        names=names,
        cells={
            (name, other): cells[name, other]
            for name in names
            for other in names
            if (name, other) in cells
        },
        differences={(each.name, each.other): each for each in differences(ratings, names, met)},
        places=len(placed),
        ranks=rank_ranges(ratings, placed),
        groups=group_list(ratings, standings, met),
        cycles=cycles(ratings, met, cells),
        forfeits=tuple(forfeit_list(standings, ratings, without)),
        compared=clean is not None,
        seats=tuple(
            sorted(
                (row for row in seat_scores(ratings.arrays) if row.name in rank),
                key=lambda row: (row.discipline, rank[row.name], row.seat),
            )
        ),
    )
