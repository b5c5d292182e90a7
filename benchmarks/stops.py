"""Estimates after a sequential test, on made populations whose truth is known.

How far the median of the estimates is from the truth, how often the 95 % intervals hold it, and how
often a contestant with a given likelihood of superiority is the stronger one. Printed by
``python -m benchmarks.statistics --only stops``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf, log10, sqrt
from typing import Final, NamedTuple

import numpy as np

from arena.extensions.matches.statistics.estimate import FixedLengthFigures, LastLook, estimate_of
from arena.extensions.matches.statistics.numbers import elo_range, nelo_range, superiority_of
from arena.extensions.matches.statistics.report import Hypotheses, Measure, PostStopEstimate, Range
from arena.extensions.matches.statistics.sprt import GAIN, LEAST_BLOCKS, NELO, llr
from benchmarks.populations import Population, mirrored, of_strength, pairs, rare_losses, swinging

FAMILIES: Final[dict[str, Callable[[float], Population]]] = {
    "coin-like": pairs,
    "mostly even pairs": partial(pairs, draws=3.245),
    "swinging": swinging,
    "rare losses": rare_losses,
}
TRUTHS: Final = (0, 20, 40, 60, 80, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800)
"""Centres of the bands of true nElo."""
POINTS: Final = 9
"""True strengths in a band: results are few and discrete, so a single one falls between them."""
PRIOR: Final = tuple(range(-102, 103, 4))
"""True nElo for the calibration of the LOS, each as likely."""
_LONGEST: Final = 20_000


class End(NamedTuple):
    """Blocks of a test at its end."""

    llr: float
    counts: list[Counter[float]]
    """Blocks of each population by their value."""


def ended(populations: Sequence[Population], test: Hypotheses, rng: np.random.Generator) -> End:
    """Play one sequential test to its end.

    The ratio is not computed while it is too far from both bounds for the next blocks to end it.
    """
    games = sum(sqrt(population.games) for population in populations)
    jump = 3 * games * (test.elo1 - test.elo0) / NELO
    lower, upper = test.bounds
    counts: list[Counter[float]] = [Counter() for _ in populations]
    streams = [population.blocks(rng) for population in populations]
    following = LEAST_BLOCKS
    for number, values in enumerate(zip(*streams, strict=True), 1):
        for counter, value in zip(counts, values, strict=True):
            counter[value] += 1
        if number == following:
            ratio = sum(
                llr(counter, each.games, test, ref=each.ref, grid=each.grid)
                for each, counter in zip(populations, counts, strict=True)
            )
            room = min(ratio - lower, upper - ratio)
            if room <= 0 or number == _LONGEST:
                return End(ratio, counts)
            following += 1 + int(room / jump)
    raise AssertionError("blocks have no end")


def plain_of(counts: Counter[float]) -> FixedLengthFigures:
    """Return the figures of pairs as in a match of fixed length."""
    nelo = nelo_range(counts, 2, Measure.PLACES)
    return FixedLengthFigures(2, elo_range(counts), nelo, superiority_of(counts, Measure.PLACES))


def estimated(test: Hypotheses, end: End) -> PostStopEstimate:
    """Return the estimate of a match of pairs that allows for its stop."""
    [counts] = end.counts
    lower, upper = test.bounds
    state = LastLook(
        end.llr,
        test.bounds,
        counts.total(),
        LEAST_BLOCKS,
        test.scale,
        (test.elo0, test.elo1),
        is_open=lower < end.llr < upper,
    )
    found = estimate_of(state, [plain_of(counts)])
    if found is None:
        raise AssertionError("a test ended and says nothing")
    return found


class Accuracy(NamedTuple):
    """Quality of the estimates of one quantity."""

    bias: float
    """Median of the estimate less the truth."""
    covered: float
    """Share of the 95 % intervals that hold the truth."""
    high: float
    """Share of the estimates above the truth."""


class Band(NamedTuple):
    """Estimates of matches whose true nElo lies in a band."""

    elo: float
    """Mean true Elo."""
    plain: Accuracy
    """nElo as in a match of fixed length."""
    nelo: Accuracy
    of_elo: Accuracy
    superior: float
    """Median LOS."""


def band(make: Callable[[float], Population], nelo: float, repeats: int, seed: int) -> Band:
    """Play tests of 0 and 40 nElo at strengths within a tenth (at least 5) of ``nelo``."""
    rng = np.random.default_rng(seed)
    width = max(5.0, nelo / 10)
    found: list[list[tuple[Range, float]]] = [[], [], []]
    los, elos, known = [], [], {}
    for true in np.linspace(nelo - width, nelo + width, POINTS).tolist():
        population = strong(make, true)
        elos.append(400 * log10(population.mean / (1 - population.mean)))
        for _ in range(max(1, repeats // POINTS)):
            end = ended([population], GAIN, rng)
            key = frozenset(end.counts[0].items())
            if key not in known:
                known[key] = plain_of(end.counts[0]).nelo, estimated(GAIN, end)
            counted, estimate = known[key]
            found[0].append((counted, population.nelo))
            found[1].append((estimate.nelo, population.nelo))
            found[2].append((estimate.elo, elos[-1]))
            los.append(estimate.los)
    plain, of_nelo, of_elo = (_accuracy(each) for each in found)
    return Band(float(np.mean(elos)), plain, of_nelo, of_elo, float(np.median(los)))


def strong(make: Callable[[float], Population], nelo: float) -> Population:
    """Return the population of that nElo; a weak one is a strong one seen from the other side."""
    return of_strength(nelo, make) if nelo >= 0 else mirrored(of_strength(-nelo, make))


def _accuracy(found: Sequence[tuple[Range, float]]) -> Accuracy:
    """Compare with the truth; a perfect score, which has no estimate, counts as an infinite one."""
    errors = [inf if each.value is None else each.value - true for each, true in found]
    above = [each.low is not None and each.low > true for each, true in found]
    below = [each.high is not None and each.high < true for each, true in found]
    outside = float(np.mean(above) + np.mean(below))
    high = float(np.mean([error > 0 for error in errors]))
    return Accuracy(float(np.median(errors)), 1 - outside, high)


class Bin(NamedTuple):
    """Matches whose LOS lies in a tenth of its range."""

    matches: int
    los: float
    """Mean LOS."""
    stronger: float
    """Share in which the candidate is the stronger one."""


def calibration(make: Callable[[float], Population], repeats: int, seed: int) -> list[Bin]:
    """Sort tests of 0 and 40 nElo, at strengths of ``PRIOR``, into ten bins by their LOS.

    The LOS of a match of one discipline is the plain one.
    """
    rng = np.random.default_rng(seed)
    found: list[tuple[float, bool]] = []
    for nelo in PRIOR:
        population = strong(make, nelo)
        for _ in range(max(1, repeats // len(PRIOR))):
            los = plain_of(ended([population], GAIN, rng).counts[0]).los
            found.append((0.5 if los is None else los, nelo > 0))
    return list(_bins(found))


def _bins(found: Sequence[tuple[float, bool]]) -> Iterator[Bin]:
    for tenth in range(10):
        own = [each for each in found if min(9, int(10 * each[0])) == tenth]
        means = np.mean(own, axis=0).tolist() if own else (0.0, 0.0)
        yield Bin(len(own), *means)
