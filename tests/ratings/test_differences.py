"""All pairs at once say what ``Ratings`` says of one."""

from __future__ import annotations

import numpy as np
import pytest

from arena.ratings.elo.fit import fit
from arena.ratings.full.differences import differences
from arena.ratings.full.encounters import encounters
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
    found = list(differences(ratings, encounters(ratings.sums)).pairs(ratings.entrants))
    assert len(found) == 8 * 7
    for each in found:
        expected = ratings.difference(each.name, each.other)
        if "idle" in (each.name, each.other):
            assert (each.elo, each.error, each.superiority) == (None, None, None)
            continue
        assert each.elo == pytest.approx(expected.elo, abs=2e-6)
        assert each.error == (None if expected.error is None else pytest.approx(expected.error))
        assert each.superiority == pytest.approx(ratings.superiority(each.name, each.other))
    known = {(each.name, each.other) for each in found if each.error is not None}
    assert known == {(one, two) for one in "abc" for two in "abc" if one != two}


def test_blocks_that_all_went_alike_have_no_interval():
    games = [g for k in range(9) for g in mirrored(str(k), "a", "b", WIN, WIN)]
    ratings = fit(tally(games))
    for each in differences(ratings, encounters(ratings.sums)).pairs(ratings.entrants):
        assert (each.elo, each.error, each.superiority) == (0.0, None, None)
