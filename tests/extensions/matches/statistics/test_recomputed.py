"""Figures of a match, computed again from docs/formulas.md by other methods.

The formulas are those of its sections "Blocks", "The numbers of a match" and "The sequential test".
"""

from __future__ import annotations

from math import log, log10, sqrt
from typing import Any

import msgspec
import numpy as np
import pytest

from arena.extensions.matches.statistics.numbers import elo_range, nelo_range
from arena.extensions.matches.statistics.report import Range, Scale
from tests.extensions.matches.statistics.own_numbers import (
    NELO,
    Sample,
    Z,
    around,
    score,
    share_above,
)
from tests.extensions.matches.statistics.own_walk import Outcome, average, moved
from tests.extensions.matches.statistics.played_matches import PLAYED, PlayedMatch
from tests.rows import some

stats = pytest.importorskip("scipy.stats")

matches = pytest.mark.parametrize("played", PLAYED.values(), ids=PLAYED)
DISCIPLINES = [
    (played, index) for played in PLAYED.values() for index in range(len(played.disciplines))
]
NAMES = [f"{name}, {each.table.discipline}" for name in PLAYED for each in PLAYED[name].disciplines]
disciplines = pytest.mark.parametrize(("played", "index"), DISCIPLINES, ids=NAMES)


def equal(found: Range, expected: tuple[float | None, float | None, float | None]) -> bool:
    """Return whether a range has these values: value, lower and upper limit."""
    for own, other in zip((found.value, found.low, found.high), expected, strict=True):
        if (own is None) != (other is None):
            return False
        if own is not None and own != pytest.approx(other, rel=1e-6, abs=1e-9):
            return False
    return True


@disciplines
def test_closed_forms(played: PlayedMatch, index: int) -> None:
    sample, game = Sample(played.disciplines[index]), played.match().reports()[index]
    mean, low, high = around(sample.values)
    if sample.by_places and low is not None and high is not None:
        low, high = max(0.0, low), min(1.0, high)
    assert equal(game.mean, (mean, low, high))
    assert equal(game.margin, around(sample.margins))
    assert game.deviation == pytest.approx(sqrt(sample.size) * sample.deviation, rel=1e-6)
    blocks, even = len(sample.values), sample.even
    if sample.deviation == 0:
        assert game.los == 1 - 2.0 ** -(blocks + 1)
    else:
        z = (mean - even) / sample.deviation * sqrt(blocks - 1)
        law = stats.t(blocks - 1) if blocks < 100 else stats.norm
        assert game.los == pytest.approx(law.cdf(z), rel=1e-9)
    for seat, found in enumerate(game.seats_worth):
        others = [k for k in range(len(game.seats_worth)) if k != seat]
        shares = [[share_above(each, seat, others) for each in block] for block in sample.games]
        assert equal(found, around([float(np.mean(each)) for each in shares]))


@disciplines
def test_luck(played: PlayedMatch, index: int) -> None:
    """The correlation of two games of a block, with its interval on the logarithm."""
    sample, game = Sample(played.disciplines[index]), played.match().reports()[index]
    if not sample.by_places or sample.deviation == 0:
        assert (game.correlation, game.luck_ratio) == (Range(None), None)
        return
    lineups = [[game.spec.entrants for game in block] for block in sample.games]
    scores = np.array([[score(game) for game in block] for block in sample.games])
    left = scores.copy()
    for lineup in {each for block in lineups for each in block}:
        same = np.array([[each == lineup for each in block] for block in lineups])
        left[same] -= scores[same].mean()
    blocks, size = scores.shape
    kinds = len({each for block in lineups for each in block})
    between = (scores.mean(1) - scores.mean()) ** 2 / (blocks - 1)
    within = (left**2).sum(1) / (blocks * size - kinds)
    ratio = size * between.sum() / within.sum()
    r = (ratio - 1) / (size - 1)
    assert game.correlation.value == pytest.approx(r, rel=1e-6, abs=1e-9)
    assert game.luck_ratio == pytest.approx(1 + (size - 1) * r, rel=1e-6)
    parts = between / between.sum() - within / within.sum()
    error = sqrt((parts**2).sum() * blocks / (blocks - 1))
    if error < 1e-6:  # a single block is not as the others
        assert (game.correlation.low, game.correlation.high) == (None, None)
        return
    low, high = (ratio * np.exp(sign * sample.quantile * error) for sign in (-1, 1))
    limits = [min(1.0, (each - 1) / (size - 1)) for each in (low, high)]
    assert [game.correlation.low, game.correlation.high] == pytest.approx(limits, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("played", "index"), some(DISCIPLINES, every=16), ids=NAMES)
def test_plain_elo_and_nelo(played: PlayedMatch, index: int) -> None:
    """Wilson's interval, and the strengths that are not rejected by the likelihood ratio."""
    sample = Sample(played.disciplines[index])
    elo, nelo = elo_range(sample.counts), nelo_range(sample.counts, sample.size, sample.measure)
    mean, blocks = float(sample.values.mean()), len(sample.values)
    if sample.deviation == 0:
        limit = 0.025 ** (1 / blocks)
        assert equal(elo, (None, 400 * log10(limit / (1 - limit)), None))
        assert nelo == Range(None)
        return
    if sample.by_places:
        assert elo.value == pytest.approx(400 * log10(mean / (1 - mean)), rel=1e-6)
        error = sample.deviation**2 / (blocks - 1) / (mean * (1 - mean))
        for limit in (elo.low, elo.high):
            perfect = 0.025 ** (1 / blocks)
            if abs(limit or 0) == pytest.approx(400 * log10(perfect / (1 - perfect)), rel=1e-6):
                continue  # no score has a limit beyond that of a perfect score
            share = 1 / (1 + 10 ** (-(limit or 0) / 400))
            z = abs(mean - share) / sqrt(error * share * (1 - share))
            assert z == pytest.approx(sample.quantile, rel=1e-6)
    assert nelo.value == pytest.approx(sample.nelo, rel=1e-6)
    for limit, sign in ((nelo.low, -1), (nelo.high, 1)):
        farthest = sign * 10 * NELO / sqrt(sample.size)
        found = -2 * sample.likelihood(farthest if limit is None else limit)
        if limit is None:
            assert sqrt(found) < sample.quantile
        else:
            assert sign * (limit - sample.nelo) > 0
            assert sqrt(found) == pytest.approx(sample.quantile, rel=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("played", some([*PLAYED.values()], every=2), ids=PLAYED)
@pytest.mark.parametrize("scale", some([*Scale], every=2))
def test_likelihood_ratio_and_stop(played: PlayedMatch, scale: Scale) -> None:
    if scale is Scale.LOGISTIC and not all(Sample(own).by_places for own in played.disciplines):
        return
    played = played._replace(test=msgspec.structs.replace(played.test, scale=scale))
    match = played.match()
    blocks = match.blocks // len(played.disciplines)
    ratios = ratios_after(played, blocks)
    assert [game.llr for game in match.reports()] == pytest.approx(ratios, rel=1e-6)
    assert match.llr == pytest.approx(sum(ratios), rel=1e-6)
    bound = log(0.95 / 0.05)
    assert match.bounds == pytest.approx((-bound, bound), rel=1e-9)
    if scale is Scale.NORMALIZED:
        assert match.decision is not None
        assert (match.decision.verdict, match.blocks) == (played.verdict, played.blocks)
        assert match.llr == pytest.approx(played.llr, rel=1e-9)
        assert (played.verdict == "pass") == (match.llr >= bound)
    if blocks > 20:
        assert abs(sum(ratios_after(played, blocks - 1))) < bound


def ratios_after(played: PlayedMatch, blocks: int) -> list[float]:
    test = played.test
    samples = [Sample(own, blocks) for own in played.disciplines]
    return [each.ratio(test.scale, test.elo0, test.elo1) for each in samples]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changes"),
    some(
        [
            ("early pass", {}),
            ("pass", {}),
            ("pass", {"scale": Scale.LOGISTIC}),
            ("pass", {"elo0": -40.0, "elo1": 0.0}),
            ("no verdict", {}),
            ("no verdict", {"scale": Scale.LOGISTIC}),
            ("no verdict", {"elo0": 100.0, "elo1": 140.0}),
            ("two disciplines", {}),
            ("two disciplines", {"max_games": 80}),
            ("three seats", {}),
            ("two disciplines", {"elo0": 140.0, "elo1": 180.0}),
            ("solo", {}),
        ],
        every=3,
    ),
)
def test_estimate_after_the_stop(name: str, changes: dict[str, Any]) -> None:
    """Within a thousandth of the width of the interval."""
    played = PLAYED[name]
    played = played._replace(test=msgspec.structs.replace(played.test, **changes))
    match = played.match()
    blocks = match.blocks // len(played.disciplines)
    samples = [Sample(own, blocks) for own in played.disciplines]
    elos = [elo_range(each.counts) if each.by_places else Range(None) for each in samples]
    nelos = [nelo_range(each.counts, each.size, each.measure) for each in samples]
    elo, nelo = elos[0], nelos[0]
    if len(samples) > 1:
        elo, nelo = Range(None), average(nelos)
    tested = elo if match.test.scale is Scale.LOGISTIC else nelo
    corrections = Outcome(match, (tested.value, tested.low, tested.high)).corrections()
    found = match.estimate()
    assert found is not None
    for own, plain in ((found.elo, elo), (found.nelo, nelo)):
        for got, expected in zip(
            (own.value, own.low, own.high), moved(plain, corrections), strict=True
        ):
            assert (got is None) == (expected is None)
            if expected is not None:
                width = (plain.high or 2 * plain.value - plain.low) - plain.low
                assert got == pytest.approx(expected, abs=0.001 * width)
    if len(samples) == 1:
        [game] = match.reports()
        assert (game.elo, game.nelo, game.los) == (found.elo, found.nelo, found.los)
    else:
        z = Z * nelo.value / (nelo.value - nelo.low)
        assert found.los == pytest.approx(stats.norm.cdf(z), rel=1e-6)
        assert [game.nelo for game in match.reports()] == nelos


def test_no_estimate_if_a_discipline_has_no_spread() -> None:
    assert PLAYED["a perfect score beside four seats"].match().estimate() is None
