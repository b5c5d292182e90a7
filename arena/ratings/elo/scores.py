"""Tables of mean scores, and pairs compared on the deals that both have played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import fsum, sqrt
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from arena.ratings.counting.arrays import Ints
from arena.ratings.counting.scored import ABSENT, FORFEIT, SoloTally
from arena.ratings.elo.rating import Rated, ScorePair, ValueUnit, stable
from arena.ratings.elo.standings import Standings
from arena.ratings.probability import LEAST_P, LEVEL, digits, holm, quantile_95, superiority

_NOTHING: Final = 1e-12
"""Sum of squares that rounding can reach."""


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


def score_standings(tally: SoloTally, *, anchor: str | None = None) -> Standings:
    """Rank the entrants of a tally of scores by their means.

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
    rows = [_row(tally, name, ranks[name], means[name], scores[name], reference) for name in order]
    return Standings(
        rows=tuple(rows),
        unit=ValueUnit(tally.score, 2, tally.less_is_better),
        blocks=len(tally.deals),
        first_over_second=score_superiority(tally, *order[:2]) if len(order) > 1 else None,
        worst_score=_shown(tally.worst_score, tally.unit),
        reference=reference,
        complete=of_blocks or all(row.games in (0, len(tally.deals)) for row in rows),
        of_blocks=of_blocks,
    )


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


def _row(
    tally: SoloTally,
    name: str,
    rank: int,
    mean: _Mean | None,
    scores: Ints,
    reference: str | None,
) -> Rated:
    played = scores[scores != ABSENT]
    extremes = (int(played.min()), int(played.max())) if mean else (None, None)
    worst, best = extremes[::-1] if tally.less_is_better else extremes
    paired = None
    if reference is not None and name != reference:
        paired = _score_pair(tally, name, reference)
    value = None if mean is None else stable(float(mean.value))
    error = None if mean is None else mean.error
    deviation = mean and mean.deviation
    return Rated(
        name=name,
        value=value,
        error=error,
        low=None if value is None or error is None else value - error,
        high=None if value is None or error is None else value + error,
        rank=rank,
        games=len(played) if tally.games is None else tally.games.get(name, 0),
        faults=tally.faults(name),
        standard_error=None if deviation is None else stable(deviation),
        best=None if best is None else _shown(best, tally.unit),
        worst=None if worst is None else _shown(worst, tally.unit),
        paired=paired,
        forfeits=tally.scores(name).count(FORFEIT),
    )


def score_superiority(tally: SoloTally, name: str, other: str) -> float | None:
    """Return the likelihood that ``name`` is better than ``other`` in the long run."""
    pair = _score_pair(tally, name, other)
    return None if pair is None else pair.superiority


def score_pairs(tally: SoloTally, names: tuple[str, ...]) -> tuple[ScorePair, ...]:
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


def _score_pair(tally: SoloTally, name: str, other: str) -> ScorePair | None:
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
) -> Iterator[ScorePair]:
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
        deals, total, squares, above, below = row
        if deals:
            deviation = _deviation_of_mean(deals, total, squares)
            better, worse = (below, above) if tally.less_is_better else (above, below)
            counts = (better, deals - better - worse, worse)
            yield _pair(tally, name, other, deals, total / deals, deviation, deals, counts)


def _apart(
    name: str, own: Ints, others: Sequence[str], scores: Ints, tally: SoloTally
) -> Iterator[ScorePair]:
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
        yield _pair(tally, name, other, blocks, difference, deviation, least)


def _pair(
    tally: SoloTally,
    name: str,
    other: str,
    deals: int,
    difference: float,
    deviation: float | None,
    observations: int,
    counts: tuple[int, int, int] = (0, 0, 0),
) -> ScorePair:
    """Return a pair from the mean difference and its standard error.

    ``counts``: numbers of deals on which ``name`` was better, equal and worse.
    """
    lead = -difference if tally.less_is_better else difference
    error, los, p = None, None, 1.0
    if deviation:
        freedom = observations - 1
        error = stable(deviation * quantile_95(observations, freedom) / tally.unit)
        los = stable(superiority(lead, deviation, observations, freedom))
        p = max(LEAST_P, 2.0 * superiority(-abs(lead), deviation, observations, freedom))
    return ScorePair(
        name=name,
        other=other,
        deals=deals,
        difference=stable(difference / tally.unit),
        error=error,
        better=counts[0],
        equal=counts[1],
        worse=counts[2],
        superiority=los,
        p=p,
        p_holm=1.0,
        significant=False,
    )
