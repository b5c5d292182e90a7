import random
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.ratings.elo.fit import fit
from arena.ratings.elo.rating import difference
from arena.ratings.elo.standings import group_letters, standings
from arena.results import FaultKind, Termination
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, pool, solo, tally


def table(games, entrants=(), **options):
    counts = tally(games, entrants)
    return standings(counts, fit(counts, **options))


def row(games, name, **options):
    return next(row for row in table(games, **options).rows if row.name == name)


def test_a_row_counts_both_seatings():
    games = mirrored("x", "a", "b", WIN, DRAW) + mirrored("y", "a", "b", LOSS, LOSS)
    a, b = row(games, "a"), row(games, "b")
    assert (a.games, a.wins, a.draws, a.losses, a.points, a.score) == (4, 2, 1, 1, 2.5, 0.625)
    assert (b.games, b.wins, b.draws, b.losses, b.points, b.score) == (4, 1, 1, 2, 1.5, 0.375)


def test_a_game_both_forfeit_is_lost_by_both():
    games = [game("ab", DRAW, faulty=(0, 1), termination=Termination.FORFEITED)]
    for name in "ab":
        found = row(games, name)
        assert (found.games, found.losses, found.points, found.score) == (1, 1, 0.0, 0.0)
        assert found.faults == {FaultKind.CRASH: 1}
        assert found.elo is None


def test_two_seat_and_larger_games_add_up():
    games = [*mirrored("x", "a", "b", WIN, LOSS), game("abc", (2, 1, 3), block="y")]
    found = row(games, "a")
    assert (found.games, found.wins, found.losses, found.points) == (3, 2, 1, 2.5)


def test_ranks_are_shared_and_unrated_entrants_come_last():
    found = table(mirrored("x", "a", "b", DRAW, DRAW) + mirrored("y", "c", "d", DRAW, DRAW), ["0"])
    assert [(r.rank, r.name) for r in found.rows] == [
        (1, "a"), (1, "b"), (1, "c"), (1, "d"), (5, "0"),
    ]  # fmt: skip


def test_without_a_core_groups_are_lettered_from_the_top():
    rows = table(mirrored("x", "anna", "zoe", LOSS, WIN)).rows
    assert [(row.name, row.group) for row in rows] == [("zoe", "A"), ("anna", "B")]


def test_groups_are_lettered_only_when_there_are_several():
    assert row(mirrored("x", "a", "b", DRAW, DRAW), "a").group is None
    two = mirrored("x", "a", "b", DRAW, DRAW) + mirrored("y", "c", "d", DRAW, DRAW)
    assert [r.group for r in table(two).rows] == ["A", "A", "B", "B"]
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
        assert found.pop("elo") == pytest.approx(before[name].pop("elo"), abs=2e-6)
        assert found.pop("error") == pytest.approx(before[name].pop("error"), abs=2e-6)
        assert found == before[name]


places = st.sampled_from([WIN, DRAW, LOSS])


@given(st.lists(st.tuples(st.sampled_from(["ab", "ac", "bc", "de"]), places, places), max_size=12))
@settings(max_examples=60, deadline=None)
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
