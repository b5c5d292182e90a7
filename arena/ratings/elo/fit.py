"""Elo ratings with confidence intervals from a tally: the only entry point of the rating model.

A bot 100 Elo above another places above it in 64 % of shared games in every discipline, with ties
counting half. Errors are computed from blocks. They hold for differences only, and only within a
group: everybody in a group scored, directly or through others, against everybody else in it.
Results do not bound differences between groups. The core is the largest group. A rating has an
error if it is in the core, against the anchor or against the mean of the core.

``Sums`` fits from sums alone, updated while games are added. The strengths of a fit depend only on
how often any two entrants met and how much each scored in total. So no game is kept after it is
added, and a fit begins where the last one ended. Seats are assumed to have no advantage: every deal
is played in all seatings. Each Newton step is found by conjugate gradients, because there may be
many hundred unknowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Ints, Seats, TallyArrays, weight
from arena.ratings.elo.rating import Bound, Estimate, Rated, RatingFit, SeatTerm, stable
from arena.ratings.elo.scale import ELO, NO_PRIOR, Hold, Model, hold_of, tied
from arena.ratings.elo.spread import Sides, Spread, spread_of
from arena.ratings.elo.strengths import ITERATIONS, STEP, TOLERANCE, log_logistic, logistic, solve
from arena.ratings.probability import NORMAL_95

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


_ROOM: Final = 64
_PRIOR: Final = Model().prior / 2
_RESIDUE: Final = 1e-9
"""Residue that a step may leave, as a share of the length of the gradient."""


class RoundedStrength(NamedTuple):
    """Strength of one entrant in whole Elo, because further digits differ with the machine."""

    elo: int
    """Elo against a ghost with which everybody has drawn a game."""
    error: int
    """Half of the 95 % interval, if the opponents' strengths were known and games independent."""


class _At(NamedTuple):
    """Objective of a fit at a point, with its derivatives."""

    objective: float
    gradient: Floats
    slopes: Floats
    """Negated off-diagonal elements of the information, by [entrant, other]; 0 on the diagonal."""
    diagonal: Floats
    """Diagonal of the information."""


class Sums:
    """Sums of encounters and scores, with the fit to them."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._games: Floats = np.zeros((_ROOM, _ROOM))
        """Weighted number of comparisons of two entrants, by [entrant, other]."""
        self._score: Floats = np.zeros(_ROOM)
        self._x: Floats = np.zeros(_ROOM)

    def add(self, names: Sequence[str], points: Sequence[float]) -> None:
        """Count a table of the entrants ``names``.

        ``points``: sum of each entrant's scores in its comparisons with the others, 1 for a win.
        """
        places = [self._place(name) for name in names]
        # Two faulty entrants are not compared, so the points are spread over all pairs.
        games = 2.0 * sum(points) / (len(names) * (len(names) - 1))
        for place, scored in zip(places, points, strict=True):
            for other in places:
                if other != place:
                    self._games[place, other] += weight(len(names)) * games
            self._score[place] += weight(len(names)) * scored

    def fit(self, names: Sequence[str]) -> list[RoundedStrength]:
        """Return the strengths of ``names`` from all added games.

        An entrant without games has the strength of the ghost.
        """
        x = self._x[: len(self._places)]
        at = self._at(x)
        for _ in range(ITERATIONS if len(x) else 0):
            step = _step(at)
            length = float(np.abs(step).max())
            step *= min(1.0, STEP / max(length, TOLERANCE))
            slack = 1e-12 * abs(at.objective)
            following = self._at(x + step)
            while following.objective < at.objective - slack:
                step = step / 2
                following = self._at(x + step)
            x, at = x + step, following
            if length < TOLERANCE:
                break
        self._x[: len(x)] = x
        elo = ELO * np.append(x, 0.0)
        errors = NORMAL_95 * ELO / np.sqrt(np.append(at.diagonal, _PRIOR / 2))
        found = [self._places.get(name, len(x)) for name in names]
        return [RoundedStrength(round(float(elo[k])), round(float(errors[k]))) for k in found]

    def _at(self, x: Floats) -> _At:
        size = len(x)
        games, score = self._games[:size, :size], self._score[:size]
        expected = logistic(np.subtract.outer(x, x))
        ghost = logistic(x)
        both = games * (np.logaddexp(x[:, None], x) / 2)
        slopes = games * expected * (1.0 - expected)
        return _At(
            float(
                (x * score).sum() - both.sum() + _PRIOR * (log_logistic(x) + log_logistic(-x)).sum()
            ),
            score - (games * expected).sum(axis=1) + _PRIOR * (1.0 - 2.0 * ghost),
            slopes,
            slopes.sum(axis=1) + 2.0 * _PRIOR * ghost * (1.0 - ghost),
        )

    def _place(self, name: str) -> int:
        place = self._places.setdefault(name, len(self._places))
        room = len(self._x)
        if place >= room:
            self._games = np.pad(self._games, (0, room))
            self._score, self._x = np.pad(self._score, (0, room)), np.pad(self._x, (0, room))
        return place


def _step(at: _At) -> Floats:
    """Return the Newton step by conjugate gradients, each unknown scaled by its own information."""
    step = np.zeros(len(at.gradient))
    rest = at.gradient.copy()
    enough = _RESIDUE**2 * (rest * rest).sum()
    scaled = rest / at.diagonal
    way, length = scaled.copy(), (rest * scaled).sum()
    for _ in range(2 * len(step)):
        if not (rest * rest).sum() > enough:
            break
        turned = at.diagonal * way - (at.slopes * way).sum(axis=1)
        stride = length / (way * turned).sum()
        step += stride * way
        rest -= stride * turned
        scaled = rest / at.diagonal
        before, length = length, (rest * scaled).sum()
        way = scaled + length / before * way
    return step
