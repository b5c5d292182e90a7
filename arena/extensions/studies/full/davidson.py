"""Davidson's model of draws, fitted to the results of a table as a check of its ratings.

The table counts a draw as half a win and assumes nothing on how often games are drawn: a difference
of strength is the logit of the expected score. Davidson (1970, Journal of the American Statistical
Association 65, 317-328) gives draws one parameter, nu. With the difference d of strength, in nats,

    P(win) : P(draw) : P(loss)  =  exp(d/2) : nu : exp(-d/2)

so a difference is the logarithm of the odds of a win to a loss, at any share of draws. All else
is as in the table: the comparisons and their weights, seat terms, and the ghost. Without draws nu
is 0 and both fits are the same. Several anchors set the level of the scale alone, because their
distances are stated on that of the table.

The likelihood depends on the results through the scores and the number of draws. Both models equate
expected and observed scores, so an error of the scores moves both by the inverse of their
information. The errors of the strengths follow in this way from those of the table, which rest on
blocks and not on a model; the error of nu, of independent games, is added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import exp, log
from typing import Final, NamedTuple

import msgspec
import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, TallyArrays, added, weight
from arena.ratings.counting.counts import DRAW
from arena.ratings.elo.rating import Bound, Rated, RatingFit, stable
from arena.ratings.elo.scale import ELO, NO_PRIOR
from arena.ratings.elo.strengths import information_of, logistic, product, solve_linear

_STEP: Final = 2.0
"""Greatest change of a parameter in one iteration, in nats."""
_ENOUGH: Final = 1e-10
"""Change of all parameters that ends the iterations."""
_ROUNDS: Final = 100


class DavidsonRating(msgspec.Struct, frozen=True):
    """Rating of one entrant in both models."""

    name: str
    elo: float | None
    """Rating in the table."""
    davidson: float | None
    """Rating by Davidson's model on a scale with the same zero: the anchor, or the mean."""
    low: float | None
    """Lower end of its 95 % interval; it and ``high`` are None where the table has no interval."""
    high: float | None
    as_score: float | None
    """Elo of the table's scale that give the score which Davidson's model expects of the entrant
    against one at the zero of the scale."""
    bound: Bound
    """Sides on which the results bound both ratings."""


class Davidson(msgspec.Struct, frozen=True):
    """Fit of Davidson's model to the results of a table."""

    nu: float | None
    """Parameter of draws; None if all comparisons were drawn, which no number describes."""
    draws: float
    """Share of all comparisons that were drawn."""
    even_draws: float
    """Share of draws that the model expects between equals: nu/(2 + nu)."""
    rows: tuple[DavidsonRating, ...]
    """Entrants in the order of the table."""


class DavidsonFit(NamedTuple):
    """Parameters of greatest likelihood, with the ghost of the table."""

    x: Floats
    """Strengths and seat terms in nats, by parameter as in ``TallyArrays``."""
    log_nu: float
    """Logarithm of nu; infinite without draws, or if all comparisons were drawn."""
    information: Floats
    """Negated second derivatives by ``x``."""
    by_nu: Floats
    """Derivative of ``x`` at the maximum by ``log_nu``."""
    nu_variance: float
    """Variance of ``log_nu`` in independent games."""


class _LikelihoodPoint(NamedTuple):
    """The likelihood at a point: strengths, seat terms and the logarithm of nu."""

    value: float
    gradient: Floats
    information: Floats


def davidson(shown: Iterable[Rated], ratings: RatingFit) -> Davidson | None:
    """Fit Davidson's model to the results of a fit; None if they compare nobody.

    ``shown``: ratings of the fit, all or some, in the order of the table.
    """
    games, draws = ratings.arrays.rows.games.sum(), _draws(ratings.arrays)[0]
    if not games:
        return None
    fitted = fit_davidson(ratings)
    nu = exp(fitted.log_nu) if fitted.log_nu < np.inf else None
    values, below, above, zero = _elo(ratings, fitted)
    number = {name: k for k, name in enumerate(ratings.entrants)}
    rows = []
    for row in shown:
        k = number[row.name]
        value = None if row.value is None else stable(values[k])
        is_known = row.error is not None and bool(np.isfinite(below[k]))
        rows.append(
            DavidsonRating(
                name=row.name,
                elo=row.value,
                davidson=value,
                low=stable(values[k] - below[k]) if is_known else None,
                high=stable(values[k] + above[k]) if is_known else None,
                as_score=None if value is None else stable(_as_score(value - zero, nu) + zero),
                bound=row.bound,
            )
        )
    even = 1.0 if nu is None else nu / (2.0 + nu)
    return Davidson(
        None if nu is None else stable(nu), stable(draws / games), stable(even), tuple(rows)
    )


def fit_davidson(ratings: RatingFit) -> DavidsonFit:
    """Fit Davidson's model to the results of a fit, by Newton's steps from equal strengths."""
    data, size = ratings.arrays, ratings.arrays.size
    count, weighed = _draws(data)
    level = np.inf if count else -np.inf
    if 0 < count < data.rows.games.sum():
        share = weighed / (data.rows.weight * data.rows.games).sum()
        level = log(2 * share / (1 - share))
    point = np.append(np.zeros(size), level)
    # Without draws, or without anything else, nu is known, and infinite in the second case.
    free = np.append(_moving(ratings), np.isfinite(level))
    at = _at(ratings, point, weighed)
    for _ in range(0 if level == np.inf else _ROUNDS):
        step = np.zeros(size + 1)
        step[free] = solve_linear(at.information[np.ix_(free, free)], at.gradient[free])
        step *= min(1.0, _STEP / max(float(np.abs(step).max()), _ENOUGH))
        following = _at(ratings, point + step, weighed)
        while following.value < at.value - 1e-12 * abs(at.value):
            step = step / 2
            following = _at(ratings, point + step, weighed)
        point, at = point + step, following
        if float(np.abs(step).max()) < _ENOUGH:
            break
    by_nu, own = np.zeros(size), free[:-1]
    variance = 0.0
    if free[-1]:
        crossed = at.information[:-1, -1][own]
        by_nu[own] = -solve_linear(
            at.information[np.ix_(own.nonzero()[0], own.nonzero()[0])], crossed
        )
        variance = 1.0 / float(at.information[-1, -1] + (crossed * by_nu[own]).sum())
    return DavidsonFit(point[:-1], float(point[-1]), at.information[:-1, :-1], by_nu, variance)


def _moving(ratings: RatingFit) -> Bools:
    """Return which parameters are fitted: without seat terms the seats are not."""
    moving = np.ones(ratings.arrays.size, bool)
    moving[len(ratings.entrants) :] = ratings.model.seats
    return moving


def _draws(data: TallyArrays) -> tuple[int, float]:
    """Return the number of comparisons that were drawn, and the sum of their weights."""
    found = [
        (2, cells.counts[:, DRAW].sum() + cells.counts[:, :, DRAW].sum()) for cells in data.cells
    ]
    found += [(games.seats.seats, (games.codes == DRAW).sum()) for games in data.games]
    for deals in data.deals:
        both = sum(int((codes == DRAW).sum()) for codes in deals.codes())
        found.append((deals.players, both / 2))
    return int(sum(n for _, n in found)), float(sum(weight(size) * n for size, n in found))


def _at(ratings: RatingFit, point: Floats, draws: float) -> _LikelihoodPoint:
    """Return the logarithm of the likelihood with its derivatives; ``draws``: their weight."""
    rows, size = ratings.arrays.rows, len(point) - 1
    x, log_nu = point[:-1], point[-1]
    if log_nu == np.inf:
        return _LikelihoodPoint(0.0, np.zeros(size + 1), np.eye(size + 1))
    prior = max(ratings.model.prior, NO_PRIOR) / 2
    d, games = rows.difference(x), rows.weight * rows.games
    whole = np.logaddexp(np.logaddexp(d / 2, -d / 2), log_nu)
    drawn = np.exp(log_nu - whole)
    score = np.exp(d / 2 - whole) + drawn / 2
    value = (rows.weight * (rows.score - rows.games / 2) * d - games * whole).sum()
    value -= prior * (np.logaddexp(0.0, x) + np.logaddexp(0.0, -x)).sum()
    value += draws * log_nu if draws else 0.0
    residual = rows.weight * rows.score - games * score
    crossed = games * drawn * (0.5 - score)
    ghost = logistic(x)
    information = np.zeros((size + 1, size + 1))
    information[:-1, :-1] = information_of(
        rows, games * (score - drawn / 4 - score**2), size
    ) + np.diag(2.0 * prior * ghost * (1.0 - ghost))
    # Parameter number ``size`` stands for no seat.
    slopes, mixed = (
        sum((sign * added(k, each, size + 1) for k, sign in rows.parameters()), np.zeros(size + 1))
        for each in (residual, crossed)
    )
    slopes[:-1] += prior * (1.0 - 2.0 * ghost)
    slopes[-1] = draws - (games * drawn).sum()
    mixed[-1] = (games * drawn * (1.0 - drawn)).sum()
    information[-1], information[:, -1] = mixed, mixed
    return _LikelihoodPoint(float(value), slopes, information)


def _elo(ratings: RatingFit, fitted: DavidsonFit) -> tuple[Floats, Floats, Floats, float]:
    """Return the ratings, the two sides of their intervals, and the zero of the scale, in Elo."""
    size, table = len(ratings.entrants), np.array([r.value or 0.0 for r in ratings.ratings])
    is_rated = np.array([r.value is not None for r in ratings.ratings])
    members = ratings.core if ratings.core.any() else is_rated
    if ratings.anchor is not None and is_rated[ratings.entrants.index(ratings.anchor)]:
        members = np.arange(size) == ratings.entrants.index(ratings.anchor)
    share = members / max(1, members.sum())
    zero = float((share * table).sum())
    strengths = fitted.x[:size]
    values = zero + ELO * (strengths - (share * strengths).sum())
    if fitted.log_nu == np.inf:
        return values, np.full(size, np.nan), np.full(size, np.nan), zero
    own = np.flatnonzero(_moving(ratings))
    moves = solve_linear(
        fitted.information[np.ix_(own, own)], ratings.point.information[np.ix_(own, own)]
    )[:size, :size]
    spread = ratings.spread
    by_nu = fitted.by_nu[:size]
    covariance = product(product(moves, spread.covariance), np.ascontiguousarray(moves.T))
    covariance += fitted.nu_variance * np.multiply.outer(by_nu, by_nu)
    nothing = np.zeros_like(covariance)
    moved = replace(
        spread,
        covariance=covariance,
        shift=(moves * spread.shift).sum(axis=1),
        held=nothing,
        scale=nothing[0],
    )
    sides, known = moved.of_scale(share)
    below, above = (np.where(known, ELO * side, np.nan) for side in sides)
    return values, below, above, zero


def _as_score(elo: float, nu: float | None) -> float:
    """Return the Elo difference in the table's model with the score of one in Davidson's."""
    if nu is None:
        return 0.0
    up, down = (
        np.logaddexp(sign * elo / ELO / 2, log(nu / 2) if nu else -np.inf) for sign in (1, -1)
    )
    return ELO * float(up - down)
