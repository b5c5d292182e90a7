"""Results of a fit: ratings, seat terms, their errors, and the difference of any pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec
import numpy as np

from arena.ratings.counting.arrays import Bools, Floats, Ints, TallyArrays
from arena.ratings.counting.encounters import EncounterArrays, encounters
from arena.ratings.elo.scale import ELO, Model
from arena.ratings.elo.spread import Spread
from arena.ratings.elo.strengths import ObjectivePoint
from arena.values.results import FaultKind

DECIMALS: Final = 6
"""Decimals of every reported number; further decimals differ with the machine's linear algebra."""


def stable(number: float) -> float:
    """Round a number to DECIMALS, equal on every machine and never a negative zero."""
    return round(float(number), DECIMALS) + 0.0


@dataclass(frozen=True)
class Estimate:
    """Quantity in Elo with the half-width of its 95 % interval, None if there is no interval."""

    elo: float
    error: float | None


@dataclass(frozen=True)
class SeatTerm:
    """Advantage of a seat over the mean seat of its discipline."""

    discipline: str
    seats: int
    seat: int
    elo: float
    error: float | None


class Bound(StrEnum):
    """Sides on which the results bound a rating."""

    BOTH = ""
    """The rating is bounded on both sides."""
    BELOW = "<"
    """As far as points show, everybody else is stronger: the rating may be any amount lower."""
    ABOVE = ">"
    """As far as points show, everybody else is weaker: the rating may be any amount higher."""
    OPEN = "?"
    """The rating is open on both sides: no chain of points, or only through open ratings."""


class ValueUnit(NamedTuple):
    """Unit of the values of a table."""

    name: str
    """``Elo``, or what a score counts, as a plural noun."""
    decimals: int
    """Number of decimals that are shown."""
    less_is_better: bool = False

    @property
    def is_elo(self) -> bool:
        """True for ratings, False for mean scores."""
        return self == ELO_UNIT


ELO_UNIT: Final = ValueUnit("Elo", 0)


class ScorePair(msgspec.Struct, frozen=True):
    """Comparison of the mean scores of two entrants. A forfeit counts as the worst score."""

    name: str
    other: str
    deals: int
    """Number of deals that both have played; of blocks that one of them has, if these are rated."""
    difference: float
    """Mean score of ``name`` minus that of ``other``."""
    error: float | None
    """Half-width of the 95 % interval of ``difference``; None with one deal or without spread."""
    better: int
    """Number of deals with a better score than the other."""
    equal: int
    worse: int
    superiority: float | None
    """Likelihood that ``name`` is better in the long run (LOS)."""
    p: float
    """Two-sided p-value of no difference; 1 if nothing is known."""
    p_holm: float
    """``p`` adjusted for all pairs with common deals (Holm)."""
    significant: bool
    """True if ``p_holm`` is at most 0.05."""

    def mirrored(self) -> ScorePair:
        """Return the comparison from the side of ``other``."""
        return msgspec.structs.replace(
            self,
            name=self.other,
            other=self.name,
            difference=stable(-self.difference),
            better=self.worse,
            worse=self.better,
            superiority=None if self.superiority is None else stable(1.0 - self.superiority),
        )


@dataclass(frozen=True)
class Rated:
    """Rated entrant: its value with the interval and, as row of a table, its results."""

    name: str
    value: float | None
    """Rating in Elo, or mean score; None if the entrant was not compared or did not play. Outside
    the core of a fit the prior matters."""
    error: float | None
    """Half the width of the 95 % interval. None for the anchor, outside the core, with too few
    blocks or deals, and if all of them have equal results."""
    low: float | None
    """Lower end of the interval; it and ``high`` are None if ``error`` is."""
    high: float | None
    bound: Bound = Bound.BOTH
    limit: float | None = None
    """One-sided 97.5 % limit in Elo for a perfect or zero score against the core."""
    group: int | None = None
    """Group number, 0 for the core or the largest group. None if the entrant was not compared; in
    a table also if results connect all entrants."""
    rank: int | None = None
    """Rank by value, 1 is best. Equal values share the better rank; entrants without a value share
    the last. None for an entrant without a place, see ``placed``."""
    games: int = 0
    faults: dict[FaultKind, int] = field(default_factory=dict)
    points: float = 0.0
    """Sum over games of the mean score against the seats of other entrants, each 0 … 1. On a solo
    deal, the score is against the other entrants that played the deal. In a table of mean scores
    this and the next four are empty."""
    wins: int = 0
    """Number of games in which the entrant alone had the first place."""
    draws: int = 0
    """Number of games in which the entrant shared the first place."""
    losses: int = 0
    """Number of other games. Two faulty seats both lose, even if they are placed first."""
    score: float | None = None
    """Points per game, 0 … 1; None without a game against others."""
    standard_error: float | None = None
    """Standard error of the mean score. In a table of ratings this and the next four are empty."""
    best: float | None = None
    worst: float | None = None
    paired: ScorePair | None = None
    """Comparison with the reference; None for itself, and without a deal that both have played."""
    forfeits: int = 0
    """Number of games that a fault ended."""

    @property
    def letters(self) -> str | None:
        """Letters of the group: A is the core, if any."""
        return None if self.group is None else group_letters(self.group)


def group_letters(number: int) -> str:
    """Return the letters of a group number: 0 … 25 as A … Z, then AA, AB and so on."""
    letters = ""
    while number >= 0:
        letters = chr(ord("A") + number % 26) + letters
        number = number // 26 - 1
    return letters


@dataclass(frozen=True)
class RatingFit:
    """Result of a fit. Entrants are sorted by name; ``ratings`` has the same order."""

    entrants: tuple[str, ...]
    ratings: tuple[Rated, ...]
    model: Model
    """Settings of the fit. Their mean is that of the core, or else of all rated entrants."""
    blocks: int
    """Number of blocks in which at least two entrants were compared."""
    seats: tuple[SeatTerm, ...]
    seat_advantage: Estimate | None
    """Advantage of seat 0 over seat 1; None unless exactly one discipline has two seats."""
    core: Bools
    arrays: TallyArrays
    point: ObjectivePoint
    spread: Spread

    @property
    def anchor(self) -> str | None:
        """Name of the only anchor if it is exact, otherwise None."""
        return self.model.anchor

    @property
    def anchor_elo(self) -> float:
        """Elo of the first anchor, or of the mean without anchors."""
        return self.model.level

    def of(self, name: str) -> Rated:
        """Return the rating of an entrant. Raises KeyError for an unknown name."""
        if name not in self.entrants:
            raise KeyError(name)
        return self.ratings[self.entrants.index(name)]


class EntrantPair(msgspec.Struct, frozen=True):
    """Two entrants; all numbers are from the side of ``name``."""

    name: str
    other: str


class EloDifference(EntrantPair, frozen=True):
    """Difference of strength."""

    elo: float | None
    """Difference in Elo; None between groups, which results do not compare."""


class Difference(EloDifference, frozen=True):
    """Difference of strength between ``name`` and ``other``."""

    error: float | None
    """Half the width of the 95 % interval; None between groups, or without spread."""
    low: float | None
    """Lower end of the interval; it and ``high`` are None if ``error`` is."""
    high: float | None
    superiority: float | None
    """Likelihood that ``name`` is stronger (LOS)."""


def difference(ratings: RatingFit, name: str, other: str) -> Difference:
    """Return the difference of one pair. Raises ValueError for an unknown name."""
    pair = (ratings.entrants.index(name), ratings.entrants.index(other))
    (found,) = _differences(ratings, np.array(pair[:1]), np.array(pair[1:]), None)
    return found


def differences(
    ratings: RatingFit, names: Sequence[str], met: EncounterArrays
) -> Iterator[Difference]:
    """Return every ordered pair in the order of ``names``.

    ``met`` are the encounters of the tally.
    """
    places = np.array([ratings.entrants.index(name) for name in names], np.int64)
    first, second = np.repeat(places, len(places)), np.tile(places, len(places))
    apart = first != second
    return _differences(ratings, first[apart], second[apart], met)


def _differences(
    ratings: RatingFit, first: Ints, second: Ints, met: EncounterArrays | None
) -> Iterator[Difference]:
    """Yield the difference, its interval and the superiority of each pair of entrants.

    ``met``: their encounters; None: they are counted here.

    Between groups only a direct whitewash in N blocks gives a likelihood: 1 - 2^-(N+1), from a flat
    prior on winning a block.
    """
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


def superiority(ratings: RatingFit, name: str, other: str) -> float | None:
    """Return the likelihood that ``name`` is stronger than ``other``. Raises as ``difference``."""
    return difference(ratings, name, other).superiority
