"""The sequential test on made populations whose strength is known: how often it errs, how long it
takes. ``python -m benchmarks.statistics`` says the same with more repeats."""

from __future__ import annotations

from functools import partial
from math import sqrt

import numpy as np
import pytest

from arena.extensions.matches.statistics.sprt import GAIN, between
from benchmarks.populations import margins, of_strength, pairs, tables
from benchmarks.statistics import LUCK, Trials, expected, trials
from tests.rows import some

pytestmark = pytest.mark.slow

MIDDLE = (GAIN.elo0 + GAIN.elo1) / 2


def test_mirrored_deals_decide_less_where_luck_decides_more():
    spreads = [pairs(0.0, luck=luck).shares[2] for luck in LUCK]
    assert spreads == pytest.approx([0.5, 0.606, 0.723], abs=0.001)


def together(families, nelo, repeats):
    """The tests of several populations, and what Wald's formulas say of the first of them."""
    populations = [of_strength(nelo, family) for family in families]
    for population in populations:
        assert population.nelo == pytest.approx(nelo, abs=0.1)
        assert population.shares.sum() == pytest.approx(1.0)
    found = [trials(each, GAIN, repeats, seed=k) for k, each in enumerate(populations)]
    wald = expected(populations[0], GAIN)
    return Trials(*np.mean(found, axis=0)), wald


GROUPS = {
    # families, repeats of each
    "pairs, luck 0 200 400": ([partial(pairs, luck=luck) for luck in LUCK], 60),
    "pairs with draws": ([partial(pairs, luck=200.0, draws=0.5)], 60),
    "four seats, 2 v 2": ([partial(tables, alone=False)], 60),
    "four seats, 1 v 3": ([partial(tables, alone=True)], 60),
    "margins": ([margins], 40),
}


@pytest.mark.parametrize(
    "nelo", [GAIN.elo0, pytest.param(MIDDLE, marks=pytest.mark.soak), GAIN.elo1]
)
@pytest.mark.parametrize("group", some([*GROUPS], every=6))
def test_the_test_errs_as_often_as_agreed_and_ends_when_expected(group, nelo):
    families, repeats = GROUPS[group]
    if nelo == MIDDLE:  # the longest tests, and no rare outcome
        repeats //= 2
    found, wald = together(families, nelo, repeats)
    assert wald.passes == pytest.approx({0: 0.05, 20: 0.5, 40: 0.95}[nelo], abs=0.01)
    noise = 2.5 * sqrt(wald.passes * (1 - wald.passes) / (repeats * len(families)))
    if nelo == GAIN.elo0:
        assert found.passes <= GAIN.alpha + noise
    elif nelo == GAIN.elo1:
        assert found.passes >= 1 - GAIN.beta - noise
    else:
        assert found.passes == pytest.approx(0.5, abs=noise)
    # The spread of the length is about three quarters of it; overshoot adds a tenth.
    tolerated = 2.5 * 0.75 / sqrt(repeats * len(families))
    assert 1 - tolerated <= found.blocks / wald.blocks <= 1.1 + tolerated


def test_a_bot_that_is_worse_than_the_first_hypothesis_hardly_ever_passes():
    found = trials(of_strength(-30.0, partial(pairs, luck=200.0)), GAIN, 60, seed=9)
    assert found.passes <= 0.02
    assert found.blocks < 120


def test_smaller_risks_are_kept_too():
    strict = between(0.0, 60.0, alpha=0.01, beta=0.1)
    weak, strong = (of_strength(nelo, partial(pairs, luck=200.0)) for nelo in (0.0, 60.0))
    assert trials(weak, strict, 100, seed=3).passes <= 0.01 + 2.5 * sqrt(0.01 * 0.99 / 100)
    assert trials(strong, strict, 100, seed=4).passes >= 0.9 - 2.5 * sqrt(0.1 * 0.9 / 100)
