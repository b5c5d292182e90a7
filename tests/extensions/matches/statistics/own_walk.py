"""The correction for a stop by docs/formulas.md, with chances from the backward equation.

It is solved on a grid (Crank and Nicolson), not by a sum over images.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
import pytest

from arena.extensions.matches.statistics.match import Match
from arena.extensions.matches.statistics.report import Range
from tests.extensions.matches.statistics.own_numbers import Z

integrate = pytest.importorskip("scipy.integrate")
linalg = pytest.importorskip("scipy.linalg")
optimize = pytest.importorskip("scipy.optimize")
stats = pytest.importorskip("scipy.stats")

FIRST = 20
"""Deals at the first look."""
CELLS = 800
"""Cells of the grid between the bounds."""
STEPS = 250
"""Steps of time, growing."""


class Outcome:
    """How a test ended, as a Brownian motion with a drift that is first looked at after 20 deals.

    ``plain``: the estimate with its limits on the scale of the hypotheses.
    """

    def __init__(self, match: Match, plain: tuple[float, float, float]) -> None:
        value, low, high = plain
        test = match.test
        middle = (test.elo0 + test.elo1) / 2
        error = (value - low if value > middle else high - value) / Z
        self.deals = match.blocks / len(match.reports())
        root = sqrt(self.deals)
        self.end = root * (value - middle) / error
        self.is_open = match.decision is None or match.decision.verdict == "inconclusive"
        unit = error * root / (test.elo1 - test.elo0) if self.is_open else self.end / match.llr
        self.bounds = [bound * unit for bound in match.bounds]
        reached = self.bounds[int(self.end > 0)]
        time = self.deals if self.is_open else self.deals * reached / self.end
        self.time = max(float(FIRST), time)

    def corrections(self) -> list[float]:
        """Return standard errors from the plain estimate to the corrected one and its limits."""
        if self.deals <= FIRST:
            return [0.0, Z, -Z]
        root, plain = sqrt(self.deals), self.end / self.deals
        reach = 5 / root
        drifts = [
            optimize.brentq(self._above(share), plain - reach, plain + reach, xtol=1e-4 * reach)
            for share in (0.5, 0.975, 0.025)
        ]
        return [(self.end - drift * self.deals) / root for drift in drifts]

    def _above(self, share: float) -> Callable[[float], float]:
        return lambda drift: self.chance(drift) - share

    def chance(self, drift: float) -> float:
        """Return the chance of outcomes up to this one: a fail, then none, then a late pass."""
        low, high = self.bounds
        first = stats.norm(drift * FIRST, sqrt(FIRST))
        places = np.linspace(low, high, CELLS + 1)
        if self.is_open or self.end < 0:
            chances = self._evolved(places, drift, (1.0, 0.0))
            return float(first.cdf(low) + integrate.trapezoid(chances * first.pdf(places), places))
        chances = self._evolved(places, drift, (0.0, 1.0))
        return float(first.cdf(high) - integrate.trapezoid(chances * first.pdf(places), places))

    def _evolved(self, places: np.ndarray, drift: float, ends: tuple[float, float]) -> np.ndarray:
        """Return the chance from each place at the first look; ``ends``: that at the bounds."""
        width = places[1] - places[0]
        inside = np.clip((self.end - places) / width + 0.5, 0, 1) if self.is_open else 0 * places
        if self.time <= FIRST:
            return inside
        inside[[0, -1]] = ends
        down, up = (0.5 / width**2 + sign * drift / (2 * width) for sign in (-1, 1))
        times = (self.time - FIRST) * (np.arange(STEPS + 1) / STEPS) ** 2
        for k, step in enumerate(np.diff(times)):
            share = 1.0 if k < 8 else 0.5  # the jumps at the bounds need implicit steps first
            known = inside.copy()
            known[1:-1] += (step * (1 - share)) * (
                down * inside[:-2] - (down + up) * inside[1:-1] + up * inside[2:]
            )
            matrix = np.zeros((3, len(places)))
            matrix[1] = 1
            matrix[1, 1:-1] += step * share * (down + up)
            matrix[0, 2:] = -step * share * up
            matrix[2, :-2] = -step * share * down
            inside = linalg.solve_banded((1, 1), matrix, known)
        return inside


def moved(plain: Range, corrections: Sequence[float]) -> list[float | None]:
    """Return value and limits moved down from ``plain`` by ``corrections`` standard errors."""
    found: list[float | None] = []
    for z in corrections:
        limit = plain.low if z > 0 else plain.high
        missing = plain.value is None or limit is None
        found.append(None if missing else plain.value - abs(z) / Z * (plain.value - limit))
    return found


def average(games: Sequence[Range]) -> Range:
    """Return the mean of disciplines with as many games in a block."""
    value, below, above = (
        np.array(part) / len(games)
        for part in (
            [each.value for each in games],
            [each.value - each.low for each in games],
            [each.high - each.value for each in games],
        )
    )
    mean = float(value.sum())
    return Range(mean, mean - sqrt((below**2).sum()), mean + sqrt((above**2).sum()))
