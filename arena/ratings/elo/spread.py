"""Errors of the estimates over sets of deals, and the confidence intervals that follow.

Blocks are independent, their games are not: the covariance that shows in the blocks themselves is
the sandwich (Liang and Zeger 1986). Few blocks determine it too poorly. So the dispersion of each
pair, which is its variance as a share of that of independent games, is shrunk towards that of its
group, as if the group stood for POOL blocks of its own (as Smyth 2004 does with variances). The
blocks that count for a pair are those on which the difference of the two rests: their number is the
inverse of the leverage of one block. So a newcomer, and two groups that a few blocks join, have the
few blocks that they rest on. The dispersion of the group is shrunk towards that of independent
games. Pairs that rest on LARGE blocks have the dispersion of their own blocks.

All intervals of strengths follow from the resulting ``covariance``. Student's quantiles are folded
into it: with the normal quantile it gives Student's interval of each pair. The ghost draws
estimates together, which few games do not outweigh. So intervals lie around the estimates without
it. Their reach is that of Wilson's interval of a score (1927), seen as a difference of strength.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Ints, TallyArrays, added, scatter
from arena.ratings.counting.encounters import encounters
from arena.ratings.elo.scale import Hold
from arena.ratings.elo.strengths import (
    ObjectivePoint,
    information_of,
    logistic,
    meat,
    product,
    solve,
    thin_product,
)
from arena.ratings.probability import LARGE, NORMAL_95, normal_cdf, quantile_95, student_95

POOL: Final = 20
"""Number of a pair's own blocks that the dispersion of its group is equivalent to."""
INDEPENDENT: Final = 10
"""Number of a group's blocks that the dispersion of independent games is equivalent to."""
NO_SPREAD: Final = 1e-3
"""Dispersion below which there is no spread: all blocks have equal results, and an interval would
be a point."""
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
    shift: Floats
    """Distance in nats by which the ghost moved the strength of each entrant in its group."""
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
        variance, held = (
            own[first, first] + own[second, second] - 2 * own[first, second]
            for own in (self.covariance, self.held)
        )
        known = (self.group[first] == self.group[second]) & (self.group[first] >= 0)
        sides = _sides(variance - held, held, self.shift[first] - self.shift[second])
        return sides, known & (variance > _EXACT**2)

    def of_mean(self, members: Bools) -> Sides:
        """Return, per entrant, the interval of its strength minus the mean of the ``members``.

        The members belong to one group.
        """
        share = members / max(1, members.sum())
        return self._of_shares(share, _contrast(self.held, share))

    def of_scale(self, share: Floats) -> tuple[Sides, Bools]:
        """Return the interval of each rating on the scale of the anchors, and whether there is one.

        ``share`` is that of ``Hold``.
        """
        sides = self._of_shares(share, self.scale)
        group = self.group[share.argmax()]
        known = (self.group == group) & (group >= 0)
        return sides, known & (sides.below > _EXACT) & (sides.above > _EXACT)

    def _of_shares(self, share: Floats, held: Floats) -> Sides:
        """Return the intervals of strengths minus their mean weighted by ``share``.

        ``held``: variance due to errors of anchors.
        """
        variance = _contrast(self.covariance - self.held, share)
        return _sides(variance, held, self.shift - (share * self.shift).sum())

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


def spread_of(
    data: TallyArrays, point: ObjectivePoint, group: Ints, hold: Hold, prior: float
) -> Spread:
    """Return the errors of the estimates at ``point``.

    ``group`` holds a number per entrant, -1 for an entrant that was not compared; the core, if any,
    has number 0. ``hold`` and ``prior`` are those with which ``point`` was found.
    """
    size, within = len(group), data.within(group)
    scores = meat(data, point.x)
    clustered = product(thin_product(point.bread, scores), point.bread)  # sparse: few have met
    # Constrained parameters vary less than the inverse of the games' information.
    alike = point.bread
    if not hold.is_loose:
        alike = product(thin_product(alike, point.information), alike)
    seats_only = np.append(np.zeros(size), np.full(data.size - size, prior))
    free = solve(within, seats_only, _levelled(hold, group), point.x)
    inner = np.diagonal(meat(within, free.x))[:size]
    pairs = _pairs(within, free)
    seats = int((hold.column[size:] >= 0).sum()) - sum(
        hold.column[t.first] >= 0 for t in data.seats
    )
    known, factor, quantile = np.full(size, -1), 1.0, None
    own_share, pool_share = np.ones((size, size)), np.zeros((size, size))
    for number, blocks in enumerate(within.blocks_within(group).tolist()):
        own = np.flatnonzero(group == number)
        freedom = blocks - (len(own) - 1) - seats
        if len(own) < 2 or freedom < 1:
            continue
        if number == 0:
            factor, quantile = blocks / freedom, quantile_95(blocks, freedom)
        found = blocks / freedom * float(inner[own].sum() / pairs.information[own].sum())
        if found <= NO_SPREAD:
            continue
        known[own], among = number, np.ix_(own, own)
        # Luck decides less where strengths are far apart, so the dispersion is nearer to 1.
        pool = 1.0 + (found - 1.0) * freedom / (INDEPENDENT + freedom) * pairs.evenness[among]
        own_share[among], pool_share[among] = _shares(pairs.blocks[among], blocks / freedom, pool)
    rows, slope = within.rows, pairs.slope
    scatter_of_blocks = meat(within, free.x, own_share)
    scatter_of_blocks += information_of(
        rows, slope * pool_share[rows.first, rows.second], data.size
    )
    # Where nobody changed seats, only the prior separates seats from bots: it has a variance.
    ghost = logistic(free.x[size:])
    scatter_of_blocks[size:, size:] += np.diag(2.0 * prior * ghost * (1.0 - ghost))
    whole = product(thin_product(free.bread, scatter_of_blocks), free.bread)[:size, :size]
    held, scale = _of_anchors(free.bread[:size, :size], hold)
    moved = (free.x - point.x)[:size]
    centred, shift = _within_groups(known, pairs.information, whole, moved)
    return Spread(
        group=known,
        covariance=centred + np.where(np.equal.outer(known, known) & (known >= 0), held, 0.0),
        shift=shift,
        held=held,
        scale=scale,
        clustered=clustered * factor,
        independent=alike,
        quantile=quantile,
    )


def _within_groups(
    group: Ints, information: Floats, covariance: Floats, shift: Floats
) -> tuple[Floats, Floats]:
    """Return covariance and shift of strengths against a mean of their group; 0 outside groups.

    ``information``: weight of each entrant in the mean.
    """
    centred, moved = np.zeros_like(covariance), np.zeros_like(shift)
    for number in np.unique(group[group >= 0]).tolist():
        own = np.flatnonzero(group == number)
        among, weight = np.ix_(own, own), information[own] / information[own].sum()
        centred[among] = _centred(covariance[among], weight)
        moved[own] = shift[own] - (shift[own] * weight).sum()
    return centred, moved


def _levelled(hold: Hold, group: Ints) -> Hold:
    """Return the constraints with the mean of each group set, which no ghost determines."""
    size, precision = len(group), hold.precision.copy()
    alike = np.equal.outer(group, group) & (group >= 0) | np.eye(size, dtype=bool)
    precision[:size, :size] += alike / alike.sum(axis=1)
    return replace(hold, precision=precision)


def _shares(blocks: Floats, factor: float, pool: Floats) -> tuple[Floats, Floats]:
    """Return the factors of the variance in a pair's blocks, and of that of independent games.

    ``blocks``: number of blocks that each pair rests on. ``factor``: correction of the variance in
    a group for its parameters. ``pool``: dispersion that the group gives the pair.
    """
    few, freedom = blocks < LARGE, POOL + blocks - 1.0
    stretch = [(student_95(POOL + n) / NORMAL_95) ** 2 for n in range(LARGE)]
    count = np.interp(blocks, np.arange(LARGE) + 1.0, stretch) / freedom
    # The variance of a mean of n blocks is n/(n-1) times that seen, and weighs n-1.
    own = count * np.maximum((blocks - 1.0) * factor, blocks)
    return np.where(few, own, factor), np.where(few, count * POOL * pool, 0.0)


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


class _PairFigures(NamedTuple):
    """Figures of the comparisons within groups."""

    slope: Floats
    """Information of each row."""
    information: Floats
    """Information about the strength of each entrant if all other strengths were known."""
    evenness: Floats
    """1 between equals, 0 where every game is decided beforehand; by [entrant, entrant]."""
    blocks: Floats
    """Number of blocks that a difference rests on, at least 1; by [entrant, entrant]."""


def _pairs(within: TallyArrays, free: ObjectivePoint) -> _PairFigures:
    rows, size = within.rows, len(within.entrants)
    expected = logistic(rows.difference(free.x))
    games = rows.weight * rows.games
    slope = games * expected * (1.0 - expected)

    def by_pair(values: Floats) -> Floats:
        found = scatter(values, rows.first, rows.second, size)
        return found + found.T

    information, total = by_pair(slope), np.maximum(by_pair(games), 1e-300)
    entrants = by_pair(rows.games * (3.0 - rows.weight)) / total  # of a table, see ``weight``
    own = np.diagonal(free.bread)[:size]
    variance = own[:, None] + own - 2.0 * free.bread[:size, :size]
    blocks = np.maximum(encounters(within).blocks, 1.0)
    # A table has one block for all its pairs.
    leverage = information * variance * np.maximum(entrants, 2.0) / 2.0
    return _PairFigures(
        slope=slope,
        information=np.maximum(
            added(rows.first, slope, size) + added(rows.second, slope, size), 1e-300
        ),
        evenness=2.0 * np.sqrt(information / total),
        blocks=blocks * np.maximum(1.0, 1.0 / np.maximum(leverage, 1e-12)),
    )


def _centred(matrix: Floats, weight: Floats) -> Floats:
    """Return the covariance of strengths minus their mean with weights that sum to 1.

    Rows and columns are centred separately: with almost no prior the level is so poorly determined
    that ``matrix`` is far from symmetric.
    """
    centred: Floats = matrix - (matrix * weight).sum(axis=1)[:, None]
    centred -= (centred.T * weight).sum(axis=1)
    return centred


def _contrast(covariance: Floats, share: Floats) -> Floats:
    """Return the variance of each strength minus the mean weighted by ``share``."""
    crossed = (covariance * share).sum(axis=1)
    found: Floats = np.diagonal(covariance) - 2 * crossed + (crossed * share).sum()
    return found


def _sides(variance: Floats, held: Floats, shift: Floats) -> Sides:
    """Return the intervals of differences, of this ``variance`` by games, ``held`` by anchors.

    ``shift``: distance from the estimate to that without the ghost.
    """
    games = 2.0 * np.arcsinh(NORMAL_95 / 2.0 * np.sqrt(np.maximum(variance, 0.0)))
    half = np.sqrt(games**2 + NORMAL_95**2 * np.maximum(held, 0.0))
    least = _LEAST_SIDE * half
    return Sides(np.maximum(half - shift, least), np.maximum(half + shift, least))
