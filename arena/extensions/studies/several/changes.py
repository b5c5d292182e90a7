"""Changes from version to version of a bot.

Each version is a separate bot in one fit, so that all are measured on the same scale even if
opponents change. Each is compared with the one before: the test asks whether the interval of their
difference would hold 0, adjusted for all steps (Holm).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from arena.ratings.elo.rating import EloDifference, RatingFit, difference
from arena.ratings.probability import LEAST_P, LEVEL, NORMAL_95, digits, holm, normal_cdf


class VersionChange(EloDifference, frozen=True):
    """Change to the version ``name`` from the one before."""

    low: float | None
    high: float | None
    p: float | None
    """Two-sided p-value of no change; None without an interval."""
    p_holm: float | None
    is_change: bool
    """True if the difference is significant: ``p_holm`` is at most 0.05."""


class VersionChanges(NamedTuple):
    """Changes between versions, the oldest first."""

    steps: tuple[VersionChange, ...]
    whole: VersionChange | None
    """Change from the first to the last of at least three versions; not tested."""


def changes(ratings: RatingFit, versions: Sequence[str]) -> VersionChanges:
    """Return the changes between ``versions``, at least two names, the oldest first.

    Steps skip versions without a rating.
    """
    rated = [name for name in versions if ratings.of(name).value is not None]
    pairs = list(zip(rated[1:], rated, strict=False))
    found = [_step(ratings, later, earlier) for later, earlier in pairs]
    tested = [step.p for step in found if step.p is not None]
    adjusted = iter(holm(tested))
    steps = tuple(step if step.p is None else _judged(step, next(adjusted)) for step in found)
    whole = None
    if len(rated) > 2:
        whole = msgspec.structs.replace(_step(ratings, rated[-1], rated[0]), p=None, p_holm=None)
    return VersionChanges(steps, whole)


def _judged(step: VersionChange, p_holm: float) -> VersionChange:
    return msgspec.structs.replace(
        step, p=digits(step.p or 0.0), p_holm=digits(p_holm), is_change=p_holm <= LEVEL
    )


def _step(ratings: RatingFit, later: str, earlier: str) -> VersionChange:
    found = difference(ratings, later, earlier)
    p = None
    if found.low is not None:
        one, other = (np.array([ratings.entrants.index(name)]) for name in (later, earlier))
        sides, _ = ratings.spread.of_pairs(one, other)
        nats = float(ratings.point.x[one[0]] - ratings.point.x[other[0]])
        side = float((sides.below if nats > 0 else sides.above)[0])
        p = max(LEAST_P, 2.0 * normal_cdf(-NORMAL_95 * abs(nats) / side))
    return VersionChange(later, earlier, found.elo, found.low, found.high, p, p, is_change=False)
