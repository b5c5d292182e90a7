"""How strong a bot was from version to version, and which change is more than noise.

Each version is a bot of its own in one fit, so that all are measured on the same scale however
opponents changed. Each is compared with the one before: the test asks whether the interval of their
difference would hold 0, with all steps considered (Holm).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from arena.ratings.elo.rating import Bound, Ratings, difference
from arena.ratings.probability import LEAST_P, LEVEL, NORMAL_95, digits, holm, normal_cdf


class Point(msgspec.Struct, frozen=True):
    """One version."""

    name: str
    digest: str
    """Of its files; empty where that is not known."""
    first: str
    """When its first game was played, UTC, ISO 8601."""
    last: str
    games: int
    elo: float | None
    low: float | None
    high: float | None
    bound: Bound
    """As of ``Rating``, like the numbers around it."""
    limit: float | None


class Step(msgspec.Struct, frozen=True):
    """From one version to the next."""

    name: str
    """The later one."""
    other: str
    elo: float | None
    """By how much it is stronger; None if results do not connect the two."""
    low: float | None
    high: float | None
    p: float | None
    """Two-sided; None without an interval."""
    p_holm: float | None
    is_change: bool
    """Whether that is more than noise: ``p_holm`` is at most 0.05."""


class History(msgspec.Struct, frozen=True):
    """All versions, the oldest first."""

    bot: str
    versions: tuple[Point, ...]
    steps: tuple[Step, ...]
    whole: Step | None
    """From the first to the last of three and more; not tested."""


def history(ratings: Ratings, bot: str, versions: Sequence[Point]) -> History:
    """``versions``: the oldest first, two and more; those without a rating are passed over."""
    rated = [each for each in versions if each.elo is not None]
    pairs = list(zip(rated[1:], rated, strict=False))
    found = [_step(ratings, later.name, earlier.name) for later, earlier in pairs]
    tested = [step.p for step in found if step.p is not None]
    adjusted = iter(holm(tested))
    steps = tuple(step if step.p is None else _judged(step, next(adjusted)) for step in found)
    whole = None
    if len(rated) > 2:
        whole = msgspec.structs.replace(
            _step(ratings, rated[-1].name, rated[0].name), p=None, p_holm=None
        )
    return History(bot, tuple(versions), steps, whole)


def _judged(step: Step, p_holm: float) -> Step:
    return msgspec.structs.replace(
        step, p=digits(step.p or 0.0), p_holm=digits(p_holm), is_change=p_holm <= LEVEL
    )


def _step(ratings: Ratings, later: str, earlier: str) -> Step:
    found = difference(ratings, later, earlier)
    p = None
    if found.low is not None:
        one, other = (np.array([ratings.entrants.index(name)]) for name in (later, earlier))
        sides, _ = ratings.spread.of_pairs(one, other)
        nats = float(ratings.point.x[one[0]] - ratings.point.x[other[0]])
        side = float((sides.below if nats > 0 else sides.above)[0])
        p = max(LEAST_P, 2.0 * normal_cdf(-NORMAL_95 * abs(nats) / side))
    return Step(later, earlier, found.elo, found.low, found.high, p, p, is_change=False)
