"""Confidence intervals and probabilities of ranks, from joint draws of all strengths."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from arena.ratings.counting.arrays import Floats
from arena.ratings.elo.linear import product
from arena.ratings.elo.rating import RatingFit, stable
from arena.ratings.elo.standings import group_letters
from arena.ratings.probability import holm

DRAWS: Final = 10_000
SEED: Final = 20_240_229
"""Fixed seed, so that equal results give equal pages."""
TAIL: Final = 0.025
"""Probability left out on either side of an interval."""
NO_EVIDENCE: Final = 0.5


class RankRange(msgspec.Struct, frozen=True):
    """Possible ranks of an entrant among its group."""

    name: str
    group: str
    """Letter of the group; A is the core."""
    rank: int
    """Rank by rating, 1 is the strongest of the group."""
    low: int
    """Best rank of the 95 % interval."""
    high: int
    """Worst rank of the 95 % interval."""
    best: float
    """Probability that the entrant is the strongest."""
    over_next: float | None
    """Likelihood that it is stronger than the next one below; None for the last."""
    over_next_holm: float | None
    """``over_next`` adjusted for all such neighbours together; at least 1/2."""


def rank_ranges(ratings: RatingFit, names: Collection[str] | None = None) -> tuple[RankRange, ...]:
    """Return the ranks of the entrants ``names`` (default: all) among each other.

    They are ordered by group, strongest first; groups whose results show no spread are left out.
    They come from DRAWS normal draws of the strengths with the covariance of the fit. The numbers
    do not depend on the names of the entrants, unless two have exactly the same strength.
    """
    wanted = frozenset(ratings.entrants if names is None else names)
    numbers = [number for number in np.unique(ratings.spread.group).tolist() if number >= 0]
    found = [row for number in numbers for row in _of_group(ratings, number, wanted)]
    over = [row.over_next for row in found if row.over_next is not None]
    adjusted = iter(holm([1.0 - each for each in over]))
    return tuple(
        row
        if row.over_next is None
        else replace(row, over_next_holm=stable(max(NO_EVIDENCE, 1.0 - next(adjusted))))
        for row in found
    )


def _of_group(ratings: RatingFit, number: int, names: Set[str]) -> Iterator[RankRange]:
    """Yield the ranks of one group, without ``over_next_holm``."""
    is_wanted = np.array([name in names for name in ratings.entrants])
    members = np.flatnonzero((ratings.spread.group == number) & is_wanted)
    if len(members) < 2:
        return
    members = members[np.argsort(-ratings.point.x[members], kind="stable")]
    strengths = ratings.point.x[members]
    among = np.ix_(members, members)
    shares = _rank_shares(_draws(ratings.spread.covariance[among], strengths))
    cumulated = np.cumsum(shares, axis=1)
    slack = 0.5 / DRAWS  # sums of shares are rounded
    low = 1 + (cumulated <= TAIL + slack).sum(axis=1)
    high = 1 + (cumulated < 1.0 - TAIL - slack).sum(axis=1)
    sides, _ = ratings.spread.of_pairs(members[:-1], members[1:])
    over = sides.superiority(strengths[:-1] - strengths[1:])
    ranks = 1 + (strengths > strengths[:, None]).sum(axis=1)
    for k, member in enumerate(members.tolist()):
        yield RankRange(
            name=ratings.entrants[member],
            group=group_letters(number),
            rank=int(ranks[k]),
            low=int(low[k]),
            high=int(high[k]),
            best=stable(shares[k, 0]),
            over_next=stable(over[k]) if k < len(over) else None,
            over_next_holm=None,
        )


def _draws(covariance: Floats, strengths: Floats) -> Floats:
    """Return draws of the strengths minus that of the first member, by [draw, member], in nats."""
    first = covariance[0]
    against = (covariance - first - first[:, None] + first[0])[1:, 1:]
    # The stream of RandomState never changes; that of a Generator may change with numpy.
    noise = np.random.RandomState(SEED).standard_normal((DRAWS, len(against)))
    drawn = np.zeros((DRAWS, len(strengths)))
    drawn[:, 1:] = product(noise, _root(against).T)
    drawn += strengths - strengths[0]
    return drawn


def _root(matrix: Floats) -> Floats:
    """Return the lower triangle L with L L' = ``matrix`` (Cholesky).

    The matrix is semidefinite within rounding.
    """
    rest, root = matrix.copy(), np.zeros_like(matrix)
    least = 1e-12 * float(np.diagonal(matrix).max())
    for k in range(len(rest)):
        if rest[k, k] > least:
            root[k:, k] = rest[k:, k] / np.sqrt(rest[k, k])
            rest[k:, k:] -= np.multiply.outer(root[k:, k], root[k:, k])
    return root


def _rank_shares(strengths: Floats) -> Floats:
    """Return the share of the draws in which a member has a rank, by [member, rank - 1]."""
    draws, size = strengths.shape
    order = np.argsort(-strengths, axis=1, kind="stable")
    key = order * size + np.arange(size)
    shares: Floats = np.bincount(key.ravel(), minlength=size * size).reshape(size, size) / draws
    return shares
