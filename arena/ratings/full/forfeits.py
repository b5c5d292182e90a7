"""Games lost by a bot's own fault, and the ratings without these games.

Whole blocks are left out, never single games of a block: the rest of a block would favour a seat.
"""

from __future__ import annotations

import msgspec

from arena.ratings.elo.rating import Bound, RatingFit, stable
from arena.ratings.elo.standings import Standing, Standings
from arena.ratings.probability import NORMAL_95
from arena.results import FaultKind


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
    shifts = [(clean.of(name).elo or 0.0) - (ratings.of(name).elo or 0.0) for name in common]
    return sum(shifts) / len(shifts) if shifts else None


def _is_bounded(name: str, *fits: RatingFit) -> bool:
    return all(
        name in fit.entrants and fit.of(name).bound is Bound.BOTH and fit.of(name).elo is not None
        for fit in fits
    )


def _forfeits(
    row: Standing, ratings: RatingFit, clean: RatingFit | None, level: float | None
) -> Forfeits:
    without = shift = None
    bound, matters = Bound.OPEN, False
    if clean is not None and row.name in clean.entrants:
        own = clean.of(row.name)
        bound = own.bound
        matters = row.bound is Bound.BOTH and bound in (Bound.ABOVE, Bound.BELOW)
        if level is not None and _is_bounded(row.name, ratings, clean):
            without = stable((own.elo or 0.0) - level)
            shift = stable(without - (row.elo or 0.0))
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
