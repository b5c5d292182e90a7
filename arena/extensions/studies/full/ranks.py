"""Ranks within groups of comparable entrants, and what would connect the groups.

Strengths can be compared within a group: everybody in it scored, directly or through others,
against everybody else in it. Between groups the prior alone decides. Confidence intervals and
probabilities of ranks come from joint draws of all strengths.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set
from enum import StrEnum
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from arena.ratings.counting.arrays import Bools, Floats
from arena.ratings.counting.encounters import EncounterArrays
from arena.ratings.elo.fit import reachable
from arena.ratings.elo.rating import Bound, RatingFit, group_letters, stable
from arena.ratings.elo.standings import Standings
from arena.ratings.elo.strengths import product
from arena.ratings.probability import holm


class Lacks(StrEnum):
    """Missing results between two groups."""

    GAMES = "games"
    """No chain of games leads from one group to the other."""
    LOSS = "loss"
    """The first group never lost a point to the other group."""
    WIN = "win"
    """The first group never won a point off the other group."""
    POINTS = "points"
    """Only games of others connect the two groups, and their points go one way."""


class Link(msgspec.Struct, frozen=True):
    """Pairing that would connect two groups as soon as both of its entrants score."""

    name: str
    other: str
    blocks: int
    """Number of blocks in which the two have met."""
    lacks: Lacks


class ComparableGroup(msgspec.Struct, frozen=True):
    """Entrants whose strengths can be compared."""

    letter: str | None
    """Letter of the group in the table; None for an entrant that was not compared."""
    names: tuple[str, ...]
    """Names, strongest first."""
    bound: Bound
    """Sides on which the results bound its ratings."""
    link: Link | None
    """Link to the core, or without a core to the group before; None for the first group."""


def group_list(
    ratings: RatingFit, standings: Standings, met: EncounterArrays
) -> tuple[ComparableGroup, ...]:
    """Return the groups in the order of the table, with the core, if any, first.

    Return an empty tuple if all entrants are in one group.
    """
    number = {name: k for k, name in enumerate(ratings.entrants)}
    parts: dict[int, list[int]] = {}
    letters: dict[int, str | None] = {}
    for row in standings.rows:
        k = number[row.name]
        group = ratings.ratings[k].group
        key = -1 - k if group is None else group  # an entrant without games is a group of its own
        parts.setdefault(key, []).append(k)
        letters[key] = row.letters
    if len(parts) < 2:
        return ()
    keys = sorted(parts, key=lambda key: not ratings.core[parts[key][0]])
    has_core = bool(ratings.core.any())
    linked, scored = reachable(met.blocks > 0), reachable(met.score > 0)
    found = []
    for place, key in enumerate(keys):
        link = None
        if place:
            other = parts[keys[0 if has_core else place - 1]]
            lacks = _lacks(parts[key], other, linked, scored)
            link = _link(ratings.entrants, parts[key], other, lacks, met)
        names = tuple(ratings.entrants[k] for k in parts[key])
        found.append(
            ComparableGroup(letters[key], names, ratings.ratings[parts[key][0]].bound, link)
        )
    return tuple(found)


def _lacks(own: list[int], other: list[int], linked: Bools, scored: Bools) -> Lacks:
    if not linked[np.ix_(own, other)].any():
        return Lacks.GAMES
    won, lost = scored[np.ix_(own, other)].any(), scored[np.ix_(other, own)].any()
    if won == lost:
        return Lacks.POINTS
    return Lacks.LOSS if won else Lacks.WIN


def _link(
    names: tuple[str, ...], own: list[int], other: list[int], lacks: Lacks, met: EncounterArrays
) -> Link:
    """Return the pairing of the entrants that are most likely to score against each other.

    Both groups, ``own`` and ``other``, are ordered strongest first.
    """
    match lacks:
        case Lacks.LOSS:
            one, two = own[-1], other[0]
        case Lacks.WIN:
            one, two = own[0], other[-1]
        case _:
            one, two = own[len(own) // 2], other[len(other) // 2]
    return Link(names[one], names[two], int(met.blocks[one, two]), lacks)


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
