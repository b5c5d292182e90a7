"""Whether the statistics keep what they promise, on made populations whose truth is known.

    python -m benchmarks.statistics [--repeats N] [--only PART]

Prints how often the sequential test errs and how long it takes, and how often the 95 % intervals
cover the truth. The seeds are fixed: the same numbers on every machine.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from math import log10, sqrt
from typing import Final, NamedTuple

import numpy as np

from arena.extensions.matches.statistics.numbers import elo_range, nelo_range
from arena.extensions.matches.statistics.report import Hypotheses, Measure, Range
from arena.extensions.matches.statistics.sprt import GAIN, NELO, expectation
from arena.extensions.studies.several.changes import changes
from arena.ratings.elo.crosstable import pairs_of
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import Bound
from arena.ratings.elo.scale import ELO, Anchor, Model
from arena.ratings.probability import NORMAL_95
from benchmarks import stops
from benchmarks.draws import print_circles, print_draws
from benchmarks.families import against, by_strength, fixed_games, near_copies, selected
from benchmarks.populations import (
    Population,
    margins,
    of_strength,
    pairs,
    pool,
    pool_with_links,
    pool_with_newcomer,
    pool_with_versions,
    tables,
)
from benchmarks.repeats import print_repeats
from benchmarks.stops import ended
from benchmarks.tuning import made_bots, perturbed, searched

LUCK: Final = (0.0, 200.0, 400.0)
FAMILIES: Final[tuple[Callable[[float], Population], ...]] = (
    *(partial(pairs, luck=luck) for luck in LUCK),
    partial(pairs, luck=200.0, draws=0.5),
    partial(tables, alone=False),
    partial(tables, alone=True),
    margins,
)
SCORE_BLOCKS: Final = (5, 10, 50, 200)
_ROUNDED: Final = 1e-6
"""Largest error of a score that is rounded for a table."""
NEWCOMER_BLOCKS: Final = (3, 5, 10, 20)
LINKS: Final = (3, 5, 10, 30)
"""Numbers of blocks that join two groups."""


class Trials(NamedTuple):
    """Sequential tests of one population."""

    passes: float
    """Share of tests."""
    blocks: float
    """On average."""


def trials(
    population: Population,
    test: Hypotheses,
    repeats: int,
    seed: int,
    *,
    beside: Sequence[Population] = (),
) -> Trials:
    """Test afresh so many times. ``beside``: other games in the same test, a block each in turn."""
    rng = np.random.default_rng(seed)
    populations = (population, *beside)
    ends = [ended(populations, test, rng) for _ in range(repeats)]
    return Trials(
        sum(end.llr >= test.bounds[1] for end in ends) / repeats,
        sum(end.counts[0].total() for end in ends) / repeats,
    )


def expected(population: Population, test: Hypotheses) -> Trials:
    """What Wald's formulas say."""
    t0, t1 = (sqrt(population.games) * elo / NELO for elo in (test.elo0, test.elo1))
    return Trials(*expectation(population.t, t0, t1, test.bounds))


def _elo(population: Population) -> float:
    return 400 * log10(population.mean / (1 - population.mean))


class Coverage(NamedTuple):
    """Shares of 95 % intervals that hold the truth."""

    against_mean: float
    of_differences: float


def rating_coverage(
    entrants: int, blocks: int, repeats: int, seed: int, *, seats: int = 2, luck: float = 0.0
) -> Coverage:
    """Of the ratings of equal entrants: against the mean of the pool, and of every difference."""
    rng = np.random.default_rng(seed)
    first, second = np.array(list(combinations(range(entrants), 2))).T
    inside: list[list[bool]] = [[], []]
    for _ in range(repeats):
        data = pool(np.zeros(entrants), blocks, rng, seats=seats, luck=luck)
        ratings = fit_model(data, Model(mean=0.0))
        inside[0] += [r.low is None or r.low <= 0 <= (r.high or 0) for r in ratings.ratings]
        found = ratings.point.x[first] - ratings.point.x[second]
        sides, known = ratings.spread.of_pairs(first, second)
        held = (found <= sides.below) & (-found <= sides.above)
        inside[1] += (held | ~known).tolist()
    return Coverage(*(float(np.mean(hits)) for hits in inside))


class LinkedCoverage(NamedTuple):
    """Intervals of two groups that few blocks join."""

    inside: float
    """Share of the differences within a group whose intervals hold the truth."""
    between: float
    """The same of differences between the groups."""
    apart: float
    """Share of pools in which the blocks do not join the groups."""


def linked_coverage(
    bots: int, links: int, repeats: int, seed: int, *, seats: int = 2, gap: float = 0.0
) -> LinkedCoverage:
    """Of the differences in two groups of ``bots``, each two of which have 25 blocks.

    ``gap``: Elo between neighbours in strength of the two groups.
    """
    rng = np.random.default_rng(seed)
    strengths = np.tile(np.array([gap, 0.0]), bots)
    first, second = np.array(list(combinations(range(2 * bots), 2))).T
    across = (first < bots) & (second >= bots)
    inside: list[bool] = []
    between: list[bool] = []
    apart = 0
    for _ in range(repeats):
        data = pool_with_links(strengths, 25, links, rng, seats=seats)
        ratings = fit_model(data, Model(mean=0.0))
        found = ratings.point.x[first] - ratings.point.x[second]
        found -= (strengths[first] - strengths[second]) / ELO
        sides, known = ratings.spread.of_pairs(first, second)
        held = (found <= sides.below) & (-found <= sides.above)
        inside += held[known & ~across].tolist()
        between += held[known & across].tolist()
        apart += not known[across].any()
    return LinkedCoverage(float(np.mean(inside)), float(np.mean(between)), apart / repeats)


def score_coverage(
    gap: float, blocks: int, repeats: int, seed: int, *, seats: int = 2, luck: float = 0.0
) -> float:
    """Of the scores of four entrants against each other, each ``gap`` Elo above the one before.

    The true scores are those of 20,000 blocks.
    """
    rng = np.random.default_rng(seed)
    strengths = gap * np.arange(4.0)
    many = pairs_of(pool(strengths, 20_000, rng, seats=seats, luck=luck))
    truth = {(each.name, each.other): each.score for each in many}
    held = [
        each.score_low - _ROUNDED <= truth[each.name, each.other] <= each.score_high + _ROUNDED
        for _ in range(repeats)
        for each in pairs_of(pool(strengths, blocks, rng, seats=seats, luck=luck))
        if each.score_low is not None and each.score_high is not None
    ]
    return float(np.mean(held))


class Field(NamedTuple):
    """Whom a newcomer meets."""

    name: str
    others: tuple[float, ...]
    """Their strengths, Elo; evenly to both sides of their middle, so that theirs is known."""
    own: float


FIELDS: Final = (
    Field("equal", (0.0,) * 29, 0.0),
    Field("400 below", (0.0,) * 29, 400.0),
    Field("+200 and -200", (200.0,) * 14 + (-200.0,) * 14 + (0.0,), 0.0),
)


class Newcomers(NamedTuple):
    """The intervals of newcomers against the mean, each of one in a pool of its own."""

    covered: float
    """Share that hold the truth; outside the core that of the one-sided limit."""
    outside: float
    """Share of newcomers outside the core. The other numbers are of those inside."""
    narrow: float
    """Half-width, Elo, that one in twenty is below."""
    median: float
    wide: float
    """That one in twenty is above."""
    relative: float
    """Median of the half-width over that for independent games."""


def newcomers(
    field: Field, blocks: int, repeats: int, seed: int, *, seats: int = 2, luck: float = 0.0
) -> Newcomers:
    """One entrant with few blocks among others with many."""
    rng = np.random.default_rng(seed)
    strengths = np.array([*field.others, field.own])
    # Luck draws strengths together: the truth is what the scores of endless games would say.
    own = _elo(pairs(field.own, luck=luck))
    inside, widths, relative = [], [], []
    for _ in range(repeats):
        data = pool_with_newcomer(strengths, blocks, rng, seats=seats, luck=luck)
        ratings = fit_model(data, Model(mean=0.0))
        found = ratings.ratings[-1]
        if not ratings.core[-1]:
            above = found.bound is Bound.ABOVE
            limit = found.limit or 0.0
            inside.append(limit <= own if above else limit >= own)
            continue
        if found.low is None or found.high is None or found.error is None:
            raise AssertionError("a newcomer in the core has no interval")
        share = ratings.core / ratings.core.sum()
        inside.append(found.low <= own * (1 - share[-1]) <= found.high)
        contrast = np.append(-share, np.zeros(data.size - len(share)))
        contrast[len(share) - 1] += 1.0
        alone = NORMAL_95 * ELO * sqrt(contrast @ ratings.spread.independent @ contrast)
        widths.append(found.error)
        relative.append(found.error / alone)
    narrow, median, wide = np.percentile(widths, (5, 50, 95)).tolist()
    outside = 1 - len(widths) / repeats
    return Newcomers(
        float(np.mean(inside)), outside, narrow, median, wide, float(np.median(relative))
    )


def anchored_coverage(
    strengths: Sequence[float],
    errors: Sequence[float],
    blocks: int,
    repeats: int,
    seed: int,
    *,
    luck: float = 0.0,
) -> Coverage:
    """Of ratings on the scale of anchors with these errors, which are the first entrants: each is
    said to stand where it stands, but for an error drawn anew in every table."""
    rng = np.random.default_rng(seed)
    true = np.array(strengths)
    first, second = np.array(list(combinations(range(len(true)), 2))).T
    inside: list[list[bool]] = [[], []]
    for _ in range(repeats):
        data = pool(true, blocks, rng, luck=luck)
        said = true[: len(errors)] + rng.normal(size=len(errors)) * errors / NORMAL_95
        names = data.entrants[: len(errors)]
        anchors = map(Anchor, names, said.tolist(), errors)
        ratings = fit_model(data, Model(tuple(anchors)))
        for found, own in zip(ratings.ratings, true.tolist(), strict=True):
            if found.low is not None and found.high is not None:
                inside[0].append(found.low <= own <= found.high)
        nats = ratings.point.x[first] - ratings.point.x[second] - (true[first] - true[second]) / ELO
        sides, known = ratings.spread.of_pairs(first, second)
        inside[1] += ((nats <= sides.below) & (-nats <= sides.above))[known].tolist()
    return Coverage(*(float(np.mean(hits)) for hits in inside))


class Named(NamedTuple):
    """What a history says of versions, as shares of all histories."""

    wrong: float
    """At least one step is called a change that was none, or the wrong way."""
    right: float
    """Every change that there was is called one."""


def named_changes(
    versions: Sequence[float], blocks: int, repeats: int, seed: int, *, luck: float = 0.0
) -> Named:
    """Of versions that are so strong, each with so many blocks against each of six others."""
    rng = np.random.default_rng(seed)
    true = np.diff(versions)
    others, found = np.linspace(-100.0, 100.0, 6), []
    for _ in range(repeats):
        data = pool_with_versions(others, np.array(versions), blocks, rng, luck=luck)
        ratings = fit_model(data, Model())
        steps = changes(ratings, data.entrants[6:]).steps
        signs = [np.sign(step.elo or 0.0) * step.is_change for step in steps]
        wrong = any(sign not in (0, np.sign(own)) for sign, own in zip(signs, true, strict=True))
        found.append((wrong, all(sign for sign, own in zip(signs, true, strict=True) if own)))
    return Named(*np.mean(found, axis=0).tolist())


class MatchCoverage(NamedTuple):
    """Shares of 95 % intervals that hold the truth."""

    elo: float
    nelo: float


def match_coverage(population: Population, blocks: int, repeats: int, seed: int) -> MatchCoverage:
    """Of the numbers of a match on places."""
    rng = np.random.default_rng(seed)
    drawn = Counter(map(tuple, rng.multinomial(blocks, population.shares, repeats).tolist()))
    truths = (_elo(population), population.nelo)
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
    parser.add_argument("--only", choices=PARTS, help="one part; default: all")
    options = parser.parse_args()
    for name, part in PARTS.items():
        if options.only in (None, name):
            part(max(1, options.repeats))
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


def _together(repeats: int) -> None:
    print("\nTwo games in one verdict: pairs without luck and pairs with a luck of 400\n")
    print("| true nElo | of the other | average | passes | deals until the verdict |")
    print("| --- | --- | --- | --- | --- |")
    for nelo, other in ((0.0, 0.0), (40.0, -40.0), (40.0, 0.0), (80.0, 0.0), (40.0, 40.0)):
        first = of_strength(nelo, partial(pairs, luck=0.0))
        second = of_strength(other, partial(pairs, luck=400.0))
        found = trials(first, GAIN, repeats, seed=1, beside=[second])
        average = f"{(nelo + other) / 2:.0f}"
        _row(f"{nelo:.0f}", f"{other:.0f}", average, f"{found.passes:.3f}", f"{found.blocks:.0f}")


def _stops(repeats: int) -> None:
    print("\nEstimates after a sequential test of 0 and 40 nElo has stopped the match\n")
    print("| population | true nElo | Elo | plain nElo: bias | coverage ", end="")
    print("| nElo: bias | coverage | too high | Elo: bias | coverage | LOS |")
    print("| --- " * 11 + "|")
    for name, make in stops.FAMILIES.items():
        for nelo in stops.TRUTHS:
            found = stops.band(make, nelo, repeats, seed=1)
            cells = [f"{found.plain.bias:+.1f}", f"{100 * found.plain.covered:.1f} %"]
            cells += [f"{found.nelo.bias:+.1f}", f"{100 * found.nelo.covered:.1f} %"]
            cells += [f"{100 * found.nelo.high:.0f} %"]
            cells += [f"{found.of_elo.bias:+.1f}", f"{100 * found.of_elo.covered:.1f} %"]
            _row(name, nelo, f"{found.elo:.0f}", *cells, f"{100 * found.superior:.1f} %")
    print("\nCalibration of the LOS: mean LOS, share in which the candidate is stronger\n")
    print("| population | " + " | ".join(f"{k}0 %" for k in range(10)) + " |")
    print("| --- " * 11 + "|")
    for name, make in stops.FAMILIES.items():
        bins = stops.calibration(make, 10 * repeats, seed=1)
        _row(name, *(f"{each.los:.3f}, {each.stronger:.3f} ({each.matches})" for each in bins))


def _best(repeats: int) -> None:
    print("\nThe best of several, alpha = 0.05: one better than all others by the gap\n")
    print("| candidates | gap | luck | right | games | of fixed length | share |")
    print("| --- " * 7 + "|")
    for bots in (2, 5, 20):
        for gap in (20.0, 40.0, 80.0):
            for luck in (0.0, 300.0):
                family = by_strength([gap, *[0.0] * (bots - 1)], luck)
                found = selected(family, gap, repeats, seed=1)
                fixed = fixed_games(bots, gap)
                numbers = f"{found.right:.3f}", f"{found.games:.0f}", f"{fixed:.0f}"
                _row(bots, f"{gap:.0f}", f"{luck:.0f}", *numbers, f"{found.games / fixed:.2f}")
    print("\nOther families, gap 40, luck 200\n")
    print("| strengths, nElo | best chosen | games | somebody called worse |")
    print("| --- " * 4 + "|")
    for name, strengths in OTHERS.items():
        found = selected(by_strength(strengths, 200.0), 40.0, repeats, seed=1)
        _row(name, f"{found.right:.3f}", f"{found.games:.0f}", f"{found.worse:.3f}")
    print("\nNear-copies, gap 40: one better than all others by the gap in their own games\n")
    print("| near-copies | others | even blocks of near-copies | right | games |")
    print("| --- " * 5 + "|")
    for copies, others, even, of_best in COPIES:
        family = near_copies(copies, others, 40.0, even, of_best=of_best)
        found = selected(family, 40.0, repeats, seed=1)
        alike = f"{100 * float(family.shares[1, 1, 2]):.0f} %"
        who = f"the best and {copies}" if of_best else f"{copies}"
        _row(who, others, alike, f"{found.right:.3f}", f"{found.games:.0f}")


OTHERS: Final = {
    "5 equal": (0.0,) * 5,
    "20 equal": (0.0,) * 20,
    "40, 20, 0, 0, 0": (40.0, 20.0, 0.0, 0.0, 0.0),
    "80, 0, 0, 0, 0": (80.0, 0.0, 0.0, 0.0, 0.0),
    "440, 400, 0, 0, 0": (440.0, 400.0, 0.0, 0.0, 0.0),
}


COPIES: Final = (
    (4, 0, 0.72, True),
    (4, 0, 0.72, False),
    (3, 2, 0.72, False),
    (1, 3, 0.72, True),
    (2, 2, 0.72, True),
    (3, 6, 0.72, True),
    (1, 3, 0.9, True),
    (2, 2, 0.95, True),
    (4, 5, 0.9, True),
)
"""Near-copies, other bots, share of deals on which near-copies play alike, whether the best bot is
one of them."""


def _against(repeats: int) -> None:
    print("\nSeveral against a baseline, bounds 0 and 40, alpha = beta = 0.05, luck 200\n")
    print("| candidates | better by 40 | somebody passes wrongly | of the better pass | games |")
    print("| --- " * 5 + "|")
    for bots in (2, 5, 20):
        for better in dict.fromkeys((0, 1, bots)):
            strengths = [40.0] * better + [0.0] * (bots - better)
            found = against(strengths, GAIN, repeats, seed=1, luck=200.0)
            power = f"{found.power:.3f}" if better else "-"
            _row(bots, better, f"{found.wrong:.3f}", power, f"{found.games:.0f}")
    print("\nEach at 0.05, as if it were alone\n")
    print("| candidates | somebody passes wrongly | games |")
    print("| --- " * 3 + "|")
    for bots in (2, 5):
        found = against([0.0] * bots, GAIN, repeats, seed=1, luck=200.0, steps=False)
        _row(bots, f"{found.wrong:.3f}", f"{found.games:.0f}")


def _ratings(repeats: int) -> None:
    print("\nCoverage of the 95 % intervals of the ratings of 6 equal bots\n")
    print("| seats | blocks per table | luck | against the mean | of differences |")
    print("| --- | --- | --- | --- | --- |")
    for seats, blocks in ((2, 10), (2, 50), (3, 10), (4, 10)):
        for luck in (0.0, 200.0, 500.0):
            found = rating_coverage(6, blocks, repeats, seed=1, seats=seats, luck=luck)
            _row(seats, blocks, f"{luck:.0f}", *(f"{100 * share:.1f} %" for share in found))


def _scores(repeats: int) -> None:
    print("\nCoverage of the 95 % intervals of the scores of 4 bots against each other\n")
    heads = " | ".join(f"{blocks} blocks" for blocks in SCORE_BLOCKS)
    print(f"| seats | luck | Elo apart | {heads} |")
    print("| --- " * (3 + len(SCORE_BLOCKS)) + "|")
    for seats, luck in ((2, 0.0), (2, 500.0), (3, 0.0), (3, 500.0)):
        for gap in (0.0, 100.0, 300.0):
            found = (
                score_coverage(gap, blocks, repeats, 1, seats=seats, luck=luck)
                for blocks in SCORE_BLOCKS
            )
            _row(seats, f"{luck:.0f}", f"{gap:.0f}", *(f"{100 * share:.1f} %" for share in found))


def _links(repeats: int) -> None:
    print("\nCoverage of differences in two groups that few blocks join\n")
    heads = " | ".join(f"{n} blocks" for n in LINKS)
    print(f"| seats | bots of a group | Elo apart | {heads} |")
    print("| --- " * (3 + len(LINKS)) + "|")
    for seats, bots in ((2, 2), (2, 3), (2, 6), (3, 3), (3, 6)):
        for gap in (0.0, 200.0):
            own = [linked_coverage(bots, n, repeats, 1, seats=seats, gap=gap) for n in LINKS]
            cells = [f"{100 * n.between:.1f} %, {100 * n.apart:.0f} % apart" for n in own]
            _row(seats, bots, f"{gap:.0f}", *cells)


def _newcomers(repeats: int) -> None:
    print("\nA newcomer among 29 with 100 blocks and more: coverage of its 95 % interval\n")
    print(
        "| seats | luck | opponents | " + " | ".join(f"{n} blocks" for n in NEWCOMER_BLOCKS) + " |"
    )
    print("| --- " * (3 + len(NEWCOMER_BLOCKS)) + "|")
    found: dict[tuple[object, ...], list[Newcomers]] = {}
    for seats in (2, 4):
        for luck in (0.0, 300.0):
            for field in FIELDS:
                own = [
                    newcomers(field, blocks, repeats, seed=1, seats=seats, luck=luck)
                    for blocks in NEWCOMER_BLOCKS
                ]
                found[seats, f"{luck:.0f}", field.name] = own
                _row(seats, f"{luck:.0f}", field.name, *(f"{100 * n.covered:.1f} %" for n in own))
    means = (np.mean([n.covered for n in column]) for column in zip(*found.values(), strict=True))
    _row("mean", "", "", *(f"{100 * mean:.1f} %" for mean in means))
    print("\nIts half-width in Elo: median (5 % to 95 %), over that for independent games\n")
    print(
        "| seats | luck | opponents | " + " | ".join(f"{n} blocks" for n in NEWCOMER_BLOCKS) + " |"
    )
    print("| --- " * (3 + len(NEWCOMER_BLOCKS)) + "|")
    for names, own in found.items():
        cells = (f"{n.median:.0f} ({n.narrow:.0f}–{n.wide:.0f}), {n.relative:.2f}" for n in own)
        _row(*names, *cells)


def _anchors(repeats: int) -> None:
    print("\nCoverage of ratings on the scale of anchors with errors, six bots in pairs\n")
    print("| strengths | errors of the anchors | blocks | luck | ratings | differences |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, strengths in (("equal", (0.0,) * 6), ("-150 to 150", tuple(range(-150, 151, 60)))):
        for errors in ((30.0,), (30.0, 30.0), (20.0, 60.0, 200.0), (0.0, 0.0), (0.0, 40.0)):
            for blocks, luck in ((10, 0.0), (50, 300.0)):
                if luck and any(strengths):
                    continue  # luck draws unequal strengths together: the truth is no number
                found = anchored_coverage(strengths, errors, blocks, repeats, 1, luck=luck)
                told = ", ".join(f"±{error:.0f}" for error in errors)
                _row(name, told, blocks, f"{luck:.0f}", *(f"{100 * each:.1f} %" for each in found))


def _versions(repeats: int) -> None:
    print("\nVersions of a bot that are called a change\n")
    print("| versions, Elo | blocks of each | luck | a wrong one | all that there were |")
    print("| --- | --- | --- | --- | --- |")
    cases = (((0.0,) * 2, (3, 10)), ((0.0,) * 5, (3, 10, 40)), ((0.0,) * 10, (10,)))
    for versions, each in (*cases, ((0.0, 0.0, 60.0, 60.0, 60.0), (10, 40))):
        for blocks in each:
            for luck in (0.0, 300.0):
                found = named_changes(versions, blocks, repeats, 1, luck=luck)
                told = ", ".join(f"{own:.0f}" for own in versions)
                right = f"{100 * found.right:.1f} %" if any(versions) else "–"
                _row(told, 6 * blocks, f"{luck:.0f}", f"{100 * found.wrong:.1f} %", right)


def _matches(repeats: int) -> None:
    """Ten times as many: they are cheap."""
    print("\nCoverage of the 95 % intervals of a match\n")
    print("| population | Elo | blocks | of the Elo | of the nElo |")
    print("| --- | --- | --- | --- | --- |")
    for elo in (0.0, 100.0, 300.0):
        for luck in LUCK:
            population = pairs(elo, luck=luck)
            for blocks in (20, 50, 100, 400):
                found = match_coverage(population, blocks, 10 * repeats, seed=1)
                shares = (f"{100 * share:.1f} %" for share in found)
                _row(population.name, f"{elo:.0f}", blocks, *shares)


def _tuning(repeats: int) -> None:
    """A tenth as many: they are dear."""
    for cost, games in ((100.0, 4000), (30.0, 10_000)):
        print(f"\nElo lost after {games} games where half the range of an option costs {cost:g}\n")
        print(
            "| made bot | median | of 95 % | within 5 Elo | SPSA: median | of 95 % | within 5 Elo |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for made in made_bots(cost):
            count = max(1, repeats // 10)
            found = (searched(made, games, count), perturbed(made, games, count))
            cells = (
                cell
                for each in found
                for cell in (f"{each.median:.1f}", f"{each.most:.1f}", f"{100 * each.near:.1f} %")
            )
            _row(made.name, *cells)


def _row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


PARTS: Final = {
    "tests": _tests,
    "together": _together,
    "stops": _stops,
    "best": _best,
    "against": _against,
    "ratings": _ratings,
    "scores": _scores,
    "links": _links,
    "newcomers": _newcomers,
    "anchors": _anchors,
    "versions": _versions,
    "matches": _matches,
    "tuning": _tuning,
    "repeats": print_repeats,
    "draws": print_draws,
    "circles": print_circles,
}


if __name__ == "__main__":
    sys.exit(main())
