"""Elo ratings with confidence intervals from a tally: the only entry point of the rating model.

A bot 100 Elo above another places above it in 64 % of shared games in every discipline, with ties
counting half. Errors are computed from blocks. They hold for differences only, and only within a
group: everybody in a group scored, directly or through others, against everybody else in it.
Results do not bound differences between groups. The core is the largest group. A rating has an
error if it is in the core, against the anchor or against the mean of the core.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Ints, Seats, TallyArrays
from arena.ratings.elo.rating import Bound, Estimate, Rated, RatingFit, SeatTerm, stable
from arena.ratings.elo.scale import ELO, NO_PRIOR, Hold, Model, hold_of, tied
from arena.ratings.elo.spread import Sides, Spread, spread_of
from arena.ratings.elo.strengths import log_logistic, solve

TAIL: Final = 0.025
"""Probability of the perfect score at the one-sided limit."""


def fit_model(data: TallyArrays, model: Model) -> RatingFit:
    """Rate the entrants with the settings of ``model``, such as several anchors.

    Raises ValueError as ``Model.check`` does.
    """
    model.check(data.entrants)
    hold = hold_of(data, model)
    prior = max(model.prior, NO_PRIOR) / 2
    point = solve(data, prior, hold)
    reach = reachable(_scored(data) | tied(data, model))
    core = _core(reach, hold.share > 0)
    group = _numbers(groups(reach, core), _compared(data))
    spread = spread_of(data, point, group, hold, prior)
    elo = _elo(data, point.x, core, hold, model)
    sides = _sides(spread, core, hold)
    seats = [_seat_terms(data, point.x, spread, terms) for terms in data.seats if model.seats]
    terms = tuple(term for part in seats for term in part)
    return RatingFit(
        entrants=data.entrants,
        ratings=_ratings(data, point.x, reach, core, group, elo, sides),
        model=model,
        blocks=data.blocks_among(np.ones_like(core)),
        seats=terms,
        seat_advantage=_advantage(terms),
        core=core,
        arrays=data,
        point=point,
        spread=spread,
    )


def _scored(data: TallyArrays) -> Bools:
    """Return the matrix [i, j] that is true if i won a point or half a point off j."""
    rows = data.rows
    scored = np.zeros((len(data.entrants), len(data.entrants)), bool)
    won, lost = rows.score > 0, rows.score < rows.games
    scored[rows.first[won], rows.second[won]] = True
    scored[rows.second[lost], rows.first[lost]] = True
    return scored


def reachable(scored: Bools) -> Bools:
    """Return the reflexive transitive closure: [i, j] if a chain of points leads from i to j.

    ``scored`` is square, [i, j] if i won a point or half a point off j. The algorithm is
    Warshall's.
    """
    reach: Bools = scored | np.eye(len(scored), dtype=bool)
    for via in range(len(reach)):
        reach |= np.logical_and.outer(reach[:, via], reach[via])
    return reach


def groups(reach: Bools, preferred: Bools) -> list[list[int]]:
    """Return the strongly connected components, each sorted, the largest first.

    Among equally large components those with a ``preferred`` member come first, then the one with
    the smallest index.
    """
    mutual = reach & reach.T
    leaders = [k for k, row in enumerate(mutual) if row.argmax() == k]
    found = [np.flatnonzero(mutual[leader]).tolist() for leader in leaders]
    return sorted(found, key=lambda own: (-len(own), not preferred[own].any(), own[0]))


def _core(reach: Bools, preferred: Bools) -> Bools:
    """Return which entrants are members of the largest group.

    If no group has two members, these are the ``preferred`` entrants (the anchors), if any. Of
    equally large groups the one with the anchors is taken.
    """
    largest = next(iter(groups(reach, preferred)), [])
    if len(largest) < 2:
        return preferred
    core = np.zeros(len(reach), bool)
    core[largest] = True
    return core


def _numbers(found: list[list[int]], rated: Bools) -> Ints:
    """Return the group number of each entrant, -1 for entrants that are not ``rated``.

    Each of these is alone in its group.
    """
    group = np.full(len(rated), -1)
    for number, members in enumerate(own for own in found if rated[own[0]]):
        group[members] = number
    return group


def _compared(data: TallyArrays) -> Bools:
    """Return, per entrant, whether it was compared with another one."""
    return np.bincount(
        np.concatenate([data.rows.first, data.rows.second]), minlength=len(data.entrants)
    ).astype(bool)


def _elo(data: TallyArrays, x: Floats, core: Bools, hold: Hold, model: Model) -> Floats:
    entrants = len(data.entrants)
    strengths, known = x[:entrants], hold.share > 0
    level = core if core.any() else _compared(data)
    if known.any():
        # Exact anchors stay at their targets; an anchor with an error may move.
        offsets = strengths[known] - hold.target[:entrants][known]
        zero = (hold.share[known] * offsets).sum() if known.sum() > 1 else offsets[0]
    else:
        zero = strengths[level].mean() if level.any() else 0.0
    anchors = [anchor.elo for anchor in model.anchors]
    base = sum(anchors) / len(anchors) if anchors else model.mean
    elo: Floats = base + ELO * (strengths - zero)
    return elo


def _sides(spread: Spread, core: Bools, hold: Hold) -> Sides:
    """Return the interval of each rating in Elo; NaN where there is no interval.

    It is on the scale of the anchors if they are in the core, otherwise against the mean of the
    core.
    """
    if (hold.share > 0).any() and core[hold.share > 0].all():
        sides, known = spread.of_scale(hold.share)
    else:
        known = core & (spread.group >= 0)
        sides = spread.of_mean(known)
    return Sides(*(np.where(known & core, ELO * side, np.nan) for side in sides))


def _bound(reach: Bools, core: Bools, entrant: int) -> Bound:
    """Return on which sides the rating of an entrant is bounded by the ``core``.

    Without a core all other entrants count. ``reach`` is the closure of "scored against"; the core
    is strongly connected.
    """
    if core[entrant]:
        return Bound.BOTH
    others = core if core.any() else np.arange(len(core)) != entrant
    up = bool(reach[entrant, others].any())
    down = bool(reach[others, entrant].any())
    if up == down:
        return Bound.OPEN
    return Bound.ABOVE if up else Bound.BELOW


def _limit(
    arrays: TallyArrays, x: Floats, entrant: int, opponents: Bools, mark: Bound
) -> float | None:
    """Return the strength at which a perfect score against ``opponents`` has probability TAIL.

    The strength is in nats. The strengths of the opponents and the seat terms are taken as known. A
    block counts as one observation, however many games it has, because all games of a deal may go
    one way. Return None if the entrants never met, or for a mark that is not one-sided.
    """
    if mark not in (Bound.ABOVE, Bound.BELOW):
        return None
    rows = arrays.rows
    first = (rows.first == entrant) & opponents[rows.second]
    second = (rows.second == entrant) & opponents[rows.first]
    games = np.concatenate([rows.games[first], rows.games[second]])
    if not games.sum():
        return None
    edge = rows.difference(x)
    edges = np.concatenate([edge[first], -edge[second]]) - x[entrant]
    share = games * arrays.blocks_against(opponents)[entrant] / games.sum()
    sign = 1.0 if mark is Bound.ABOVE else -1.0
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        if (share * log_logistic(middle + sign * edges)).sum() < log(TAIL):
            low = middle
        else:
            high = middle
    return sign * high


def _ratings(
    data: TallyArrays,
    x: Floats,
    reach: Bools,
    core: Bools,
    group: Ints,
    elo: Floats,
    sides: Sides,
) -> tuple[Rated, ...]:
    ratings = []
    for k in range(len(data.entrants)):
        mark = _bound(reach, core, k)
        opponents = core if core.any() else np.arange(len(core)) != k
        nats = _limit(data, x, k, opponents, mark)
        is_known, is_rated = bool(np.isfinite(sides.below[k])), bool(group[k] >= 0)
        ratings.append(
            Rated(
                name=data.entrants[k],
                value=stable(elo[k]) if is_rated else None,
                error=stable((sides.below[k] + sides.above[k]) / 2) if is_known else None,
                low=stable(elo[k] - sides.below[k]) if is_known else None,
                high=stable(elo[k] + sides.above[k]) if is_known else None,
                bound=mark,
                limit=None if nats is None else stable(elo[k] + ELO * (nats - x[k])),
                group=int(group[k]) if is_rated else None,
            )
        )
    return tuple(ratings)


def _seat_terms(data: TallyArrays, x: Floats, spread: Spread, terms: Seats) -> list[SeatTerm]:
    """Return the deviations from the mean seat; without errors if a seat never, or always, lost."""
    seats = terms.seats
    where = list(range(terms.first, terms.first + seats))
    contrasts = np.zeros((seats, data.size))
    contrasts[:, where] = np.eye(seats) - 1.0 / seats
    errors = np.full(seats, np.nan)
    if reachable(_seats_scored(data, where)).all():
        errors = ELO * spread.from_blocks(contrasts)
    elo = ELO * (x[where] - x[where].mean())
    return [
        SeatTerm(terms.discipline, seats, k, stable(own), stable(error) if error > 0 else None)
        for k, (own, error) in enumerate(zip(elo.tolist(), errors.tolist(), strict=True))
    ]


def _seats_scored(data: TallyArrays, where: list[int]) -> Bools:
    """Return the matrix [a, b] that is true if seat a won a point or half a point off seat b.

    ``where`` holds the parameter numbers of the seats.
    """
    rows, base = data.rows, where[0]
    inside = (rows.first_seat >= base) & (rows.first_seat <= where[-1])
    won, lost = inside & (rows.score > 0), inside & (rows.score < rows.games)
    scored = np.zeros((len(where), len(where)), bool)
    scored[rows.first_seat[won] - base, rows.second_seat[won] - base] = True
    scored[rows.second_seat[lost] - base, rows.first_seat[lost] - base] = True
    return scored


def _advantage(terms: tuple[SeatTerm, ...]) -> Estimate | None:
    """Return the advantage of seat 0 over seat 1: twice its deviation from their mean.

    Return None unless exactly one discipline has two seats.
    """
    found = [term for term in terms if (term.seats, term.seat) == (2, 0)]
    if len(found) != 1:
        return None
    term = found[0]
    return Estimate(2 * term.elo, None if term.error is None else 2 * term.error)
