"""Whether the statistics keep what they promise, on made populations whose truth is known.

    python -m benchmarks.statistics [--repeats N]

Prints how often the sequential test errs and how long it takes, and how often the 95 % intervals
cover the truth. The seeds are fixed: the same numbers on every machine.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from math import log10, sqrt
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.fit import fit_sums
from arena.ratings.match_numbers import elo_range, nelo_range
from arena.ratings.match_report import Measure, Range
from arena.ratings.rating import ELO
from arena.ratings.sprt import GAIN, LEAST_BLOCKS, NELO, Hypotheses, expectation, llr
from benchmarks.populations import Population, margins, of_strength, pairs, pool, tables

LUCK: Final = (0.0, 200.0, 400.0)
FAMILIES: Final[tuple[Callable[[float], Population], ...]] = (
    *(partial(pairs, luck=luck) for luck in LUCK),
    partial(pairs, luck=200.0, draws=0.5),
    partial(tables, alone=False),
    partial(tables, alone=True),
    margins,
)
_LONGEST: Final = 20_000


class Trials(NamedTuple):
    """Sequential tests of one population."""

    passes: float
    """Share of tests."""
    blocks: float
    """On average."""


def trials(population: Population, test: Hypotheses, repeats: int, seed: int) -> Trials:
    """Test afresh so many times."""
    rng = np.random.default_rng(seed)
    ends = [_ended(population, test, population.blocks(rng)) for _ in range(repeats)]
    return Trials(
        sum(passed for passed, _ in ends) / repeats, sum(blocks for _, blocks in ends) / repeats
    )


def expected(population: Population, test: Hypotheses) -> Trials:
    """What Wald's formulas say."""
    t0, t1 = (sqrt(population.games) * elo / NELO for elo in (test.elo0, test.elo1))
    return Trials(*expectation(population.t, t0, t1, test.bounds))


def _ended(population: Population, test: Hypotheses, blocks: Iterator[float]) -> tuple[bool, int]:
    """Whether the test passed, and after how many blocks.

    The ratio is not computed while it is too far from both bounds for the next blocks to end it.
    """
    jump = 3 * sqrt(population.games) * (test.elo1 - test.elo0) / NELO
    lower, upper = test.bounds
    counts: Counter[float] = Counter()
    following = LEAST_BLOCKS
    for number, value in enumerate(blocks, 1):
        counts[value] += 1
        if number == following:
            ratio = llr(counts, population.games, test, ref=population.ref, grid=population.grid)
            room = min(ratio - lower, upper - ratio)
            if room <= 0 or number == _LONGEST:
                return ratio >= upper, number
            following += 1 + int(room / jump)
    raise AssertionError("blocks have no end")


class Coverage(NamedTuple):
    """Shares of 95 % intervals that hold the truth."""

    against_mean: float
    of_differences: float


def rating_coverage(
    entrants: int, blocks: int, repeats: int, seed: int, *, seats: int = 2, luck: float = 0.0
) -> Coverage:
    """Of the ratings of equal entrants: against the mean of the pool, and of every difference."""
    rng = np.random.default_rng(seed)
    equal = np.zeros(entrants)
    pairs_of = list(combinations(range(entrants), 2))
    contrasts = [np.eye(entrants) - 1 / entrants]
    contrasts.append(np.array([np.eye(entrants)[a] - np.eye(entrants)[b] for a, b in pairs_of]))
    inside: list[list[float]] = [[], []]
    for _ in range(repeats):
        data = pool(equal, blocks, rng, seats=seats, luck=luck)
        ratings = fit_sums(data, anchor=None, anchor_elo=0.0, prior=0.5)
        for contrast, hits in zip(contrasts, inside, strict=True):
            padded = np.pad(contrast, ((0, 0), (0, data.size - entrants)))
            found = ELO * padded @ ratings.point.x
            errors = ratings.spread.errors(padded) if ratings.spread else [None] * len(found)
            hits += [e is None or abs(f) <= e for f, e in zip(found, errors, strict=True)]
    return Coverage(*(float(np.mean(hits)) for hits in inside))


class MatchCoverage(NamedTuple):
    """Shares of 95 % intervals that hold the truth."""

    elo: float
    nelo: float


def match_coverage(population: Population, blocks: int, repeats: int, seed: int) -> MatchCoverage:
    """Of the numbers of a match on places."""
    rng = np.random.default_rng(seed)
    drawn = Counter(map(tuple, rng.multinomial(blocks, population.shares, repeats).tolist()))
    truths = (400 * log10(population.mean / (1 - population.mean)), population.nelo)
    inside = [0, 0]
    for row, times in drawn.items():
        counts = {v: n for v, n in zip(population.values.tolist(), row, strict=True) if n}
        ranges = elo_range(counts), nelo_range(counts, population.games, Measure.PLACES)
        for which, (found, truth) in enumerate(zip(ranges, truths, strict=True)):
            inside[which] += times * _holds(found, truth)
    return MatchCoverage(*(hits / repeats for hits in inside))


def _holds(found: Range, truth: float) -> bool:
    return (found.low is None or found.low <= truth) and (found.high is None or truth <= found.high)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.statistics", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--repeats", type=int, default=2000, help="of every line; default 2000")
    repeats = max(1, parser.parse_args().repeats)
    _tests(repeats)
    _ratings(repeats)
    _matches(10 * repeats)
    return 0


def _tests(repeats: int) -> None:
    print(f"Sequential test of [{GAIN.elo0:g}, {GAIN.elo1:g}] nElo, alpha = beta = 0.05\n")
    print("| population | true nElo | passes | by Wald | blocks until the verdict | by Wald |")
    print("| --- | --- | --- | --- | --- | --- |")
    for family in FAMILIES:
        for nelo in (GAIN.elo0, (GAIN.elo0 + GAIN.elo1) / 2, GAIN.elo1):
            population = of_strength(nelo, family)
            found, wald = trials(population, GAIN, repeats, seed=1), expected(population, GAIN)
            cells = (f"{found.passes:.3f}", f"{wald.passes:.3f}")
            lengths = (f"{found.blocks:.0f}", f"{wald.blocks:.0f}")
            _row(population.name, f"{population.nelo:.1f}", *cells, *lengths)


def _ratings(repeats: int) -> None:
    print("\nCoverage of the 95 % intervals of the ratings of 6 equal bots\n")
    print("| seats | blocks per table | luck | against the mean | of differences |")
    print("| --- | --- | --- | --- | --- |")
    for seats, blocks in ((2, 10), (2, 50), (3, 10), (4, 10)):
        for luck in (0.0, 200.0, 500.0):
            found = rating_coverage(6, blocks, repeats, seed=1, seats=seats, luck=luck)
            _row(seats, blocks, f"{luck:.0f}", *(f"{100 * share:.1f} %" for share in found))


def _matches(repeats: int) -> None:
    print("\nCoverage of the 95 % intervals of a match\n")
    print("| population | Elo | blocks | of the Elo | of the nElo |")
    print("| --- | --- | --- | --- | --- |")
    for elo in (0.0, 100.0, 300.0):
        for luck in LUCK:
            population = pairs(elo, luck=luck)
            for blocks in (20, 50, 100, 400):
                found = match_coverage(population, blocks, repeats, seed=1)
                shares = (f"{100 * share:.1f} %" for share in found)
                _row(population.name, f"{elo:.0f}", blocks, *shares)


def _row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
