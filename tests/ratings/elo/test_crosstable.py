"""Head-to-head cells against a computation written out block by block."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from math import log10

import numpy as np
import pytest
import scipy

from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.encounters import encounters
from arena.ratings.elo.crosstable import PairResult, crosstable
from arena.values.results import Termination
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, pool, solo, tally

STRENGTHS = {"a": 80.0, "b": 0.0, "c": -40.0, "d": -60.0}


def cells_of(games, entrants=()):
    """Both ways, by name and other."""
    data = arrays_of(tally(games, entrants))
    found = {}
    for cell in crosstable(data.entrants, encounters(data)):
        for own in (cell, cell.mirrored()):
            found[own.name, own.other] = own
    return found


def by_block(games):
    """{(name, other): {block: [score, games]}} of decided pairs, the slow way."""
    found = defaultdict(lambda: defaultdict(lambda: [0.0, 0]))
    for result in games:
        spec = result.spec
        for a, b in combinations(range(len(spec.entrants)), 2):
            score = result.pair_score(a, b)
            if score is None or spec.entrants[a] == spec.entrants[b]:
                continue
            for name, other, own in (
                (spec.entrants[a], spec.entrants[b], score),
                (spec.entrants[b], spec.entrants[a], 1 - score),
            ):
                block = found[name, other][spec.discipline, spec.block]
                block[0] += own
                block[1] += 1
    return found


def mixed_games(seed=7):
    """Tables of two and three, some blocks torn, some draws."""
    rng = np.random.default_rng(seed)
    games = pool(STRENGTHS, blocks=12, rng=rng, luck=100.0)
    games += pool(STRENGTHS, blocks=6, rng=rng, seats=3, draws=0.2)
    return [result for result in games if rng.random() < 0.9]


def shrunk(blocks):
    """By pair: games, mean, dispersion and degrees of freedom, written out."""
    told, found, single, freedom = {}, 0.0, 0.0, 0
    for pair, own in blocks.items():
        score, count = np.array(list(own.values())).T
        n, mean = len(own), score.sum() / count.sum()
        variance = n / (n - 1) * ((score - mean * count) ** 2).sum() / count.sum() ** 2
        told[pair] = count.sum(), mean, variance, n
        if pair[0] < pair[1]:
            found += count.sum() ** 2 * variance
            single += count.sum() * (mean * (1 - mean) + variance)
            freedom += n - 1
    pool = (10 + freedom * found / single) / (10 + freedom)
    for pair, (count, mean, variance, n) in told.items():
        own = variance * count / (mean * (1 - mean))
        told[pair] = count, mean, (20 * pool + (n - 1) * own) / (20 + n - 1), 20 + n - 1
    return told


def test_cells_are_score_tests_with_the_dispersion_of_their_blocks_and_of_all():
    games = mixed_games()
    cells, blocks = cells_of(games), by_block(games)
    assert cells.keys() == blocks.keys()
    for pair, (count, mean, dispersion, freedom) in shrunk(blocks).items():
        cell, law = cells[pair], scipy.stats.t(freedom)

        def t(expected, mean=mean, scale=dispersion / count):
            return (mean - expected) / np.sqrt(scale * expected * (1 - expected))

        low, high = (
            scipy.optimize.brentq(lambda e, q=q: t(e) - q, 1e-9, 1 - 1e-9)
            for q in law.ppf([0.975, 0.025])
        )
        assert (cell.blocks, cell.games) == (len(blocks[pair]), count)
        assert (cell.score, cell.score_low, cell.score_high) == pytest.approx(
            (mean, low, high), abs=2e-6
        )
        assert cell.score_error == pytest.approx((high - low) / 2, abs=2e-6)
        for elo, score in ((cell.elo, mean), (cell.low, low), (cell.high, high)):
            assert elo == pytest.approx(-400 * log10(1 / score - 1), abs=1e-3)
        los = law.cdf(t(0.5))
        assert cell.superiority == pytest.approx(los, abs=2e-6)
        assert cell.p == pytest.approx(2 * min(los, 1 - los), rel=1e-5)


def test_many_blocks_count_by_themselves():
    from statsmodels.stats.proportion import proportion_confint

    games = pool({"a": 50.0, "b": 0.0}, blocks=140, rng=np.random.default_rng(1), luck=300.0)
    means = np.array([s / g for s, g in by_block(games)["a", "b"].values()])
    mean, square = means.mean(), means.var(ddof=1) / len(means)
    cell, worth = cells_of(games)["a", "b"], mean * (1 - mean) / square
    low, high = proportion_confint(mean * worth, worth, method="wilson")
    assert (cell.score_low, cell.score_high) == pytest.approx((low, high), abs=1e-6)
    near, far = scipy.stats.norm.interval(0.95, mean, np.sqrt(square))
    assert (cell.score_low, cell.score_high) == pytest.approx((near, far), abs=2e-3)


@pytest.mark.parametrize("seed", range(20))
def test_no_end_lies_outside(seed):
    """Two blocks of a pair may differ by all there is, or not at all."""
    rng = np.random.default_rng(seed)
    games = pool(STRENGTHS, blocks=2, rng=rng, draws=0.0, luck=400.0)
    for cell in cells_of(games).values():
        if cell.score_low is None:  # each pair went alike, this one not all one way
            assert seed == 15
            continue
        assert 0.0 <= cell.score_low <= cell.score <= cell.score_high <= 1.0
        assert cell.score_high - cell.score_low > 0.2
        assert cell.low is None or cell.high is None or cell.low < cell.elo < cell.high


def test_a_pair_whose_blocks_went_alike_scatters_as_the_others_do():
    split = [g for k in range(5) for g in mirrored(f"s{k}", "a", "b", WIN, WIN)]
    others = pool({"c": 0.0, "d": 0.0, "e": 0.0}, blocks=30, rng=np.random.default_rng(4))
    cell = cells_of(split + others)["a", "b"]
    assert (cell.score, cell.superiority, cell.p) == (0.5, 0.5, 1.0)
    assert 0.25 < cell.score_low < 0.3


def test_holm_over_all_pairs():
    from statsmodels.stats.multitest import multipletests

    games = mixed_games()
    cells = [cell for pair, cell in cells_of(games).items() if pair[0] < pair[1]]
    marked, adjusted, *_ = multipletests([cell.p for cell in cells], 0.05, "holm")
    assert [cell.significant for cell in cells] == list(marked)
    assert [cell.p_holm for cell in cells] == pytest.approx(adjusted, rel=1e-4)
    assert any(marked)
    assert not all(marked)


@pytest.mark.parametrize("blocks", [1, 3, 40])
def test_a_perfect_score_has_a_limit_and_no_interval(blocks):
    games = [g for k in range(blocks) for g in mirrored(str(k), "a", "b", WIN, LOSS)]
    cell = cells_of(games)["a", "b"]
    # Clopper and Pearson: all of so many observations
    least = scipy.stats.beta.ppf(0.025, blocks, 1)
    assert (cell.score, cell.score_high, cell.elo, cell.high) == (1.0, 1.0, None, None)
    assert cell.score_low == pytest.approx(least, abs=1e-6)
    assert cell.low == pytest.approx(-400 * log10(1 / least - 1), abs=1e-4)
    assert cell.superiority == pytest.approx(1 - 0.5 ** (blocks + 1), abs=1e-6)
    assert cell.p == pytest.approx(scipy.stats.binomtest(blocks, blocks).pvalue, rel=1e-5)
    assert cell.significant is (blocks == 40)
    back = cell.mirrored()
    assert (back.score, back.low, back.high) == (0.0, None, -cell.low)
    assert (back.wins, back.losses) == (0, 2 * blocks)


def test_blocks_that_all_went_alike_say_nothing():
    games = [g for k in range(9) for g in mirrored(str(k), "a", "b", WIN, WIN)]
    cell = cells_of(games)["a", "b"]
    assert cell == PairResult(
        name="a", other="b", blocks=9, games=18, wins=9, draws=0, losses=9, score=0.5,
        score_error=None, score_low=None, score_high=None, elo=0.0, low=None, high=None,
        superiority=None, p=1.0, p_holm=1.0, significant=False,
    )  # fmt: skip


def test_games_that_compare_nobody_are_left_out():
    games = [
        game(("a", "b"), (2, 2), faulty=(0, 1), termination=Termination.FORFEITED),
        game(("a", "a", "b"), (1, 1, 3), block="x"),
        game(("c", "a", "b"), (1, 1, 3), block="y", faulty=(2,), termination=Termination.FORFEITED),
    ]
    cells = cells_of(games, ["idle"])
    assert ("a", "a") not in cells
    assert {pair: cell.games for pair, cell in cells.items() if pair[0] < pair[1]} == {
        ("a", "b"): 3,  # twice at the table with two seats of a, once after the fault of b
        ("b", "c"): 1,
    }
    assert cells["a", "b"].blocks == 2


def test_a_solo_deal_is_a_block():
    games = [solo("a", "1", 3), solo("b", "1", 5), solo("a", "2", 4), solo("b", "2", None)]
    cell = cells_of([*games, solo("a", "3", 1)])["a", "b"]  # fewer are better
    assert (cell.blocks, cell.wins, cell.losses) == (2, 2, 0)


def test_order_and_names_do_not_matter():
    games = mixed_games()
    cells = cells_of(games)
    assert cells_of(games[::-1]) == cells
    names = {"a": "z", "b": "y", "c": "x", "d": "w"}
    renamed = [
        game([names[name] for name in g.spec.entrants], g.places, block=g.spec.block) for g in games
    ]
    found = cells_of(renamed)
    for (name, other), cell in cells.items():
        assert found[names[name], names[other]].p_holm == pytest.approx(cell.p_holm)
        assert found[names[name], names[other]].score_error == cell.score_error


def test_nobody_met():
    assert cells_of([], ["a", "b"]) == {}
    assert cells_of([game(("a", "b"), DRAW)], ["a", "b"])["a", "b"].score_error is None


@pytest.mark.parametrize("blocks", [3, 30])
def test_nothing_is_beyond_the_limit_of_a_perfect_score(blocks):
    others = pool({"c": 0.0, "d": 0.0, "e": 0.0}, blocks=2, rng=np.random.default_rng(1))
    lows = []
    for last in (LOSS, DRAW, WIN):
        results = [WIN] * (2 * blocks - 1) + [last]
        games = [game("ab", places, block=f"{k}") for k, places in enumerate(results[::2])]
        games += [game("ba", places[::-1], block=f"{k}") for k, places in enumerate(results[1::2])]
        met = arrays_of(tally([*games, *others]))
        lows.append(crosstable(met.entrants, encounters(met))[0].score_low)
    assert lows == sorted(lows)
    assert lows[-1] == pytest.approx(0.025 ** (1 / blocks), abs=1e-6)
