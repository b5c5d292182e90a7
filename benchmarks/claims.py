"""What docs/measured.md says of two approximations, computed a second time.

    python -m benchmarks.claims [--tests N]

How long the sequential test takes against Wald's formulas, and what the ghost of a rating costs.
Nothing here comes from ``arena``: a mistake there cannot hide in a figure from here. The seeds are
fixed: the same numbers on every machine.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from math import exp, log, sqrt, tanh
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

VALUES: Final = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Of a pair of games."""
NELO: Final = 800 / log(10)
BOUND: Final = log(19)
"""Of the ratio, either way, for alpha = beta = 0.05."""
HIGH: Final = 40.0
"""nElo of H1; that of H0 is 0."""
FIRST_LOOK: Final = 20
UNSEEN: Final = 1e-3
"""Blocks that each value counts before the first one is seen."""
_STEPS: Final = 60
"""Of a bisection."""
_NODES: Final = 41


class Lengths(NamedTuple):
    """What sequential tests came to."""

    passes: float
    blocks: float
    """On average."""
    error: float
    """Standard error of ``blocks``."""


def logistic(x: Array | float) -> Array:
    """1 / (1 + e^-x)."""
    found: Array = 1 / (1 + np.exp(-np.asarray(x, dtype=float)))
    return found


def pair_shares(strength: float, luck: float, draws: float) -> Array:
    """How likely each of VALUES is.

    ``strength`` in nats, ``luck`` the deviation of what a deal gives to the first seat in Elo,
    ``draws`` how many nats on either side of even make a draw.
    """
    points, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    weights = weights / weights.sum()
    edge = points * luck * sqrt(2) * log(10) / 400
    games = []
    for sign in (1, -1):
        win = logistic(strength + sign * edge - draws)
        loss = logistic(-strength - sign * edge - draws)
        games.append((loss, 1 - win - loss, win))
    shares = np.zeros(5)
    for first, one in enumerate(games[0]):
        for second, other in enumerate(games[1]):
            shares[first + second] += float(weights @ (one * other))
    return shares


def nelo_of(shares: Array) -> float:
    """Normalized Elo of a population of pairs."""
    mean = float(shares @ VALUES)
    deviation = sqrt(2 * float(shares @ (VALUES - mean) ** 2))
    return (mean - 0.5) / deviation * NELO


def shares_of(nelo: float, luck: float, draws: float) -> Array:
    """Those of a population of that strength."""
    low, high = -3.0, 3.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if nelo_of(pair_shares(middle, luck, draws)) < nelo:
            low = middle
        else:
            high = middle
    return pair_shares(low, luck, draws)


def likeliest(seen: Array, t: float) -> Array:
    """The likeliest shares with a mean of ``t`` deviations above even, a row for each of ``seen``.

    Van den Bergh's iteration: the constraint is made linear at the last mean and deviation, and
    what it leaves are the shares seen / (1 + x g) with the one x that keeps it. Few blocks may keep
    it from settling: for these the deviation is found by bisection.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = _iterated(seen, t)
        mean = shares @ VALUES
        deviation = np.sqrt((shares * (VALUES - mean[:, None]) ** 2).sum(axis=1))
        settled = np.abs(mean - 0.5 - t * deviation) < 1e-10
    shares[~settled] = _bisected(seen[~settled], t)
    return shares


def _bisected(seen: Array, t: float) -> Array:
    """With gaps that hold for the deviation that the shares then have."""
    low, high = np.full(len(seen), 1e-4), np.full(len(seen), 0.55)
    shares = seen
    for _ in range(30):
        deviation = ((low + high) / 2)[:, None]
        mean = 0.5 + t * deviation
        squares = (VALUES - mean) ** 2
        gaps = VALUES - 0.5 - t * (deviation**2 + squares) / (2 * deviation)
        shares = seen / (1 + _multiplier(seen, gaps, rounds=40)[:, None] * gaps)
        shares /= shares.sum(axis=1)[:, None]
        is_wide = (shares * squares).sum(axis=1) > deviation[:, 0] ** 2
        low, high = (
            np.where(is_wide, deviation[:, 0], low),
            np.where(is_wide, high, deviation[:, 0]),
        )
    return shares


def _iterated(seen: Array, t: float) -> Array:
    shares = seen
    for _ in range(8 if t else 1):
        mean = (shares @ VALUES)[:, None]
        deviation = np.sqrt((shares * (VALUES - mean) ** 2).sum(axis=1))[:, None]
        away = (VALUES - mean) / deviation
        gaps = VALUES - 0.5 - t * deviation * (1 + away**2) / 2
        shares = seen / (1 + _multiplier(seen, gaps)[:, None] * gaps)
        shares /= shares.sum(axis=1)[:, None]
    return shares


def _multiplier(seen: Array, gaps: Array, rounds: int = 10) -> Array:
    """By Newton's method, kept between the poles."""
    low, high = -1 / gaps.max(axis=1), -1 / gaps.min(axis=1)
    x = np.zeros(len(seen))
    for _ in range(rounds):
        part = gaps / (1 + x[:, None] * gaps)
        value = (seen * part).sum(axis=1)
        following = x + value / (seen * part**2).sum(axis=1)
        low, high = np.where(value > 0, x, low), np.where(value < 0, x, high)
        inside = (following > low) & (following < high)
        x = np.where(inside, following, (low + high) / 2)
    return x


def ratios(counts: Array) -> Array:
    """The log-likelihood ratio of H1 against H0 for each row of counts."""
    counts = np.maximum(counts, UNSEEN)
    blocks = counts.sum(axis=1)
    seen = counts / blocks[:, None]
    high, low = likeliest(seen, sqrt(2) * HIGH / NELO), likeliest(seen, 0.0)
    found: Array = blocks * (seen * np.log(high / low)).sum(axis=1)
    return found


def lengths(shares: Array, tests: int, seed: int) -> Lengths:
    """So many sequential tests of one population.

    A ratio that is too far from both bounds for the next blocks to end a test is not computed.
    """
    rng = np.random.default_rng(seed)
    jump = 3 * sqrt(2) * HIGH / NELO
    counts, looks = np.zeros((tests, 5)), np.full(tests, FIRST_LOOK)
    ends: list[int] = []
    passed, block = 0, 0
    while len(counts):
        block += 1
        drawn = np.searchsorted(np.cumsum(shares)[:-1], rng.random(len(counts)))
        counts[np.arange(len(counts)), drawn] += 1
        due = np.flatnonzero(looks <= block)
        if block % max(1, block // 500) or not len(due):
            continue
        found = ratios(counts[due])
        room = BOUND - np.abs(found)
        looks[due] = block + 1 + np.maximum(0, room / jump).astype(int)
        over = due[room <= 0]
        passed += int((found >= BOUND).sum())
        ends += [block] * len(over)
        counts, looks = np.delete(counts, over, axis=0), np.delete(looks, over)
    every = np.array(ends)
    return Lengths(passed / tests, float(every.mean()), float(every.std() / sqrt(tests)))


def by_wald(nelo: float) -> float:
    """Blocks of a pair until the verdict, by his formulas."""
    scale = sqrt(2) / NELO
    step, drift = (HIGH * scale) ** 2, HIGH * scale**2 * (nelo - HIGH / 2)
    if not drift:
        return BOUND**2 / step
    h = 2 * drift / step
    return BOUND * tanh(h * BOUND / 2) / drift


def ghost_cost(score: float, games: int, opponents: int) -> float:
    """The share of a rating that its ghost takes.

    One bot scores ``score`` in ``games`` against each of so many equal ones, which score half of
    the points among themselves. Ratings are differences to the mean of all.
    """
    exact = log(score / (1 - score))
    total = games * opponents

    def excess(difference: float) -> float:
        """Points too many for the strengths, with the ghost's."""
        own = difference * opponents / (opponents + 1)
        points = total * (score - 1 / (1 + exp(-difference)))
        return points - tanh(own / 2) / 2

    low, high = 0.0, exact
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return 1 - low / exact


POPULATIONS: Final = {
    "luck 0": partial(shares_of, luck=0.0, draws=0.0),
    "luck 200": partial(shares_of, luck=200.0, draws=0.0),
    "luck 400": partial(shares_of, luck=400.0, draws=0.0),
    "luck 200, many draws": partial(shares_of, luck=200.0, draws=0.5),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tests", type=int, default=10_000, help="of each line; default 10,000")
    tests = max(1, parser.parse_args().tests)
    print("Sequential test of 0 and 40 nElo, pairs; blocks until the verdict\n")
    print("| pairs | true nElo | passes | blocks | by Wald | more |\n| --- " + "| --- " * 5 + "|")
    for name, population in POPULATIONS.items():
        for nelo in (0.0, HIGH / 2, HIGH):
            found, wald = lengths(population(nelo), tests, seed=1), by_wald(nelo)
            blocks = f"{found.blocks:.1f} ± {found.error:.1f}"
            more = f"{100 * (found.blocks / wald - 1):.1f} %"
            cells = (name, f"{nelo:.0f}", f"{found.passes:.4f}", blocks, f"{wald:.1f}", more)
            print(f"| {' | '.join(cells)} |", flush=True)
    print("\nShare of a rating that its ghost takes\n")
    print("| score | 2 bots, 100 games | 1,000 | 10 bots, 100 with each | 1,000 |")
    print("| --- " * 5 + "|")
    for score in (0.51, 0.75, 0.9, 0.95, 0.975, 0.99, 0.999):
        costs = tuple(
            f"{100 * ghost_cost(score, games, opponents):.3f} %"
            for opponents in (1, 9)
            for games in (100, 1000)
        )
        print(f"| {100 * score:g} % | {' | '.join(costs)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
