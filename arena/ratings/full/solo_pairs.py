"""Solo games in pairs: every two entrants on the deals that both have played."""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
from msgspec.structs import replace

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
    scores = np.array([tally.scores(name) for name in names], np.int64)
    scores = scores.reshape(len(names), len(tally.deals))
    played = scores != ABSENT
    scores = np.where(scores == FORFEIT, tally.worst_score, np.where(played, scores, 0))
    found = []
    for k, name in enumerate(names):
        common = played[k] & played[k + 1 :]
        differences = np.where(common, scores[k] - scores[k + 1 :], 0)
        columns = (
            common.sum(axis=1),
            differences.sum(axis=1),
            (differences**2).sum(axis=1),
            (differences > 0).sum(axis=1),
            (differences < 0).sum(axis=1),
        )
        for other, row in zip(names[k + 1 :], np.stack(columns, axis=1).tolist(), strict=True):
            if row[0]:
                found.append(_pair(name, other, row, tally.less_is_better))
    adjusted = holm([pair.p for pair in found])
    return tuple(
        replace(pair, p=digits(pair.p), p_holm=digits(p), significant=p <= LEVEL)
        for pair, p in zip(found, adjusted, strict=True)
    )


def _pair(name: str, other: str, numbers: list[int], less_is_better: bool) -> SoloPair:
    deals, total, squares, above, below = numbers
    spread = deals * squares - total**2
    deviation = sqrt(spread / (deals**2 * (deals - 1))) if spread else 0.0
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
