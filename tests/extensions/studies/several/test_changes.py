"""Which changes from version to version are named."""

from __future__ import annotations

import numpy as np
import pytest

from arena.extensions.studies.several.changes import changes
from arena.ratings.elo.rating import Bound, RatingFit, difference
from arena.ratings.probability import holm
from tests.ratings.fits import fit
from tests.ratings.made_games import LOSS, WIN, mirrored, pool, tally


def made(**strengths: float) -> RatingFit:
    return fit(tally(pool(strengths, blocks=40, rng=np.random.default_rng(3))))


def test_steps_are_differences_with_p_and_holm() -> None:
    ratings = made(x=0, y=50, v1=0, v2=10, v3=160)
    found = changes(ratings, ["v1", "v2", "v3"])
    assert [(step.other, step.name) for step in found.steps] == [("v1", "v2"), ("v2", "v3")]
    for step in found.steps:
        told = difference(ratings, step.name, step.other)
        assert (step.elo, step.low, step.high) == (told.elo, told.low, told.high)
        tail = min(told.superiority or 0, 1 - (told.superiority or 0))
        assert step.p == pytest.approx(2 * tail, abs=3e-6)
        # The interval holds 0 exactly if one test would not reject.
        assert ((step.low or 0) <= 0 <= (step.high or 0)) == ((step.p or 0) >= 0.05)
    adjusted = holm([step.p or 0 for step in found.steps])
    assert [step.p_holm for step in found.steps] == pytest.approx(adjusted)
    assert [step.is_change for step in found.steps] == [False, True]
    assert found.whole is not None
    assert (found.whole.elo, found.whole.p) == (difference(ratings, "v3", "v1").elo, None)


def test_two_versions_have_no_whole_besides_their_step() -> None:
    assert changes(made(x=0, v1=0, v2=200), ["v1", "v2"]).whole is None


def test_versions_that_results_do_not_connect_are_not_tested() -> None:
    games = pool({"x": 0.0, "v1": 0.0, "v3": 0.0}, blocks=20, rng=np.random.default_rng(1))
    games += [each for k in range(9) for each in mirrored(f"w{k}", "v2", "x", WIN, LOSS)]
    ratings = fit(tally(games, ["absent"]))
    assert ratings.of("v2").bound is Bound.ABOVE
    found = changes(ratings, ["v1", "v2", "v3", "absent"])
    assert [step.name for step in found.steps] == ["v2", "v3"]
    assert [(step.elo, step.p, step.is_change) for step in found.steps] == [(None, None, False)] * 2
