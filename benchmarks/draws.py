"""Populations with draws: ratings by Davidson's model, and circles that are named where none is."""

from __future__ import annotations

from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.extensions.studies.full.cycles import hint
from arena.extensions.studies.full.davidson import davidson
from arena.ratings.counting.arrays import PairCells, Seats, TallyArrays, joined
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import Bound
from arena.ratings.elo.scale import ELO, Model

Floats = npt.NDArray[np.float64]
NUS: Final = (0.1, 0.5, 2.0, 8.0)
"""Parameters of draws, by which equals draw 5, 20, 50 and 80 % of their games."""
DRAW_BLOCKS: Final = (5, 10, 50, 200)
GAPS: Final = (0.0, 100.0, 300.0)
"""Elo between neighbours in strength."""


def pool_with_draws(
    strengths: Floats,
    blocks: int,
    rng: np.random.Generator,
    *,
    nu: float,
    luck: float = 0.0,
    circle: float = 0.0,
) -> TallyArrays:
    """Return both seatings of deals of every pair, each game drawn from Davidson's model.

    ``luck``: deviation of what a deal gives to a seat, Elo. ``circle``: Elo by which the first
    three bots each beat the next, and the last one the first, beyond their strengths.
    """
    pairs = np.array([*combinations(range(len(strengths)), 2)])
    difference = strengths[pairs[:, 0]] - strengths[pairs[:, 1]]
    for (first, second), sign in (((0, 1), 1), ((1, 2), 1), ((0, 2), -1)):
        difference += sign * circle * ((pairs == (first, second)).all(axis=1))
    deal = rng.normal(0.0, luck, (len(pairs), blocks))
    codes = []
    for edge in (deal, -deal):
        half = (difference[:, None] + edge) / ELO / 2
        win, loss = np.exp(half), np.exp(-half)
        drawn = rng.random(half.shape) * (win + nu + loss)
        codes.append((drawn > loss).astype(int) + (drawn > loss + nu))
    keys = 25 * np.arange(len(pairs))[:, None] + 5 * codes[0] + codes[1]
    counts = np.bincount(keys.ravel(), minlength=25 * len(pairs)).reshape(-1, 5, 5)
    terms = Seats("two", 2, len(strengths))
    cells = PairCells(terms, pairs[:, 0], pairs[:, 1], counts.astype(np.float64))
    names = tuple(f"bot-{number:02}" for number in range(len(strengths)))
    return TallyArrays(names, (terms,), (cells,), (), (), joined([*cells.rows()]))


class DavidsonCoverage(NamedTuple):
    """Ratings by Davidson's model in pools that are drawn from it."""

    covered: float
    """Share of the 95 % intervals that hold the truth, of ratings against the mean."""
    bias: float
    """Mean of the estimated difference of the strongest and the weakest bot less the true one, in
    Elo, over pools in which all bots are in the core; NaN without any."""
    deviation: float
    """Standard deviation of that difference."""


def davidson_coverage(
    gap: float, blocks: int, nu: float, repeats: int, seed: int, *, bots: int = 5
) -> DavidsonCoverage:
    """Rate bots that are ``gap`` Elo apart; equal bots have the difference of two of them."""
    rng = np.random.default_rng(seed)
    true: Floats = gap * (np.arange(bots, dtype=np.float64) - (bots - 1) / 2)
    held, found = [], []
    for _ in range(repeats):
        ratings = fit_model(pool_with_draws(true, blocks, rng, nu=nu), Model(mean=0.0))
        model = davidson(ratings.ratings, ratings)
        if model is None or model.nu is None:
            continue
        level = float(true[ratings.core].mean()) if ratings.core.any() else 0.0
        for row, own in zip(model.rows, (true - level).tolist(), strict=True):
            if row.low is not None and row.high is not None:
                held.append(row.low <= own <= row.high)
        if all(row.bound is Bound.BOTH for row in model.rows):
            last, first = model.rows[-1].davidson, model.rows[0].davidson
            found.append((last or 0.0) - (first or 0.0) - (true[-1] - true[0]))
    spread = float(np.std(found)) if found else np.nan
    return DavidsonCoverage(float(np.mean(held)), float(np.mean(found or np.nan)), spread)


def named_circles(
    bots: int,
    blocks: int,
    repeats: int,
    seed: int,
    *,
    spread: float = 0.0,
    nu: float = 0.0,
    luck: float = 0.0,
    circle: float = 0.0,
) -> float:
    """Return the share of pools of which a line below the table names a circle.

    ``spread``: standard deviation of the strengths, Elo. Others as in ``pool_with_draws``.
    """
    rng, named = np.random.default_rng(seed), 0
    for _ in range(repeats):
        strengths = rng.normal(0.0, spread, bots)
        data = pool_with_draws(strengths, blocks, rng, nu=nu, luck=luck, circle=circle)
        named += any(hint(fit_model(data, Model())))
    return named / repeats


FIELDS: Final = tuple((bots, blocks) for bots in (3, 5, 10, 30) for blocks in (4, 10, 50, 1000))
"""Numbers of bots, and of the blocks of each pair."""
CIRCLES: Final = tuple(
    (bots, blocks) for bots in (3, 10, 30) for blocks in (3, 4, 5, 6, 10, 20, 50)
)


def print_circles(repeats: int) -> None:
    """Print how often a circle is named where there is none, and where there is one."""
    print("\nShare of pools on one scale of which the table names a circle\n")
    print("| bots | blocks of two | luck | spread of strengths | no draws | nu 2 | nu 8 |")
    print("| --- " * 7 + "|")
    for bots, blocks in FIELDS:
        times = max(1, 3 * repeats // bots)
        for luck, spread in ((0.0, 0.0), (0.0, 200.0), (0.0, 900.0), (300.0, 200.0)):
            own = [
                named_circles(bots, blocks, times, 1, spread=spread, nu=nu, luck=luck)
                for nu in (0.0, 2.0, 8.0)
            ]
            cells = " | ".join(f"{100 * share:.1f} %" for share in own)
            print(f"| {bots} | {blocks} | {luck:.0f} | {spread:.0f} | {cells} |", flush=True)
    print("\nThe same with rock, paper and scissors among the bots, all others equal\n")
    print("| bots | blocks of two | each beats the next by 100 Elo | 200 | 400 | 800 |")
    print("| --- " * 6 + "|")
    for bots, blocks in CIRCLES:
        times = max(1, repeats // bots)
        own = [
            named_circles(bots, blocks, times, 2, circle=elo)
            for elo in (100.0, 200.0, 400.0, 800.0)
        ]
        print(f"| {bots} | {blocks} | {' | '.join(f'{100 * n:.0f} %' for n in own)} |", flush=True)


def print_draws(repeats: int) -> None:
    """Print the coverage and the bias of ratings by Davidson's model."""
    print("\nDavidson's model in pools of 5 bots drawn from it: coverage; bias ± deviation, Elo\n")
    heads = " | ".join(f"{blocks} blocks" for blocks in DRAW_BLOCKS)
    print(f"| nu | Elo apart | {heads} |")
    print("| --- " * (2 + len(DRAW_BLOCKS)) + "|")
    for nu in NUS:
        for gap in GAPS:
            cells = []
            for blocks in DRAW_BLOCKS:
                own = davidson_coverage(gap, blocks, nu, repeats, 1)
                cells.append(f"{100 * own.covered:.1f} %; {own.bias:+.0f} ± {own.deviation:.0f}")
            print(f"| {nu:g} | {gap:.0f} | {' | '.join(cells)} |", flush=True)
