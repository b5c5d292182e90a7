"""All pairs at once, one alone, and the errors of single contrasts say the same."""

from __future__ import annotations

import numpy as np
import pytest

from arena.ratings.counting.encounters import encounters
from arena.ratings.elo.rating import difference, differences
from tests.ratings.fits import fit
from tests.ratings.made_games import LOSS, WIN, mirrored, pool, tally


def islands():
    """A core of three, one who beat it, one whom it beat, a pair apart, one without games."""
    rng = np.random.default_rng(5)
    games = pool({"a": 50.0, "b": 0.0, "c": -50.0}, blocks=20, rng=rng)
    games += pool({"x": 0.0, "y": 0.0}, blocks=9, rng=rng)
    for k in range(4):
        games += mirrored(f"up{k}", "best", "a", WIN, LOSS)
        games += mirrored(f"down{k}", "worst", "b", LOSS, WIN)
    return tally(games, ["idle"])


@pytest.mark.parametrize("anchor", [None, "b", "x"])
def test_every_pair(anchor):
    ratings = fit(islands(), anchor=anchor)
    found = list(differences(ratings, ratings.entrants, encounters(ratings.arrays)))
    assert len(found) == 8 * 7
    for each in found:
        assert each == difference(ratings, each.name, each.other)
        one, other = ratings.of(each.name), ratings.of(each.other)
        mirrored = difference(ratings, each.other, each.name)
        if each.superiority is not None:
            assert each.superiority + mirrored.superiority == pytest.approx(1)
        if one.group != other.group:
            assert (each.elo, each.error, each.low, each.high) == (None,) * 4
            continue
        assert each.elo == pytest.approx(one.value - other.value, abs=2e-6)
        assert (each.low, each.high) == pytest.approx((-mirrored.high, -mirrored.low))
        assert each.error == pytest.approx((each.high - each.low) / 2, abs=2e-6)
        assert each.low < each.elo < each.high
    known = {(each.name, each.other) for each in found if each.error is not None}
    groups = "abc", "xy"
    assert known == {(one, two) for own in groups for one in own for two in own if one != two}
    white = {("best", "a"), ("a", "best"), ("worst", "b"), ("b", "worst")}
    assert {(each.name, each.other) for each in found if each.superiority} == known | white


def test_blocks_that_all_went_alike_have_no_interval():
    games = [g for k in range(9) for g in mirrored(str(k), "a", "b", WIN, WIN)]
    ratings = fit(tally(games))
    for each in differences(ratings, ratings.entrants, encounters(ratings.arrays)):
        assert (each.elo, each.error, each.low, each.superiority) == (0.0, None, None, None)
