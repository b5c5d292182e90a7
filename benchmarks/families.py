"""Families of made bots, to try ``arena compare --best`` and ``--baseline`` on.

Who is better by how much is decided here, and blocks are drawn from populations whose strength is
computed from their shares, not by the code that is tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from math import log10, sqrt
from typing import Final, NamedTuple

import msgspec
import numpy as np

from arena.extensions.matches.statistics.report import Hypotheses, Measure
from arena.extensions.matches.statistics.sprt import LEAST_BLOCKS, NELO, llr
from arena.extensions.studies.family.against import StepDown
from arena.extensions.studies.family.encounters import Encounters
from arena.extensions.studies.family.selection import Selection
from arena.ratings.probability import normal_cdf
from benchmarks.populations import Floats, Population, of_strength, pairs

_ALPHA: Final = 0.05
_GAMES: Final = 2
"""In a block of a pair."""
_JUMP: Final = 3.0
"""Deviations of a block by which a ratio is taken to move at most."""


class Selected(NamedTuple):
    """Families in which one bot was looked for."""

    right: float
    """Share in which the best was chosen; of equal ones a share that is not 0 by chance alone."""
    games: float
    """On average."""
    worse: float
    """Share in which a bot was called worse, that is, rightly or not."""


@cache
def population(nelo: float, luck: float) -> Population:
    """Pairs of two bots of which one is so much stronger."""
    return of_strength(nelo, partial(pairs, luck=luck))


class Family(NamedTuple):
    """The candidates of a search for the best."""

    shares: Floats
    """[bot, other, value]: how often a block is worth 0, ¼, ½, ¾ and 1 to the bot."""
    best: tuple[int, ...]
    """The bots that no other is better than."""


def by_strength(strengths: Sequence[float], luck: float = 0.0) -> Family:
    """Return bots that are better than one another by the differences of ``strengths``, nElo.

    The strengths are few different ones.
    """
    shares = [[population(float(a - b), luck).shares for b in strengths] for a in strengths]
    best = [bot for bot, strength in enumerate(strengths) if strength == max(strengths)]
    return Family(np.array(shares), tuple(best))


def near_copies(copies: int, others: int, gap: float, even: float, *, of_best: bool) -> Family:
    """Return one bot that is better than all others by ``gap`` nElo in their own games.

    The number of ``copies`` play alike on a share ``even`` of the deals among themselves, and
    ``of_best`` with the best bot too. The expected scores of the other pairs follow from the
    differences of strength in Elo, so it makes no difference whom a bot meets.
    """
    direct = of_strength(gap, partial(pairs, even=even if of_best else 0.0))
    alike, unlike = pairs(0.0, even=even), population(gap, 0.0)
    elos = [0.0, *[-_elo(direct)] * copies, *[-_elo(unlike)] * others]
    shares = np.array([[pairs(a - b).shares for b in elos] for a in elos])
    last = copies + 1
    shares[1:last, 1:last] = alike.shares
    shares[0, 1:last], shares[1:last, 0] = direct.shares, direct.shares[::-1]
    return Family(shares, (0,))


def _elo(blocks: Population) -> float:
    return 400 * log10(blocks.mean / (1 - blocks.mean))


def selected(family: Family, gap: float, repeats: int, seed: int) -> Selected:
    """Look for the best bot of a family; the bots come in any order."""
    rng = np.random.default_rng(seed)
    bots = len(family.shares)
    shares = family.shares.cumsum(axis=2)
    one, other = np.triu_indices(bots, 1)
    right = worse = games = 0
    for _ in range(repeats):
        who = rng.permutation(bots)
        encounters = Encounters(bots, _GAMES, Measure.PLACES)
        selection = Selection(bots, [encounters], gap, _ALPHA)
        alive = np.ones(bots, dtype=bool)
        while not selection.is_decided:
            met = alive[one] & alive[other]
            first, second = one[met], other[met]
            drawn = rng.random((len(first), 1))
            codes = (drawn > shares[who[first], who[second], :-1]).sum(axis=1)
            encounters.add_many(first, second, codes / 4)
            games += _GAMES * len(first)
            for each in selection.end_round():
                alive[each.bot] = False
        [chosen] = selection.alive
        right += int(who[chosen]) in family.best
        worse += any(selection.is_worse(chosen, bot) for bot in range(bots) if bot != chosen)
    return Selected(right / repeats, games / repeats, worse / repeats)


def fixed_games(bots: int, gap: float) -> float:
    """Games of the round robin of fixed length that finds the best in 95 %, by the most points.

    By the normal law: of independent blocks, one bot better than all others by the gap in nElo.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        below = [normal_cdf(sqrt(2) * middle + node) ** (bots - 1) for node in nodes]
        low, high = (middle, high) if weights @ below < 1 - _ALPHA else (low, middle)
    rounds = 2 / bots * (low * NELO / (sqrt(_GAMES) * gap)) ** 2
    return rounds * bots * (bots - 1) / 2 * _GAMES


class Against(NamedTuple):
    """Families of tests against one baseline."""

    wrong: float
    """Share in which a bot passed that is no better."""
    power: float
    """Share of the better bots that passed."""
    games: float
    """On average."""


def against(
    strengths: Sequence[float],
    test: Hypotheses,
    repeats: int,
    seed: int,
    *,
    luck: float = 0.0,
    steps: bool = True,
) -> Against:
    """Test bots that are so much, in nElo, stronger than the baseline.

    ``steps``: as ``arena compare --baseline`` does; otherwise each as if it were alone.
    """
    rng = np.random.default_rng(seed)
    wrong = passed = games = better = 0
    for _ in range(repeats):
        bots = [_Tested(nelo, population(nelo, luck), rng) for nelo in strengths]
        stepdown = StepDown(len(bots), test.alpha) if steps else None
        number = 0
        while left := [bot for bot in bots if bot.passes is None]:
            number += 1
            for bot in left:
                bot.add()
            while number >= LEAST_BLOCKS:
                alpha = test.alpha if stepdown is None else stepdown.alpha
                now = [bot for bot in left if bot.passes is None and bot.look(test, alpha, number)]
                if stepdown is None or not now:
                    break
                stepdown.passed(len(now))
        wrong += any(bot.passes and bot.nelo <= test.elo0 for bot in bots)
        passed += sum(bool(bot.passes) and bot.nelo > test.elo0 for bot in bots)
        better += sum(bot.nelo > test.elo0 for bot in bots)
        games += sum(_GAMES * bot.counts.total() for bot in bots)
    return Against(wrong / repeats, passed / better if better else 0.0, games / repeats)


class _Tested:
    """A bot and its blocks against the baseline.

    The ratio is not computed while it is too far from both bounds for the next blocks to end it.
    """

    def __init__(self, nelo: float, blocks: Population, rng: np.random.Generator) -> None:
        self.nelo = nelo
        self.counts: Counter[float] = Counter()
        self.passes: bool | None = None
        self._blocks = blocks.blocks(rng)
        self._ratio = 0.0
        self._due = LEAST_BLOCKS

    def add(self) -> None:
        self.counts[next(self._blocks)] += 1

    def look(self, test: Hypotheses, alpha: float, number: int) -> bool:
        """Whether it passes now."""
        lower, upper = msgspec.structs.replace(test, alpha=alpha).bounds
        jump = _JUMP * sqrt(_GAMES) * (test.elo1 - test.elo0) / NELO
        if number >= self._due:
            self._ratio = llr(self.counts, _GAMES, test)
            room = min(self._ratio - lower, upper - self._ratio)
            self._due = number + 1 + max(0, int(room / jump))
        if self._ratio >= upper or self._ratio <= lower:
            self.passes = self._ratio >= upper
        return bool(self.passes)
