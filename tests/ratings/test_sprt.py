"""The sequential test: published values of fastchess and fishtest, and what must always hold."""

from __future__ import annotations

from math import sqrt

import pytest

from arena.ratings.likelihood import smoothed, with_mean, with_t
from arena.ratings.sprt import (
    GAIN,
    NELO,
    NO_REGRESSION,
    Hypotheses,
    Scale,
    Verdict,
    expectation,
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
def test_published_ratios(
    counts: dict[float, float],
    in_block: int,
    elo0: float,
    elo1: float,
    scale: Scale,
    published: float,
) -> None:
    found = llr(counts, in_block, Hypotheses(elo0, elo1, scale))
    assert found == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize("t", [-0.6, -0.1, 0.0, 0.02, 0.7])
def test_the_likeliest_distribution_keeps_the_hypothesis(t: float) -> None:
    _, found = smoothed(pairs(10, 20, 50, 30, 15))
    moments = with_t(found, t).moments
    assert (moments.mean - 0.5) / sqrt(moments.variance) == pytest.approx(t, abs=1e-6)
    assert with_mean(found, 0.4).moments.mean == pytest.approx(0.4, abs=1e-9)
    assert sum(with_t(found, t).shares) == pytest.approx(1.0, abs=1e-9)


def test_a_mean_outside_of_what_was_seen_is_no_hypothesis() -> None:
    _, found = smoothed({0.25: 3, 0.5: 4})
    with pytest.raises(ValueError, match="no distribution"):
        with_mean(found, 0.75)


def test_hypotheses_and_results_may_be_mirrored() -> None:
    one = llr(pairs(10, 20, 50, 30, 15), 2, Hypotheses(0, 10))
    other = llr(pairs(15, 30, 50, 20, 10), 2, Hypotheses(0, -10))
    assert one == pytest.approx(other, abs=1e-9)


def test_verdicts() -> None:
    assert verdict({}, 2, GAIN) is None
    assert verdict({1.0: 19}, 2, GAIN) is None, "too few blocks, whatever they say"
    assert verdict({1.0: 200}, 2, GAIN) is Verdict.PASS
    assert verdict({0.0: 200}, 2, GAIN) is Verdict.FAIL
    assert verdict({0.0: 200}, 2, NO_REGRESSION) is Verdict.FAIL
    assert verdict(pairs(25, 25, 50, 25, 25), 2, GAIN) is None


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
