"""The fitted difference of every pair: what all games together say about two entrants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from arena.ratings.counting.graph import Bools
from arena.ratings.counting.rows import Floats
from arena.ratings.elo.quantile import normal_cdf
from arena.ratings.elo.rating import DECIMALS, ELO, NO_SPREAD, Ratings
from arena.ratings.full.encounters import Encounters


class Difference(msgspec.Struct, frozen=True):
    """How much stronger ``name`` is than ``other``, as ``Ratings`` says it of one pair."""

    name: str
    other: str
    elo: float | None
    """None if one of them was compared with nobody."""
    error: float | None
    """Half-width of the 95 % interval; None outside the core, or without spread."""
    superiority: float | None
    """The likelihood that ``name`` is the stronger one (LOS)."""


@dataclass(frozen=True)
class Differences:
    """Arrays [entrant, other], entrants in the order of ``Ratings``; see ``Difference``."""

    entrants: tuple[str, ...]
    elo: Floats
    rated: Bools
    error: Floats
    known: Bools
    """Where ``error`` means something."""
    superiority: Floats
    likely: Bools
    """Where ``superiority`` means something."""

    def pairs(self, names: tuple[str, ...]) -> Iterator[Difference]:
        """Every ordered pair in the order of ``names``."""
        places = [self.entrants.index(name) for name in names]
        elo, error, superiority = (
            np.where(given, values, np.nan).tolist()
            for values, given in (
                (self.elo, self.rated),
                (self.error, self.known),
                (self.superiority, self.likely),
            )
        )
        for name, i in zip(names, places, strict=True):
            for other, j in zip(names, places, strict=True):
                if i != j:
                    values = (elo[i][j], error[i][j], superiority[i][j])
                    # NaN is the one value that differs from itself.
                    yield Difference(name, other, *(v if v == v else None for v in values))


def deviations(ratings: Ratings) -> tuple[Floats, Bools]:
    """(standard deviation in nats of each difference, where there is one).

    One pass over the covariance for what ``Spread.deviations`` says of each contrast.
    """
    size = len(ratings.entrants)
    if ratings.spread is None:
        return np.zeros((size, size)), np.zeros((size, size), bool)
    spread = ratings.spread
    clustered, within, least = (
        _of_differences(covariance[:size, :size])
        for covariance in (spread.clustered, spread.within, spread.independent)
    )
    inside = np.logical_and.outer(ratings.core, ratings.core)
    known = inside & (np.minimum(clustered, within) > np.maximum(NO_SPREAD * least, 0.0))
    np.fill_diagonal(known, False)
    return np.sqrt(np.where(known, clustered, 0.0)), known


def differences(ratings: Ratings, met: Encounters) -> Differences:
    """All pairs of a fit; ``met`` are the encounters of its tally."""
    size = len(ratings.entrants)
    strengths = ratings.point.x[:size]
    nats = strengths[:, None] - strengths
    deviation, known = deviations(ratings)
    quantile = 0.0 if ratings.spread is None else ratings.spread.quantile
    rated = np.array([rating.elo is not None for rating in ratings.ratings], bool)
    superiority = np.zeros((size, size))
    z = nats[known] / deviation[known]
    superiority[known] = [normal_cdf(each) for each in z.tolist()]
    inside = np.logical_and.outer(ratings.core, ratings.core)
    white = (met.games > 0) & ~inside & ((met.score == 0) | (met.score == met.games))
    unlikely = 0.5 ** (met.blocks + 1)
    superiority[white] = np.where(met.score > 0, 1.0 - unlikely, unlikely)[white]
    return Differences(
        entrants=ratings.entrants,
        elo=_stable(ELO * nats),
        rated=np.logical_and.outer(rated, rated),
        error=_stable(ELO * quantile * deviation),
        known=known,
        superiority=_stable(superiority),
        likely=known | white,
    )


def _of_differences(covariance: Floats) -> Floats:
    own = np.diagonal(covariance)
    spread: Floats = own[:, None] + own - covariance - covariance.T
    return spread


def _stable(values: Floats) -> Floats:
    rounded: Floats = np.round(values, DECIMALS) + 0.0
    return rounded
