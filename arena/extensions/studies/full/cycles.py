"""Test for cycles: whether one scale describes the results, or entrants beat each other in circles.

On one scale the logits of head-to-head scores are differences of strengths. The logit of a pair is
taken at the ratings of the fit, Y = eta + (score - s)/(s(1-s)) with s the expected score, which
stays finite where one side won everything. Its variance is that of an independent block, at the
expected or the observed score, times the common dispersion of all pairs. A weighted least-squares
potential explains the part that follows from strengths; the rest, R, consists of cycles:

    share = sum w R^2 / sum w Y^2,   Q = sum w R^2 ~ chi-square with pairs - (bots - 1) degrees

Elo ratings of results with cycles depend on which entrants met (arXiv 2412.14427).

Q adds up everything that does not fit, also where no circle is clear, as the luck of deals makes
logits differ from strengths. A single circle among many bots hardly moves it. So the greatest
circle of three has a test of its own: the sum of its logits is 0 on one scale, and normal. Its
p-value is multiplied by the number of circles, both ways round, that the pairs that met could make.

Pairs of one game, or of one solo deal, are not independent: if a beat b and b beat c, a beat c. So
chance makes fewer cycles there than among pairs that meet alone. The mean of the statistic under
chance follows from the covariance of the pairs within the blocks. A statistic divided by its mean
per degree of freedom is a chi-square to the first order (Rao and Scott 1981).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec
import numpy as np

from arena.extensions.studies.full.chi_square import chi_square_tail
from arena.ratings.counting.arrays import (
    Bools,
    Deals,
    Floats,
    Ints,
    MultiSeatArrays,
    PairCells,
    TallyArrays,
    added,
    scatter,
)
from arena.ratings.counting.counts import CELLS, CODES, NO_ROW
from arena.ratings.counting.encounters import EncounterArrays, encounters
from arena.ratings.elo.crosstable import PairResult
from arena.ratings.elo.rating import RatingFit, stable
from arena.ratings.elo.strengths import logistic, product, solve_linear
from arena.ratings.probability import digits, normal_cdf
from arena.values.titles import called

ALARM: Final = 0.01
"""P-value below which Elo is reported to depend on the schedule, or a circle is named."""
TRIPLES: Final = 5
"""Greatest number of triples that are listed."""
RIDGE: Final = 1e-9
"""Share of the greatest weight added to the least-squares matrix. The matrix is singular if a pair
was decided so clearly that it has no weight."""


class Triple(msgspec.Struct, frozen=True):
    """Three entrants, each of which scored more than half against the next."""

    names: tuple[str, str, str]
    """Names, each before the one it beat; the last one beat the first."""
    scores: tuple[float, float, float]
    """Score of each against the next."""
    superiority: tuple[float | None, float | None, float | None]
    """Likelihood that each does better against the next in the long run."""
    deviations: float
    """Sum of the three logits, in standard deviations of the sum."""


class Cycles(msgspec.Struct, frozen=True):
    """Part of the results of the core that no strengths can explain."""

    bots: int
    pairs: int
    """Number of pairs that met."""
    freedom: int
    """Degrees of freedom: pairs - (bots - 1)."""
    share: float
    """Share of cycles in the weighted squares of the logits, 0 … 1."""
    q: float
    p: float
    """Probability of a ``q`` at least as large without cycles."""
    p_circle: float
    """Probability that the first of ``triples`` is so clear without cycles, with all circles of
    three that could show considered (Bonferroni); 1 without one."""
    depends_on_schedule: bool
    """True if ``p`` or ``p_circle`` is below ALARM."""
    cautious: bool
    """True if ``p`` is too large rather than too small. Games with at least three seats order their
    bots and cannot contradict themselves; there are too few of them to correct for that."""
    triples: tuple[Triple, ...]
    """Triples with the greatest ``deviations``, greatest first."""


class _Flow(NamedTuple):
    """Pairs of the core that met, first < second; 0 … bots-1 number the core."""

    first: Ints
    second: Ints
    logit: Floats
    slope: Floats
    """Derivative of the score by the logit."""
    weight: Floats


def cycles(
    ratings: RatingFit,
    met: EncounterArrays,
    cells: Mapping[tuple[str, str], PairResult] = {},
) -> Cycles | None:
    """Return the cycles in the core of a fit; None if too few pairs met to show a cycle.

    ``cells``: those of the crosstable, both ways, which have the likelihoods of ``triples``.
    """
    members = np.flatnonzero(ratings.core)
    flow = _flow(ratings, met, members)
    freedom = len(flow.first) - (len(members) - 1)
    if len(members) < 3 or freedom < 1:
        return None
    matrix = _matrix(flow, len(members))
    ratio = _scale(ratings, met, flow, members, matrix)
    if ratio is not None:
        flow = flow._replace(weight=flow.weight / ratio)
        matrix /= ratio
    rest = flow.logit - _explained(flow, matrix)
    q = float((flow.weight * rest**2).sum())
    total = float((flow.weight * flow.logit**2).sum())
    p = chi_square_tail(q, freedom)
    names = [ratings.entrants[k] for k in members.tolist()]
    triples, circles = _triples(flow, met.mean[np.ix_(members, members)], names, cells)
    p_circle = min(1.0, circles * normal_cdf(-triples[0].deviations)) if triples else 1.0
    return Cycles(
        bots=len(members),
        pairs=len(flow.first),
        freedom=freedom,
        share=stable(min(1.0, q / total)) if total > 0 else 0.0,
        q=stable(q),
        p=digits(p),
        p_circle=digits(p_circle),
        depends_on_schedule=min(p, p_circle) < ALARM,
        cautious=ratio is None and has_tables(ratings.arrays),
        triples=triples,
    )


def hint(ratings: RatingFit) -> Iterator[str]:
    """Yield a line below the table of a fit that names a circle, if one is clear."""
    met = encounters(ratings.arrays)
    found = cycles(ratings, met)
    if found is not None and found.p_circle < ALARM:
        first, second, third = map(called, found.triples[0].names)
        yield (
            f"{first} beats {second}, {second} beats {third}, {third} beats {first}: no single "
            "scale fits, so Elo depends on who met whom; see arena standings --full, run.payoffs()"
        )


def _flow(ratings: RatingFit, met: EncounterArrays, members: Ints) -> _Flow:
    among = np.ix_(members, members)
    first, second = np.nonzero(np.triu(met.blocks[among]))
    blocks, mean, variance = (
        values[among][first, second] for values in (met.blocks, met.mean, met.variance)
    )
    strengths = ratings.point.x[members]
    eta = strengths[first] - strengths[second]
    slope = np.maximum(logistic(eta) * logistic(-eta), 1e-12)
    # Where less than one block is expected to go to the weaker side, such a block is still likely:
    # the variance is then that of the observed score, with half a win and half a loss added.
    seen = (mean * blocks + 0.5) / (blocks + 1.0)
    rare = blocks * np.minimum(logistic(eta), logistic(-eta)) < 1.0
    spread = np.where(rare, np.maximum(slope, seen * (1.0 - seen)), slope)
    weight = slope**2 * blocks / (_dispersion(blocks, mean, variance) * spread)
    return _Flow(first, second, eta + (mean - logistic(eta)) / slope, slope, weight)


def _dispersion(blocks: Floats, mean: Floats, variance: Floats) -> float:
    """Return the variance of the means of blocks as a share of that of single games.

    A pair of one block does not show how blocks spread, and is left out. One block decided by a
    fair coin is added, because the share needs some spread.
    """
    spread = blocks > 1
    found = (blocks**2 * variance)[spread].sum() + 0.25
    single = (blocks * (mean * (1.0 - mean) + variance))[spread].sum() + 0.25
    return float(found / single)


def _matrix(flow: _Flow, size: int) -> Floats:
    """Return the matrix of the least squares, which is positive definite."""
    matrix = -scatter(flow.weight, flow.first, flow.second, size)
    matrix += matrix.T
    matrix -= np.diag(matrix.sum(axis=1))
    return matrix + np.diag(np.full(size, RIDGE * max(float(flow.weight.max()), RIDGE)))


def _scale(
    ratings: RatingFit, met: EncounterArrays, flow: _Flow, members: Ints, matrix: Floats
) -> float | None:
    """Return the ratio of chance cycles to those that the weights of ``flow`` imply.

    Return None if no correction is needed or known.
    """
    if not has_tables(ratings.arrays):
        return None
    size, pair = len(ratings.entrants), (members[flow.first], members[flow.second])
    weight, slope = np.zeros((size, size)), np.ones((size, size))
    for one, other in (pair, pair[::-1]):
        weight[one, other], slope[one, other] = flow.weight, flow.slope
    return scale(ratings.arrays, met, weight, slope, matrix)


def _explained(flow: _Flow, matrix: Floats) -> Floats:
    """Return the difference of the potentials that fit the logits best, per pair."""
    pull = flow.weight * flow.logit
    right = added(flow.first, pull, len(matrix)) - added(flow.second, pull, len(matrix))
    potential = solve_linear(matrix, right)
    explained: Floats = potential[flow.first] - potential[flow.second]
    return explained


def _triples(
    flow: _Flow,
    mean: Floats,
    names: list[str],
    cells: Mapping[tuple[str, str], PairResult],
) -> tuple[tuple[Triple, ...], int]:
    """Return the worst triples, and how many circles of three the pairs that met could make.

    ``mean``: score of each entrant against each other.
    """
    size = len(names)
    logit, variance = np.zeros((size, size)), np.full((size, size), np.inf)
    for one, other, sign in ((flow.first, flow.second, 1.0), (flow.second, flow.first, -1.0)):
        logit[one, other] = sign * flow.logit
        variance[one, other] = 1.0 / flow.weight
    met = np.isfinite(variance)
    beats = met & (mean > 0.5)
    circles, found = 0, list[tuple[float, int, int, int]]()
    for a in range(size):
        # a beats b, b beats c, c beats a; a is the first of the three by number.
        later = slice(a + 1, None)
        circles += int((met[a, later, None] & met[later, later] & met[later, a]).sum())
        b, c = (
            a
            + 1
            + np.array(np.nonzero(beats[a, later, None] & beats[later, later] & beats[later, a]))
        )
        around = logit[a, b] + logit[b, c] + logit[c, a]
        z = around / np.sqrt(variance[a, b] + variance[b, c] + variance[c, a])
        worst = np.argsort(-z, kind="stable")[:TRIPLES]
        found += [(-stable(z[k]), a, int(b[k]), int(c[k])) for k in worst.tolist()]
    triples = [
        _triple(-z, (names[a], names[b], names[c]), (mean[a, b], mean[b, c], mean[c, a]), cells)
        for z, a, b, c in sorted(found)[:TRIPLES]
    ]
    return tuple(triples), circles


def _triple(
    z: float,
    names: tuple[str, str, str],
    scores: tuple[float, float, float],
    cells: Mapping[tuple[str, str], PairResult],
) -> Triple:
    one, two, three = (cells.get((names[k], names[(k + 1) % 3])) for k in range(3))
    return Triple(
        names=names,
        scores=(stable(scores[0]), stable(scores[1]), stable(scores[2])),
        superiority=(_superiority(one), _superiority(two), _superiority(three)),
        deviations=z,
    )


def _superiority(cell: PairResult | None) -> float | None:
    return None if cell is None else cell.superiority


LEAST: Final = 20
"""Least number of blocks for a correction; with fewer the covariance is too uncertain."""
TINY: Final = 1e-9
"""Mean that rounding alone can reach."""


def has_tables(arrays: TallyArrays) -> bool:
    """Return whether any game or deal compares more than two entrants."""
    return bool(arrays.games) or any(deals.players > 2 for deals in arrays.deals)


def scale(
    arrays: TallyArrays, met: EncounterArrays, weight: Floats, slope: Floats, matrix: Floats
) -> float | None:
    """Return the mean of the statistic under chance, divided by that for pairs that meet alone.

    ``weight`` is that of the logit of each pair by [entrant, other], 0 for pairs that are left out.
    ``slope`` is the derivative of the score by the logit. ``matrix`` is that of the least squares,
    over the entrants with a pair. Return None with fewer than LEAST blocks or without spread.
    """
    met_any: Bools = np.asarray((weight > 0).any(axis=1), bool)
    members = np.flatnonzero(met_any)
    if arrays.blocks_among(met_any) < LEAST:
        return None
    inflation = np.sqrt(met.blocks / np.maximum(met.blocks - 1.0, 1.0)) * (met.blocks > 1)
    factor = weight * inflation / (np.maximum(met.games, 1.0) * slope)
    squares = weight * met.variance / slope**2
    alone = np.diag((weight * squares).sum(axis=1)) - weight * squares
    together = np.zeros_like(alone)
    for cells in arrays.cells:
        together += _of_pairs(cells, met.mean, factor)
    for games in arrays.games:
        together += _of_tables(games, met.mean, factor)
    for deals in arrays.deals:
        together += _of_deals(deals, met.mean, factor)
    total, among = float(squares.sum()) / 2, np.ix_(members, members)
    expected, independent = (
        total - float(np.trace(solve_linear(matrix, products[among])))
        for products in (together, alone)
    )
    return expected / independent if min(expected, independent) > TINY else None


def _of_pairs(cells: PairCells, mean: Floats, factor: Floats) -> Floats:
    """Return the sum over blocks of the products of the entrants' excess scores."""
    codes = np.divmod(np.arange(CELLS), CODES)
    own = mean[cells.first, cells.second][:, None]
    excess = sum(np.where(code < NO_ROW, code / 2 - own, 0.0) for code in codes)
    counts = cells.counts.reshape(-1, CELLS)
    squares = (counts * excess**2).sum(axis=1) * factor[cells.first, cells.second] ** 2
    size = len(mean)
    crossed = scatter(squares, cells.first, cells.second, size)
    crossed += crossed.T
    products: Floats = np.diag(crossed.sum(axis=1)) - crossed
    return products


def _of_tables(games: MultiSeatArrays, mean: Floats, factor: Floats) -> Floats:
    size, excess = len(mean), np.zeros(games.entrants.shape)
    for a, b, codes in games.pairs():
        one, other = games.entrants[:, a], games.entrants[:, b]
        valid = (codes != NO_ROW) & (one != other)
        own = np.where(valid, factor[one, other] * (codes / 2 - mean[one, other]), 0.0)
        excess[:, a] += own
        excess[:, b] -= own
    keys = (games.block[:, None] * size + games.entrants).ravel()
    held, where = np.unique(keys, return_inverse=True)
    total = added(where.ravel(), excess.ravel(), len(held))
    return _products(held // size, held % size, total, size)


def _products(block: Ints, entrant: Ints, total: Floats, size: int) -> Floats:
    """Return the sum over blocks of the products of their totals, which are sorted by block."""
    products = scatter(total**2, entrant, entrant, size)
    for apart in range(1, len(block)):
        same = np.flatnonzero(block[apart:] == block[:-apart])
        if not len(same):
            break
        one, other = entrant[same], entrant[same + apart]
        crossed = scatter(total[same] * total[same + apart], one, other, size)
        products += crossed + crossed.T
    return products


def _of_deals(deals: Deals, mean: Floats, factor: Floats) -> Floats:
    excess = np.zeros(deals.values.shape)
    for k, codes in enumerate(deals.codes()):
        own = np.where(codes == NO_ROW, 0.0, codes / 2 - mean[k])
        excess[:, k] = (factor[k] * own).sum(axis=1)
    return product(excess.T, excess)
