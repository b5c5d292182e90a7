"""Corrections for a stop, against walks that are simulated step by step."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.match.estimate import FIXED_LENGTH, Walk, chance_up_to, deviations

BOUND = 12.8
FIRST = 20
FINE = 0.1
"""Deals per step of a simulated walk."""
LATE = 0.583 * sqrt(FINE)
"""Mean distance by which a step carries a walk beyond a bound (Siegmund 1985)."""


def walks(mu: float, number: int = 4000, deals: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends and times of walks; those that reached no bound have the last time."""
    rng = np.random.default_rng(3)
    place = np.zeros(number)
    end, time = np.zeros(number), np.full(number, float(deals))
    for step in range(1, int(deals / FINE) + 1):
        place += rng.normal(mu * FINE, sqrt(FINE), number) * (end == 0)
        if step * FINE < FIRST:
            continue
        for side in (1, -1):
            there = (end == 0) & (side * place >= BOUND - LATE * (step * FINE > FIRST))
            end[there], time[there] = side * BOUND, step * FINE
    return np.where(end == 0, place, end), time


@pytest.mark.parametrize("mu", [-0.1, 0.0, 0.05, 0.4])
def test_the_chance_of_outcomes_is_that_of_walks(mu: float) -> None:
    end, time = walks(mu)
    failed, passed = end == -BOUND, end == BOUND
    for seen, expected in (
        (Walk(-BOUND, BOUND, 25.0, BOUND, FIRST), ~(passed & (time <= 25))),
        (Walk(-BOUND, BOUND, 100.0, -BOUND, FIRST), failed & (time <= 100)),
        (Walk(-BOUND, BOUND, 150.0, BOUND, FIRST), ~(passed & (time <= 150))),
        (Walk(-BOUND, BOUND, 300.0, 2.0, FIRST, is_open=True), failed | (~passed & (end <= 2.0))),
    ):
        assert chance_up_to(seen, mu) == pytest.approx(expected.mean(), abs=0.025)


@pytest.mark.slow
@given(st.floats(5, 1500), st.floats(0.2, 5), st.floats(21, 5000), st.floats(1, 1.2), st.booleans())
def test_corrections_are_in_order_and_the_same_from_either_side(
    bound: float, ratio: float, deals: float, beyond: float, passed: bool
) -> None:
    deals = min(deals, 4 * bound * bound)
    if deals <= 21:
        return
    walk = Walk(-ratio * bound, bound, deals, bound * beyond if passed else -ratio * bound, FIRST)
    found = deviations(walk)
    assert found.low > found.value > found.high
    mirrored = Walk(-walk.upper, -walk.lower, deals, -walk.end, FIRST)
    other = deviations(mirrored)
    assert (-other.value, -other.high, -other.low) == pytest.approx(found, abs=1e-3)
    drift = walk.end / deals - found.value / sqrt(deals)
    assert chance_up_to(walk, drift) == pytest.approx(0.5, abs=1e-4)


def test_a_pass_is_worth_less_than_it_seems() -> None:
    found = [deviations(Walk(-BOUND, BOUND, deals, BOUND, FIRST)) for deals in (21, 60, 200, 600)]
    values = [each.value for each in found]
    assert values == sorted(values)
    assert values[0] > 0


def test_the_first_look_is_a_test_of_fixed_length() -> None:
    assert deviations(Walk(-BOUND, BOUND, 25, 15.0, 25)) == FIXED_LENGTH
    soon = deviations(Walk(-BOUND, BOUND, 26, BOUND + 0.2, 25))
    assert all(abs(x - y) < 0.15 for x, y in zip(soon, FIXED_LENGTH, strict=True))


def test_narrow_tests_that_end_early_and_late() -> None:
    """Sums of many images, and exponents beyond the range of floats."""
    for bound, deals in ((1440.0, 30), (1440.0, 3000), (300.0, 200_000), (8.0, 5000)):
        found = deviations(Walk(-bound, bound, deals, bound, FIRST))
        assert found.low > found.value > found.high
