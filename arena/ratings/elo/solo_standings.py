"""Tables of solo games: means, and pairs compared on the deals that both have played."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, sqrt
from typing import Final, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from arena.ratings.counting.arrays import Ints
from arena.ratings.counting.scored import ABSENT, FORFEIT, SoloTally
from arena.ratings.elo.rating import stable
from arena.ratings.probability import LEAST_P, LEVEL, digits, holm, quantile_95, superiority
from arena.results import FaultKind

_NOTHING: Final = 1e-12
"""Sum of squares that rounding can reach."""


class SoloPair(msgspec.Struct, frozen=True):
    """Comparison of two entrants. A forfeit counts as the worst score."""

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

    def mirrored(self) -> SoloPair:
        """Return the comparison from the side of ``other``."""
        return replace(
            self,
            name=self.other,
            other=self.name,
            difference=stable(-self.difference),
            better=self.worse,
            worse=self.better,
            superiority=None if self.superiority is None else stable(1.0 - self.superiority),
        )


@dataclass(frozen=True)
class PairedComparison:
    """Comparison of an entrant with the reference on the deals that both have played."""

    deals: int
    difference: float
    """Mean score of the entrant minus that of the reference."""
    error: float | None
    """Half-width of the 95 % interval of the difference; None as for ``SoloStanding``."""
    better: int
    """Number of deals with a better score than the reference."""
    equal: int
    worse: int


@dataclass(frozen=True)
class SoloStanding:
    """Row of a table. A game that a fault ended counts as the worst score."""

    rank: int | None
    """Rank by mean score, 1 is best. Equal means share the better rank; entrants without games
    share the last. None for an entrant without a place, see ``solo_placed``."""
    name: str
    games: int
    mean: float | None
    """Mean score; None without games, as ``best`` and ``worst``."""
    standard_error: float | None
    """Standard error of the mean; None with one game, or if all games have the same score."""
    error: float | None
    """Half-width of the 95 % interval of the mean, by Student's distribution below 100 games."""
    best: float | None
    worst: float | None
    paired: PairedComparison | None
    """None for the reference itself, and without a deal that both have played."""
    forfeits: int
    """Number of games that a fault ended."""
    faults: dict[FaultKind, int]


@dataclass(frozen=True)
class SoloStandings:
    """Table of solo games, best entrant first."""

    rows: tuple[SoloStanding, ...]
    score: str
    """Name of what is counted, as a plural noun."""
    less_is_better: bool
    worst_score: float
    reference: str | None
    """The anchor if it has played, otherwise the first entrant with the best mean, if any. None
    for blocks."""
    deals: int
    """Number of deals that were played."""
    complete: bool
    """True if everybody who has played has played all deals."""
    first_over_second: float | None
    """Likelihood that the first entrant is better than the second, from their common deals, or
    from all of their blocks."""
    of_blocks: bool = False
    """True for games of several seats: the mean of a block stands for the score of a deal."""


class _Mean(NamedTuple):
    """Mean with its standard error, None with one value or if all values are equal."""

    value: Fraction
    deviation: float | None
    values: int

    @property
    def error(self) -> float | None:
        """Half-width of the 95 % interval."""
        if self.deviation is None:
            return None
        return stable(self.deviation * quantile_95(self.values, self.values - 1))


def solo_standings(tally: SoloTally, *, anchor: str | None = None) -> SoloStandings:
    """Rank the entrants of a solo tally by their means.

    Raises ValueError for an unknown anchor.
    """
    if anchor is not None and anchor not in tally.entrants:
        raise ValueError(f"anchor {anchor!r} is not among the entrants")
    scores = {name: _scores_of(tally, name) for name in tally.entrants}
    sign = -1 if tally.less_is_better else 1
    means = {name: _mean(own[own != ABSENT], tally.unit) for name, own in scores.items()}
    ranked = [sign * mean.value for mean in means.values() if mean is not None]
    ranks = {name: _rank(mean, sign, ranked) for name, mean in means.items()}
    order = sorted(ranks, key=lambda name: (ranks[name], name))
    of_blocks = tally.games is not None
    reference = None if of_blocks else _reference(anchor, order, means)
    rows = [
        _standing(tally, name, ranks[name], means[name], scores[name], reference) for name in order
    ]
    first = _solo_pair(tally, *order[:2]) if len(order) > 1 else None
    return SoloStandings(
        rows=tuple(rows),
        score=tally.score,
        less_is_better=tally.less_is_better,
        worst_score=_shown(tally.worst_score, tally.unit),
        reference=reference,
        deals=len(tally.deals),
        complete=of_blocks or all(row.games in (0, len(tally.deals)) for row in rows),
        first_over_second=None if first is None else first.superiority,
        of_blocks=of_blocks,
    )


def solo_placed(whole: SoloStandings, tally: SoloTally, names: Set[str]) -> SoloStandings:
    """Return the table with ranks for ``names`` only, counted among these entrants."""
    ranks = sorted(row.rank for row in whole.rows if row.name in names and row.rank is not None)
    rows = tuple(
        dataclasses.replace(
            row, rank=1 + ranks.index(row.rank) if row.name in names and row.rank else None
        )
        for row in whole.rows
    )
    ahead = [row.name for row in rows if row.rank is not None][:2]
    first = _solo_pair(tally, *ahead) if len(ahead) == 2 else None
    chance = None if first is None else first.superiority
    return dataclasses.replace(whole, rows=rows, first_over_second=chance)


def _shown(score: int, unit: int) -> float:
    """Return a score in points; a whole number stays one."""
    return score if unit == 1 else stable(score / unit)


def _mean(values: Ints, unit: int) -> _Mean | None:
    """Return the mean of ``values``, in points; None without values.

    Sums are exact, so their order does not matter.
    """
    count = len(values)
    if not count:
        return None
    total, squares = int(values.sum()), int((values * values).sum())
    deviation = _deviation_of_mean(count, total, squares)
    return _Mean(Fraction(total, count * unit), deviation and deviation / unit, count)


def _rank(mean: _Mean | None, sign: int, ranked: list[Fraction]) -> int:
    if mean is None:
        return len(ranked) + 1
    return 1 + sum(other > sign * mean.value for other in ranked)


def _reference(
    anchor: str | None, order: list[str], means: Mapping[str, _Mean | None]
) -> str | None:
    wanted = order[:1] if anchor is None else [anchor, *order[:1]]
    return next((name for name in wanted if means[name] is not None), None)


def _standing(
    tally: SoloTally,
    name: str,
    rank: int,
    mean: _Mean | None,
    scores: Ints,
    reference: str | None,
) -> SoloStanding:
    played = scores[scores != ABSENT]
    extremes = (int(played.min()), int(played.max())) if mean else (None, None)
    worst, best = extremes[::-1] if tally.less_is_better else extremes
    paired = None
    if reference is not None and name != reference:
        paired = _paired(_solo_pair(tally, name, reference))
    deviation = mean and mean.deviation
    return SoloStanding(
        rank=rank,
        name=name,
        games=len(played) if tally.games is None else tally.games.get(name, 0),
        mean=stable(float(mean.value)) if mean else None,
        standard_error=None if deviation is None else stable(deviation),
        error=mean.error if mean else None,
        best=None if best is None else _shown(best, tally.unit),
        worst=None if worst is None else _shown(worst, tally.unit),
        paired=paired,
        forfeits=tally.scores(name).count(FORFEIT),
        faults=tally.faults(name),
    )


def _paired(pair: SoloPair | None) -> PairedComparison | None:
    if pair is None:
        return None
    return PairedComparison(
        pair.deals, pair.difference, pair.error, pair.better, pair.equal, pair.worse
    )


def solo_pairs(tally: SoloTally, names: tuple[str, ...]) -> tuple[SoloPair, ...]:
    """Return every pair with common deals once, in the order of ``names``."""
    scores = np.array([_scores_of(tally, name) for name in names], np.int64)
    scores = scores.reshape(len(names), len(tally.deals))
    found = [
        pair
        for k, name in enumerate(names)
        for pair in _against(name, scores[k], names[k + 1 :], scores[k + 1 :], tally)
    ]
    adjusted = holm([pair.p for pair in found])
    return tuple(
        replace(pair, p=digits(pair.p), p_holm=digits(p), significant=p <= LEVEL)
        for pair, p in zip(found, adjusted, strict=True)
    )


def _solo_pair(tally: SoloTally, name: str, other: str) -> SoloPair | None:
    """Return one pair with ``p`` not adjusted for other pairs; None without common deals."""
    others = _scores_of(tally, other)[None]
    return next(_against(name, _scores_of(tally, name), (other,), others, tally), None)


def _scores_of(tally: SoloTally, name: str) -> Ints:
    """Return the scores by deal. A forfeit counts as the worst score, and ABSENT stays."""
    scores = np.array(tally.scores(name), np.int64)
    scores[scores == FORFEIT] = tally.worst_score
    return scores


def _deviation_of_mean(count: int, total: int, squares: int) -> float | None:
    """Return the standard error of a mean from exact sums; None without spread.

    A single value, and values that are all equal, have no spread.
    """
    spread = count * squares - total**2
    return sqrt(spread / (count**2 * (count - 1))) if spread else None


def _against(
    name: str, own: Ints, others: Sequence[str], scores: Ints, tally: SoloTally
) -> Iterator[SoloPair]:
    """Yield the pairs of ``name`` with those ``others`` that share deals with it."""
    if tally.games is not None:
        yield from _apart(name, own, others, scores, tally)
        return
    common = (own != ABSENT) & (scores != ABSENT)
    differences = np.where(common, own - scores, 0)  # differences with ABSENT wrap around
    columns = (
        common.sum(axis=1),
        differences.sum(axis=1),
        (differences**2).sum(axis=1),
        (differences > 0).sum(axis=1),
        (differences < 0).sum(axis=1),
    )
    for other, row in zip(others, np.stack(columns, axis=1).tolist(), strict=True):
        if row[0]:
            yield _pair(name, other, row, tally.less_is_better)


def _apart(
    name: str, own: Ints, others: Sequence[str], scores: Ints, tally: SoloTally
) -> Iterator[SoloPair]:
    """Yield the pairs of ``name`` with ``others`` by the means of all their blocks.

    The difference of two means is a sum over blocks, which are independent. Its variance is that
    of this sum, so a block in which both have seats counts once.
    """
    mine = own != ABSENT
    for other, theirs in zip(others, scores, strict=True):
        here = theirs != ABSENT
        if not mine.any() or not here.any():
            continue
        first, second = own[mine].mean(), theirs[here].mean()
        parts = np.zeros(len(own))
        parts[mine] += (own[mine] - first) / mine.sum()
        parts[here] -= (theirs[here] - second) / here.sum()
        blocks, least = int((mine | here).sum()), int(min(mine.sum(), here.sum()))
        squares = fsum((parts * parts).tolist())
        deviation = (
            sqrt(squares * least / (least - 1)) if least > 1 and squares > _NOTHING else None
        )
        difference = float(first - second)
        lead, los, p = -difference if tally.less_is_better else difference, None, 1.0
        if deviation:
            los = superiority(lead, deviation, least, least - 1)
            p = max(LEAST_P, 2.0 * superiority(-abs(lead), deviation, least, least - 1))
        yield SoloPair(
            name=name,
            other=other,
            deals=blocks,
            difference=stable(difference / tally.unit),
            error=stable(deviation * quantile_95(least, least - 1) / tally.unit)
            if deviation
            else None,
            better=0,
            equal=0,
            worse=0,
            superiority=None if los is None else stable(los),
            p=p,
            p_holm=1.0,
            significant=False,
        )


def _pair(name: str, other: str, numbers: list[int], less_is_better: bool) -> SoloPair:
    deals, total, squares, above, below = numbers
    deviation = _deviation_of_mean(deals, total, squares)
    lead = -total / deals if less_is_better else total / deals
    los, p = None, 1.0
    if deviation:
        los = superiority(lead, deviation, deals, deals - 1)
        p = max(LEAST_P, 2.0 * superiority(-abs(lead), deviation, deals, deals - 1))
    better, worse = (below, above) if less_is_better else (above, below)
    return SoloPair(
        name=name,
        other=other,
        deals=deals,
        difference=stable(total / deals),
        error=stable(deviation * quantile_95(deals, deals - 1)) if deviation else None,
        better=better,
        equal=deals - better - worse,
        worse=worse,
        superiority=None if los is None else stable(los),
        p=p,
        p_holm=1.0,
        significant=False,
    )
