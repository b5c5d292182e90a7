"""The cycle report on data whose answer is known."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
import scipy

from arena.extensions.studies.full.cycles import cycles, hint, scale
from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.encounters import encounters
from arena.ratings.elo.crosstable import crosstable
from arena.ratings.elo.scale import Model
from arena.views.standings.standings import FORMS, StandingsTable, rated, render, stored
from benchmarks.draws import named_circles
from tests.ratings.fits import fit
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, pool, solo, tally
from tests.rows import some

STRENGTHS = {"a": 90.0, "b": 40.0, "c": 0.0, "d": -30.0, "e": -100.0}


def report(games):
    ratings = fit(tally(games))
    met = encounters(ratings.arrays)
    cells = {}
    for cell in crosstable(ratings.entrants, met):
        for own in (cell, cell.mirrored()):
            cells[own.name, own.other] = own
    return cycles(ratings, met, cells)


def circle(names, blocks, upsets=0):
    """Each wins every game against the next, but for some blocks."""
    games = []
    for name, other in zip(names, [*names[1:], names[0]], strict=True):
        for k in range(blocks):
            won = (LOSS, WIN) if k < upsets else (WIN, LOSS)
            games += mirrored(f"{name}{other}{k}", name, other, *won)
    return games


def test_rock_paper_scissors():
    found = report(circle(["rock", "scissors", "paper"], 40, upsets=8))
    assert (found.bots, found.pairs, found.freedom) == (3, 3, 1)
    assert found.share == pytest.approx(1.0)
    assert found.depends_on_schedule
    assert found.p < 1e-9
    # All are equally strong: 80 % against the expected 50 %, three times. The dispersion is that of
    # blocks that go wholly one way or the other, all but for the one fair block added to it.
    single, seen = 3 * 40 * (0.16 + 0.16 / 39) + 0.25, 3 * 40 * 0.16 * 40 / 39 + 0.25
    assert found.q == pytest.approx(3 * 40 * 0.3**2 / 0.25 / (seen / single), rel=1e-6)
    (triple,) = found.triples
    names = triple.names
    beaten = {"rock": "scissors", "scissors": "paper", "paper": "rock"}
    assert all(beaten[names[k]] == names[(k + 1) % 3] for k in range(3))
    assert triple.scores == (0.8, 0.8, 0.8)
    assert all(likelihood > 0.999 for likelihood in triple.superiority)
    assert triple.deviations == pytest.approx(found.q**0.5, rel=1e-5)


@pytest.mark.parametrize("blocks", [5, 40])
def test_a_circle_of_perfect_scores_is_found(blocks):
    found = report(circle(["rock", "scissors", "paper"], blocks))
    assert found.depends_on_schedule
    assert found.share == 1.0
    assert 0.0 < found.p < 0.001


def test_the_statistic_follows_chi_square_on_one_scale():
    """Means of 60 tournaments: those of chi-square, and p-values spread evenly."""
    games = (
        pool(STRENGTHS, blocks=25, rng=np.random.default_rng(1000 + k), luck=100.0)
        for k in range(60)
    )
    found = [report(each) for each in games]
    assert {each.freedom for each in found} == {10 - 4}
    assert np.mean([each.q for each in found]) == pytest.approx(6, abs=4 * np.sqrt(12 / 60))
    assert scipy.stats.kstest([each.p for each in found], "uniform").pvalue > 0.001
    assert all(each.depends_on_schedule is (each.p < 0.01) for each in found)
    assert np.mean([each.share for each in found]) < 0.3


def test_as_weighted_least_squares():
    """Q and the share from numpy's own least squares on a written-out design."""
    games = pool(STRENGTHS, blocks=30, rng=np.random.default_rng(4), luck=200.0)
    games += circle(["a", "c", "e"], 15)
    ratings = fit(tally(games))
    met = encounters(ratings.arrays)
    x = ratings.point.x
    design, flow, raw = [], [], []
    for i, j in combinations(range(5), 2):
        n, mean, variance = met.blocks[i, j], met.mean[i, j], met.variance[i, j]
        expected = 1 / (1 + np.exp(x[j] - x[i]))
        slope = expected * (1 - expected)
        design.append([(k == i) - (k == j) for k in range(5)])
        flow.append(x[i] - x[j] + (mean - expected) / slope)
        raw.append((n, slope, n * n * variance, n * (mean * (1 - mean) + variance)))
    n, slope, found, single = np.array(raw).T
    weight = n * slope * (single.sum() + 0.25) / (found.sum() + 0.25)
    root, flow = np.sqrt(weight), np.array(flow)
    potential = np.linalg.lstsq(np.array(design) * root[:, None], flow * root, rcond=None)[0]
    rest = flow - np.array(design) @ potential
    q, total = (weight * rest**2).sum(), (weight * flow**2).sum()
    report_found = report(games)
    assert report_found.q == pytest.approx(q, rel=1e-5)
    assert report_found.share == pytest.approx(q / total, rel=1e-5)
    assert report_found.p == pytest.approx(scipy.stats.chi2.sf(q, 6), rel=1e-4)


def test_a_bot_far_above_the_rest_makes_no_circle():
    """It loses once to the weakest: rare, but no reason for alarm."""
    strengths = {"top": 900.0, "a": 50.0, "b": 0.0, "c": -50.0}
    games = pool(strengths, blocks=40, rng=np.random.default_rng(2), draws=0.0)
    games += mirrored("upset", "top", "c", LOSS, LOSS)
    found = report(games)
    assert found.bots == 4
    assert not found.depends_on_schedule


def test_the_worst_triples_come_first():
    games = circle(["a", "b", "c"], 30, upsets=3) + circle(["x", "y", "z"], 30, upsets=10)
    games += [
        g
        for one in "abc"
        for two in "xyz"
        for k in range(6)
        for g in mirrored(f"{one}{two}{k}", one, two, DRAW, WIN if k % 2 else LOSS)
    ]
    found = report(games)
    assert [set(triple.names) for triple in found.triples[:2]] == [set("abc"), set("xyz")]
    assert found.triples[0].deviations > found.triples[1].deviations


def test_names_and_order_do_not_matter():
    games = pool(STRENGTHS, blocks=10, rng=np.random.default_rng(8)) + circle(["a", "c", "e"], 9)
    found = report(games)
    assert report(games[::-1]) == found
    names = dict(zip("abcde", "bcdea", strict=True))
    renamed = report(
        [game([names[n] for n in g.spec.entrants], g.places, block=g.spec.block) for g in games]
    )
    same = {"q": pytest.approx(found.q, rel=1e-9), "share": found.share, "freedom": found.freedom}
    assert {name: getattr(renamed, name) for name in same} == same
    circles = [{names[n] for n in triple.names} for triple in found.triples]
    assert [set(triple.names) for triple in renamed.triples] == circles


@pytest.mark.parametrize(
    "games",
    [
        [],
        pool({"a": 0.0, "b": 0.0}, blocks=9, rng=np.random.default_rng(1)),
        circle(["a", "b"], 5) + circle(["b", "c"], 5),  # a tree
        [g for a, b in permutations("abc", 2) if a < b for g in mirrored(a + b, a, b, WIN, LOSS)],
    ],
    ids=["nothing", "two", "tree", "ladder"],
)
def test_no_report_where_no_circle_could_show(games):
    assert report(games) is None


EVEN = dict.fromkeys("abcd", 0.0)


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("seats", [4, pytest.param(3, marks=pytest.mark.soak)])
def test_larger_tables_follow_chi_square_too(seats):
    """A game of theirs cannot contradict itself; uncorrected the mean would be 0.83 and 0.5."""
    rng, found = np.random.default_rng(seats), []
    for _ in range(40):
        strengths = {name: rng.normal(0.0, 100.0) for name in "abcde"}
        found.append(report(pool(strengths, blocks=25, rng=rng, seats=seats, luck=100.0)))
    assert not any(each.cautious for each in found)
    assert np.mean([each.q for each in found]) == pytest.approx(6, abs=3.5 * np.sqrt(12 / 40))


def test_few_blocks_of_larger_tables_are_not_corrected():
    rng = np.random.default_rng(3)
    assert report(pool(EVEN, blocks=4, rng=rng, seats=3)).cautious
    assert not report(pool(EVEN, blocks=4, rng=rng)).cautious
    deals = [solo(n, str(k), int(rng.integers(9))) for k in range(19) for n in "abc"]
    assert report(deals).cautious
    deals += [solo(n, "19", int(rng.integers(9))) for n in "abc"]
    assert not report(deals).cautious


@pytest.mark.parametrize("kinds", [{2}, {3}, {4}, {2, 3}, {1, 2}, {1}])
def test_the_correction_block_by_block(kinds):
    """The mean of the statistic, pair by pair of pairs, against the sums over bots."""
    rng = np.random.default_rng(sum(kinds))
    games = [g for k in kinds - {1} for g in pool(EVEN, blocks=25, rng=rng, seats=k, luck=200.0)]
    if 1 in kinds:
        deals = [solo(n, f"s{k}", int(rng.integers(6))) for k in range(40) for n in "abcd"]
        games += [g for g in deals if rng.random() < 0.9]
    data = arrays_of(tally(games))
    met = encounters(data)
    weight, slope = np.triu(rng.random((4, 4)) + 0.5, 1), np.triu(rng.random((4, 4)) + 0.5, 1)
    weight, slope = weight + weight.T, slope + slope.T + np.eye(4)
    laplacian = np.diag(weight.sum(axis=1)) - weight + 1e-9 * np.eye(4)
    found = scale(data, met, weight, slope, laplacian)

    pairs = list(combinations(range(4), 2))
    design = np.array([[(k == i) - (k == j) for k in range(4)] for i, j in pairs], float)
    w = np.diag([weight[pair] for pair in pairs])
    projection = w - w @ design @ np.linalg.pinv(design.T @ w @ design) @ design.T @ w
    blocks = {}
    for g in games:
        if len(g.spec.entrants) > 1:
            block = blocks.setdefault((g.spec.discipline, g.spec.block), np.zeros(6))
            for a, b in combinations(range(len(g.places)), 2):
                i, j = ("abcd".index(g.spec.entrants[k]) for k in (a, b))
                score, low, high = g.pair_score(a, b), min(i, j), max(i, j)
                excess = (score if i < j else 1 - score) - met.mean[low, high]
                block[pairs.index((low, high))] += excess
    for k in range(40 if 1 in kinds else 0):
        block = blocks.setdefault(("solo", k), np.zeros(6))
        own = {g.spec.entrants[0]: g.scores[0] for g in games if g.spec.deal == f"s{k}"}
        for place, (i, j) in enumerate(pairs):
            if {"abcd"[i], "abcd"[j]} <= own.keys():
                lead = own["abcd"[j]] - own["abcd"[i]]  # fewer are better
                block[place] = (lead > 0) + (lead == 0) / 2 - met.mean[i, j]
    excess = np.array(list(blocks.values()))
    shrunk = [
        np.sqrt(met.blocks[p] / (met.blocks[p] - 1)) / (met.games[p] * slope[p]) for p in pairs
    ]
    z = excess * shrunk
    covariance = z.T @ z
    expected = np.trace(projection @ covariance)
    alone = np.trace(projection @ np.diag(np.diag(covariance)))
    assert found == pytest.approx(expected / alone, rel=1e-6)
    if kinds == {2}:
        assert found == pytest.approx(1.0)


def hinted(games):
    return [*hint(fit(tally(games)))]


def test_a_clear_circle_is_named_below_the_table():
    assert hinted(circle(["rock", "scissors", "paper"], 5)) == [
        "paper beats rock, rock beats scissors, scissors beats paper: no single scale fits, so Elo "
        "depends on who met whom; see arena standings --full, run.payoffs()"
    ]
    assert hinted(circle(["rock", "scissors", "paper"], 2)) == []
    assert hinted(circle(["rock", "scissors", "paper"], 20, upsets=9)) == []
    # Among 17 others of one strength one circle hardly moves Q.
    others = pool(dict.fromkeys("abcdefghijklmnopq", 0.0), blocks=3, rng=np.random.default_rng(1))
    games = others + circle(["rock", "scissors", "paper"], 8)
    games += [g for n in "abc" for g in mirrored(f"l{n}", n, "rock", WIN, WIN)]
    found = report(games)
    assert found.p > 0.01 > found.p_circle
    assert found.depends_on_schedule
    assert len(hinted(games)) == 1


def test_a_circle_is_shown_in_all_forms_with_remarks_and_stored_in_none():
    section = rated("cup", tally(circle(["a", "b", "c"], 5)), Model(), ()).section
    table, line = StandingsTable("cup", (section,)), "a beats b, b beats c, c beats a"
    shown = {form: line in render(table, form) for form in FORMS}
    assert shown == {"txt": True, "md": True, "csv": False, "json": True}
    assert [form for form in FORMS if line.encode() in stored(table, form)] == []


def test_a_circle_counts_for_as_many_as_could_show():
    """Seven bots of which each met each: 70 circles; in a ring of pairs that met none."""
    games = pool(dict.fromkeys("abcdefg", 0.0), blocks=3, rng=np.random.default_rng(4), draws=0.0)
    found = report(games)
    tail = scipy.stats.norm.sf(found.triples[0].deviations)
    assert found.p_circle == pytest.approx(min(1.0, 70 * tail), rel=1e-4)
    ring = [g for a, b in zip("abcd", "bcda", strict=True) for k in range(9)
            for g in mirrored(f"{a}{b}{k}", a, b, WIN, LOSS)]  # fmt: skip
    assert (report(ring).p_circle, report(ring).triples) == (1.0, ())
    assert hinted([]) == []


ON_ONE_SCALE = [
    (bots, blocks, spread, nu, luck)
    for bots, blocks in ((3, 4), (3, 50), (10, 4), (10, 50), (30, 4), (30, 10))
    for spread, nu, luck in ((0.0, 0.0, 0.0), (200.0, 2.0, 300.0), (900.0, 0.0, 0.0))
]


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "blocks", "spread", "nu", "luck"), some(ON_ONE_SCALE, every=6))
def test_circles_that_are_none_are_seldom_named(bots, blocks, spread, nu, luck):
    times = 600 // bots
    share = named_circles(bots, blocks, times, 3, spread=spread, nu=nu, luck=luck)
    assert share <= 0.02 + 3 * (0.02 / times) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 170.0])
@pytest.mark.parametrize("nu", [0.0, 2.0])
def test_pairs_of_one_block_name_no_circle(spread, nu):
    """A pair of one block does not show how far blocks spread, also if its games were split."""
    assert named_circles(10, 1, 20, 5, spread=spread, nu=nu) <= 0.05


@pytest.mark.slow
def test_rock_paper_scissors_is_named_with_few_games():
    assert named_circles(3, 5, 100, 4, circle=800.0) >= 0.9
    assert named_circles(10, 10, 40, 4, circle=800.0) >= 0.9
