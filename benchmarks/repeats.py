"""Matches of games without chance, in which blocks repeat each other, to try the clusters on.

A truth is needed that repetitions do not change. So the different blocks are drawn from a
population, and which of them a match plays next is drawn by a rule that knows nothing of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from arena.extensions.matches.statistics.blocks import Values
from arena.extensions.matches.statistics.match import LEAST_DISTINCT, NOTHING_NEW
from arena.extensions.matches.statistics.numbers import mean_range, nelo_range
from arena.extensions.matches.statistics.report import Hypotheses, Measure
from arena.extensions.matches.statistics.sprt import GAIN, LEAST_BLOCKS, NELO, llr
from benchmarks.populations import Population, of_strength, pairs

MOST_BLOCKS: Final = 5_000
"""Blocks of a match: as many as ``arena compare`` allows by default."""
_JUMP: Final = 3.0
"""Deviations of a block by which a ratio is taken to move at most."""


class Rule(NamedTuple):
    """How many different blocks there are, and which of them is played next.

    ``new``: 0 if each of ``courses`` is as likely. Else there is no end to them, and this is the
    weight of a new block beside all that were played (a Chinese restaurant process): some are
    played far more often than others.
    """

    courses: int
    new: float = 0.0

    def __str__(self) -> str:
        return f"{self.courses} as likely" if not self.new else f"endless, weight {self.new:g}"

    def played(self, rng: np.random.Generator) -> Iterator[int]:
        """The number of each block, without end."""
        if not self.new:
            while True:
                yield from rng.integers(self.courses, size=512).tolist()
        before: list[int] = []
        number = 0
        while True:
            if rng.random() * (self.new + len(before)) < self.new:
                before.append(number)
                number += 1
            else:
                before.append(before[int(rng.integers(len(before)))])
            yield before[-1]


RULES: Final = (
    *(Rule(courses) for courses in (1, 2, 10, 30, 100, 300)),
    *(Rule(0, new) for new in (20.0, 200.0)),
)


class _Blocks:
    """The blocks of a match so far."""

    def __init__(self, population: Population, rule: Rule, rng: np.random.Generator) -> None:
        self.values = Values()
        self.distinct = self.since_new = 0
        self._drawn = population.blocks(rng)
        self._known: dict[int, tuple[float, int]] = {}
        self._played = rule.played(rng)

    def play(self) -> None:
        number = next(self._played)
        value, before = self._known.get(number) or (next(self._drawn), 0)
        self._known[number] = value, before + 1
        self.values.add(value, before)
        self.distinct += not before
        self.since_new = self.since_new + 1 if before else 0


class Ends(NamedTuple):
    """How sequential tests end, as shares of all, and blocks on average."""

    passes: float
    fails: float
    invalid: float
    blocks: float


def ends(
    population: Population, rule: Rule, test: Hypotheses, repeats: int, seed: int, *, once: bool
) -> Ends:
    """Test afresh so many times. ``once``: as arena does; else every block counts."""
    rng = np.random.default_rng(seed)
    found = [_end(_Blocks(population, rule, rng), population, test, once) for _ in range(repeats)]
    return Ends(*np.mean(found, axis=0).tolist())


def _end(blocks: _Blocks, population: Population, test: Hypotheses, once: bool) -> Ends:
    jump = _JUMP * sqrt(population.games) * (test.elo1 - test.elo0) / NELO
    lower, upper = test.bounds
    following = ratio = 0.0
    for number in range(1, MOST_BLOCKS + 1):
        blocks.play()
        values = blocks.values
        enough = (values.effective if once else values.total) >= LEAST_BLOCKS
        if enough and number >= following:
            weights = values.weights if once else values.counts
            ratio = llr(weights, population.games, test, ref=population.ref, grid=population.grid)
            if not lower < ratio < upper:
                return Ends(ratio >= upper, ratio <= lower, False, number)
            following = number + 1 + int(min(ratio - lower, upper - ratio) / jump)
        if once and blocks.since_new >= NOTHING_NEW:
            break
    return Ends(False, False, blocks.distinct < LEAST_DISTINCT, number)


class Covered(NamedTuple):
    """Shares of 95 % intervals that hold the truth, and how many blocks were counted."""

    score: float
    nelo: float
    effective: float


def covered(
    population: Population, rule: Rule, blocks: int, repeats: int, seed: int, *, once: bool
) -> Covered:
    """Of the numbers of a match of fixed length."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(repeats):
        own = _Blocks(population, rule, rng)
        for _ in range(blocks):
            own.play()
        weights = own.values.weights if once else own.values.counts
        score, nelo = mean_range(weights), nelo_range(weights, population.games, Measure.PLACES)
        held = [
            each.low is None or each.high is None or each.low <= truth <= each.high
            for each, truth in ((score, population.mean), (nelo, population.nelo))
        ]
        found.append((*held, own.values.effective))
    return Covered(*np.mean(found, axis=0).tolist())


def print_repeats(repeats: int) -> None:
    """Print both, beside what comes of counting each block whenever it is played."""
    print("\nBlocks of games without chance that repeat each other: counted once, and each time\n")
    print("| different blocks | true nElo | pass | fail | blocks | each time: pass | fail |")
    print("| --- " * 7 + "|")
    for rule in RULES:
        for nelo in (GAIN.elo0, GAIN.elo1):
            equal = of_strength(nelo, partial(pairs, luck=0.0))
            once, each = (ends(equal, rule, GAIN, repeats, 1, once=once) for once in (True, False))
            shares = f"{once.passes:.3f} | {once.fails:.3f} | {once.blocks:.0f}"
            print(f"| {rule} | {nelo:g} | {shares} | {each.passes:.3f} | {each.fails:.3f} |")
    print("\nCoverage of 95 % intervals after so many blocks, true Elo 100\n")
    print("| different blocks | played | effective | score | nElo | each time: score | nElo |")
    print("| --- " * 7 + "|")
    for rule in RULES[2:]:
        for blocks in (100, 500):
            population = pairs(100.0)
            by_kind, by_block = (
                covered(population, rule, blocks, repeats, 1, once=once) for once in (True, False)
            )
            marks = [by_kind.score, by_kind.nelo, by_block.score, by_block.nelo]
            cells = " | ".join(f"{100 * share:.1f} %" for share in marks)
            print(f"| {rule} | {blocks} | {by_kind.effective:.0f} | {cells} |")
