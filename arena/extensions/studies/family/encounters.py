"""Results of several bots against each other in one discipline, and the implied strengths.

Strengths are fitted to all blocks as in ``arena.ratings.elo``: for places, the expected score of i
against j is s(x_i - x_j); for margins, the expected margin is x_i - x_j. Blocks, not games, are the
units. The dispersion φ of a pair is the variance of its blocks as a share of that of independent
games without draws. It differs between pairs: most blocks of two near-copies are even. So the
variance of a difference is the sandwich of the variances of all pairs. A strength of 1, which is
NELO nElo, is the deviation of one game of the pair.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.extensions.matches.statistics.report import Measure

Floats = npt.NDArray[np.float64]

_USUAL: Final = 5.0
"""Number of blocks that independent games are equivalent to in the dispersion of all pairs. Without
them a few blocks that agree by chance would suggest too much precision."""
_POOL: Final = 20.0
"""Number of blocks that the dispersion of all pairs is equivalent to in that of one pair."""
_STEPS: Final = 50
_CLOSE: Final = 1e-5
_BENT: Final = 0.5
"""Distance in nats within which the log-likelihood is practically a parabola."""
_LEAST: Final = 1e-12
_LONGEST_STEP: Final = 2.0
"""Longest Newton step of a fit, in nats."""


class Fit(NamedTuple):
    """Strengths of several bots, with their errors."""

    strengths: Floats
    """Strengths around 0, in nats or units of margins."""
    unit: float
    """Deviation of a game of all pairs, in the unit of ``strengths``."""
    units: Floats
    """Deviation of a game of each pair, by [bot, other]."""
    between: Floats
    """Variance of each difference if blocks games_of_variant as their slopes, by [bot, other]."""
    scale: Floats
    """Factor from information in slopes to information in blocks, by [bot, other]."""


class StrengthEvidence(NamedTuple):
    """Evidence that a bot is stronger than supposed, in deviations of a game."""

    score: float
    """Slope of the log-likelihood at the supposed difference."""
    information: float
    """Variance of ``score`` if the supposed difference is true."""


class _Counted(NamedTuple):
    """Effective blocks by pair of bots, with the sums of their values and squared values."""

    blocks: Floats
    points: Floats
    squares: Floats


class Encounters:
    """Blocks of a discipline by pair of bots."""

    def __init__(self, bots: int, games: int, measure: Measure, *, shared: bool = False) -> None:
        """Create an empty table of results; ``games`` is the number of comparisons in a block.

        ``shared``: all bots play the same deals alone, so each pair is compared directly and only
        directly.
        """
        self.games = games
        """Number of comparisons in a block."""
        self._places = measure is Measure.PLACES
        self._even = 0.5 if self._places else 0.0
        self._shared = shared
        self._blocks = np.zeros((bots, bots))
        self._points = np.zeros((bots, bots))
        self._squares = np.zeros((bots, bots))
        self._repeated = np.zeros((bots, bots))
        """Sum of the squared sizes of clusters of equal blocks, minus the number of blocks."""
        self._counted = _Counted(self._blocks, self._points, self._squares)
        self._x = np.zeros(bots)

    def add(self, one: int, other: int, value: float, before: int = 0) -> None:
        """Count a block of two bots with its ``value`` for ``one``.

        ``before``: number of equal blocks of the two that were counted earlier, see
        ``statistics.blocks.Repeats``.
        """
        self.add_many(np.array([one]), np.array([other]), np.array([value]))
        self._repeated[[one, other], [other, one]] += 2 * before

    def add_many(
        self, one: npt.NDArray[np.int_], other: npt.NDArray[np.int_], values: Floats
    ) -> None:
        """Count blocks of different pairs."""
        theirs = 2 * self._even - values
        for first, second, value in ((one, other, values), (other, one, theirs)):
            self._blocks[first, second] += 1
            self._points[first, second] += value
            self._squares[first, second] += value * value

    def blocks(self, alive: npt.NDArray[np.bool_]) -> float:
        """Return the least number of effective blocks of the ``alive`` bots."""
        return float((self._blocks * self._share()).sum(axis=1)[alive].min())

    def of(self, bot: int) -> int:
        """Return the number of blocks of ``bot``."""
        return int(self._blocks[bot].sum())

    def mean(self, one: int, other: int) -> tuple[int, float | None]:
        """Return the number of blocks of two bots, and their mean value for ``one``."""
        blocks = self._blocks[one, other]
        return int(blocks), float(self._points[one, other] / blocks) if blocks else None

    def fit(self) -> Fit:
        """Fit the strengths by Newton steps from the result of the last fit."""
        share = self._share()
        self._counted = _Counted(self._blocks * share, self._points * share, self._squares * share)
        x = self._x
        for _ in range(_STEPS):
            slope, bread = self._slopes(x)
            step = self._clipped(np.linalg.solve(bread, slope))
            x = x + step
            if np.abs(step).max() < _CLOSE:  # the next step would be its square
                break
        self._x = x
        common, own = self._dispersions(x)
        inverse = np.asarray(np.linalg.inv(bread), np.float64)
        meat = bread * own
        np.fill_diagonal(meat, 0.0)
        np.fill_diagonal(meat, common * bread.sum(axis=1) - meat.sum(axis=1))  # with the ghost
        between, scattered = _of_pairs(inverse), _of_pairs(inverse @ meat @ inverse)
        scale = 1 / own if self._shared else between / np.maximum(scattered, _LEAST)
        unit = (2.0 if self._places else 1.0) * sqrt(self.games)
        return Fit(x, unit * sqrt(common), unit * np.sqrt(own), between, scale)

    def _share(self) -> Floats:
        """Return the number of effective blocks per played block, by [bot, other]."""
        clusters = np.maximum(self._blocks + self._repeated, 1.0)
        return np.where(self._blocks > 0, self._blocks / clusters, 1.0)

    def _slopes(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the first derivatives of the log-likelihood and the negative second ones."""
        expected, weights = self._expected(x[:, None] - x[None, :])
        ghost = 1 / self.games
        blocks, points, _ = self._counted
        slope = (points - blocks * expected).sum(axis=1)
        information = blocks * weights
        own, pull = self._expected(x)
        slope += ghost * (self._even - own)
        return slope, np.diag(information.sum(axis=1) + ghost * pull) - information

    def _clipped(self, step: npt.NDArray[Any]) -> Floats:
        most = _LONGEST_STEP if self._places else np.inf
        return np.asarray(np.clip(step, -most, most))

    def _expected(self, difference: Floats) -> tuple[Floats, Floats]:
        """Return expected scores and their slopes."""
        if not self._places:
            return difference, np.ones_like(difference)
        share = 1 / (1 + np.exp(-difference))
        return share, share * (1 - share)

    def _dispersions(self, x: Floats) -> tuple[float, Floats]:
        """Return the dispersion of all pairs and of each pair, by [bot, other].

        A dispersion is the variance of blocks divided by their slope.
        """
        expected, weights = self._expected(x[:, None] - x[None, :])
        counted, points, squares = self._counted
        left = squares - 2 * expected * points + counted * expected**2
        slopes = counted * weights
        even = 0.25 if self._places else 1.0
        blocks = float(counted.sum()) / 2
        freedom = max(1.0, blocks - (len(x) - 1)) / max(1.0, blocks)
        more = _USUAL * even if self._places else 0.0
        found = float(left.sum()) / 2 + more / self.games
        common = max(found / (float(slopes.sum()) / 2 * freedom + more), _LEAST)
        return common, (left + _POOL * even * common) / (slopes + _POOL * even)

    def evidence(self, fit: Fit, one: int, other: int, ahead: float) -> StrengthEvidence:
        """Return the evidence that ``one`` is more than ``ahead`` stronger than ``other``.

        ``ahead`` is in deviations of a game. All other strengths, and the mean of the two, are
        those that fit best under this difference.
        """
        unit, scale = fit.units[one, other], fit.scale[one, other]
        difference = ahead * unit
        if self._shared:  # third bots add no evidence on the pair
            blocks, points = self._counted.blocks[one, other], self._counted.points[one, other]
            expected, weights = self._expected(np.array(difference))
            score, information = points - blocks * expected, blocks * weights
        else:
            found = fit.strengths[one] - fit.strengths[other]
            information = 1 / fit.between[one, other]
            score = information * (found - difference)
            if self._places and abs(found - difference) > _BENT:
                score, information = self._constrained(one, other, difference)
        return StrengthEvidence(float(score * scale * unit), float(information * scale * unit**2))

    def _constrained(self, one: int, other: int, difference: float) -> tuple[float, float]:
        """Return the slope of the log-likelihood at its best point under ``difference``.

        The second value is the variance of the slope.
        """
        contrast = np.zeros(len(self._x))
        contrast[one], contrast[other] = 1.0, -1.0
        x = contrast * difference / 2
        for _ in range(_STEPS):
            slope, bread = self._slopes(x)
            solved = np.linalg.solve(bread, np.column_stack([slope, contrast]))
            information = 1 / (contrast @ solved[:, 1])
            step = self._clipped(
                solved[:, 0] - solved[:, 1] * (contrast @ solved[:, 0]) * information
            )
            x = x + step
            x[one] += difference - (x[one] - x[other])
            if np.abs(step).max() < _CLOSE:
                break
        slope, _ = self._slopes(x)
        return float(slope[one]), float(information)


def _of_pairs(covariance: Floats) -> Floats:
    """Return the variance of each difference, by [bot, other]."""
    own = np.diag(covariance)
    return own[:, None] + own[None, :] - 2 * covariance


def boundary(time: float, rho: float, alpha: float) -> float:
    """Return a bound that a Brownian motion ever exceeds with probability at most ``alpha``.

    ``time``: variance of the motion. ``rho``: precision of the mixture. Source: Howard, Ramdas,
    McAuliffe and Sekhon, Annals of Statistics 2021, one-sided normal mixture.
    """
    total = time + rho
    return sqrt(2 * total * log(sqrt(total / rho) / (2 * alpha) + 1))
