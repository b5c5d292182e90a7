"""Selection of the best of several bots: bots that cannot win are stopped.

Elimination with an indifference zone (Paulson, Annals of Mathematical Statistics 1964; Kim and
Nelson, ACM TOMACS 2001). All remaining bots meet in rounds of equally many blocks. After a round a
bot is out if it is likelier to be just as strong as the leader than to be stronger by the **gap**
δ, by a factor of (K-1)/(2α). If one bot leads all others by δ, each of these eliminates it with
probability at most α/(K-1), so it is chosen with probability at least 1-α. Regardless of which bot
is best, the probability that the chosen bot is worse by δ or more is at most α. The selection
always ends: the ratio between two bots grows by half the information times δ² even if they score
alike.

All other statements rest on confidence sequences, which are valid at any stopping time. ``worse``
is a bot whose interval against the chosen bot lies below 0, with an error of α for all of them
together.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.extensions.matches.statistics.report import Range
from arena.extensions.matches.statistics.sprt import NELO
from arena.extensions.studies.family.encounters import Encounters, Fit, boundary

LEAST_BLOCKS: Final = 8
"""Number of blocks of each remaining bot in each discipline before any bot can be out."""
GREATEST_GAP: Final = 200.0
"""Greatest gap in nElo; a larger one is not detected faster."""
_FARTHEST: Final = 2000.0
"""Distance in nElo beyond which an interval is open."""
_HALVINGS: Final = 30


class Elimination(NamedTuple):
    """Bot that is out, with the reason."""

    bot: int
    by: int
    """Leader of that round."""
    round: int
    """Number of the round, from 1."""
    blocks: int
    """Number of blocks that the bot has played in all disciplines."""


class Selection:
    """Bots by number: the remaining ones, and the reasons why the others are out."""

    def __init__(
        self, bots: int, disciplines: Sequence[Encounters], gap: float, alpha: float
    ) -> None:
        """Create a selection with a ``gap`` in nElo.

        Raises ValueError, with a message for people, if there is no such test.
        """
        if not 0 < gap <= GREATEST_GAP:
            raise ValueError(
                f"expected a gap above 0 and at most {GREATEST_GAP:g} nElo, found {gap:g}"
            )
        if not 0 < alpha < 0.5:
            raise ValueError(f"expected alpha above 0 and below 0.5, found {alpha:g}")
        self._bots = bots
        self._disciplines = disciplines
        self._gap, self._alpha = gap / NELO, alpha
        self.round = 0
        self.eliminations: list[Elimination] = []
        self._alive = np.ones(bots, dtype=bool)
        self._fits: list[Fit] = []
        self._blocks = np.zeros(bots, dtype=np.int64)

    @property
    def bound(self) -> float:
        """Log-likelihood ratio at which a bot is out."""
        return log((self._bots - 1) / (2 * self._alpha))

    @property
    def alive(self) -> list[int]:
        """Numbers of the remaining bots."""
        return [int(bot) for bot in np.flatnonzero(self._alive)]

    @property
    def is_decided(self) -> bool:
        """True if at most one bot remains."""
        return int(self._alive.sum()) <= 1

    def exclude(self, bot: int) -> None:
        """Remove a bot whose games give no evidence."""
        self._alive[bot] = False

    def end_round(self) -> list[Elimination]:
        """End a round, in which every two remaining bots have met.

        Return the bots that are out by this round.
        """
        self.round += 1
        if self.is_decided:
            return []
        self._fits = [each.fit() for each in self._disciplines]
        if any(each.blocks(self._alive) < LEAST_BLOCKS for each in self._disciplines):
            return []
        leader = self.leader
        out = [
            Elimination(bot, leader, self.round, int(self._blocks_of(bot)))
            for bot in self.alive
            if bot != leader and self._ratio(leader, bot) >= self.bound
        ]
        for each in out:
            self._alive[each.bot] = False
        self.eliminations += out
        return out

    @property
    def leader(self) -> int:
        """Strongest of the remaining bots; of equals the first."""
        strengths = np.where(self._alive, self.strengths(), -np.inf)
        return int(np.argmax(strengths))

    def strengths(self) -> npt.NDArray[np.float64]:
        """Return the strengths in nElo around 0, averaged over the disciplines by their games.

        The unit is the deviation of a game of all pairs.
        """
        total = np.zeros(self._bots)
        if not self._fits:
            return total
        games = [each.games for each in self._disciplines]
        for fit, size in zip(self._fits, games, strict=True):
            total += size * fit.strengths / fit.unit
        return NELO * total / sum(games)

    def _ratio(self, leader: int, bot: int) -> float:
        """Return the log-likelihood ratio of equal strength against a lead of ``bot`` by the gap.

        The lead is that of ``bot`` over ``leader``. The ratio is the slope half-way times the gap.
        """
        pairs = zip(self._disciplines, self._fits, strict=True)
        return self._gap * sum(
            each.evidence(fit, leader, bot, -self._gap / 2).score for each, fit in pairs
        )

    def ratio(self) -> float:
        """Return the greatest ratio of a remaining bot: how close the next one is to being out."""
        if not self._fits or self.is_decided:
            return 0.0
        leader = self.leader
        return max(self._ratio(leader, bot) for bot in self.alive if bot != leader)

    def _blocks_of(self, bot: int) -> float:
        return sum(each.of(bot) for each in self._disciplines)

    def behind(self, chosen: int, other: int) -> Range:
        """Return by how many nElo of their games ``other`` is stronger than ``chosen``.

        At any stopping time, all such intervals hold the truth together with probability 1 - alpha.
        """
        if not self._fits:
            return Range(None)
        games = [each.games for each in self._disciplines]
        total = sum(
            size * (fit.strengths[other] - fit.strengths[chosen]) / fit.units[chosen, other]
            for fit, size in zip(self._fits, games, strict=True)
        )
        found = float(NELO * total / sum(games))
        low, high = (self._end(chosen, other, found, side) for side in (-1, 1))
        return Range(found, low, high)

    def _end(self, chosen: int, other: int, start: float, side: int) -> float | None:
        near, far = start, side * _FARTHEST
        if not self._speaks(chosen, other, far):
            return None
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            if not self._speaks(chosen, other, middle):
                near = middle
            else:
                far = middle
        return near

    def is_worse(self, chosen: int, other: int) -> bool:
        """Return whether ``other`` is surely worse: the interval of ``behind`` lies below 0."""
        return bool(self._fits) and self._speaks(chosen, other, 0.0) > 0

    def _speaks(self, chosen: int, other: int, nelo: float) -> int:
        """Return 1 if ``other`` is surely less than ``nelo`` stronger, -1 if more, 0 if unknown."""
        score = information = 0.0
        for each, fit in zip(self._disciplines, self._fits, strict=True):
            found = each.evidence(fit, chosen, other, -nelo / NELO)
            score += found.score
            information += found.information
        longest = 2 * self.bound / self._gap**2
        alpha = self._alpha / (self._bots * (self._bots - 1))
        bound = boundary(information, longest / 8, alpha)
        return (score >= bound) - (score <= -bound)
