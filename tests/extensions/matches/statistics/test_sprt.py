"""The sequential test: published values of fastchess and fishtest, and what must always hold."""

from __future__ import annotations

from math import inf, isfinite, nan, sqrt
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.matches.statistics.likelihood import (
    FARTHEST,
    Distribution,
    interval_of_t,
    smoothed,
    with_mean,
    with_t,
)
from arena.extensions.matches.statistics.report import Hypotheses, Scale, Verdict
from arena.extensions.matches.statistics.sprt import (
    GAIN,
    LARGEST_T,
    LEAST_BLOCKS,
    NELO,
    NO_REGRESSION,
    between,
    check,
    expectation,
    length,
    llr,
    verdict,
)

NORMALIZED, LOGISTIC = Scale.NORMALIZED, Scale.LOGISTIC


def games(wins: int, losses: int, draws: int) -> dict[float, float]:
    return {0.0: losses, 0.5: draws, 1.0: wins}


def pairs(*counts: int) -> dict[float, float]:
    """From two lost to two won, as every tool for chess writes them."""
    return dict(zip((0.0, 0.25, 0.5, 0.75, 1.0), counts, strict=True))


@pytest.mark.parametrize(
    ("counts", "in_block", "elo0", "elo1", "scale", "published"),
    [
        # fastchess, app/tests/sprt_test.cpp: wins, losses, draws
        (games(36433, 36027, 68692), 1, 0, 2, NORMALIZED, 0.92),
        (games(10871, 10650, 20431), 1, -1.75, 0.25, NORMALIZED, 2.30),
        (games(4250, 0, 0), 1, 0, 10, NORMALIZED, 120.56),
        (games(21404, 21184, 40708), 1, 0.5, 2.5, LOGISTIC, -1.57),
        (games(57433, 57030, 106593), 1, 0, 2, LOGISTIC, -2.59),
        # the same file: LL, LD, LW + DD, WD, WW
        (pairs(365, 16618, 36229, 16974, 390), 2, 0, 2, NORMALIZED, 2.25),
        (pairs(127, 4883, 10712, 5150, 104), 2, -1.75, 0.25, NORMALIZED, 3.01),
        (pairs(0, 0, 0, 0, 5550), 2, 0, 5, NORMALIZED, 111.82),
        (pairs(223, 9863, 21279, 10037, 246), 2, 0.5, 2.5, LOGISTIC, -3.07),
        (pairs(871, 26175, 55983, 26678, 821), 2, 0, 2, LOGISTIC, -4.98),
    ],
)
def test_published_ratios(counts, in_block, elo0, elo1, scale, published) -> None:
    found = llr(counts, in_block, between(elo0, elo1, scale))
    assert found == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize("t", [-2.0, -0.6, -0.1, 0.0, 0.02, 0.7, 2.0])
def test_the_likeliest_distribution_keeps_the_hypothesis(t: float) -> None:
    _, found = smoothed(pairs(10, 20, 50, 30, 15))
    moments = with_t(found, t).moments
    assert (moments.mean - 0.5) / sqrt(moments.variance) == pytest.approx(t, abs=1e-6)
    assert with_mean(found, 0.4).moments.mean == pytest.approx(0.4, abs=1e-9)
    assert sum(with_t(found, t).shares) == pytest.approx(1.0, abs=1e-9)


def test_hypotheses_beyond_what_was_seen_have_no_distribution() -> None:
    with pytest.raises(ValueError, match="no distribution"):
        with_mean(smoothed({0.25: 3, 0.5: 4})[1], 0.75)
    with pytest.raises(ValueError, match="not on both sides"):
        with_t(smoothed({0.5: 3, 0.75: 4})[1], 0.1)


def likelihood(found: Distribution, other: Distribution) -> float:
    return sum(p * np.log(q / p) for p, q in zip(found.shares, other.shares, strict=True))


@pytest.mark.parametrize("t", [-1.5, -0.5, -0.1, 0.0, 0.16, 0.4, 1.0])
@pytest.mark.parametrize(
    "counts", [(10, 20, 50, 30, 15), (1, 1, 300, 0, 0), (0, 0, 0, 20, 0), (5, 0, 300, 1, 1)]
)
def test_scipy_finds_no_likelier_distribution(counts: tuple[int, ...], t: float) -> None:
    _, found = smoothed(pairs(*counts))
    values, shares = np.array(found.values), np.array(found.shares)

    def excess(q: Any) -> float:
        mean = (q * values).sum()
        return float(mean - 0.5 - t * np.sqrt(max(1e-12, (q * (values - mean) ** 2).sum())))

    best = -inf
    for start in (shares, np.full(5, 0.2), np.array(with_t(found, t).shares)):
        other = scipy.optimize.minimize(
            lambda q: -(shares * np.log(np.maximum(q, 1e-12))).sum(),
            start,
            jac=lambda q: -shares / np.maximum(q, 1e-12),
            bounds=[(1e-9, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": excess},
                {"type": "eq", "fun": lambda q: q.sum() - 1},
            ],
            method="SLSQP",
        )
        if other.success and abs(excess(other.x)) < 1e-7:
            best = max(best, float((shares * np.log(other.x / shares)).sum()))
    assert likelihood(found, with_t(found, t)) >= best - 1e-4


PAIRS = st.lists(st.integers(0, 400), min_size=5, max_size=5).map(lambda n: pairs(*n))
NELOS = st.tuples(st.integers(-480, 480), st.integers(-480, 480)).filter(lambda p: p[0] < p[1])


def mirrored(counts: dict[float, float], ref: float) -> dict[float, float]:
    return {2 * ref - value: count for value, count in counts.items()}


@given(PAIRS, st.integers(1, 400))
def test_swapping_the_sides_negates_the_ratio(counts: dict[float, float], elo: int) -> None:
    test = between(-elo, elo)
    there, back = llr(counts, 2, test), llr(mirrored(counts, 0.5), 2, test)
    assert there == pytest.approx(-back, rel=1e-6, abs=1e-6)


MARGINS = st.dictionaries(
    st.one_of(st.integers(-5, 5), st.integers(-1_000_000, 1_000_000), st.floats(-1e6, 1e6)),
    st.integers(1, 100_000),
    max_size=12,
)


@given(PAIRS, MARGINS, NELOS, st.sampled_from(Scale))
def test_the_ratio_is_a_number(counts, of_margins, elos, scale) -> None:
    for test in (between(*elos), between(*elos, scale)):
        check(test, 2)
        assert isfinite(llr({v: n for v, n in counts.items() if n}, 2, test))
    assert isfinite(llr(of_margins, 2, between(*elos), ref=0.0, grid=()))


@given(MARGINS, st.sampled_from([1e-3, 7.0, 1e5]))
def test_the_unit_of_margins_does_not_matter(counts: dict[float, int], unit: float) -> None:
    counts = {value: count for value, count in counts.items() if not 0 < abs(value) < 1e-100}
    scaled: dict[float, int] = {}  # squares of smaller margins would be 0
    for value, count in counts.items():
        scaled[value * unit] = scaled.get(value * unit, 0) + count
    one, other = (llr(each, 2, GAIN, ref=0.0, grid=()) for each in (counts, scaled))
    assert one == pytest.approx(other, rel=1e-6, abs=1e-6)


@given(PAIRS, st.sampled_from([GAIN, NO_REGRESSION, between(0, 10), between(-30, 150)]))
def test_more_wins_never_turn_a_pass(counts: dict[float, float], test: Hypotheses) -> None:
    if verdict(counts, 2, test) is Verdict.PASS:
        assert verdict({**counts, 1.0: counts[1.0] + 10}, 2, test) is Verdict.PASS
        better = {**counts, 0.0: 0, 0.75: counts[0.75] + counts[0.0]}
        assert verdict(better, 2, test) is Verdict.PASS


@pytest.mark.parametrize("value", [1.0, 1e-6, 250.0])
def test_a_whitewash_is_decided_at_the_first_moment(value: float) -> None:
    for wins, expected in ((LEAST_BLOCKS - 1, None), (LEAST_BLOCKS, Verdict.PASS)):
        assert verdict({1.0: wins}, 2, GAIN) is expected
        assert verdict({value: wins}, 2, GAIN, ref=0.0, grid=()) is expected
    assert verdict({0.0: LEAST_BLOCKS}, 2, GAIN) is Verdict.FAIL
    assert verdict({-value: LEAST_BLOCKS}, 2, GAIN, ref=0.0, grid=()) is Verdict.FAIL


def test_verdicts_of_few_or_split_blocks_and_of_hundreds_of_margins() -> None:
    assert verdict({}, 2, GAIN) is None
    assert verdict({0.0: 200}, 2, NO_REGRESSION) is Verdict.FAIL
    assert verdict(pairs(10, 10, 20, 10, 10), 2, GAIN) is None
    margins = {value: 1 + value % 3 for value in range(-900_000, 1_000_000, 6_000)}
    assert llr(margins, 2, GAIN, ref=0.0, grid=()) > 0


def test_blocks_that_are_all_even_speak_for_what_is_nearer_to_even() -> None:
    for counts, ref, grid in (({0.5: 300}, 0.5, None), ({0.0: 300}, 0.0, ())):
        assert verdict(counts, 2, GAIN, ref=ref, grid=grid) is Verdict.FAIL
        assert verdict(counts, 2, NO_REGRESSION, ref=ref, grid=grid) is Verdict.PASS
        assert verdict(counts, 2, between(-40, 40), ref=ref, grid=grid) is None


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (between(10, 10), "elo0 below elo1, found 10 and 10"),
        (between(10, 0), "elo0 below elo1"),
        (between(nan, 0), "elo0 below elo1, found nan and 0"),
        (between(-inf, 0), "elo0 below elo1, found -inf and 0"),
        (between(0, 10, alpha=0.5), "alpha above 0 and below 0.5, found 0.5"),
        (between(0, 10, beta=0.0), "beta above 0 and below 0.5, found 0"),
        (between(0, 10, beta=nan), "beta above 0"),
        (between(0, 500), "at most 491 nElo either way with 2 games in a block, found 500"),
        (between(-500, 0), "found -500"),
        (between(0, 1201, Scale.LOGISTIC), "at most 1200 Elo"),
    ],
)
def test_hypotheses_that_cannot_be_tested_are_refused(test: Hypotheses, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(test, 2)


@pytest.mark.parametrize("games", [1, 2, 4, 24])
def test_the_largest_hypotheses_can_be_tested(games: int) -> None:
    largest = LARGEST_T * NELO / sqrt(games) * (1 - 1e-12)
    test = between(-largest, largest)
    check(test, games)
    for counts in ({0.5: 1_000_000}, {0.0: 1_000_000}, {1.0: 1}, {0.25: 7, 1.0: 1}):
        assert isfinite(llr(counts, games, test))


def test_the_interval_of_t_is_what_is_not_rejected() -> None:
    blocks, found = smoothed(pairs(10, 20, 50, 30, 15))
    low, high = interval_of_t(blocks, found, 1.96)
    mean, variance = found.moments
    assert low < (mean - 0.5) / sqrt(variance) < high
    for end in (low, high):
        deviance = -2 * blocks * likelihood(found, with_t(found, end))
        assert deviance == pytest.approx(1.96**2, abs=1e-4)
    # As wide as the delta method says, up to terms of a higher order.
    assert high - low == pytest.approx(2 * 1.96 / sqrt(125), rel=0.03)


def test_the_interval_of_t_of_a_whitewash_is_open() -> None:
    won, lost = (interval_of_t(*smoothed({v: 20.0}, (0.0, 1.0)), 1.96) for v in (1.0, 0.0))
    assert (won[1], lost[0]) == (inf, -inf)
    assert 1.0 < won[0] == pytest.approx(-lost[1], rel=1e-4)
    more = interval_of_t(*smoothed({1.0: 100.0}, (0.0, 1.0)), 1.96)
    assert won[0] < more[0] <= FARTHEST


def test_the_t_that_was_found_survives_rounding() -> None:
    for even in range(1, 30):
        for won in range(1, 30):
            _, found = smoothed({0.5: even, 1.0: won}, (0.0, 1.0))
            mean, variance = found.moments
            with_t(found, (mean - 0.5) / sqrt(variance))


@given(PAIRS)
def test_the_t_that_was_found_changes_nothing(counts) -> None:
    blocks, found = smoothed(counts)
    mean, variance = found.moments
    same = with_t(found, (mean - 0.5) / sqrt(variance))
    assert same.shares == pytest.approx(found.shares, abs=1e-6)
    low, high = interval_of_t(blocks, found, 2.0)
    assert low < max(-FARTHEST, min(FARTHEST, (mean - 0.5) / sqrt(variance))) < high or abs(
        mean - 0.5
    ) > FARTHEST * sqrt(variance)


@pytest.mark.parametrize(
    ("nelo", "passes", "expected_games"),
    # Wald; at either end about 6,400 games, in the middle 10,500, as fishtest's calculator tells
    [(0, 0.05, 6398), (5, 0.5, 10465), (10, 0.95, 6398)],
)
def test_expected_length(nelo: float, passes: float, expected_games: float) -> None:
    t0, t1, t = (sqrt(2) * elo / NELO for elo in (0, 10, nelo))
    found = expectation(t, t0, t1, GAIN.bounds)
    assert found.passes == pytest.approx(passes, abs=1e-9)
    assert 2 * found.blocks == pytest.approx(expected_games, rel=1e-3)


@pytest.mark.parametrize(
    ("drift", "variance", "bounds", "blocks"),
    [
        (0.1, 0.0, (-1.0, 2.0), 20.0),  # without chance the way divided by the pace
        (-0.1, 0.0, (-1.0, 2.0), 10.0),
        (0.0, 0.0, (-1.0, 2.0), inf),
        (0.0, 0.5, (-1.0, 2.0), 4.0),  # a walk without drift: product of the ways by the variance
        (50.0, 0.5, (-1.0, 2.0), 0.04),
        (0.1, 0.5, (0.0, 2.0), 0.0),  # decided
        (0.1, 0.5, (-3.0, -1.0), 0.0),
    ],
)
def test_length(drift: float, variance: float, bounds: tuple[float, float], blocks: float) -> None:
    assert length(drift, variance, bounds) == pytest.approx(blocks)
