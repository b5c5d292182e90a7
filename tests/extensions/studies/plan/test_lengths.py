"""How many games a question takes: published tables, and what simulation says."""

from __future__ import annotations

from random import Random

import pytest

from arena.extensions.matches.statistics.report import Scale
from arena.extensions.matches.statistics.sprt import NELO, between
from arena.extensions.studies.plan import lengths as planner

_WIDTHS = (50, 20, 10, 5, 2)


@pytest.mark.parametrize(
    ("deviation", "games"),
    [
        (0.50, (185, 1_159, 4_637, 18_549, 115_931)),
        (0.40, (119, 742, 2_968, 11_871, 74_196)),
        (0.30, (67, 417, 1_669, 6_678, 41_735)),
    ],
)
def test_games_for_an_interval(deviation: float, games: tuple[int, ...]) -> None:
    found = [planner.games_for_width(width, deviation) for width in _WIDTHS]
    assert found == pytest.approx(games, rel=1e-4, abs=0.6)


@pytest.mark.parametrize(
    ("elo1", "ends", "middle", "fixed"),
    [
        (5, 25_600, 41_900, 52_300),
        (10, 6_400, 10_500, 13_100),
        (20, 1_600, 2_600, 3_300),
        (40, 400, 650, 820),
        (80, 100, 160, 200),
    ],
)
def test_games_of_a_test(elo1: float, ends: float, middle: float, fixed: float) -> None:
    test = between(0, elo1)
    at_h0, at_h1 = planner.course(test, 0), planner.course(test, elo1)
    assert (at_h0.games, at_h1.games) == pytest.approx((ends, ends), rel=2e-2)
    assert planner.course(test, elo1 / 2).games == pytest.approx(middle, rel=3e-2)
    assert planner.games_for_difference(elo1, 0.05, 0.05) == pytest.approx(fixed, rel=3e-2)
    assert (at_h0.passes, at_h1.passes) == pytest.approx((0.05, 0.95))


def test_a_true_difference_costs_games_though_scores_spread_less() -> None:
    even, apart = (planner.games_for_width(10, 0.5, elo) for elo in (0, -200))
    assert apart / even == pytest.approx(1 / (4 * 0.7597 * 0.2403), rel=1e-3)
    assert planner.even_deviation(0.4272, 200) == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize(
    ("games", "true", "shown"), [(13_064, 10, 0.95), (13_064, 0, 0.05), (13_064, 5, 0.5)]
)
def test_power_is_that_for_which_the_games_were_planned(games, true, shown) -> None:
    assert planner.power(true, games, 0.05) == pytest.approx(shown, abs=1e-3)


def test_elo_and_nelo_are_each_others_inverse() -> None:
    assert planner.elo_of_nelo(40, 0.5) == pytest.approx(40.18, abs=0.01)
    assert planner.nelo_of(planner.elo_of_nelo(40, 0.3) or 0.0, 0.3) == pytest.approx(40)
    assert planner.elo_of_nelo(NELO, 0.5) is None


def test_a_logistic_test_is_a_normalized_one_at_the_deviation() -> None:
    logistic = between(0, 10, Scale.LOGISTIC)
    course = planner.course(logistic, 5, deviation=0.25)
    nelo1 = planner.nelo_of(10, 0.25)
    same = planner.course(between(0, nelo1), planner.nelo_of(5, 0.25))
    assert course == pytest.approx(same)
    assert course.games < planner.course(logistic, 5, deviation=0.5).games / 3


@pytest.mark.parametrize("true", [0, 20, 40, 70, 150, -300])
def test_course_of_a_test_is_that_of_simulated_ones(true: float) -> None:
    test = between(0, 40)
    (lower, upper), t, t1 = test.bounds, true / NELO, 40 / NELO
    rng, lengths, passes = Random(1), [], 0
    for _ in range(600):
        ratio, games = 0.0, 0
        while lower < ratio < upper:
            ratio += t1 * (rng.gauss(t, 1) - t1 / 2)
            games += 1
        lengths.append(games)
        passes += ratio >= upper
    found = planner.course(test, true, block_games=1)
    assert sum(lengths) / len(lengths) == pytest.approx(found.games, rel=0.12)
    assert sorted(lengths)[int(0.95 * len(lengths))] == pytest.approx(found.rarely, rel=0.16)
    assert passes / len(lengths) == pytest.approx(found.passes, abs=0.05)


def test_both_ways_to_compute_a_course_meet() -> None:
    test = between(0, 10)
    for end in (35.0, -25.0):  # six halves of the distance from the middle
        near, far = (planner.course(test, end + shift) for shift in (-1e-9, 1e-9))
        assert near == pytest.approx(far, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("true", [-2000, 2000, 2e4])
def test_no_test_ends_before_the_least_number_of_blocks(true: float) -> None:
    course = planner.course(between(0, 5), true, block_games=24)
    assert course.games == course.rarely == 20 * 24
    assert course.passes == (true > 0)


def test_games_left_end_at_the_bounds_and_begin_with_all() -> None:
    test = between(0, 40)
    left = [
        planner.games_left(test, 40, ratio, deviation=0.5, block_games=2)
        for ratio in (-5, 0, 2, 2.9, 5)
    ]
    assert left[0] == left[-1] == 0
    assert left[1] == 400
    assert left[1] > left[2] > left[3] > 0


def test_hypotheses_in_the_wrong_order_have_no_course() -> None:
    with pytest.raises(ValueError, match="elo0 < elo1"):
        planner.course(between(10, 10), 0)


@pytest.mark.parametrize(
    ("games", "size", "blocks"), [(0.1, 2, 1), (4, 2, 2), (4.0000000000001, 2, 2), (4.1, 2, 3)]
)
def test_blocks_are_whole(games: float, size: int, blocks: int) -> None:
    assert planner.whole_blocks(games, size) == blocks


def test_deviation_by_draws() -> None:
    assert planner.deviation_of_draws(0.0) == 0.5
    assert planner.deviation_of_draws(0.36) == pytest.approx(0.4)
