"""Statistics of the full page of a tally: among them scores by seat, and games lost by faults.

The ratings without games lost by a fault leave out whole blocks, never single games of a block: the
rest of a block would favour a seat.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from arena.extensions.studies.full.cycles import Cycles, cycles
from arena.extensions.studies.full.davidson import Davidson, davidson
from arena.extensions.studies.full.ranks import ComparableGroup, RankRange, group_list, rank_ranges
from arena.ratings.counting.arrays import (
    Floats,
    MultiSeatArrays,
    PairCells,
    TallyArrays,
    added,
    arrays_of,
)
from arena.ratings.counting.counts import NO_ROW
from arena.ratings.counting.encounters import encounters
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.crosstable import PairResult, crosstable
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import Bound, Difference, Rated, RatingFit, differences, stable
from arena.ratings.elo.standings import Standings
from arena.ratings.probability import NORMAL_95
from arena.values.results import FaultKind


class Forfeits(msgspec.Struct, frozen=True):
    """Forfeits of an entrant with faults, or of one whose rating depends on others' faults."""

    name: str
    games: int
    forfeits: int
    """Number of games with a fault of the entrant, in which it is placed last."""
    faults: dict[FaultKind, int]
    without: float | None
    """Elo without the blocks in which anybody was at fault. None if it was not computed, or if one
    of the two ratings is not bounded by the results. The level is that of the table: of its anchor,
    or of the mean of all entrants that are bounded in both."""
    shift: float | None
    """``without`` minus the Elo in the table."""
    bound: Bound
    """Sides on which the results bound ``without``."""
    matters: bool
    """True if the shift is more than one standard error of the Elo, or if only faults bound the
    Elo: without them the entrant won, or lost, everything."""


def forfeit_list(
    standings: Standings, ratings: RatingFit, clean: RatingFit | None
) -> list[Forfeits]:
    """Return the forfeits in the order of the table.

    ``clean``: the fit of the same games without the blocks with faults, or None.
    """
    level = None if clean is None else _level(ratings, clean)
    found = [_forfeits(row, ratings, clean, level) for row in standings.rows]
    return [row for row in found if row.forfeits or row.matters]


def _level(ratings: RatingFit, clean: RatingFit) -> float | None:
    """Return by how much all Elo of ``clean`` are too high; None without common entrants."""
    if ratings.anchor is not None and _is_bounded(ratings.anchor, ratings, clean):
        common = [ratings.anchor]
    else:
        common = [name for name in ratings.entrants if _is_bounded(name, ratings, clean)]
    shifts = [(clean.of(name).value or 0.0) - (ratings.of(name).value or 0.0) for name in common]
    return sum(shifts) / len(shifts) if shifts else None


def _is_bounded(name: str, *fits: RatingFit) -> bool:
    return all(
        name in fit.entrants and fit.of(name).bound is Bound.BOTH and fit.of(name).value is not None
        for fit in fits
    )


def _forfeits(
    row: Rated, ratings: RatingFit, clean: RatingFit | None, level: float | None
) -> Forfeits:
    without = shift = None
    bound, matters = Bound.OPEN, False
    if clean is not None and row.name in clean.entrants:
        own = clean.of(row.name)
        bound = own.bound
        matters = row.bound is Bound.BOTH and bound in (Bound.ABOVE, Bound.BELOW)
        if level is not None and _is_bounded(row.name, ratings, clean):
            without = stable((own.value or 0.0) - level)
            shift = stable(without - (row.value or 0.0))
            matters = row.error is not None and abs(shift) > row.error / NORMAL_95
    return Forfeits(
        name=row.name,
        games=row.games,
        forfeits=sum(row.faults.values()),
        faults=row.faults,
        without=without,
        shift=shift,
        bound=bound,
        matters=matters,
    )


class SeatScore(msgspec.Struct, frozen=True):
    """Score of one entrant on one seat of one discipline."""

    discipline: str
    name: str
    seat: int
    games: int
    """Number of games that compared the entrant with another one."""
    score: float | None
    """Mean score against each other entrant in these games, 0 … 1; None without games."""


def seat_scores(arrays: TallyArrays) -> tuple[SeatScore, ...]:
    """Return the scores by discipline, name and seat, with all seats of those that played."""
    size = len(arrays.entrants)
    parts = [(cells.seats, *_of_pairs(cells, size)) for cells in arrays.cells]
    parts += [(games.seats, *_of_tables(games, size)) for games in arrays.games]
    parts.sort(key=lambda part: part[0].discipline)
    return tuple(
        SeatScore(seats.discipline, name, seat, int(own[seat]), stable(s) if own[seat] else None)
        for seats, games, mean in parts
        for name, own, means in zip(arrays.entrants, games, mean, strict=True)
        if own.any()
        for seat, s in enumerate(means)
    )


def _of_pairs(cells: PairCells, size: int) -> tuple[Floats, Floats]:
    """Return the games and the mean scores, by [entrant, seat]."""
    games, score = np.zeros((size, 2)), np.zeros((size, 2))
    for seat, other_axis in ((0, 2), (1, 1)):
        # Codes are those of the first name on ``seat``; its opponent sits on the other seat.
        codes = cells.counts.sum(axis=other_axis)[:, :NO_ROW]
        total, won = codes.sum(axis=1), codes[:, 1] / 2 + codes[:, 2]
        for names, where, points in (
            (cells.first, seat, won),
            (cells.second, 1 - seat, total - won),
        ):
            games[:, where] += added(names, total, size)
            score[:, where] += added(names, points, size)
    return games, score / np.maximum(games, 1.0)


def _of_tables(games: MultiSeatArrays, size: int) -> tuple[Floats, Floats]:
    compared, points = np.zeros(games.entrants.shape), np.zeros(games.entrants.shape)
    for a, b, codes in games.pairs():
        valid = (codes != NO_ROW) & (games.entrants[:, a] != games.entrants[:, b])
        score = codes / 2
        for seat, own in ((a, score), (b, 1.0 - score)):
            compared[:, seat] += valid
            points[:, seat] += np.where(valid, own, 0.0)
    mean = points / np.maximum(compared, 1.0)
    met = (compared > 0).astype(np.float64)
    seats = range(games.seats.seats)
    count = np.stack([added(games.entrants[:, k], met[:, k], size) for k in seats], axis=1)
    total = np.stack([added(games.entrants[:, k], mean[:, k], size) for k in seats], axis=1)
    return count, total / np.maximum(count, 1.0)


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
    davidson: Davidson | None
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
        davidson=davidson(standings.rows, ratings),
        forfeits=tuple(forfeit_list(standings, ratings, without)),
        compared=clean is not None,
        seats=tuple(
            sorted(
                (row for row in seat_scores(ratings.arrays) if row.name in rank),
                key=lambda row: (row.discipline, rank[row.name], row.seat),
            )
        ),
    )
