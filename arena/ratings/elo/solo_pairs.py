"""Solo games in pairs: every two entrants on the deals that both have played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

import msgspec
import numpy as np
from msgspec.structs import replace

from arena.ratings.counting.rows import Ints
from arena.ratings.counting.solo import ABSENT, FORFEIT, SoloTally
from arena.ratings.elo.quantile import quantile_95, superiority
from arena.ratings.elo.rating import stable
from arena.ratings.full.p_values import LEAST, LEVEL, digits, holm


class SoloPair(msgspec.Struct, frozen=True):
    """One entrant against another. A forfeit counts the worst score."""

    name: str
    other: str
    deals: int
    """That both have played."""
    difference: float
    """Mean of own score minus that of the other."""
    error: float | None
    """Half-width of the 95 % interval of ``difference``; None with one deal or without spread."""
    better: int
    """Deals with a better score than the other."""
    equal: int
    worse: int
    superiority: float | None
    """The likelihood that ``name`` is better in the long run (LOS)."""
    p: float
    """Two-sided, of no difference; 1 where nothing can be said."""
    p_holm: float
    """Adjusted for all pairs with common deals."""
    significant: bool
    """Whether ``p_holm`` is at most 0.05."""

    def mirrored(self) -> SoloPair:
        """The same from the side of ``other``."""
        return replace(
            self,
            name=self.other,
            other=self.name,
            difference=stable(-self.difference),
            better=self.worse,
            worse=self.better,
            superiority=None if self.superiority is None else stable(1.0 - self.superiority),
        )


def solo_pairs(tally: SoloTally, names: tuple[str, ...]) -> tuple[SoloPair, ...]:
    """Every pair with common deals, once, in the order of ``names``."""
    scores = np.array([scores_of(tally, name) for name in names], np.int64)
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


def solo_pair(tally: SoloTally, name: str, other: str) -> SoloPair | None:
    """One pair, ``p`` not adjusted for any other; None without common deals."""
    others = scores_of(tally, other)[None]
    return next(_against(name, scores_of(tally, name), (other,), others, tally), None)


def scores_of(tally: SoloTally, name: str) -> Ints:
    """By deal; a forfeit counts the worst score, and ABSENT stays."""
    scores = np.array(tally.scores(name), np.int64)
    scores[scores == FORFEIT] = tally.worst_score
    return scores


def deviation_of_mean(count: int, total: int, squares: int) -> float | None:
    """From exact sums of values; None with one value, or if all are equal."""
    spread = count * squares - total**2
    return sqrt(spread / (count**2 * (count - 1))) if spread else None


def _against(
    name: str, own: Ints, others: Sequence[str], scores: Ints, tally: SoloTally
) -> Iterator[SoloPair]:
    """The pairs of one with those ``others`` with whom it has common deals."""
    common = (own != ABSENT) & (scores != ABSENT)
    differences = np.where(common, own - scores, 0)  # with ABSENT it wraps around
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


def _pair(name: str, other: str, numbers: list[int], less_is_better: bool) -> SoloPair:
    deals, total, squares, above, below = numbers
    deviation = deviation_of_mean(deals, total, squares)
    lead = -total / deals if less_is_better else total / deals
    los, p = None, 1.0
    if deviation:
        los = superiority(lead, deviation, deals, deals - 1)
        p = max(LEAST, 2.0 * superiority(-abs(lead), deviation, deals, deals - 1))
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
