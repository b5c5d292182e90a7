"""Davidson's model against a published fit, a generic optimiser and its own populations."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
import scipy.optimize

from arena.extensions.studies.full.davidson import davidson, fit_davidson
from arena.ratings.counting.arrays import arrays_of
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import Bound
from arena.ratings.elo.scale import Anchor, Model
from benchmarks.draws import NUS, davidson_coverage
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, pool, solo, tally
from tests.rows import some

# Davidson 1970, table 2: preferences for one pudding, for the other, and none.
PUDDINGS = """
12 19 22 16|13 16 19 12|23 19 19 10|14 18 23 13|24 23 19 9|34 19 20 15|15 13 19 18|25 16 20 12
35 16 15 17|45 17 14 16|16 18 21 12|26 22 20 12|36 13 18 10|46 14 19 18|56 11 21 12
"""


def both(games, model=None, entrants=()):
    ratings = fit_model(arrays_of(tally(games, entrants)), Model() if model is None else model)
    return ratings, davidson(ratings.ratings, ratings)


def test_the_example_of_davidson():
    """R's PlackettLuce gives these after the seven iterations that reach Davidson's numbers."""
    games = []
    for line in PUDDINGS.replace("|", "\n").split("\n"):
        for pair, *counts in filter(None, [line.split()]):
            for number, places in zip(map(int, counts), (WIN, LOSS, DRAW), strict=True):
                games += [game((*pair,), places, block=f"{pair}{places}{k}") for k in range(number)]
    assert len(games) == 745
    ratings, _ = both(games, Model(prior=0.0, seats=False))
    found = fit_davidson(ratings)
    worth = np.exp(found.x[:6])
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    assert worth / worth.sum() == pytest.approx(published, rel=2e-4)
    assert np.exp(found.log_nu) == pytest.approx(0.7468147, rel=2e-4)
    assert found.nu_variance**0.5 == pytest.approx(0.082499, rel=2e-4)


def raw_likelihood(games, names, model):
    """The negative log-likelihood of every pair of every game, with the ghost of the table."""
    kinds = sorted({g.spec.discipline for g in games if len(g.spec.entrants) > 1})
    first = {}
    for kind in kinds:
        first[kind] = len(names) + sum(
            next(len(g.spec.entrants) for g in games if g.spec.discipline == each)
            for each in kinds[: kinds.index(kind)]
        )
    pairs, deals = [], {}
    for g in games:
        bots = g.spec.entrants
        if len(bots) == 1:
            deals.setdefault(g.spec.deal, []).append((names.index(bots[0]), -g.scores[0]))
            continue
        for a in range(len(bots)):
            for b in range(a + 1, len(bots)):
                sign = np.sign(g.places[b] - g.places[a])
                own = names.index(bots[a]), names.index(bots[b])
                seats = first[g.spec.discipline] + a, first[g.spec.discipline] + b
                pairs.append((3 / (len(bots) + 1), *own, *seats, sign))
    for played in deals.values():
        for k, (a, one) in enumerate(played):
            for b, other in played[k + 1 :]:
                pairs.append((3 / (len(played) + 1), a, b, -1, -1, np.sign(one - other)))
    w, a, b, sa, sb, sign = (np.array(column) for column in zip(*pairs, strict=True))
    size = max(len(names), int(max(sa.max(), sb.max())) + 1)

    def value(x):
        edges = np.append(x[:-1] if model.seats else np.append(x[: len(names)], 0 * x), 0.0)
        d = x[a] - x[b] + np.where(sa < 0, 0, edges[sa] - edges[sb])
        weights = np.stack([-d / 2, np.full_like(d, x[-1]), d / 2])
        chance = weights[sign.astype(int) + 1, np.arange(len(d))] - np.logaddexp.reduce(weights)
        own = x[:-1] if model.seats else x[: len(names)]
        ghost = np.logaddexp(0, own) + np.logaddexp(0, -own)
        return -(w * chance).sum() + model.prior / 2 * ghost.sum()

    return value, size


@pytest.mark.parametrize("model", [Model(), Model(prior=3.0, seats=False)])
@pytest.mark.parametrize("kinds", [{2}, {3}, {1, 2, 3}])
def test_as_a_generic_optimiser_finds(kinds, model):
    rng = np.random.default_rng(sum(kinds))
    true = {"a": 200.0, "b": 0.0, "c": -60.0, "d": -80.0}
    games = []
    for seats in kinds - {1}:
        games += pool(true, blocks=6, rng=rng, seats=seats, draws=0.6, advantage=120.0)
    if 1 in kinds:
        games += [solo(n, f"s{k}", int(rng.integers(3))) for k in range(12) for n in "abcd"]
    ratings, _ = both(games, model)
    found = fit_davidson(ratings)
    value, size = raw_likelihood(games, [*ratings.entrants], model)
    assert size == ratings.arrays.size
    best = scipy.optimize.minimize(value, np.zeros(size + 1), method="BFGS", options={"gtol": 1e-7})
    assert found.x[:4] == pytest.approx(best.x[:4], abs=1e-4)
    assert found.log_nu == pytest.approx(best.x[-1], abs=1e-4)
    if model.seats:
        assert found.x == pytest.approx(best.x[:-1], abs=1e-4)
    assert value(np.append(found.x, found.log_nu)) <= best.fun + 1e-7


def test_without_draws_it_is_the_table():
    rng = np.random.default_rng(5)
    for seats in (2, 3):
        games = pool({"a": 150.0, "b": 0.0, "c": -90.0}, blocks=20, rng=rng, seats=seats, draws=0.0)
        for model in (Model(), Model((Anchor("b", 1200.0),))):
            ratings, found = both(games, model)
            assert (found.nu, found.draws, found.even_draws) == (0.0, 0.0, 0.0)
            for row, own in zip(found.rows, ratings.ratings, strict=True):
                assert row.davidson == pytest.approx(own.value, abs=1e-5)
                assert row.as_score == pytest.approx(own.value, abs=1e-5)
                if own.error is None:
                    assert (own.name, row.low) == ("b", None)
                else:
                    assert (row.low, row.high) == pytest.approx((own.low, own.high), abs=1e-4)


def test_all_drawn():
    games = [g for k in range(5) for g in mirrored(f"k{k}", "a", "b", DRAW, DRAW)]
    _, found = both([*games, *mirrored("z", "b", "c", DRAW, DRAW)])
    assert (found.nu, found.draws, found.even_draws) == (None, 1.0, 1.0)
    assert [row.davidson for row in found.rows] == [1000.0] * 3
    assert [row.low for row in found.rows] == [None] * 3


def test_bots_outside_the_core_have_the_marks_of_the_table():
    """One won all, one lost all, two met nobody else, and one did not play."""
    rng = np.random.default_rng(6)
    games = pool({"a": 100.0, "b": 0.0, "c": -50.0}, blocks=15, rng=rng, draws=0.5)
    games += mirrored("up", "best", "a", WIN, LOSS) + mirrored("down", "worst", "c", LOSS, WIN)
    games += mirrored("island", "x", "y", DRAW, WIN)
    _, found = both(games, entrants=["idle"])
    rows = {row.name: row for row in found.rows}
    assert rows["idle"].davidson is None
    assert (rows["best"].bound, rows["worst"].bound) == (Bound.ABOVE, Bound.BELOW)
    assert {rows[n].bound for n in "xy"} == {Bound.OPEN}
    for name in ("best", "worst", "x", "y"):
        assert rows[name].davidson is not None
        assert (rows[name].low, rows[name].high) == (None, None)
    core = [rows[n] for n in "abc"]
    assert all(row.low < row.davidson < row.high for row in core)
    assert np.mean([row.davidson for row in core]) == pytest.approx(1000.0)
    assert both([], entrants=["a", "b"])[1] is None


def test_the_scale_has_the_zero_of_the_table():
    rng = np.random.default_rng(7)
    games = pool({"a": 200.0, "b": 0.0, "c": -100.0}, blocks=40, rng=rng, draws=0.8)
    _, found = both(games, Model((Anchor("b", 1500.0),)))
    rows = {row.name: row for row in found.rows}
    assert (rows["b"].davidson, rows["b"].as_score, rows["b"].low) == (1500.0, 1500.0, None)
    # The scale is wider by about 1 + nu/2, the expected scores are nearly those of the table.
    for name in "ac":
        wide = (rows[name].davidson - 1500.0) / (rows[name].elo - 1500.0)
        assert wide == pytest.approx(1 + found.nu / 2, rel=0.1)
        assert rows[name].as_score == pytest.approx(rows[name].elo, abs=12.0)
    several, _ = both(games, Model((Anchor("a", 1500.0), Anchor("c", 1000.0, 40.0))))
    model = davidson(several.ratings, several)
    level = np.mean([row.value for row in several.ratings])
    assert np.mean([row.davidson for row in model.rows]) == pytest.approx(level, abs=1e-5)


def test_extreme_numbers_of_draws():
    """One draw in thousands of games, and one decided game."""
    for most, one in ((WIN, DRAW), (DRAW, WIN)):
        games = [g for k in range(400) for g in mirrored(f"k{k}", "a", "b", most, most[::-1])]
        games += mirrored("one", "b", "a", one, one)
        _, found = both(games)
        assert 0 < found.nu < inf
        assert all(np.isfinite(row.davidson) for row in found.rows)
        assert found.draws == pytest.approx((2 if one is DRAW else 800) / 802, abs=1e-6)
    strong = [g for k in range(3) for g in mirrored(f"k{k}", "a", "b", WIN, LOSS)]
    _, found = both([*strong, *mirrored("d", "b", "c", DRAW, DRAW)], Model(prior=0.0))
    assert all(np.isfinite(row.davidson) for row in found.rows)


COVERAGE = [(gap, blocks, nu) for nu in NUS for gap in (0.0, 300.0) for blocks in (10, 50)]


@pytest.mark.slow
@pytest.mark.parametrize(("gap", "blocks", "nu"), some(COVERAGE, every=20))
def test_intervals_hold_the_truth(gap, blocks, nu):
    found = davidson_coverage(gap, blocks, nu, 150, seed=3)
    # 750 intervals that hang together: standard error 0.01.
    assert 0.92 <= found.covered <= 0.985
    assert abs(found.bias) <= 0.2 * found.deviation + 3 * found.deviation / 150**0.5
