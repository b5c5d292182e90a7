"""Elo with honest errors from a tally: the one entry point of the rating model.

A bot 100 Elo above another places above it in 64 % of shared games, a tie counting half,
in every discipline. Errors are clustered by block and hold for differences only: against
the anchor, or against the mean of the core. The core is the largest group within which
everybody scored, directly or through others, against everybody; outside it no rating is
bounded by the results, so none has an error there.
"""

from __future__ import annotations

from math import inf, log
from typing import Final

import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Seats, TallyArrays, arrays_of
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.rating import ELO, Bound, Estimate, Rating, Ratings, SeatTerm, Spread, stable
from arena.ratings.elo.strengths import Point, log_logistic, sandwich, solve
from arena.ratings.probability import quantile_95

TAIL: Final = 0.025
"""Probability of the perfect score at the one-sided limit."""


def fit(
    tally: Tally, *, anchor: str | None = None, anchor_elo: float = 1000.0, prior: float = 0.5
) -> Ratings:
    """Rate the entrants of a tally.

    ``anchor`` is rated ``anchor_elo``; without one, the mean of the core is. ``prior`` is
    the number of wins, and of losses, of each entrant and seat against a ghost.
    Raises ValueError for an unknown anchor, or a prior or anchor Elo that cannot be used.
    """
    return fit_arrays(arrays_of(tally), anchor=anchor, anchor_elo=anchor_elo, prior=prior)


def fit_arrays(
    data: TallyArrays, *, anchor: str | None, anchor_elo: float, prior: float
) -> Ratings:
    """``fit`` from the arrays of a tally."""
    if anchor is not None and anchor not in data.entrants:
        raise ValueError(f"anchor {anchor!r} is not among the entrants")
    if not 0.0 < prior < inf or not abs(anchor_elo) < inf:
        raise ValueError(f"unusable prior {prior!r} or anchor Elo {anchor_elo!r}")
    fixed = None if anchor is None else data.entrants.index(anchor)
    point = solve(data, prior)
    reach = reachable(_scored(data))
    core = _core(reach, fixed)
    spread = _spread(data, point, core)
    elo = _elo(data, point.x, core, fixed, anchor_elo)
    errors = _errors(data, core, spread, fixed)
    seats = [_seat_terms(data, point.x, spread, terms) for terms in data.seats]
    terms = tuple(term for part in seats for term in part)
    return Ratings(
        entrants=data.entrants,
        ratings=_ratings(data, point.x, reach, core, elo, errors),
        anchor=anchor,
        anchor_elo=anchor_elo,
        blocks=data.blocks_among(np.ones_like(core)),
        seats=terms,
        seat_advantage=_advantage(terms),
        core=core,
        arrays=data,
        point=point,
        spread=spread,
    )


def _scored(data: TallyArrays) -> Bools:
    """[i, j]: i won a point or half a point off j."""
    rows = data.rows
    scored = np.zeros((len(data.entrants), len(data.entrants)), bool)
    won, lost = rows.score > 0, rows.score < rows.games
    scored[rows.first[won], rows.second[won]] = True
    scored[rows.second[lost], rows.first[lost]] = True
    return scored


def reachable(scored: Bools) -> Bools:
    """Reflexive transitive closure (Warshall): [i, j] if a chain of points leads from i to j.

    ``scored`` is square, [i, j] if i won a point or half a point off j.
    """
    reach: Bools = scored | np.eye(len(scored), dtype=bool)
    for via in range(len(reach)):
        reach |= np.logical_and.outer(reach[:, via], reach[via])
    return reach


def groups(reach: Bools, preferred: Bools) -> list[list[int]]:
    """Strongly connected components, each sorted, the largest in front.

    Among equally large ones those that hold a ``preferred`` member lead, then the one with
    the smallest index.
    """
    mutual = reach & reach.T
    leaders = [k for k, row in enumerate(mutual) if row.argmax() == k]
    found = [np.flatnonzero(mutual[leader]).tolist() for leader in leaders]
    return sorted(found, key=lambda own: (-len(own), not preferred[own].any(), own[0]))


def _core(reach: Bools, fixed: int | None) -> Bools:
    """The members of the largest group; if none has two, the anchor, or nobody.

    Of equally large groups the one of the anchor, ``fixed``, is taken.
    """
    preferred = np.zeros(len(reach), bool)
    preferred[[] if fixed is None else [fixed]] = True
    largest = next(iter(groups(reach, preferred)), [])
    if len(largest) < 2:
        return preferred
    core = np.zeros(len(reach), bool)
    core[largest] = True
    return core


def _spread(data: TallyArrays, point: Point, core: Bools) -> Spread | None:
    """None if the core has one member, or no more blocks than free parameters."""
    blocks = data.blocks_among(core)
    free = int(core.sum()) - 1 + sum(terms.seats - 1 for terms in data.seats)
    if core.sum() < 2 or blocks <= free:
        return None
    clustered, independent = sandwich(data, point)
    within = clustered if core.all() else sandwich(data.among(core), point)[0]
    factor = blocks / (blocks - free)
    quantile = quantile_95(blocks, blocks - free)
    return Spread(clustered * factor, within * factor, independent, quantile)


def _compared(data: TallyArrays) -> Bools:
    """By entrant: whether it was compared with anybody."""
    return np.bincount(
        np.concatenate([data.rows.first, data.rows.second]), minlength=len(data.entrants)
    ).astype(bool)


def _elo(data: TallyArrays, x: Floats, core: Bools, fixed: int | None, anchor_elo: float) -> Floats:
    strengths = x[: len(data.entrants)]
    level = core if core.any() else _compared(data)
    zero = strengths[fixed] if fixed is not None else strengths[level].mean() if level.any() else 0
    elo: Floats = anchor_elo + ELO * (strengths - zero)
    return elo


def _errors(
    data: TallyArrays, core: Bools, spread: Spread | None, fixed: int | None
) -> list[float | None]:
    """Against the anchor if it is in the core, else against the mean of the core."""
    size = len(data.entrants)
    if spread is None:
        return [None] * size
    against = core / core.sum()
    if fixed is not None and core[fixed]:
        against = np.arange(size) == fixed
    contrasts = np.zeros((size, data.size))
    contrasts[:, :size] = np.eye(size) - against
    return [
        error if inside else None
        for error, inside in zip(spread.errors(contrasts), core.tolist(), strict=True)
    ]


def _bound(reach: Bools, core: Bools, entrant: int) -> Bound:
    """The mark of an entrant against the ``core``, or against everybody if there is none.

    ``reach`` is the closure of "scored against"; the core is strongly connected.
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
    """The strength, nats, at which a perfect score against ``opponents`` has chance TAIL.

    Their strengths and the seat terms are taken as known. A block counts as one
    observation, however many games it has: those of one deal may all go one way. None if
    they never met, or for a mark that is not one-sided.
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
    data: TallyArrays, x: Floats, reach: Bools, core: Bools, elo: Floats, errors: list[float | None]
) -> tuple[Rating, ...]:
    rated = _compared(data)
    found = [members for members in groups(reach, core) if rated[members[0]]]
    group = {member: k for k, members in enumerate(found) for member in members}
    ratings = []
    for k in range(len(data.entrants)):
        mark = _bound(reach, core, k)
        opponents = core if core.any() else np.arange(len(core)) != k
        nats = _limit(data, x, k, opponents, mark)
        ratings.append(
            Rating(
                elo=stable(elo[k]) if rated[k] else None,
                error=errors[k],
                bound=mark,
                limit=None if nats is None else stable(elo[k] + ELO * (nats - x[k])),
                group=group.get(k),
            )
        )
    return tuple(ratings)


def _seat_terms(
    data: TallyArrays, x: Floats, spread: Spread | None, terms: Seats
) -> list[SeatTerm]:
    """Deviations from the mean seat; no errors if a seat never, or always, lost."""
    seats = terms.seats
    where = list(range(terms.first, terms.first + seats))
    contrasts = np.zeros((seats, data.size))
    contrasts[:, where] = np.eye(seats) - 1.0 / seats
    errors: list[float | None] = [None] * seats
    if spread is not None and reachable(_seats_scored(data, where)).all():
        errors = spread.of_seats().errors(contrasts)
    elo = ELO * (x[where] - x[where].mean())
    return [SeatTerm(terms.discipline, seats, k, stable(elo[k]), errors[k]) for k in range(seats)]


def _seats_scored(data: TallyArrays, where: list[int]) -> Bools:
    """[a, b]: seat a won a point or half a point off seat b; ``where`` are the parameters."""
    rows, base = data.rows, where[0]
    inside = (rows.first_seat >= base) & (rows.first_seat <= where[-1])
    won, lost = inside & (rows.score > 0), inside & (rows.score < rows.games)
    scored = np.zeros((len(where), len(where)), bool)
    scored[rows.first_seat[won] - base, rows.second_seat[won] - base] = True
    scored[rows.second_seat[lost] - base, rows.first_seat[lost] - base] = True
    return scored


def _advantage(terms: tuple[SeatTerm, ...]) -> Estimate | None:
    """Seat 0 over seat 1 at tables of two: twice its deviation from their mean."""
    found = [term for term in terms if (term.seats, term.seat) == (2, 0)]
    if len(found) != 1:
        return None
    term = found[0]
    return Estimate(2 * term.elo, None if term.error is None else 2 * term.error)
