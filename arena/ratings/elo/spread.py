"""Errors of the estimates over sets of deals, and the confidence intervals that follow.

Blocks are independent, their games are not: the covariance that shows in the blocks themselves is
the sandwich (Liang and Zeger 1986). The few blocks of one entrant determine its variance too
poorly. So the dispersion of an entrant, which is its variance as a share of that of independent
games, is shrunk towards that of its group, as if the group stood for POOL blocks of its own (as
Smyth 2004 does with variances). The dispersion of the group is shrunk towards that of independent
games. From LARGE blocks on, the blocks of an entrant alone decide.

All intervals of strengths follow from the resulting ``covariance``. Student's quantiles are folded
into it: with the normal quantile it gives Student's interval of each entrant. Where scores are few
and lopsided, an interval reaches further to the far side: up to the strength at which the score
test would just not reject the observed points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Ints, Rows, TallyArrays, added
from arena.ratings.elo.linear import product, thin_product
from arena.ratings.elo.scale import Hold
from arena.ratings.elo.strengths import ObjectivePoint, logistic, meat
from arena.ratings.probability import LARGE, NORMAL_95, normal_cdf, quantile_95, student_95

POOL: Final = 20
"""Number of an entrant's own blocks that the dispersion of its group is equivalent to."""
INDEPENDENT: Final = 10
"""Number of a group's blocks that the dispersion of independent games is equivalent to."""
NO_SPREAD: Final = 1e-3
"""Dispersion below which there is no spread: all blocks have equal results, and an interval would
be a point."""
_WIDEST: Final = 30.0
"""Greatest reach of an interval to either side in nats; practically no points are beyond."""
_HALVINGS: Final = 50
_EXACT: Final = 1e-7
"""Standard deviation in nats that rounding of a fixed difference can reach."""
_LEAST_SIDE: Final = 0.25
"""Least side of an interval, as a share of the side of a symmetric interval."""


class Sides(NamedTuple):
    """Distances in nats from the estimate to the lower and upper end of 95 % intervals."""

    below: Floats
    above: Floats

    def superiority(self, estimate: Floats) -> Floats:
        """Return the likelihood that each true value is above 0; one half without spread.

        It is 97.5 % where the interval ends at 0.
        """
        side = np.where(estimate > 0, self.below, self.above)
        z = NORMAL_95 * np.where(side > 0, estimate, 0.0) / np.where(side > 0, side, 1.0)
        return np.array([normal_cdf(each) for each in z.ravel().tolist()]).reshape(z.shape)


@dataclass(frozen=True)
class Spread:
    """Errors of the estimates. Strengths can be compared within a group only."""

    group: Ints
    """Group number per entrant, -1 for none. Differences within a group are known."""
    covariance: Floats
    """Covariance of strengths against a mean of their group, by [entrant, entrant], in nats²; 0
    between groups."""
    skew: Sides
    """Addition to the square of either side of a difference in nats², per entrant."""
    held: Floats
    """Part of ``covariance`` that is due to errors of anchors, in nats², by [entrant, entrant]."""
    scale: Floats
    """Addition of the anchors' errors to the variance of each rating in nats². Their addition to
    differences is part of ``covariance``."""
    clustered: Floats
    """Covariance of all parameters from the blocks alone, with the factor for the free parameters
    of the core. It is used directly for seats, about which all blocks give evidence."""
    independent: Floats
    """Covariance as ``clustered``, if all games were independent."""
    quantile: float | None
    """Quantile with which ``clustered`` gives 95 % intervals; None with too few blocks."""

    def of_pairs(self, first: Ints, second: Ints) -> tuple[Sides, Bools]:
        """Return the interval of each difference of strength, and whether there is one.

        ``first`` and ``second`` hold the entrant numbers of each pair.
        """
        own = np.diagonal(self.covariance)
        variance = own[first] + own[second] - 2 * self.covariance[first, second]
        below = self.skew.below[first] + self.skew.above[second]
        above = self.skew.above[first] + self.skew.below[second]
        known = (self.group[first] == self.group[second]) & (self.group[first] >= 0)
        return _sides(variance, Sides(below, above)), known & (variance > _EXACT**2)

    def of_mean(self, members: Bools) -> Sides:
        """Return, per entrant, the interval of its strength minus the mean of the ``members``.

        The members belong to one group.
        """
        return self._of_shares(self.covariance, members / max(1, members.sum()), 0.0)

    def of_scale(self, share: Floats) -> tuple[Sides, Bools]:
        """Return the interval of each rating on the scale of the anchors, and whether there is one.

        ``share`` is that of ``Hold``.
        """
        sides = self._of_shares(self.covariance - self.held, share, self.scale)
        group = self.group[share.argmax()]
        known = (self.group == group) & (group >= 0)
        return sides, known & (sides.below > _EXACT) & (sides.above > _EXACT)

    def _of_shares(self, covariance: Floats, share: Floats, more: Floats | float) -> Sides:
        """Return the intervals of strengths minus their mean weighted by ``share``.

        ``more`` is an additional variance.
        """
        crossed = (covariance * share).sum(axis=1)
        variance = np.diagonal(covariance) - 2 * crossed + (crossed * share).sum() + more
        below, above = (
            (1 - share) ** 2 * own + ((share**2 * other).sum() - share**2 * other)
            for own, other in (self.skew, self.skew[::-1])
        )
        return _sides(variance, Sides(below, above))

    def from_blocks(self, contrasts: Floats) -> Floats:
        """Return the half-width of the interval of each row of ``contrasts``, from blocks alone.

        A row is a difference of any parameters. The result is in nats, NaN without spread.
        """
        clustered, independent = (
            (product(contrasts, covariance) * contrasts).sum(axis=1)
            for covariance in (self.clustered, self.independent)
        )
        known = clustered > np.maximum(NO_SPREAD * independent, 0.0)
        quantile = np.nan if self.quantile is None else self.quantile
        reach: Floats = quantile * np.sqrt(np.where(known, clustered, np.nan))
        return reach


def spread_of(data: TallyArrays, point: ObjectivePoint, group: Ints, hold: Hold) -> Spread:
    """Return the errors of the estimates at ``point``.

    ``group`` holds a number per entrant, -1 for an entrant that was not compared; the core, if any,
    has number 0. ``hold`` are the constraints with which ``point`` was found.
    """
    size, within = len(group), data.within(group)
    bread, scores = point.bread, meat(data, point.x)
    clustered = product(thin_product(bread, scores), bread)  # sparse, as most entrants have not met
    # Constrained parameters vary less than the inverse of the games' information.
    alike = bread if hold.is_loose else product(thin_product(bread, point.information), bread)
    inner = np.diagonal(scores if within is data else meat(within, point.x))
    who = _entrants(within, point, hold)
    seats = int((hold.column[size:] >= 0).sum()) - sum(
        hold.column[t.first] >= 0 for t in data.seats
    )
    known, factor, quantile = np.full(size, -1), 1.0, None
    covariance, dispersion, pull = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    for number, blocks in enumerate(within.blocks_within(group).tolist()):
        own = np.flatnonzero(group == number)
        freedom = blocks - (len(own) - 1) - seats
        if len(own) < 2 or freedom < 1:
            continue
        if number == 0:
            factor, quantile = blocks / freedom, quantile_95(blocks, freedom)
        found = blocks / freedom * float(inner[own].sum() / who.information[own].sum())
        if found <= NO_SPREAD:
            continue
        among, weight = np.ix_(own, own), who.information[own] / who.information[own].sum()
        seen, plain = _centred(clustered[among], weight), _centred(alike[among], weight)
        # Luck decides less where strengths are far apart, so the dispersion is nearer to 1.
        pool = 1.0 + (found - 1.0) * freedom / (INDEPENDENT + freedom) * who.evenness[own]
        of_own, of_pool = (
            np.sqrt(who.own[own] * np.maximum(blocks / freedom, who.factor[own])),
            np.sqrt(who.pool[own] * pool),
        )
        covariance[among] = np.multiply.outer(of_own, of_own) * seen
        covariance[among] += np.multiply.outer(of_pool, of_pool) * plain
        alone = np.diagonal(plain) * np.diagonal(point.information)[own]
        dispersion[own] = np.diagonal(covariance)[own] / alone * who.information[own]
        pull[own] = np.sqrt(np.minimum(1.0, alone))
        known[own] = number
    held, scale = _of_anchors(bread[:size, :size], hold)
    covariance += np.where(np.equal.outer(known, known), held, 0.0)
    few = who.few & (known >= 0)
    pulled = np.diagonal(hold.precision)[:size] > 0
    skew = _skew(within.rows, point.x, who.information, np.where(few, dispersion, 0.0), pulled)
    return Spread(
        group=known,
        covariance=covariance,
        skew=Sides(*(pull * side for side in skew)),
        held=held,
        scale=scale,
        clustered=clustered * factor,
        independent=alike,
        quantile=quantile,
    )


def _of_anchors(bread: Floats, hold: Hold) -> tuple[Floats, Floats]:
    """Return the part of the covariance, and of the variance of ratings, due to anchor errors.

    They follow from how far strengths and ratings move if an anchor is shifted.
    """
    size = len(bread)
    moves = thin_product(bread, hold.precision[:size, :size])
    ratings = moves - (hold.share[:, None] * moves).sum(axis=0) + hold.share
    loose = hold.variance > 0
    held = product(moves[:, loose] * hold.variance[loose], np.ascontiguousarray(moves[:, loose].T))
    return held, (ratings**2 * hold.variance).sum(axis=1)


class _Entrants(NamedTuple):
    """Figures per entrant from the comparisons within its group."""

    few: Bools
    """True for an entrant with fewer than LARGE blocks."""
    information: Floats
    """Information about the strength if all other strengths were known."""
    evenness: Floats
    """1 where all opponents are equally strong, 0 where every game is decided beforehand."""
    own: Floats
    """Weight of the variance in the entrant's own blocks."""
    factor: Floats
    """Correction factor of that variance: n/(n-1) for a mean of n blocks."""
    pool: Floats
    """Weight of the dispersion of the group."""


def _entrants(within: TallyArrays, point: ObjectivePoint, hold: Hold) -> _Entrants:
    rows, size = within.rows, len(within.entrants)
    expected = logistic(rows.difference(point.x))
    games = rows.weight * rows.games
    total, information = (
        np.maximum(added(rows.first, each, size) + added(rows.second, each, size), 1e-300)
        for each in (games, games * expected * (1.0 - expected))
    )
    blocks = np.maximum(within.blocks_against(np.ones(size, bool)), 1)
    few, freedom = (blocks < LARGE) & ~hold.are_tied[:size], POOL + blocks - 1
    # The fit has more information: from the ghost, and from games that bound nothing.
    more = np.diagonal(point.information)[:size] / information
    stretch = [student_95(n) / NORMAL_95 if n < POOL + LARGE else 1.0 for n in freedom.tolist()]
    count = np.array(stretch) ** 2 * more / freedom
    return _Entrants(
        few=few,
        information=information,
        evenness=2.0 * np.sqrt(information / total),
        own=np.where(few, count * (blocks - 1), 1.0),
        factor=np.where(few, blocks / np.maximum(blocks - 1, 1), 1.0),
        pool=np.where(few, count * POOL, 0.0),
    )


def _centred(matrix: Floats, weight: Floats) -> Floats:
    """Return the covariance of strengths minus their mean with weights that sum to 1.

    Rows and columns are centred separately: with almost no prior the level is so poorly determined
    that ``matrix`` is far from symmetric.
    """
    centred: Floats = matrix - (matrix * weight).sum(axis=1)[:, None]
    centred -= (centred.T * weight).sum(axis=1)
    return centred


def _skew(rows: Rows, x: Floats, information: Floats, dispersion: Floats, pulled: Bools) -> Sides:
    """Return the additions to the square of each side over a symmetric interval.

    They are given for entrants with a dispersion. The interval holds the strengths at which the
    observed points lie within NORMAL_95 deviations of the expected points, with all other strengths
    as fitted. An entrant that an anchor has ``pulled`` from where its points put it is assumed to
    have made the points that are expected at its rating.
    """
    size, known = len(dispersion), dispersion > 0
    own, difference = np.append(rows.first, rows.second), rows.difference(x)
    edge = np.append(difference, -difference) - x[own]
    games = np.tile(rows.weight * rows.games, 2)
    points = np.append(rows.weight * rows.score, rows.weight * (rows.games - rows.score))
    ours = known[own]
    own, edge, games = own[ours], edge[ours], games[ours]
    usual = added(own, games * logistic(x[own] + edge), size)
    won = np.where(pulled, usual, added(own, points[ours], size))

    def side(sign: float) -> Floats:
        near, far = np.full(size, -_WIDEST), np.full(size, _WIDEST)
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            expected = logistic(x[own] + sign * middle[own] + edge)
            over = sign * (added(own, games * expected, size) - won)
            slope = added(own, games * expected * (1.0 - expected), size)
            is_far = over > NORMAL_95 * np.sqrt(dispersion * slope)
            near, far = np.where(is_far, near, middle), np.where(is_far, middle, far)
        return far

    alike = NORMAL_95**2 * dispersion / information
    below, above = (np.where(known, far * np.abs(far) - alike, 0.0) for far in map(side, (-1, 1)))
    return Sides(below, above)


def _sides(variance: Floats, skew: Sides) -> Sides:
    """Return the intervals of differences; ``skew`` is that of both entrants together.

    ``variance`` is that of the difference.
    """
    alike = NORMAL_95**2 * np.maximum(variance, 0.0)
    below, above = (np.sqrt(np.maximum(alike + each, _LEAST_SIDE**2 * alike)) for each in skew)
    return Sides(below, above)
