"""What a fit says: ratings, differences, likelihoods of superiority, seat terms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Final

import numpy as np

from arena.ratings.counting.arrays import Sums
from arena.ratings.counting.graph import Bools
from arena.ratings.counting.rows import Floats
from arena.ratings.elo.linear import product
from arena.ratings.elo.marks import Bound
from arena.ratings.elo.newton import Point
from arena.ratings.elo.quantile import normal_cdf

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

    def deviations(self, contrasts: Floats) -> list[float | None]:
        """Standard deviation, nats, of each row of ``contrasts``; None without spread."""
        clustered, within, independent = (
            (product(contrasts, covariance) * contrasts).sum(axis=1)
            for covariance in (self.clustered, self.within, self.independent)
        )
        known = np.minimum(clustered, within) > np.maximum(NO_SPREAD * independent, 0.0)
        found = zip(clustered.tolist(), known.tolist(), strict=True)
        return [sqrt(variance) if is_known else None for variance, is_known in found]

    def errors(self, contrasts: Floats) -> list[float | None]:
        """Half-widths of the 95 % intervals of ``contrasts``, Elo."""
        deviations = self.deviations(contrasts)
        return [None if d is None else stable(d * self.quantile * ELO) for d in deviations]


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
    sums: Sums
    point: Point
    spread: Spread | None

    def of(self, name: str) -> Rating:
        """The rating of an entrant; KeyError if it is none."""
        return self.ratings[self._index(name)]

    def difference(self, name: str, other: str) -> Estimate:
        """How much stronger ``name`` is than ``other``; the error is None outside the core."""
        i, j = self._index(name), self._index(other)
        elo = stable(ELO * (self.point.x[i] - self.point.x[j]))
        if self.spread is None or not (self.core[i] and self.core[j]):
            return Estimate(elo, None)
        return Estimate(elo, self.spread.errors(self._contrast(i, j))[0])

    def superiority(self, name: str, other: str) -> float | None:
        """The likelihood that ``name`` is stronger than ``other`` (LOS).

        Outside the core only a direct whitewash in N blocks says something:
        1 - 2^-(N+1), from a flat prior on winning a block. None where nothing does.
        """
        i, j = self._index(name), self._index(other)
        if not (self.core[i] and self.core[j]):
            return self._whitewash(i, j)
        deviation = self.spread and self.spread.deviations(self._contrast(i, j))[0]
        if not deviation:
            return None
        return stable(normal_cdf((self.point.x[i] - self.point.x[j]) / deviation))

    def _whitewash(self, i: int, j: int) -> float | None:
        rows = self.sums.rows
        ahead = (rows.first == i) & (rows.second == j)
        behind = (rows.first == j) & (rows.second == i)
        games = rows.games[ahead | behind].sum()
        won = rows.score[ahead].sum() + (rows.games - rows.score)[behind].sum()
        if games == 0 or 0 < won < games:
            return None
        opponent = np.arange(len(self.entrants)) == j
        unlikely = 0.5 ** (int(self.sums.blocks_against(opponent)[i]) + 1)
        return stable(1.0 - unlikely if won else unlikely)

    def _contrast(self, i: int, j: int) -> Floats:
        contrast = np.zeros((1, self.sums.size))
        contrast[0, i] += 1.0
        contrast[0, j] -= 1.0
        return contrast

    def _index(self, name: str) -> int:
        if name not in self.entrants:
            raise KeyError(name)
        return self.entrants.index(name)
