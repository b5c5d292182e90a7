"""Tests of fit: about as many false alarms as promised, and alarms where the model is wrong."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from arena.ratings.davidson.fit import squares
from arena.ratings.davidson.model import SecondModel, second_model
from tests.ratings.davidson_games import pool
from tests.ratings.made_games import game, replaced, tally

NATS = {"a": -0.6, "b": -0.1, "c": 0.2, "d": 0.5}
TIES = {2: -0.5, 3: -1.0}


def model_of(games) -> SecondModel:
    model = second_model(tally(games))
    assert model is not None
    return model


@pytest.mark.parametrize(("seats", "luck"), [(2, 0.0), (2, 2.0), (3, 0.0)])
def test_false_alarms_are_as_rare_as_promised(seats, luck):
    """The luck of deals makes the games of a block dependent, which the test allows for."""
    p_values = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        found = model_of(pool(NATS, TIES, seats, 120, rng, luck=luck)).disciplines[0].goodness
        assert found is not None
        assert found.p == pytest.approx(
            scipy.stats.chi2.sf(found.statistic, found.freedom), rel=1e-4
        )
        p_values.append(found.p)
    assert 0.3 < np.mean(p_values) < 0.7
    assert np.mean(np.array(p_values) < 0.05) <= 0.15


def test_with_two_seats_the_draws_of_each_but_one_are_free():
    """Scores and the number of all draws are matched by the fit itself."""
    found = model_of(pool(NATS, TIES, 2, 200, np.random.default_rng(1))).disciplines[0].goodness
    assert found is not None
    assert found.freedom == len(NATS) - 1


def test_a_bot_that_draws_more_than_others_is_a_misfit():
    rng = np.random.default_rng(2)
    games = [
        replaced(g, places=(1, 1)) if "a" in g.spec.entrants and rng.random() < 0.4 else g
        for g in pool(NATS, TIES, 2, 300, rng)
    ]
    found = model_of(games).disciplines[0].goodness
    assert found is not None
    assert found.p < 1e-4


@pytest.mark.parametrize("luck", [0.0, 2.0])
def test_common_strengths_pass_and_others_fail(luck):
    rng = np.random.default_rng(4)
    pairs = pool(NATS, TIES, 2, 150, rng, luck=luck)
    same = model_of([*pairs, *pool(NATS, TIES, 3, 150, rng, luck=luck)])
    turned = {name: -nats for name, nats in NATS.items()}
    other = model_of([*pairs, *pool(turned, TIES, 3, 150, rng, luck=luck)])
    assert same.equality is not None
    assert other.equality is not None
    assert same.equality.freedom == other.equality.freedom == 3
    assert same.equality.p > 0.01
    assert other.equality.p < 1e-4
    expected = 0.95 if luck == 0 else 0.55
    assert same.equality.scale == pytest.approx(expected, abs=0.25)
    assert len(same.disciplines) == 2


def test_few_blocks_give_no_test():
    few = model_of([game("ab", (1, 2), block=str(k)) for k in range(4)])
    assert few.disciplines[0].goodness is None


def test_squares_are_those_of_the_dense_matrix():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(30, 7)) * (rng.random((30, 7)) < 0.4)
    weight = rng.random(30)
    block, column = np.nonzero(dense)
    found = squares(block, column, dense[block, column], weight, 7)
    assert found == pytest.approx(dense.T @ (weight[:, None] * dense))


def test_strengths_have_the_spread_that_repetition_shows():
    """Errors are half-widths of 95 % intervals, clustered: most hold the truth."""
    inside = []
    mean = np.mean([*NATS.values()])
    for seed in range(40):
        rng = np.random.default_rng(100 + seed)
        for row in model_of(pool(NATS, TIES, 2, 100, rng)).strengths:
            assert row.error is not None
            inside.append(abs(row.strength - 173.7178 * (NATS[row.name] - mean)) < row.error)
    assert 0.9 < np.mean(inside) < 0.99
