from itertools import permutations

import numpy as np
import pytest

from arena.ratings.counting.arrays import arrays_of
from arena.ratings.elo.standings import luck_correlation
from arena.results import Termination
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, pool, tally


def correlation(games):
    return luck_correlation(arrays_of(tally(games)))


def test_luck_correlation_is_that_of_the_two_games():
    rng = np.random.default_rng(2)
    games = pool({"a": 0.0, "b": 300.0}, blocks=200, rng=rng, luck=400)
    value = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}
    one = [value[g.places] for g in games[::2]]
    two = [1 - value[g.places] for g in games[1::2]]
    assert correlation(games) == pytest.approx(np.corrcoef(one, two)[0, 1], abs=1e-6)
    assert correlation(games) < -0.2


def test_strength_and_seat_are_no_luck():
    games = [
        result
        for k in range(100)
        for pair in ("ab", "cd")
        for result in mirrored(
            f"{pair}{k}",
            *pair,
            WIN if (k % 10) < (9 if pair == "ab" else 2) else LOSS,
            LOSS if (k // 10) < (8 if pair == "ab" else 1) else WIN,
        )
    ]
    assert correlation(games) == 0


@pytest.mark.parametrize("games", [[], [game("ab", WIN)], mirrored("x", "a", "b", WIN, LOSS)])
def test_no_luck_without_varied_blocks(games):
    assert correlation(games) is None


def rotations(block, places_by_seat):
    """A deal whose seats decide everything, in all rotations of a, b, c."""
    return [game("abc"[k:] + "abc"[:k], places_by_seat, block=block) for k in range(len("abc"))]


def test_cards_that_decide_three_seats_correlate_with_minus_a_half():
    orders = [(1, 2, 3), (2, 3, 1), (3, 1, 2), (1, 3, 2), (3, 2, 1), (2, 1, 3)]
    games = [g for k, order in enumerate(orders) for g in rotations(str(k), order)]
    assert correlation(games) == -0.5


@pytest.mark.parametrize(("seats", "luck", "low", "high"), [
    (3, 0.0, -0.05, 0.05), (4, 0.0, -0.05, 0.05), (3, 1500.0, -0.5, -0.4),
    (4, 1500.0, -1 / 3, -0.25),
])  # fmt: skip
def test_luck_of_larger_tables_runs_from_0_to_that_of_decisive_cards(seats, luck, low, high):
    strengths = {"a": 0.0, "b": 200.0, "c": -100.0, "d": 50.0}
    rng = np.random.default_rng(seats)
    games = pool(strengths, blocks=300, rng=rng, seats=seats, luck=luck, advantage=100)
    assert low <= correlation(games) <= high


def points_of(name, result):
    seat = result.spec.entrants.index(name)
    return sum(result.pair_score(seat, other) for other in range(4) if other != seat)


def test_luck_tells_how_much_the_mean_of_a_block_varies():
    games = pool({"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0}, blocks=2000, seats=4, luck=300,
                 rng=np.random.default_rng(8))  # fmt: skip
    points = np.array([points_of("a", g) for g in games]).reshape(-1, 4)
    independent = points.var(ddof=1) / 4
    inflation = points.mean(axis=1).var(ddof=1) / independent
    assert 1 + 3 * correlation(games) == pytest.approx(inflation, rel=0.1)
    assert inflation < 0.9


def test_orders_of_all_seats_count_as_one_block():
    games = [
        game(order, places, block=str(k))
        for k, places in enumerate([(1, 2, 3), (2, 3, 1), (3, 1, 2)])
        for order in permutations("abc")
    ]
    assert correlation(games) == -0.2  # six games, decided by deal and seat: -1/(6-1)


def test_unfinished_and_stopped_blocks_do_not_count():
    orders = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    games = [g for k, order in enumerate(orders) for g in rotations(str(k), order)]
    half = rotations("half", (1, 2, 3))[:2]
    stopped = rotations("stopped", (3, 1, 2))[:2]
    stopped.append(
        game("cab", (1, 1, 3), block="stopped", faulty=[2], termination=Termination.FORFEITED)
    )
    assert correlation(games + half + stopped) == correlation(games)


def test_several_disciplines_have_no_common_luck():
    rng = np.random.default_rng(2)
    one = pool({"a": 0.0, "b": 300.0}, blocks=50, rng=rng, luck=400)
    other = pool({"a": 0.0, "b": 300.0}, blocks=50, rng=rng, luck=400, discipline="e")
    counts = tally(one + other)
    assert luck_correlation(arrays_of(counts)) is None
    assert luck_correlation(arrays_of(counts.only("e"))) == correlation(other)


@pytest.mark.parametrize("games", [
    rotations("x", (1, 2, 3))[:1], rotations("x", (1, 1, 1)), [game("aab", (1, 2, 3))],
])  # fmt: skip
def test_no_luck_of_larger_tables_without_varied_blocks(games):
    assert correlation(games) is None
