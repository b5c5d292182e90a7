"""What a fit says: ratings, seat terms, how far they scatter, and the difference of any pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import log
from typing import Final

import msgspec
import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Ints, TallyArrays
from arena.ratings.counting.encounters import Encounters, encounters
from arena.ratings.elo.linear import product
from arena.ratings.elo.strengths import Point
from arena.ratings.probability import normal_cdf

ELO: Final = 400.0 / log(10.0)
"""Elo per nat."""
NO_SPREAD: Final = 1e-3
"""A clustered variance below this share of the independent one shows no spread at all:
all blocks went alike, and an interval from them would be a point."""
DECIMALS: Final = 6
"""Of every number handed out. Further ones differ with the machine's linear algebra."""


def stable(number: float) -> float:
    """The number to DECIMALS, the same on every machine; never a negative zero."""
    return round(float(number), DECIMALS) + 0.0


@dataclass(frozen=True)
class Estimate:
    """A quantity in Elo with the half-width of its 95 % interval, None if there is none."""

    elo: float
    error: float | None


@dataclass(frozen=True)
class SeatTerm:
    """What a seat is worth against the mean seat of its discipline."""

    discipline: str
    seats: int
    seat: int
    elo: float
    error: float | None


class Bound(StrEnum):
    """Whether the results bound a rating from both sides."""

    BOTH = ""
    """They do."""
    BELOW = "<"
    """Everybody else is stronger as far as points tell: it may be any amount weaker."""
    ABOVE = ">"
    """It may be any amount stronger."""
    OPEN = "?"
    """Open on both sides: no chain of points, or chains through others that are open."""


@dataclass(frozen=True)
class Rating:
    """One entrant's rating."""

    elo: float | None
    """None if it was compared with nobody. Outside the core the prior decides how far."""
    error: float | None
    """Half-width of the 95 % interval; None for the anchor, outside the core, with too few
    blocks, or if all blocks went alike."""
    bound: Bound
    limit: float | None
    """One-sided 97.5 % limit in Elo for a perfect or zero score against the core."""
    group: int | None
    """0 for the core or the largest group; None if compared with nobody."""


@dataclass(frozen=True)
class Spread:
    """How far estimates scatter from one set of deals to another."""

    clustered: Floats
    within: Floats
    """The part of ``clustered`` from what the core decided among itself. Where that shows no
    spread, its blocks all went alike, and how others beat it tells nothing about differences."""
    independent: Floats
    quantile: float

    def of_seats(self) -> Spread:
        """For differences between seats, about which all blocks tell."""
        return replace(self, within=self.clustered)

    def of_pairs(self, first: Ints, second: Ints) -> tuple[Floats, Bools]:
        """Standard deviation, nats, of each difference of strength, and where there is one."""

        def variance(covariance: Floats) -> Floats:
            own = np.diagonal(covariance)
            crossed = covariance[first, second]
            return own[first] + own[second] - crossed - covariance[second, first]

        return self._deviations(variance)

    def errors(self, contrasts: Floats) -> list[float | None]:
        """Half-width of the 95 % interval, Elo, of each row; None without spread."""
        deviations, known = self._deviations(
            lambda covariance: (product(contrasts, covariance) * contrasts).sum(axis=1)
        )
        found = zip(deviations.tolist(), known.tolist(), strict=True)
        return [stable(d * self.quantile * ELO) if is_known else None for d, is_known in found]

    def _deviations(self, variance: Callable[[Floats], Floats]) -> tuple[Floats, Bools]:
        clustered, within, independent = map(
            variance, (self.clustered, self.within, self.independent)
        )
        known = np.minimum(clustered, within) > np.maximum(NO_SPREAD * independent, 0.0)
        return np.sqrt(np.where(known, clustered, 0.0)), known


@dataclass(frozen=True)
class Ratings:
    """A fit. Entrants are sorted by name; ``ratings`` runs in the same order."""

    entrants: tuple[str, ...]
    ratings: tuple[Rating, ...]
    anchor: str | None
    anchor_elo: float
    """Of the anchor, or of the mean of the core (without a core: of all rated)."""
    blocks: int
    """In which at least two entrants were compared."""
    seats: tuple[SeatTerm, ...]
    seat_advantage: Estimate | None
    """Seat 0 over seat 1; None unless exactly one discipline has two seats."""
    core: Bools
    arrays: TallyArrays
    point: Point
    spread: Spread | None

    def of(self, name: str) -> Rating:
        """The rating of an entrant; KeyError if it is none."""
        if name not in self.entrants:
            raise KeyError(name)
        return self.ratings[self.entrants.index(name)]


class Difference(msgspec.Struct, frozen=True):
    """How much stronger ``name`` is than ``other``."""

    name: str
    other: str
    elo: float | None
    """None if one of them was compared with nobody."""
    error: float | None
    """Half-width of the 95 % interval; None outside the core, or without spread."""
    superiority: float | None
    """The likelihood that ``name`` is the stronger one (LOS)."""


def difference(ratings: Ratings, name: str, other: str) -> Difference:
    """That of one pair. Raises ValueError for a name that is none."""
    pair = (ratings.entrants.index(name), ratings.entrants.index(other))
    (found,) = _differences(ratings, np.array(pair[:1]), np.array(pair[1:]), None)
    return found


def differences(ratings: Ratings, names: Sequence[str], met: Encounters) -> Iterator[Difference]:
    """Every ordered pair in the order of ``names``; ``met`` are the encounters of the tally."""
    places = np.array([ratings.entrants.index(name) for name in names], np.int64)
    first, second = np.repeat(places, len(places)), np.tile(places, len(places))
    apart = first != second
    return _differences(ratings, first[apart], second[apart], met)


def _differences(
    ratings: Ratings, first: Ints, second: Ints, met: Encounters | None
) -> Iterator[Difference]:
    """Outside the core only a direct whitewash in N blocks says something: 1 - 2^-(N+1), from a
    flat prior on winning a block."""
    strengths = ratings.point.x
    nats = strengths[first] - strengths[second]
    inside = ratings.core[first] & ratings.core[second]
    error, superiority = np.full(len(nats), np.nan), np.full(len(nats), np.nan)
    if ratings.spread is not None:
        deviation, known = ratings.spread.of_pairs(first, second)
        known &= inside
        error[known] = ELO * ratings.spread.quantile * deviation[known]
        superiority[known] = [normal_cdf(z) for z in (nats[known] / deviation[known]).tolist()]
    if not inside.all():
        met = encounters(ratings.arrays) if met is None else met
        score, games = met.score[first, second], met.games[first, second]
        white = (games > 0) & ~inside & ((score == 0) | (score == games))
        unlikely = 0.5 ** (met.blocks[first, second] + 1)
        superiority[white] = np.where(score > 0, 1.0 - unlikely, unlikely)[white]
    rated = np.array([rating.elo is not None for rating in ratings.ratings], bool)
    elo = np.where(rated[first] & rated[second], ELO * nats, np.nan)
    columns = (_stable(values) for values in (elo, error, superiority))
    places = zip(first.tolist(), second.tolist(), strict=True)
    for (i, j), values in zip(places, zip(*columns, strict=True), strict=True):
        yield Difference(ratings.entrants[i], ratings.entrants[j], *values)


def _stable(values: Floats) -> list[float | None]:
    rounded = (np.round(values, DECIMALS) + 0.0).tolist()
    return [value if value == value else None for value in rounded]  # NaN differs from itself
