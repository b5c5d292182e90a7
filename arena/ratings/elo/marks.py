"""Which ratings the results leave open, on which side, and how far they do bound them."""

from __future__ import annotations

from enum import StrEnum
from math import log
from typing import Final

import numpy as np

from arena.ratings.counting.arrays import TallyArrays
from arena.ratings.counting.graph import Bools
from arena.ratings.counting.rows import Floats
from arena.ratings.elo.newton import log_logistic

TAIL: Final = 0.025
"""Probability of the perfect score at the one-sided limit."""


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


def bound(reach: Bools, core: Bools, entrant: int) -> Bound:
    """The mark of an entrant against the ``core``, or against everybody if there is none.

    ``reach`` is the closure of "scored against"; the core is strongly connected.
    """
    if core[entrant]:
        return Bound.BOTH
    others = core if core.any() else np.arange(len(core)) != entrant
    up = bool(reach[entrant, others].any())
    down = bool(reach[others, entrant].any())
    if up == down:
        return Bound.OPEN
    return Bound.ABOVE if up else Bound.BELOW


def limit(
    arrays: TallyArrays, x: Floats, entrant: int, opponents: Bools, mark: Bound
) -> float | None:
    """The strength, nats, at which a perfect score against ``opponents`` has chance TAIL.

    Their strengths and the seat terms are taken as known. A block counts as one
    observation, however many games it has: those of one deal may all go one way. None if
    they never met, or for a mark that is not one-sided.
    """
    if mark not in (Bound.ABOVE, Bound.BELOW):
        return None
    rows = arrays.rows
    first = (rows.first == entrant) & opponents[rows.second]
    second = (rows.second == entrant) & opponents[rows.first]
    games = np.concatenate([rows.games[first], rows.games[second]])
    if not games.sum():
        return None
    edge = rows.difference(x)
    edges = np.concatenate([edge[first], -edge[second]]) - x[entrant]
    share = games * arrays.blocks_against(opponents)[entrant] / games.sum()
    sign = 1.0 if mark is Bound.ABOVE else -1.0
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        if (share * log_logistic(middle + sign * edges)).sum() < log(TAIL):
            low = middle
        else:
            high = middle
    return sign * high
