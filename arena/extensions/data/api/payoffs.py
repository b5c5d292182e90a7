"""The scores of bots against each other as the payoffs of a game, and how OpenSpiel ranks them.

To enter a bot is to choose a strategy of a symmetric game for two, whose payoff is the score: the
share of points, or where a discipline is rated by scores or margins, the mean of these. Such a
ranking, unlike one by Elo, holds where bots beat each other in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from math import inf, sqrt
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.extensions.data.api.errors import COUNT, Error, as_error, check_argument
from arena.ratings.elo.crosstable import PairResult
from arena.ratings.probability import quantile_95
from arena.values.results import GameResult, RatedBy, Seat, Termination

Floats: TypeAlias = NDArray[np.float64]
_EVEN: Final = 0.5
_NOISE: Final = 1e-6
"""Share of mutations against the payoffs in the infinite-alpha model. OpenSpiel's own 0.01 gives a
bot that beats seven others in order 0.93; smaller ones than this gain no printed digit."""
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
    """Its mean score against the equilibrium, 0.5 for everybody who is part of it. By margin and by
    score it is the mean of half the lead over the other, 0 for those."""


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


class Returns(NamedTuple):
    """How a discipline counts scores instead of places; more is better."""

    by_margin: bool
    """True for the score less that of the other seat, False for the score."""
    less_is_better: bool
    """True if scores change their sign."""
    worst_score: int
    """Score of a bot at fault."""

    def of(self, result: GameResult, seat: Seat, other: Seat) -> float | None:
        """Return the value of a game to a seat; -inf at fault, None if a fault leaves none."""
        if result.faults or result.scores is None:
            return -inf if result.faulty(seat) else None
        value = result.scores[seat] - self.by_margin * result.scores[other]
        return float(-value if self.less_is_better else value)

    def means(self, found: BlockScores) -> BlockScores:
        """Return the mean of each block, with the worst value for those with a fault."""
        values = found.sums / found.games
        fair = np.isfinite(values)
        if self.by_margin:
            worst = values[fair].min() if fair.any() else np.nan
        else:
            worst = -self.worst_score if self.less_is_better else self.worst_score
        values[~fair] = worst
        return found._replace(sums=values, games=np.ones(len(values)))


def block_scores(
    bots: Sequence[str], results: Iterable[GameResult], returns: Returns | None = None
) -> BlockScores:
    """Return the scores of games by block. Games of other bots are left out.

    ``returns``: scores or margins instead of points, each pair in both orders.
    """
    number = {name: at for at, name in enumerate(bots)}
    blocks: dict[str, int] = {}
    alike: dict[frozenset[str], list[int]] = {}
    found: dict[tuple[int, int], list[float]] = {}
    for result in results:
        names = result.spec.entrants
        if not number.keys() >= {*names} or result.termination is Termination.VOID:
            continue
        block = blocks.setdefault(result.spec.block, len(blocks))
        if block == len(blocks) - 1:
            alike.setdefault(frozenset(names), []).append(block)
        for seat, name in enumerate(names):
            for other, met in enumerate(names):
                score = None
                if returns is not None and name != met:
                    score = returns.of(result, seat, other)
                elif number[name] < number[met]:
                    score = result.pair_score(seat, other)
                if score is not None:
                    pair = number[name] * len(bots) + number[met]
                    entry = found.setdefault((block, pair), [0.0, 0.0])
                    entry[0] += score
                    entry[1] += 1
    keys = np.array([*found], np.int64).reshape(-1, 2)
    numbers = np.array([*found.values()], np.float64).reshape(-1, 2)
    drawn = [np.unique(each) for each in alike.values()]
    scores = BlockScores(keys[:, 0], keys[:, 1], numbers[:, 0], numbers[:, 1], drawn)
    return scores if returns is None else returns.means(scores)


class Payoffs:
    """Mean scores of bots against each other; rows and columns have the order of ``bots``."""

    def __init__(
        self,
        bots: Sequence[str],
        pairs: Iterable[PairResult],
        by_block: Callable[[], BlockScores],
        by: RatedBy = RatedBy.PLACES,
    ) -> None:
        """``pairs``: the results of all who met, by places. ``by_block``: returns them by block."""
        self.bots = tuple(bots)
        """Names of the bots, the best first."""
        self.by = by.value
        """Unit of the scores: ``places``, ``score`` or ``margin``."""
        size = len(self.bots)
        self.scores: Floats = np.full((size, size), np.nan)
        """Score of the row against the column: by places the share of points per game, 0 … 1, else
        the mean of the blocks' means. On the diagonal 0.5 by places and 0 by margin. NaN for bots
        that never met, or have no game that says anything."""
        self._even = {RatedBy.PLACES: _EVEN, RatedBy.MARGIN: 0.0}.get(by, np.nan)
        np.fill_diagonal(self.scores, self._even)
        self.low: Floats = self.scores.copy()
        """Lower end of its 95 % interval; it and ``high`` are NaN if it is not known."""
        self.high: Floats = self.scores.copy()
        self.blocks: NDArray[np.int64] = np.zeros((size, size), np.int64)
        """Number of blocks, which are independent of each other, as games are not."""
        self._by_block = by_block
        if by is not RatedBy.PLACES:
            self._set_means(by_block())
        number = {name: at for at, name in enumerate(self.bots)}
        for pair in pairs:
            for each in (pair, pair.mirrored()):
                if number.keys() >= {each.name, each.other}:
                    at = number[each.name], number[each.other]
                    self.scores[at], self.blocks[at] = each.score, each.blocks
                    self.low[at] = np.nan if each.score_low is None else each.score_low
                    self.high[at] = np.nan if each.score_high is None else each.score_high

    def _set_means(self, found: BlockScores) -> None:
        """Set the numbers to the means of blocks, with the intervals of tables by scores."""
        size = len(self.bots)
        for pair in np.unique(found.pairs):
            values, at = found.sums[found.pairs == pair], divmod(int(pair), size)
            blocks, mean = len(values), values.mean()
            error = np.nan
            if blocks > 1 and np.ptp(values):
                error = quantile_95(blocks, blocks - 1) * values.std(ddof=1) / sqrt(blocks)
            self.scores[at], self.blocks[at] = mean, blocks
            self.low[at], self.high[at] = mean - error, mean + error

    def alpha_rank(self, resamples: int = _RESAMPLES) -> dict[str, PayoffEstimate]:
        """Return the share of each bot in the long run by OpenSpiel's alpha-rank.

        It is that of a population in which a better bot replaces the present one (Omidshafiei et
        al. 2019, with infinite alpha): only which bot of each pair has the better score matters.
        Intervals come from ``resamples`` of the blocks. Raises Error if a score is NaN, or without
        the extra ``botarena[egt]``.
        """
        alpharank = _library("open_spiel.python.egt.alpharank")

        def masses(scores: Floats) -> Floats:
            found = alpharank.compute([scores], use_inf_alpha=True, inf_alpha_eps=_NOISE)[2]
            return np.asarray(found, np.float64).reshape(1, -1)

        (masses_of_all,) = self._estimated(masses, resamples)
        return dict(zip(self.bots, masses_of_all, strict=True))

    def nash_average(self, resamples: int = _RESAMPLES) -> dict[str, NashAverage]:
        """Return the Nash average of each bot by OpenSpiel (Balduzzi et al. 2018).

        It is that of half the score less the score of the other, a zero-sum game. Copies of a bot
        change it for nobody, unlike a mean over all opponents. Intervals and errors are as those of
        ``alpha_rank``.
        """
        game = _library("pyspiel").create_matrix_game
        averaging = _library("open_spiel.python.algorithms.nash_averaging").nash_averaging

        def averages(scores: Floats) -> Floats:
            gains = np.nan_to_num(scores - scores.T) / 2  # of which the diagonal alone is NaN
            unit = 1.0 if self.by == RatedBy.PLACES else np.abs(gains).max() or 1.0
            masses, skills = averaging(game(gains / unit, -gains / unit))
            even = _EVEN if self.by == RatedBy.PLACES else 0.0
            return np.array([np.clip(masses.ravel(), 0, 1), unit * skills.ravel() + even])

        masses, skills = self._estimated(averages, resamples)
        found = map(NashAverage, masses, skills)
        return dict(zip(self.bots, found, strict=True))

    def _estimated(
        self, function: Callable[[Floats], Floats], resamples: int
    ) -> list[list[PayoffEstimate]]:
        """Return the rows that a function makes of the scores, with intervals."""
        with as_error():
            check_argument("resamples", resamples, COUNT)
        lacking = np.argwhere(np.isnan(self.scores) & ~np.eye(len(self.bots), dtype=bool))
        if len(lacking):
            one, other = (self.bots[at] for at in lacking[0])
            fault = "a fault of both" if self.by == RatedBy.PLACES else "a fault of the other"
            found = f"{one} and {other} have no game without {fault}"
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
            if self.by == RatedBy.PLACES:
                upper = np.where(games > 0, upper, np.where(games.T > 0, 1 - upper.T, _EVEN))
            scores: Any = np.where(np.isnan(upper), self.scores, upper)
            yield scores

    def __repr__(self) -> str:
        """Return the scores, by places in percent, a line for each bot."""
        unit, digits = (100, 5.1) if self.by == RatedBy.PLACES else (1, 8.2)
        width = max(map(len, self.bots), default=0)
        lines = [
            f"  {name:{width}}  " + "  ".join(f"{unit * each:{digits}f}" for each in row)
            for name, row in zip(self.bots, self.scores, strict=True)
        ]
        what = "scores against each other in percent"
        if self.by != RatedBy.PLACES:
            what = f"mean {self.by} against each other"
        return "\n".join([f"<arena.Payoffs, {what}:", *lines]) + ">"
