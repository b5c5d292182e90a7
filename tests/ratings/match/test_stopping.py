"""Estimates after a stop, against walks that are taken step by step."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.match.stopping import Walk, chance_up_to, drift

BOUND = 12.8
FINE = 0.1
"""Of a deal: a step of a made walk."""
LATE = 0.583 * sqrt(FINE)
"""By which steps carry a walk beyond a bound on average (Siegmund 1985)."""


def walks(mu: float, number: int = 4000, deals: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Where they ended and when; those that did not have the last time."""
    rng = np.random.default_rng(3)
    place = np.zeros(number)
    end, time = np.zeros(number), np.full(number, float(deals))
    for step in range(int(deals / FINE)):
        place += rng.normal(mu * FINE, sqrt(FINE), number) * (end == 0)
        for side in (1, -1):
            there = (end == 0) & (side * place >= BOUND - LATE)
            end[there], time[there] = side * BOUND, (step + 1) * FINE
    return np.where(end == 0, place, end), time


@pytest.mark.parametrize("mu", [-0.1, 0.0, 0.05])
def test_the_chance_of_outcomes_is_that_of_walks(mu: float) -> None:
    end, time = walks(mu)
    failed, passed = end == -BOUND, end == BOUND
    for seen, expected in (
        (Walk(-BOUND, BOUND, 100.0, -BOUND, 20), failed & (time <= 100)),
        (Walk(-BOUND, BOUND, 150.0, BOUND, 20), ~(passed & (time <= 150))),
        (Walk(-BOUND, BOUND, 300.0, 2.0, 20), failed | (~passed & (end <= 2.0))),
    ):
        assert chance_up_to(seen, mu) == pytest.approx(expected.mean(), abs=0.025)


@given(st.floats(5, 1500), st.floats(0.2, 5), st.floats(21, 5000), st.floats(1, 1.2), st.booleans())
def test_estimates_are_in_order_and_the_same_from_either_side(
    bound: float, ratio: float, deals: float, beyond: float, passed: bool
) -> None:
    deals = min(deals, 4 * bound * bound)
    if deals <= 21:
        return
    walk = Walk(-ratio * bound, bound, deals, bound * beyond if passed else -ratio * bound, 20)
    found = drift(walk)
    assert found.low < found.value < found.high
    mirrored = Walk(-walk.upper, -walk.lower, deals, -walk.end, 20)
    other = drift(mirrored)
    assert (-other.value, -other.high, -other.low) == pytest.approx(found, abs=1e-6)
    assert chance_up_to(walk, found.value) == pytest.approx(0.5, abs=1e-5)


def test_a_pass_is_worth_less_than_it_seems_and_the_earlier_the_more() -> None:
    found = [drift(Walk(-BOUND, BOUND, deals, BOUND, 20)) for deals in (60, 200, 600)]
    for deals, each in zip((60, 200, 600), found, strict=True):
        assert each.value < BOUND / deals
    assert found[0].value > found[1].value > found[2].value


def test_the_first_look_is_a_test_of_fixed_length() -> None:
    found = drift(Walk(-BOUND, BOUND, 25, 15.0, 25))
    assert found.value == pytest.approx(0.6)
    assert found.high - found.value == pytest.approx(1.96 / 5, abs=1e-3)


def test_narrow_tests_that_end_early_and_late() -> None:
    """Where a Fourier series would take hundreds of terms, or exponentials overflow."""
    for bound, deals in ((1440.0, 30), (1440.0, 3000), (300.0, 200_000), (8.0, 5000)):
        found = drift(Walk(-bound, bound, deals, bound, 20))
        assert found.low < found.value < found.high
