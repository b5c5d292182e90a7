"""The fitted difference of every pair: what all games together say about two entrants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from arena.ratings.counting.rows import Floats, Ints
from arena.ratings.elo.quantile import normal_cdf
from arena.ratings.elo.rating import DECIMALS, ELO, Ratings
from arena.ratings.full.encounters import Encounters, encounters


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
