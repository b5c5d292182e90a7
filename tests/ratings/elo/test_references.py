"""Numbers of other programs, and what must not matter.

Those programs are large: only the tests that need one import it, here and in other files.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from arena.extensions.matches.statistics.numbers import elo_range, nelo_range, superiority_of
from arena.extensions.matches.statistics.report import Measure
from arena.ratings.counting.arrays import weight
from arena.ratings.elo.scale import ELO
from tests.extensions.matches.statistics.test_sprt import games, pairs
from tests.ratings.fits import fit
from tests.ratings.made_games import game, pool, tally

STRENGTHS = {"a": 0.0, "b": 60.0, "c": -40.0, "d": 150.0, "e": -170.0}
PRIOR = 0.5


# fastchess, app/tests/elo_test.cpp, in its order. Its errors of nElo take the deviation as known
# (so they depend on nothing but the number of games) and are left out.
@pytest.mark.parametrize(
    ("counts", "in_block", "nelo", "elo", "error", "los"),
    [
        (games(76, 89, 123), 1, -20.76, None, None, 0.1553),
        (games(136, 96, 111), 1, 49.77, 40.70, 30.43, 0.9960),
        (games(34, 356, 0), 1, -508.44, None, None, None),
        (pairs(34, 54, 63, 64, 75), 2, 57.94, 55.58, 27.65, 1.0),
        (pairs(332, 433, 498, 333, 334), 2, -9.17, -8.64, 10.33, 0.0505),
        (pairs(7895, 8757, 5685, 568, 9999), 2, -19.01, -21.04, 2.95, None),
    ],
)
def test_fastchess_publishes_the_same(counts, in_block, nelo, elo, error, los):
    found = nelo_range(counts, in_block, Measure.PLACES)
    assert found.value == pytest.approx(nelo, abs=0.006)
    assert found.low < found.value < found.high
    if elo is not None:
        around = elo_range(counts)
        assert around.value == pytest.approx(elo, abs=0.006)
        assert (around.high - around.low) / 2 == pytest.approx(error, rel=0.01)
    if los is not None:
        # It divides the squares by the number of games, not by one less, which is 0.0004 here.
        assert superiority_of(counts, Measure.PLACES) == pytest.approx(los, abs=6e-4)


def test_choix_with_a_ghost_finds_the_same_strengths():
    import choix

    played = pool(STRENGTHS, blocks=4, rng=np.random.default_rng(3), draws=0)
    swapped = [
        game(g.spec.entrants[::-1], g.places[::-1], block=g.spec.block + "'") for g in played
    ]
    names = sorted(STRENGTHS)
    ghost = len(names)
    won = [
        tuple(names.index(g.spec.entrants[seat]) for seat in np.argsort(g.places))
        for g in [*played, *swapped]
    ]
    # Everything twice, so that half a win becomes a whole one. The seats are worth nothing here.
    ghosts = [pair for k in range(ghost) for pair in ((k, ghost), (ghost, k))]
    nats = choix.opt_pairwise(ghost + 1, 2 * won + ghosts, tol=1e-12)
    x = fit(tally([*played, *swapped]), prior=PRIOR).point.x
    assert ELO * x[:ghost] == pytest.approx(ELO * (nats[:ghost] - nats[ghost]), abs=1e-3)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_statsmodels_with_the_same_ghosts_finds_the_same_numbers(seats):
    import statsmodels.api as sm

    rng = np.random.default_rng(seats)
    played = pool(STRENGTHS, blocks=3, rng=rng, seats=seats, luck=200, advantage=50)
    names = sorted(STRENGTHS)
    size = len(names) + seats
    x, y, weights = [], [], []
    for g in played:
        for a, b in combinations(range(seats), 2):
            row = np.zeros(size)
            for seat, sign in ((a, 1), (b, -1)):
                row[names.index(g.spec.entrants[seat])] += sign
                row[len(names) + seat] += sign
            x.append(row)
            y.append(g.pair_score(a, b))
            weights.append(weight(seats))
    for row in np.eye(size):
        x += [row, row]
        y += [1.0, 0.0]
        weights += [PRIOR, PRIOR]
    model = sm.GLM(
        np.array(y), np.array(x), family=sm.families.Binomial(), var_weights=np.array(weights)
    )
    result = model.fit(tol=1e-13)
    point = fit(tally(played), prior=PRIOR).point
    assert ELO * point.x == pytest.approx(ELO * result.params, abs=1e-3)
    covariance = result.cov_params(scale=1.0)
    assert np.linalg.inv(point.information) == pytest.approx(covariance, rel=1e-4, abs=1e-8)
