"""Made bots whose strongest options are known, and how near a search comes to them.

Strength is a function of the values of the options, in Elo on the logistic scale; of the blocks
nothing is known to the search but what they are worth. Beside ``arena tune`` stands simultaneous
perturbation (SPSA) as fishtest and OpenBench do it, with steps for some thousands of games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.extensions.studies.tune.surface import Axis, Number, PointGames, Space
from arena.extensions.studies.tune.tuner import Tuner, games_of_block, stages

Floats = npt.NDArray[np.float64]
Strength = Callable[[Floats], Floats]
"""Of rows of values of options, by how many Elo they are below the best."""
_SCALE: Final = 400 / np.log(10)
_NEAR: Final = 5.0
"""Elo below the best that are near enough."""


@dataclass(frozen=True)
class MadeBot:
    """A bot with a known best."""

    name: str
    axes: tuple[Axis, ...]
    strength: Strength
    luck: float = 0.0
    """Deviation of what a deal gives the first seat over the second one, in Elo."""

    def blocks(self, first: Floats, second: Floats, count: int, rng: np.random.Generator) -> Floats:
        """What so many blocks of two games are worth to the first, a row for each row."""
        ahead = (self.strength(first) - self.strength(second))[:, None]
        luck = self.luck * rng.standard_normal((len(first), count))
        won = [
            rng.random(luck.shape) < 1 / (1 + np.exp(-(ahead + side * luck) / _SCALE))
            for side in (1, -1)
        ]
        return np.asarray(np.mean(won, axis=0))


class Found(NamedTuple):
    """What many searches lost, in Elo."""

    median: float
    most: float
    """All but one of twenty lost at most this."""
    near: float
    """Share that lost at most 5 Elo."""


def made_bots(cost: float) -> list[MadeBot]:
    """``cost``: Elo that half the range of one option is worth."""
    two = (Number("a", 0.0, 1.0, is_whole=False), Number("b", 0.0, 1.0, is_whole=False))
    mixed = (Number("depth", 2.0, 8.0, is_whole=True), two[1])
    five = tuple(Number(name, 0.0, 1.0, is_whole=False) for name in "abcde")
    return [
        MadeBot("best in the middle", two, _bowl(cost, (0.5, 0.5))),
        MadeBot("off the middle", two, _bowl(cost, (0.8, 0.25))),
        MadeBot("in a corner", two, _bowl(cost, (1.0, 0.0))),
        MadeBot("correlated (0.7)", two, _bowl(cost, (0.65, 0.35), together=0.7)),
        MadeBot("a whole number 2 to 8", mixed, _bowl(cost, (6.0, 0.3), widths=(6.0, 1.0))),
        MadeBot("one does nothing", two, _bowl(cost, (0.7, 0.5), widths=(1.0, np.inf))),
        MadeBot("luck 200", two, _bowl(cost, (0.8, 0.25)), luck=200.0),
        MadeBot("four times as steep above as below", two, _lopsided(cost, (0.6, 0.3))),
        MadeBot("flat far off", two, _bump(cost, (0.65, 0.35))),
        MadeBot("five options", five, _bowl(cost, (0.6, 0.35, 0.75, 0.5, 0.2))),
    ]


def _bowl(
    cost: float, best: Sequence[float], widths: Sequence[float] | None = None, together: float = 0.0
) -> Strength:
    """A parabola; ``together``: of what two options off the best in one direction cost more."""

    def strength(values: Floats) -> Floats:
        off = 2 * (values - np.array(best)) / np.array(widths or (1.0,) * len(best))
        return np.asarray(-cost * ((off**2).sum(axis=1) + 2 * together * off[:, 0] * off[:, 1]))

    return strength


def _lopsided(cost: float, best: Sequence[float]) -> Strength:
    def strength(values: Floats) -> Floats:
        off = 2 * (values - np.array(best))
        return np.asarray(-cost * (np.where(off > 0, 2.0, 0.5) * off**2).sum(axis=1))

    return strength


def _bump(cost: float, best: Sequence[float]) -> Strength:
    def strength(values: Floats) -> Floats:
        off = 2 * (values - np.array(best))
        return np.asarray(-2 * cost * (1 - np.exp(-2 * off**2)).sum(axis=1))

    return strength


def searched(bot: MadeBot, games: int, repeats: int) -> Found:
    """By the search of ``arena tune``, each time with other chance."""
    space = Space(bot.axes)
    return _found(bot, np.stack([_searched(bot, space, games, seed) for seed in range(repeats)]))


def _searched(bot: MadeBot, space: Space, games: int, seed: int) -> Floats:
    """The values of one search."""
    rng = np.random.default_rng([seed, games])
    tuner, worth = Tuner(space, seed), 2.0
    for stage in stages(games, 2):
        pairs = tuner.pairs(worth * stage.planned)
        first, second = (np.stack(points) for points in zip(*pairs, strict=True))
        found = bot.blocks(_values(space, first), _values(space, second), stage.deals, rng)
        worth = games_of_block(found.tolist(), 2)
        weights = np.full(len(pairs), worth * stage.deals)
        tuner.add(PointGames(first, second, found.mean(axis=1), weights))
    return np.asarray(_values(space, tuner.best()[None])[0])


def _values(space: Space, points: Floats) -> Floats:
    return np.array([[float(value) for value in space.values(row).values()] for row in points])


def perturbed(
    bot: MadeBot, games: int, repeats: int, *, reach: float = 1 / 6, rate: float = 0.01
) -> Found:
    """By SPSA, a block in each step: the mean of the last half, from the middle of the ranges.

    ``reach``: c at the end as a share of the range, ``rate``: r at the end; 1/20 and 0.002 are what
    Stockfish prints. Whole numbers are rounded at random to be played, to the nearest at the end.
    """
    rng = np.random.default_rng(games)
    low, high = (np.array([getattr(axis, end) for axis in bot.axes]) for end in ("low", "high"))
    whole = np.array([isinstance(axis, Number) and axis.is_whole for axis in bot.axes])
    steps, alpha, gamma = games // 2, 0.602, 0.101
    stable = 0.1 * steps
    last = np.maximum(reach * (high - low), 0.5 * whole)
    c, a = last * steps**gamma, rate * last**2 * (stable + steps) ** alpha
    point = np.tile((low + high) / 2, (repeats, 1))
    total = np.zeros_like(point)
    for k in range(1, steps + 1):
        width = c / k**gamma
        gain = a / (stable + k) ** alpha / width**2
        side = rng.choice([-1.0, 1.0], point.shape)
        ends = []
        for sign in (1, -1):
            end = np.clip(point + sign * width * side, low, high)
            ends.append(np.where(whole, np.floor(end + rng.random(end.shape)), end))
        ahead = 4 * bot.blocks(ends[0], ends[1], 1, rng) - 2
        point = np.clip(point + gain * width * ahead * side, low, high)
        total += point if 2 * k > steps else 0.0
    mean = total / (steps - steps // 2)
    return _found(bot, np.where(whole, np.round(mean), mean))


def _found(bot: MadeBot, values: Floats) -> Found:
    lost = -bot.strength(values)
    return Found(
        float(np.median(lost)), float(np.quantile(lost, 0.95)), float((lost <= _NEAR).mean())
    )
