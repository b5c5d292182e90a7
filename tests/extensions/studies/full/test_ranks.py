"""Rank intervals and chances of being best."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from arena.extensions.studies.full.ranks import DRAWS, rank_ranges
from arena.ratings.elo.rating import difference
from arena.ratings.probability import holm
from tests.ratings.fits import fit
from tests.ratings.made_games import LOSS, WIN, game, mirrored, pool, tally

STRENGTHS = {"a": 0.0, "b": 60.0, "c": 30.0, "d": -90.0, "e": 20.0}


def games_of(strengths=STRENGTHS, blocks=40):
    return pool(strengths, blocks=blocks, rng=np.random.default_rng(11), luck=150.0)


def test_as_independent_draws():
    """numpy's own multivariate normal, its own factor, another seed: within chance."""
    ratings = fit(tally(games_of()))
    found = rank_ranges(ratings)
    size, n = len(ratings.entrants), 200_000
    strengths, covariance = ratings.point.x[:size], ratings.spread.clustered[:size, :size]
    draws = np.random.default_rng(99).multivariate_normal(strengths, covariance, n)
    ranks = 1 + (draws[:, None, :] > draws[:, :, None]).sum(axis=2)
    for row in found:
        own = ranks[:, ratings.entrants.index(row.name)]
        best = (own == 1).mean()
        assert row.best == pytest.approx(best, abs=5 * np.sqrt(best * (1 - best) / DRAWS) + 1e-3)
        low, high = np.quantile(own, [0.025, 0.975])
        assert abs(row.low - low) <= 1
        assert abs(row.high - high) <= 1
    assert [row.rank for row in found] == [1, 2, 3, 4, 5]
    assert sum(row.best for row in found) == pytest.approx(1.0)


def test_two_bots_are_the_likelihood_of_superiority():
    ratings = fit(tally(games_of({"a": 0.0, "b": 15.0}, blocks=150)))
    first, second = rank_ranges(ratings)
    likelihood = difference(ratings, first.name, second.name).superiority
    assert first.over_next == first.over_next_holm == likelihood
    assert first.best == pytest.approx(likelihood, abs=0.02)
    assert (second.over_next, second.over_next_holm) == (None, None)


def patterned():
    """Games without any generator of random numbers."""
    games = []
    for i, one in enumerate("abcd"):
        for j, other in enumerate("abcd"[i + 1 :], i + 1):
            for k in range(20):
                first = WIN if (7 * k + 3 * i + j) % 10 < 5 + j - i else LOSS
                second = LOSS if (3 * k + i + j) % 10 < 5 else WIN
                games += mirrored(f"{one}{other}{k}", one, other, first, second)
    return games


def test_the_same_on_every_machine_and_in_every_order():
    found = rank_ranges(fit(tally(patterned())))
    assert rank_ranges(fit(tally(patterned()[::-1]))) == found
    assert [(row.name, row.low, row.high, row.best) for row in found] == GOLDEN


GOLDEN = [("a", 1, 3, 0.7796), ("b", 1, 3, 0.1819), ("c", 1, 4, 0.0361), ("d", 2, 4, 0.0024)]


def test_anchors_and_names_do_not_matter():
    games = games_of()
    expected = rank_ranges(fit(tally(games)))
    for anchor in "ae":
        assert rank_ranges(fit(tally(games), anchor=anchor)) == expected
    names = dict(zip("abcde", "edcba", strict=True))
    renamed = tally(
        [game([names[n] for n in g.spec.entrants], g.places, block=g.spec.block) for g in games]
    )
    found = rank_ranges(fit(renamed))
    assert tuple(msgspec.structs.replace(row, name=names[row.name]) for row in found) == expected


def test_neighbours_are_adjusted_together():
    *found, _ = rank_ranges(fit(tally(games_of())))
    adjusted = holm([1 - row.over_next for row in found])
    expected = [max(0.5, 1 - p) for p in adjusted]  # one half where neighbours are even
    assert [row.over_next_holm for row in found] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "games",
    [
        [],
        [game(("a", "b"), WIN)],
        [g for k in range(9) for g in mirrored(str(k), "a", "b", WIN, WIN)],
        [g for k in range(9) for g in mirrored(str(k), "a", "b", WIN, LOSS)],
    ],
    ids=["nothing", "one game", "no spread", "whitewash"],
)
def test_nothing_is_claimed_where_results_bound_nothing(games):
    assert rank_ranges(fit(tally(games, ["a", "b"]))) == ()


def test_a_group_apart_is_ranked_as_if_it_were_alone():
    rng = np.random.default_rng(8)
    core = pool({"a": 0.0, "b": 30.0, "c": 80.0}, blocks=30, rng=rng, discipline="one")
    island = pool({"x": 0.0, "y": 150.0, "z": -150.0}, blocks=8, rng=rng, discipline="two")
    both, alone = fit(tally(core + island), anchor="a"), fit(tally(island))
    ranks = [(row.name, row.group, row.rank, row.low, row.high) for row in rank_ranges(both)]
    assert {name for name, *_ in ranks[:3]} == {*"abc"}
    assert [group for _, group, *_ in ranks] == ["A"] * 3 + ["B"] * 3
    own = [(row.name, row.rank, row.low, row.high) for row in rank_ranges(alone)]
    assert [(name, *rest) for name, _, *rest in ranks[3:]] == own
    assert [row.over_next is None for row in rank_ranges(both)] == [False, False, True] * 2
