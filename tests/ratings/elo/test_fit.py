"""Ratings against closed forms and against independent programs."""

from __future__ import annotations

from itertools import combinations
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from arena.ratings.counting.arrays import arrays_of, weight
from arena.ratings.elo.fit import fit, groups, reachable
from arena.ratings.elo.rating import Bound, difference
from arena.ratings.elo.scale import ELO
from arena.ratings.probability import NORMAL_95
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, pool, tally

NO_PRIOR = 1e-7
STRENGTHS = {"a": 0.0, "b": 60.0, "c": -40.0, "d": 150.0, "e": -170.0}


def root(function, low=-50.0, high=50.0):
    """Where a falling function crosses 0."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return low


def s(x):
    return 1 / (1 + exp(-x))


def elo(ratings, name):
    return ratings.of(name).elo


def repeated(times, games):
    """The same games in that many blocks."""
    return [
        game(g.spec.entrants, g.places, block=f"{g.spec.block}/{k}")
        for k in range(times)
        for g in games
    ]


def test_two_bots_have_the_elo_of_their_score():
    games = repeated(30, mirrored("x", "a", "b", WIN, LOSS)) + repeated(
        10, mirrored("y", "a", "b", LOSS, WIN)
    )
    ratings = fit(tally(games), prior=NO_PRIOR)
    assert difference(ratings, "a", "b").elo == pytest.approx(400 * np.log10(3), abs=1e-4)
    assert elo(ratings, "a") + elo(ratings, "b") == pytest.approx(2000, abs=1e-5)


def test_two_bots_have_the_error_of_their_block_scores():
    counts = {(WIN, LOSS): 30, (WIN, DRAW): 20, (DRAW, DRAW): 25, (LOSS, WIN): 45}
    games, scores = [], []
    for (first, second), n in counts.items():
        games += repeated(n, mirrored(f"{first}{second}", "a", "b", first, second))
        score = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}
        scores += [(score[first] + 1 - score[second]) / 2] * n
    blocks, mean = len(scores), np.mean(scores)
    slope = mean * (1 - mean)
    expected = NORMAL_95 * ELO * np.std(scores) / sqrt(blocks - 2) / slope
    found = difference(fit(tally(games), prior=NO_PRIOR), "a", "b")
    # Both seatings score alike up to the seat advantage, which the closed form leaves out.
    assert found.error == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("blocks", [1, 10, 1000])
def test_the_ghost_bounds_a_whitewash(blocks):
    games = repeated(blocks, mirrored("x", "a", "b", WIN, LOSS))
    nats = root(lambda t: 2 * blocks * (1 - s(2 * t)) + 0.5 - s(t))
    ratings = fit(tally(games))
    assert elo(ratings, "a") == pytest.approx(1000 + ELO * nats, abs=1e-5)
    assert elo(ratings, "b") == pytest.approx(1000 - ELO * nats, abs=1e-5)


def test_the_ghost_bounds_a_seat_that_always_wins():
    games = repeated(10, mirrored("x", "a", "b", WIN, WIN))
    nats = root(lambda g: 20 * (1 - s(2 * g)) + 0.5 - s(g))
    ratings = fit(tally(games))
    assert ratings.seat_advantage.elo == pytest.approx(2 * ELO * nats, abs=1e-5)
    assert ratings.seat_advantage.error is None
    assert elo(ratings, "a") == elo(ratings, "b") == 1000


def test_choix_finds_the_same_strengths():
    import choix

    games = pool(STRENGTHS, blocks=30, rng=np.random.default_rng(3), draws=0)
    names = sorted(STRENGTHS)
    won = [
        tuple(names.index(g.spec.entrants[seat]) for seat in np.argsort(g.places)) for g in games
    ]
    # Mirrored games fix the seat term near 0; choix has none, so take it out exactly.
    both = won + won
    nats = choix.opt_pairwise(len(names), both, tol=1e-12)
    swapped = [game(g.spec.entrants[::-1], g.places[::-1], block=g.spec.block + "'") for g in games]
    ratings = fit(tally(games + swapped), prior=NO_PRIOR)
    found = [elo(ratings, name) - 1000 for name in names]
    assert found == pytest.approx(ELO * (nats - nats.mean()), abs=1e-3)


def design(games, names, seats):
    """Rows of a logistic regression: (x, y, block) per pair of seats; first bot is 0."""
    x, y, blocks = [], [], []
    for g in games:
        for a, b in combinations(range(seats), 2):
            row = np.zeros(len(names) + seats)
            for seat, sign in ((a, 1), (b, -1)):
                row[names.index(g.spec.entrants[seat])] += sign
                row[len(names) + seat] += sign
            x.append(np.delete(row, [0, len(names)]))
            y.append(g.pair_score(a, b))
            blocks.append(g.spec.block)
    return np.array(x), np.array(y), np.unique(blocks, return_inverse=True)[1]


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "blocks"), [(2, 40), (3, 17), (4, 25)])
def test_statsmodels_finds_the_same_ratings_errors_and_seat_terms(seats, blocks):
    import statsmodels.api as sm

    rng = np.random.default_rng(seats)
    games = pool(STRENGTHS, blocks=blocks, rng=rng, seats=seats, luck=200, advantage=50)
    names = sorted(STRENGTHS)
    x, y, block = design(games, names, seats)
    model = sm.GLM(y, x, family=sm.families.Binomial())
    result = model.fit(
        tol=1e-13, cov_type="cluster", cov_kwds={"groups": block, "use_correction": False}
    )
    ratings = fit(tally(games), anchor="a", anchor_elo=0, prior=NO_PRIOR)
    clusters = block.max() + 1
    factor = NORMAL_95 * ELO * sqrt(clusters / (clusters - x.shape[1]))
    assert clusters >= 100
    assert [elo(ratings, n) for n in names[1:]] == pytest.approx(ELO * result.params[:4], abs=1e-3)
    assert [ratings.of(n).error for n in names[1:]] == pytest.approx(
        factor * result.bse[:4], rel=1e-5
    )
    terms = np.array([0, *result.params[4:]]) * ELO
    assert [term.elo for term in ratings.seats] == pytest.approx(terms - terms.mean(), abs=1e-3)


def test_mixed_table_sizes_share_strengths_and_keep_their_own_seats():
    rng = np.random.default_rng(9)
    games = [
        g
        for seats in (2, 3, 4)
        for g in pool(STRENGTHS, blocks=10, rng=rng, seats=seats, advantage=80)
    ]
    ratings = fit(tally(games))
    assert [(t.seats, t.seat) for t in ratings.seats] == [
        (n, k) for n in (2, 3, 4) for k in range(n)
    ]
    assert all(term.elo > 0 for term in ratings.seats if term.seat == 0)
    order = sorted(STRENGTHS, key=lambda name: elo(ratings, name))
    assert order == sorted(STRENGTHS, key=STRENGTHS.__getitem__)


@pytest.mark.parametrize(("seats", "expected"), [(2, 1.0), (3, 0.75), (4, 0.6)])
def test_weights_make_information_equal_the_variance_of_scores(seats, expected):
    # At equal strength: each pair row has slope 1/4; the score of one seat against the
    # rest is uniform on 0 … n-1. In the contrast of one bot with the mean of the others.
    places = np.arange(seats)
    variance = places.var() * weight(seats) ** 2
    information = (seats - 1) / 4 * weight(seats) * seats / (seats - 1)
    assert weight(seats) == expected
    assert variance * seats / (seats - 1) == pytest.approx(information)


def test_seat_advantage_of_mirrored_games():
    games = repeated(30, mirrored("x", "a", "b", WIN, WIN)) + repeated(
        10, mirrored("y", "a", "b", LOSS, LOSS)
    )
    advantage = fit(tally(games), prior=NO_PRIOR).seat_advantage
    assert advantage.elo == pytest.approx(400 * np.log10(3), abs=1e-4)
    # Both games of a block say the same: forty observations, not eighty.
    expected = ELO / sqrt(3 / 16) / sqrt(40 - 2)
    assert advantage.error == pytest.approx(2.0244 * expected, rel=1e-4)


def test_a_block_of_one_game_counts_as_a_block():
    games = [
        game(entrants, places, block=f"{k}{entrants}")
        for k in range(20)
        for entrants, places in (("ab", WIN), ("ba", WIN if k % 4 else LOSS))
    ]
    ratings = fit(tally(games))
    assert ratings.blocks == 40
    assert difference(ratings, "a", "b").error > 0


def test_an_anchor_only_shifts_and_takes_the_error():
    games = pool(STRENGTHS, blocks=20, rng=np.random.default_rng(4))
    free, tied = fit(tally(games)), fit(tally(games), anchor="c", anchor_elo=-25.5)
    shift = elo(free, "c") + 25.5
    for name in STRENGTHS:
        assert elo(free, name) - elo(tied, name) == pytest.approx(shift, abs=1e-5)
        assert tied.of(name).error == difference(tied, name, "c").error
        assert difference(free, name, "c").superiority == difference(tied, name, "c").superiority
    assert tied.of("c").elo == -25.5
    assert tied.of("c").error is None
    assert sum(elo(free, name) for name in STRENGTHS) == pytest.approx(5000, abs=1e-5)


def test_errors_are_of_contrasts_not_of_the_loose_level():
    games = pool(STRENGTHS, blocks=400, rng=np.random.default_rng(4))
    assert max(fit(tally(games)).of(name).error for name in STRENGTHS) < 15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"anchor": "z"}, "anchor 'z' is not among the entrants"),
        ({"prior": -0.5}, "unusable prior -0.5"),
        ({"prior": float("nan")}, "unusable prior nan"),
        ({"anchor_elo": float("inf")}, "Elo inf"),
    ],
)
def test_unusable_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit(tally([game("ab", WIN)]), **arguments)


def test_superiority_is_the_normal_probability_of_the_difference():
    games = pool(STRENGTHS, blocks=30, rng=np.random.default_rng(6))
    ratings = fit(tally(games))
    ahead, behind = difference(ratings, "a", "b"), difference(ratings, "b", "a")
    assert ahead.superiority + behind.superiority == pytest.approx(1)
    z = behind.elo / (behind.error / NORMAL_95)
    assert behind.superiority == pytest.approx(NormalDist().cdf(z), abs=1e-6)


def test_superiority_after_a_whitewash_counts_blocks():
    ratings = fit(tally(repeated(3, mirrored("x", "a", "b", WIN, LOSS))))
    assert difference(ratings, "a", "b").superiority == 1 - 2**-4
    assert difference(ratings, "b", "a").superiority == 2**-4


def core_and(*extra):
    """a, b, c with mixed results in ten blocks each, and more games."""
    rng = np.random.default_rng(1)
    return tally([*pool({"a": 0.0, "b": 0.0, "c": 0.0}, blocks=10, rng=rng), *extra])


def test_a_perfect_score_is_open_above_with_a_limit():
    ratings = fit(core_and(*repeated(8, mirrored("x", "z", "a", WIN, LOSS))))
    best = ratings.of("z")
    assert (best.bound, best.error, best.group) == (Bound.ABOVE, None, 1)
    # Eight blocks, each with a chance near s(z - a): together 0.025 at the limit.
    nats = -log(0.025 ** (-1 / 8) - 1)
    seats = abs(ratings.seat_advantage.elo)
    assert best.limit - elo(ratings, "a") == pytest.approx(ELO * nats, abs=seats)
    assert best.limit < best.elo
    assert [ratings.of(n).bound for n in "abc"] == [Bound.BOTH] * 3
    assert all(ratings.of(n).error for n in "abc")


def test_a_zero_score_is_the_mirror_image():
    ratings = fit(core_and(*repeated(8, mirrored("x", "z", "a", LOSS, WIN))))
    worst = ratings.of("z")
    assert worst.bound is Bound.BELOW
    assert worst.limit > worst.elo


def test_an_outsider_hardly_moves_the_core():
    extra = repeated(50, mirrored("x", "z", "a", WIN, LOSS))
    with_it, without = fit(core_and(*extra)), fit(core_and())
    for name in "abc":
        assert elo(with_it, name) == pytest.approx(elo(without, name), abs=10)
        assert with_it.of(name).error == pytest.approx(without.of(name).error, rel=0.1)


def test_islands_are_open_on_both_sides():
    island = pool({"x": 0.0, "y": 0.0}, blocks=10, rng=np.random.default_rng(2))
    ratings = fit(core_and(*island))
    assert [ratings.of(n).group for n in "abcxy"] == [0, 0, 0, 1, 1]
    assert ratings.of("x").bound is Bound.OPEN
    assert ratings.of("x").error is None
    assert ratings.of("x").limit is None
    assert difference(ratings, "a", "x").superiority is None
    assert difference(ratings, "a", "x").error is None


def test_an_anchor_without_a_group_is_the_reference():
    ratings = fit(tally(repeated(5, mirrored("x", "a", "b", WIN, LOSS))), anchor="b", anchor_elo=0)
    assert (ratings.of("b").elo, ratings.of("b").bound) == (0, Bound.BOTH)
    assert ratings.of("a").bound is Bound.ABOVE


def test_too_few_blocks_give_no_error():
    few = mirrored("x", "a", "b", WIN, WIN) + mirrored("y", "a", "b", LOSS, WIN)
    assert fit(tally(few)).of("a").error is None


def test_blocks_that_all_went_alike_give_no_error():
    ratings = fit(tally(repeated(50, mirrored("x", "a", "b", WIN, WIN))))
    assert ratings.of("a").error is None
    assert difference(ratings, "a", "b").superiority is None


@pytest.mark.parametrize("seats", [2, 3])
def test_blocks_of_the_core_that_all_went_alike_give_no_error(seats: int):
    core = [game("abc"[k % 3 :] + "abc"[: k % 3], (1, 1, 1), block=f"c{k}") for k in range(9)]
    if seats == 2:
        core = [
            g
            for k in range(9)
            for one, two in ("ab", "bc", "ca")
            for g in mirrored(f"{one}{k}", one, two, WIN, WIN)
        ]
    beaten = [
        g
        for name, blocks in (("a", 2), ("b", 3), ("c", 4))
        for k in range(blocks)
        for g in mirrored(f"best-{name}{k}", "best", name, WIN, LOSS)
    ]
    ratings = fit(tally(core + beaten))
    assert [ratings.of(name).error for name in "abc"] == [None] * 3
    assert difference(ratings, "a", "b").superiority is None
    core = np.flatnonzero(ratings.core)
    assert not ratings.spread.of_pairs(core[:, None], core)[1].any()


def test_entrants_without_games_are_unrated():
    ratings = fit(tally(repeated(5, mirrored("x", "a", "b", WIN, WIN)), ["n"]))
    assert ratings.of("n").elo is None
    assert ratings.of("n").group is None
    with pytest.raises(KeyError):
        ratings.of("nobody")


def test_both_faulty_games_do_not_rate():
    clean = pool({"a": 0.0, "b": 50.0}, blocks=30, rng=np.random.default_rng(5))
    broken = [game("ab", DRAW, block=f"f{k}", faulty=(0, 1)) for k in range(20)]
    assert fit(tally(clean + broken)).ratings == fit(tally(clean)).ratings
    assert arrays_of(tally(broken)).blocks_among(np.ones(2, bool)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "luck"), [(2, 0.0), (2, 500.0), (3, 200.0)])
def test_intervals_cover_the_truth(seats, luck):
    rng = np.random.default_rng(17)
    equal = dict.fromkeys("abcd", 0.0)
    inside = []
    for _ in range(120):
        games = pool(equal, blocks=15, rng=rng, seats=seats, luck=luck)
        ratings = fit(tally(games))
        inside += [abs(r.elo - 1000) <= r.error for r in ratings.ratings]
    # 480 intervals, correlated within a pool: standard error about 0.012.
    assert 0.91 <= np.mean(inside) <= 0.985


def scored(size, *edges):
    matrix = np.zeros((size, size), bool)
    for i, j in edges:
        matrix[i, j] = True
    return matrix


def found(matrix, preferred=()):
    mask = np.zeros(len(matrix), bool)
    mask[list(preferred)] = True
    return groups(reachable(matrix), mask)


def test_a_cycle_is_one_group():
    ring = scored(5, *((k, (k + 1) % 5) for k in range(5)))
    assert found(ring) == [[0, 1, 2, 3, 4]]
    assert reachable(ring).all()


def test_a_chain_reaches_one_way_only():
    chain = scored(4, (0, 1), (1, 2), (2, 3))
    assert reachable(chain)[0].all()
    assert reachable(chain)[3].tolist() == [False, False, False, True]
    assert found(chain) == [[0], [1], [2], [3]]


def test_the_largest_group_leads_then_the_preferred_then_the_smallest():
    islands = scored(7, (0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 6), (6, 4))
    assert found(islands) == [[4, 5, 6], [0, 1], [2, 3]]
    assert found(islands, [3]) == [[4, 5, 6], [2, 3], [0, 1]]


@pytest.mark.parametrize("size", [0, 1])
def test_small_graphs(size):
    assert found(scored(size)) == [[0]][:size]
    assert reachable(scored(size)).all()
