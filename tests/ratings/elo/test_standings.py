"""The rows of a table, and the correlation of the games of a block with its interval."""

import random
from dataclasses import asdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.ratings.counting.arrays import arrays_of
from arena.ratings.elo.rating import difference, group_letters
from arena.ratings.elo.standings import luck_correlation, standings
from arena.values.results import FaultKind, Termination
from tests.ratings.fits import fit
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, pool, solo, tally


def table(games, entrants=(), **options):
    counts = tally(games, entrants)
    return standings(counts, fit(counts, **options))


BOTH_FORFEIT = [game("ab", DRAW, faulty=(0, 1), termination=Termination.FORFEITED)]
COUNTED = {
    "both seatings": (
        mirrored("x", "a", "b", WIN, DRAW) + mirrored("y", "a", "b", LOSS, LOSS),
        {"a": (4, 2, 1, 1, 2.5, 0.625), "b": (4, 1, 1, 2, 1.5, 0.375)},
    ),
    "both forfeit": (BOTH_FORFEIT, dict.fromkeys("ab", (1, 0, 0, 1, 0.0, 0.0))),
    "two and three seats": (
        [*mirrored("x", "a", "b", WIN, LOSS), game("abc", (2, 1, 3), block="y")],
        {"a": (3, 2, 0, 1, 2.5, pytest.approx(2.5 / 3))},
    ),
}


@pytest.mark.parametrize(("games", "expected"), COUNTED.values(), ids=COUNTED)
def test_rows_count_games(games, expected):
    rows = {
        r.name: (r.games, r.wins, r.draws, r.losses, r.points, r.score) for r in table(games).rows
    }
    assert {name: rows[name] for name in expected} == expected
    if games is BOTH_FORFEIT:
        assert [(r.faults, r.value) for r in table(games).rows] == [
            ({FaultKind.CRASH: 1}, None)
        ] * 2


@pytest.mark.parametrize(("games", "entrants", "expected"), [
    (mirrored("x", "a", "b", DRAW, DRAW), "0", [(1, "a", None), (1, "b", None), (3, "0", None)]),
    (mirrored("x", "a", "b", DRAW, DRAW) + mirrored("y", "c", "d", DRAW, DRAW), "0",
     [(1, "a", "A"), (1, "b", "A"), (1, "c", "B"), (1, "d", "B"), (5, "0", None)]),
    (mirrored("x", "anna", "zoe", LOSS, WIN), "", [(1, "zoe", "A"), (2, "anna", "B")]),
])  # fmt: skip
def test_ranks_are_shared_and_groups_lettered_if_there_are_several(games, entrants, expected):
    assert [(r.rank, r.name, r.letters) for r in table(games, entrants).rows] == expected


def test_letters_of_groups():
    assert [group_letters(k) for k in (0, 25, 26, 27, 701, 702)] == [
        "A", "Z", "AA", "AB", "ZZ", "AAA",
    ]  # fmt: skip


def test_the_first_two_are_compared():
    games = pool({"a": 0.0, "b": 100.0, "c": 200.0}, blocks=30, rng=np.random.default_rng(1))
    counts = tally(games)
    ratings = fit(counts)
    found = standings(counts, ratings)
    assert [r.name for r in found.rows] == ["c", "b", "a"]
    assert found.first_over_second == difference(ratings, "c", "b").superiority > 0.5


FIXED_GAMES = [
    *pool({"a": 0.0, "b": 90.0, "c": 30.0}, blocks=9, rng=np.random.default_rng(3), luck=200),
    *pool({"a": 0.0, "b": 90.0, "c": 30.0, "d": -99.0}, blocks=5, seats=3,
          rng=np.random.default_rng(4)),
    *pool({"a": 0.0, "b": 90.0, "c": 30.0, "d": -99.0}, blocks=9, seats=4,
          rng=np.random.default_rng(5)),
    game("ab", DRAW, block="faulty", faulty=(0, 1)),
    game("ad", WIN, block="half"),
    *pool({"a": 0.0, "b": 90.0, "c": 30.0}, blocks=9, rng=np.random.default_rng(6),
          discipline="e"),
    *(solo(name, str(deal), (7 * deal + 3 * ord(name)) % 11 or None)
      for deal in range(8) for name in "abcd" if (deal, name) != (3, "b")),
]  # fmt: skip


@given(st.randoms(use_true_random=False), st.permutations("abcd"))
@settings(max_examples=25, deadline=None)
def test_order_of_games_and_entrants_changes_no_bit(shuffle: random.Random, listed):
    games = FIXED_GAMES[:]
    shuffle.shuffle(games)
    assert repr(table(games, listed)) == repr(table(FIXED_GAMES))


def test_names_do_not_matter():
    new = dict(zip("abcd", ("zeta", "Ω", "", "a|b"), strict=True))
    renamed = [
        replace(g, spec=replace(g.spec, entrants=tuple(new[n] for n in g.spec.entrants)))
        for g in FIXED_GAMES
    ]  # fmt: skip
    before = {new[r.name]: asdict(r) | {"name": ""} for r in table(FIXED_GAMES).rows}
    after = {r.name: asdict(r) | {"name": ""} for r in table(renamed).rows}
    for name, found in after.items():
        assert found.pop("value") == pytest.approx(before[name].pop("value"), abs=2e-6)
        assert found.pop("error") == pytest.approx(before[name].pop("error"), abs=2e-6)
        assert found == before[name]


places = st.sampled_from([WIN, DRAW, LOSS])


@given(st.lists(st.tuples(st.sampled_from(["ab", "ac", "bc", "de"]), places, places), max_size=12))
def test_every_number_is_finite(blocks):
    games = [
        g for k, (pair, one, two) in enumerate(blocks) for g in mirrored(str(k), *pair, one, two)
    ]
    found = table(games, "abcde")
    assert "nan" not in repr(found)
    assert "inf" not in repr(found)
    assert sum(r.points for r in found.rows) == len(games)
    assert all(r.error is None or r.error > 0 for r in found.rows)
    assert all(r.wins + r.draws + r.losses == r.games for r in found.rows)


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


def rotations(block, places_by_seat):
    """A deal whose seats decide everything, in all rotations of a, b, c."""
    return [game("abc"[k:] + "abc"[:k], places_by_seat, block=block) for k in range(len("abc"))]


ORDERS = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
CYCLES = [g for k, order in enumerate(ORDERS) for g in rotations(str(k), order)]
UNFINISHED = rotations("half", (1, 2, 3))[:2]
STOPPED = [
    *rotations("stopped", (3, 1, 2))[:2],
    game("cab", (1, 1, 3), block="stopped", faulty=[2], termination=Termination.FORFEITED),
]
CORRELATIONS = {
    "cards decide three seats": (CYCLES, -0.5),
    "unfinished and stopped blocks do not count": (CYCLES + UNFINISHED + STOPPED, -0.5),
    "all orders of seats are one block": (  # six games, decided by deal and seat: -1/(6-1)
        [
            game(order, places, block=str(k))
            for k, places in enumerate(ORDERS)
            for order in permutations("abc")
        ],
        -0.2,
    ),
    "nothing": ([], None),
    "one game": ([game("ab", WIN)], None),
    "one block": (mirrored("x", "a", "b", WIN, LOSS), None),
    "one game of three": (rotations("x", (1, 2, 3))[:1], None),
    "ties": (rotations("x", (1, 1, 1)), None),
    "against itself": ([game("aab", (1, 2, 3))], None),
}


@pytest.mark.parametrize(("games", "expected"), CORRELATIONS.values(), ids=CORRELATIONS)
def test_luck_of_blocks(games, expected):
    assert correlation(games) == expected


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


def test_several_disciplines_have_no_common_luck():
    rng = np.random.default_rng(2)
    one = pool({"a": 0.0, "b": 300.0}, blocks=50, rng=rng, luck=400)
    other = pool({"a": 0.0, "b": 300.0}, blocks=50, rng=rng, luck=400, discipline="e")
    counts = tally(one + other)
    assert luck_correlation(arrays_of(counts)) is None
    assert luck_correlation(arrays_of(counts.only("e"))) == correlation(other)
