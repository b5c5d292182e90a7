"""The scores of bots against each other as the payoffs of a game, and how OpenSpiel ranks them.

To enter a bot is to choose a strategy of a symmetric game for two, whose payoff is the score. Such
a ranking, unlike one by Elo, holds where bots beat each other in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.extensions.data.api.errors import COUNT, Error, as_error, check_argument
from arena.ratings.elo.crosstable import PairResult
from arena.values.results import GameResult

Floats: TypeAlias = NDArray[np.float64]
_EVEN: Final = 0.5
_NOISE: Final = 0.01
"""Share of mutations against the payoffs in the infinite-alpha model, OpenSpiel's default."""
_SEED: Final = 1
_RESAMPLES: Final = 200


def _library(module: str) -> Any:
    """Return an imported module of OpenSpiel. Raises Error if it or what it needs is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        get = "pip install 'botarena[egt]'"
        raise Error(f"this needs {error.name}, which is not installed: {get}") from None


class PayoffEstimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float | None
    """Lower end; it and ``high`` are None if two bots met in one block only."""
    high: float | None


class NashAverage(NamedTuple):
    """The place of a bot in the maximum-entropy Nash equilibrium of the payoffs."""

    mass: PayoffEstimate
    """Share of the bot in the equilibrium, 0 … 1."""
    score: PayoffEstimate
    """Its mean score against the equilibrium, 0 … 1; 0.5 for everybody who is part of it."""


class BlockScores(NamedTuple):
    """Scores of pairs by block: an entry for each pair of a block."""

    blocks: NDArray[np.int64]
    """Number of the block, from 0."""
    pairs: NDArray[np.int64]
    """Number of the first bot of each pair, times the number of bots, plus that of the other."""
    sums: Floats
    """Sum of the scores of the first bot."""
    games: Floats
    """Number of the scores that are added."""
    alike: Sequence[NDArray[np.int64]]
    """Blocks of the same bots, which are drawn from each other."""


def block_scores(bots: Sequence[str], results: Iterable[GameResult]) -> BlockScores:
    """Return the scores of games by block. Games of other bots are left out."""
    number = {name: at for at, name in enumerate(bots)}
    blocks: dict[str, int] = {}
    alike: dict[frozenset[str], list[int]] = {}
    found: dict[tuple[int, int], list[float]] = {}
    for result in results:
        names = result.spec.entrants
        if not number.keys() >= {*names}:
            continue
        block = blocks.setdefault(result.spec.block, len(blocks))
        if block == len(blocks) - 1:
            alike.setdefault(frozenset(names), []).append(block)
        for seat, name in enumerate(names):
            for other, met in enumerate(names):
                score = result.pair_score(seat, other) if number[name] < number[met] else None
                if score is not None:
                    pair = number[name] * len(bots) + number[met]
                    entry = found.setdefault((block, pair), [0.0, 0.0])
                    entry[0] += score
                    entry[1] += 1
    keys = np.array([*found], np.int64).reshape(-1, 2)
    numbers = np.array([*found.values()], np.float64).reshape(-1, 2)
    drawn = [np.unique(each) for each in alike.values()]
    return BlockScores(keys[:, 0], keys[:, 1], numbers[:, 0], numbers[:, 1], drawn)


class Payoffs:
    """Mean scores of bots against each other; rows and columns have the order of ``bots``."""

    def __init__(
        self,
        bots: Sequence[str],
        pairs: Iterable[PairResult],
        by_block: Callable[[], BlockScores],
    ) -> None:
        """``pairs``: the results of all who met. ``by_block``: returns the same by block."""
        self.bots = tuple(bots)
        """Names of the bots, the best first."""
        size = len(self.bots)
        self.scores: Floats = np.full((size, size), np.nan)
        """Score per game of the row against the column, 0 … 1; 0.5 on the diagonal, and NaN for
        bots that never met, or failed both in all their games."""
        np.fill_diagonal(self.scores, _EVEN)
        self.low: Floats = self.scores.copy()
        """Lower end of its 95 % interval; it and ``high`` are NaN if it is not known."""
        self.high: Floats = self.scores.copy()
        self.blocks: NDArray[np.int64] = np.zeros((size, size), np.int64)
        """Number of blocks, which are independent of each other, as games are not."""
        self._by_block = by_block
        number = {name: at for at, name in enumerate(self.bots)}
        for pair in pairs:
            for each in (pair, pair.mirrored()):
                if number.keys() >= {each.name, each.other}:
                    at = number[each.name], number[each.other]
                    self.scores[at], self.blocks[at] = each.score, each.blocks
                    self.low[at] = np.nan if each.score_low is None else each.score_low
                    self.high[at] = np.nan if each.score_high is None else each.score_high

    def alpha_rank(self, resamples: int = _RESAMPLES) -> dict[str, PayoffEstimate]:
        """Return the share of each bot in the long run by OpenSpiel's alpha-rank.

        It is that of a population in which a better bot replaces the present one (Omidshafiei et
        al. 2019, with infinite alpha). Intervals come from ``resamples`` of the blocks. Raises
        Error if a score is NaN, or without the extra ``botarena[egt]``.
        """
        alpharank = _library("open_spiel.python.egt.alpharank")

        def masses(scores: Floats) -> Floats:
            found = alpharank.compute([scores], use_inf_alpha=True, inf_alpha_eps=_NOISE)[2]
            return np.asarray(found, np.float64).reshape(1, -1)

        (masses_of_all,) = self._estimated(masses, resamples)
        return dict(zip(self.bots, masses_of_all, strict=True))

    def nash_average(self, resamples: int = _RESAMPLES) -> dict[str, NashAverage]:
        """Return the Nash average of each bot by OpenSpiel (Balduzzi et al. 2018).

        Copies of a bot change it for nobody, unlike a mean over all opponents. Intervals and errors
        are as those of ``alpha_rank``.
        """
        game = _library("pyspiel").create_matrix_game
        averaging = _library("open_spiel.python.algorithms.nash_averaging").nash_averaging

        def averages(scores: Floats) -> Floats:
            gains = (scores - scores.T) / 2
            masses, skills = averaging(game(gains, -gains))
            return np.array([np.clip(masses.ravel(), 0, 1), skills.ravel() + _EVEN])

        masses, skills = self._estimated(averages, resamples)
        found = map(NashAverage, masses, skills)
        return dict(zip(self.bots, found, strict=True))

    def _estimated(
        self, function: Callable[[Floats], Floats], resamples: int
    ) -> list[list[PayoffEstimate]]:
        """Return the rows that a function makes of the scores, with intervals."""
        with as_error():
            check_argument("resamples", resamples, COUNT)
        lacking = np.argwhere(np.isnan(self.scores))
        if len(lacking):
            one, other = (self.bots[at] for at in lacking[0])
            found = f"{one} and {other} have no game without a fault of both"
            raise Error(f"payoffs: {found}, expected one of every pair")
        values = function(self.scores)
        by_block = self._by_block()
        if min(map(len, by_block.alike), default=0) < 2:
            return [[PayoffEstimate(float(each), None, None) for each in row] for row in values]
        drawn = np.array([function(each) for each in self._resampled(by_block, resamples)])
        low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
        return [
            [PayoffEstimate(*map(float, each)) for each in zip(*rows, strict=True)]
            for rows in zip(values, low, high, strict=True)
        ]

    def _resampled(self, by_block: BlockScores, resamples: int) -> Iterator[Floats]:
        """Yield the scores of as many blocks of the same bots, drawn with replacement."""
        random, size = np.random.default_rng(_SEED), len(self.bots)
        weights = np.zeros(max(each.max() for each in by_block.alike) + 1)
        for _ in range(resamples):
            for each in by_block.alike:
                weights[each] = random.multinomial(len(each), np.full(len(each), 1 / len(each)))
            own = weights[by_block.blocks]
            sums, games = (
                np.bincount(by_block.pairs, own * each, size * size).reshape(size, size)
                for each in (by_block.sums, by_block.games)
            )
            with np.errstate(invalid="ignore"):
                upper = sums / games
            scores: Any = np.where(games > 0, upper, np.where(games.T > 0, 1 - upper.T, _EVEN))
            yield scores

    def __repr__(self) -> str:
        """Return the scores in percent, a line for each bot."""
        width = max(map(len, self.bots), default=0)
        lines = [
            f"  {name:{width}}  " + "  ".join(f"{100 * each:5.1f}" for each in row)
            for name, row in zip(self.bots, self.scores, strict=True)
        ]
        return "\n".join(["<arena.Payoffs, scores against each other in percent:", *lines]) + ">"
