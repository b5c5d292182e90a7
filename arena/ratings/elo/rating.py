"""What a fit says: ratings, seat terms, how far they scatter, and the difference of any pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec
import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Ints, TallyArrays
from arena.ratings.counting.encounters import Encounters, encounters
from arena.ratings.elo.scale import ELO, Model
from arena.ratings.elo.spread import Spread
from arena.ratings.elo.strengths import Point

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
    """Half the width of the 95 % interval; None for the anchor, outside the core, with too few
    blocks, or if all blocks of the core went alike."""
    low: float | None
    """The ends of the interval; None as ``error``."""
    high: float | None
    bound: Bound
    limit: float | None
    """One-sided 97.5 % limit in Elo for a perfect or zero score against the core."""
    group: int | None
    """0 for the core or the largest group; None if compared with nobody."""


@dataclass(frozen=True)
class Ratings:
    """A fit. Entrants are sorted by name; ``ratings`` runs in the same order."""

    entrants: tuple[str, ...]
    ratings: tuple[Rating, ...]
    model: Model
    """Its mean is that of the core; without a core of all rated."""
    blocks: int
    """In which at least two entrants were compared."""
    seats: tuple[SeatTerm, ...]
    seat_advantage: Estimate | None
    """Seat 0 over seat 1; None unless exactly one discipline has two seats."""
    core: Bools
    arrays: TallyArrays
    point: Point
    spread: Spread

    @property
    def anchor(self) -> str | None:
        """The only anchor, if it is exact."""
        return self.model.anchor

    @property
    def anchor_elo(self) -> float:
        """Of the first anchor, or of the mean."""
        return self.model.level

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
    """None between groups: results do not compare them."""
    error: float | None
    """Half the width of the 95 % interval; None between groups, or without spread."""
    low: float | None
    """The ends of the interval; None as ``error``."""
    high: float | None
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
    """Between groups only a direct whitewash in N blocks says something: 1 - 2^-(N+1), from a
    flat prior on winning a block."""
    strengths = ratings.point.x
    nats = strengths[first] - strengths[second]
    sides, known = ratings.spread.of_pairs(first, second)
    low, high = nats - sides.below, nats + sides.above
    superiority = np.where(known, sides.superiority(nats), np.nan)
    group = np.array([-1 if own.group is None else own.group for own in ratings.ratings])
    between = (group[first] != group[second]) | (group[first] < 0)
    if between.any():
        met = encounters(ratings.arrays) if met is None else met
        score, games = met.score[first, second], met.games[first, second]
        white = (games > 0) & between & ((score == 0) | (score == games))
        unlikely = 0.5 ** (met.blocks[first, second] + 1)
        superiority[white] = np.where(score > 0, 1.0 - unlikely, unlikely)[white]
    elo = np.where(between, np.nan, ELO * nats)
    ends = [np.where(known, ELO * each, np.nan) for each in ((high - low) / 2, low, high)]
    columns = (_stable(values) for values in (elo, *ends, superiority))
    places = zip(first.tolist(), second.tolist(), strict=True)
    for (i, j), values in zip(places, zip(*columns, strict=True), strict=True):
        yield Difference(ratings.entrants[i], ratings.entrants[j], *values)


def _stable(values: Floats) -> list[float | None]:
    rounded = (np.round(values, DECIMALS) + 0.0).tolist()
    return [value if value == value else None for value in rounded]  # NaN differs from itself
