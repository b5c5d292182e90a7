"""Score matching: the strengths at which every expected score equals the observed one.

A game of n seats, or a solo deal that n entrants played, is cut into its pairs. A pair
scores 1, 1/2 or 0; its expected score is logistic in the difference of strength plus seat
terms; its weight is 3/(n+1). The strengths maximise

    sum w [y ln s(d) + (1-y) ln s(-d)]  +  prior * sum over parameters [ln s(x) + ln s(-x)]

The prior gives each entrant, and each seat, ``prior`` wins and as many losses against a
ghost of strength 0. It keeps all strengths finite and the information matrix invertible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.ratings.counting.arrays import TallyArrays
from arena.ratings.counting.rows import Floats, Ints, Rows, added
from arena.ratings.elo import linear

STEP: Final = 2.0
"""Nats: no parameter moves further in one iteration."""
TOLERANCE: Final = 1e-10
ITERATIONS: Final = 200


@dataclass(frozen=True)
class Point:
    """The objective at ``x`` with its first and (negative) second derivatives."""

    x: Floats
    objective: float
    gradient: Floats
    information: Floats


def logistic(difference: Floats) -> Floats:
    """Expected score for a difference of strength in nats; safe for any size."""
    return 1.0 / (1.0 + np.exp(-np.clip(difference, -40.0, 40.0)))


def log_logistic(difference: Floats) -> Floats:
    """The logarithm of ``logistic``; safe for any size."""
    return -np.logaddexp(0.0, -difference)


def solve(arrays: TallyArrays, prior: float) -> Point:
    """The maximum, by Newton steps from 0, capped and halved while they do not climb."""
    point = _evaluate(arrays.rows, np.zeros(arrays.size), prior)
    for _ in range(ITERATIONS if arrays.size else 0):
        step = linear.solve(point.information, point.gradient)
        length = float(np.abs(step).max())
        step *= min(1.0, STEP / max(length, TOLERANCE))
        slack = 1e-12 * abs(point.objective)
        following = _evaluate(arrays.rows, point.x + step, prior)
        while following.objective < point.objective - slack:
            step = step / 2
            following = _evaluate(arrays.rows, point.x + step, prior)
        point = following
        if length < TOLERANCE:
            break
    return point


def scatter(values: Floats, a: Ints, b: Ints, size: int) -> Floats:
    """A size x size matrix: values added up at [a, b]."""
    return added(a * size + b, values, size * size).reshape(size, size)


def _evaluate(rows: Rows, x: Floats, prior: float) -> Point:
    difference = rows.difference(x)
    expected = logistic(difference)
    ghost = logistic(x)
    fits = rows.score * log_logistic(difference)
    fits += (rows.games - rows.score) * log_logistic(-difference)
    objective = (rows.weight * fits).sum() + prior * (log_logistic(x) + log_logistic(-x)).sum()
    residual = rows.weight * (rows.score - rows.games * expected)
    slope = rows.weight * rows.games * expected * (1.0 - expected)
    # One more than there are parameters: the last stands for no seat.
    size = len(x) + 1
    gradient, information = np.zeros(size), np.zeros((size, size))
    for a, sign in rows.parameters():
        gradient += sign * added(a, residual, size)
        for b, other_sign in rows.parameters():
            information += sign * other_sign * scatter(slope, a, b, size)
    return Point(
        x,
        float(objective),
        gradient[:-1] + prior * (1.0 - 2.0 * ghost),
        information[:-1, :-1] + np.diag(2.0 * prior * ghost * (1.0 - ghost)),
    )
