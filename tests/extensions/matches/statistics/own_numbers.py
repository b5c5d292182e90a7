"""Figures of a match by formulas of docs/formulas.md and methods of their own.

Nothing of ``arena.ratings`` is called. Constrained likelihoods come from a search over the mean,
not from a tilt that agrees with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

import numpy as np
import pytest

from arena.extensions.matches.statistics.report import Scale
from arena.values.results import GameResult
from tests.extensions.matches.statistics.played_matches import Discipline
from tests.extensions.matches.statistics.test_match import NEW, OLD

optimize = pytest.importorskip("scipy.optimize")
stats = pytest.importorskip("scipy.stats")

NELO = 800 / log(10)
Z = float(stats.norm.ppf(0.975))
IMPOSSIBLE = 1e6
"""Stands for the infinite distance of a distribution that does not exist."""


def share_above(result: GameResult, seat: int, others: Sequence[int]) -> float:
    """Return the share of ``others`` that a seat placed above, ties half."""
    places = result.places
    return float(np.mean([0.5 + 0.5 * np.sign(places[k] - places[seat]) for k in others]))


def score(result: GameResult) -> float:
    """Return what a game is worth to the candidate by places."""
    sides = result.spec.entrants
    rivals = [k for k, name in enumerate(sides) if name == OLD]
    mine = [k for k, name in enumerate(sides) if name == NEW]
    return float(np.mean([share_above(result, seat, rivals) for seat in mine]))


def margin(block: Sequence[GameResult], less_is_better: bool) -> float:
    """Return by how much the candidate scored better in the games of a block, on average."""
    found = {NEW: 0.0, OLD: 0.0}
    for result in block:
        sides, scores = np.array(result.spec.entrants), np.array(result.scores)
        for name in set(sides):
            found[name] += float(scores[sides == name].mean())
    games = 1 if len(block[0].spec.entrants) == 1 else len(block)
    return (found[NEW] - found[OLD]) / games * (-1 if less_is_better else 1)


class Sample:
    """The blocks of a discipline by what they are worth to the candidate."""

    def __init__(self, own: Discipline, blocks: int | None = None) -> None:
        table = own.table
        self.games = own.blocks()[:blocks]
        self.by_places = table.seats > 1
        self.margins = [margin(block, table.less_is_better) for block in self.games]
        self.values = np.array(
            [float(np.mean([score(game) for game in block])) for block in self.games]
            if self.by_places
            else self.margins
        )
        self.measure = table.measure
        self.even = 0.5 if self.by_places else 0.0
        self.size = 2 if self.by_places else 1
        self.deviation = float(self.values.std())
        self.quantile = quantile(len(self.values))
        self.pentanomial = table.seats == 2

    @property
    def counts(self) -> dict[float, int]:
        """Blocks by value."""
        return {
            float(v): int(n)
            for v, n in zip(*np.unique(self.values, return_counts=True), strict=True)
        }

    @property
    def nelo(self) -> float:
        """Plain nElo."""
        return float((self.values.mean() - self.even) / self.deviation) * NELO / sqrt(self.size)

    def likelihood(self, nelo: float, grid: Sequence[float] = ()) -> float:
        """Return the log-likelihood of that strength less that of what was seen."""
        values, counts = self._filled(grid)
        return distance_of_t(values - self.even, counts, nelo * sqrt(self.size) / NELO)

    def ratio(self, scale: Scale, low: float, high: float) -> float:
        """Return the log-likelihood ratio of two strengths."""
        grid = (0.25, 0.5, 0.75) if self.pentanomial else ()
        if scale is Scale.NORMALIZED:
            return self.likelihood(high, grid) - self.likelihood(low, grid)
        values, counts = self._filled(grid)
        first, second = (
            tilted(counts, (values - 1 / (1 + 10 ** (-elo / 400)))[None]) for elo in (low, high)
        )
        return first - second

    def _filled(self, grid: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """Return values with counts; the two ends and the grid count a thousandth at least."""
        reach = 0.5 if self.by_places else float(abs(self.values).max())
        ends = (self.even - reach, self.even + reach)
        filled = {**dict.fromkeys((*ends, *grid), 1e-3), **self.counts}
        return np.array(list(filled)), np.array(list(filled.values()), float)


def quantile(blocks: int) -> float:
    """Return how many standard errors an interval of 95 % reaches to either side."""
    return float(stats.t.ppf(0.975, blocks - 1)) if blocks < 100 else Z


def around(values: Sequence[float]) -> tuple[float, float | None, float | None]:
    """Return a mean with its limits of 95 %."""
    mean, deviation = float(np.mean(values)), float(np.std(values))
    half = quantile(len(values)) * deviation / sqrt(len(values) - 1)
    return (mean, mean - half, mean + half) if deviation > 1e-9 else (mean, None, None)


def tilted(counts: np.ndarray, gaps: np.ndarray) -> float:
    """Return how much log-likelihood it costs that all gaps have mean 0, by Newton's method."""
    x = np.zeros(len(gaps))

    def cost(x: np.ndarray) -> float:
        parts = 1 + x @ gaps
        return float(-(counts * np.log(parts)).sum()) if (parts > 0).all() else np.inf

    for _ in range(200):
        parts = 1 + x @ gaps
        slope = -(gaps * (counts / parts)).sum(1)
        step = -np.linalg.lstsq((gaps * (counts / parts**2)) @ gaps.T, slope, rcond=None)[0]
        gain = float(-slope @ step)
        if gain < 1e-13:
            break
        length = 1.0
        while length > 1e-12 and cost(x + length * step) > cost(x) - 1e-4 * length * gain:
            length /= 2
        x = x + length * step
    shares = counts / counts.sum() / (1 + x @ gaps)
    off = abs((gaps * shares).sum(1)) / abs(gaps).max(1)
    return -cost(x) if abs(shares.sum() - 1) < 1e-6 and off.max() < 1e-6 else IMPOSSIBLE


def distance_of_t(gaps: np.ndarray, counts: np.ndarray, t: float) -> float:
    """Return the log-likelihood of a mean gap of ``t`` deviations less that of what was seen.

    Searches the mean of the likeliest distribution, which fixes its deviation too.
    """
    if t == 0:
        return -tilted(counts, gaps[None])
    unit = abs(gaps).max()
    gaps, t = np.sign(t) * gaps / unit, abs(t)
    top = min(gaps.max(), t * np.ptp(gaps) / 2)

    def cost(mean: float) -> float:
        deviation = mean / t
        spread = (gaps - mean) ** 2 - deviation**2
        return tilted(counts, np.array([gaps - mean, spread / max(deviation, 1e-3)]))

    means = top * np.arange(1, 200) / 200
    best = int(np.argmin([cost(mean) for mean in means]))
    low, high = means[max(best - 1, 0)], means[min(best + 1, len(means) - 1)]
    found = optimize.minimize_scalar(
        cost, bounds=(low, high), method="bounded", options={"xatol": 1e-12 * top}
    )
    return -float(min(found.fun, cost(means[best])))
