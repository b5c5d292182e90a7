"""A ladder over many rounds: who waits how long, who meets whom, where newcomers come to stand."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.ladder import CHEAP_US, PLACED, RECENT
from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.scale import Model
from tests.extensions.rounds.ladders import Toy
from tests.rows import some

WINDOW = 3
"""In so many rounds everybody has a table."""


def strengths(size: int, apart: float = 800.0) -> dict[str, float]:
    """Evenly apart, in no order of names."""
    return {f"b{41 * k % size:02}": apart * k / max(1, size - 1) for k in range(size)}


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 14),
    st.integers(2, 4),
    st.lists(st.integers(0, 29), max_size=4),
    st.randoms(use_true_random=False),
)
def test_nobody_waits_and_equals_have_as_many_tables(size, seats, arrivals, random) -> None:
    toy = Toy(strengths(max(size, seats)), seats, seed=random.randint(0, 999))
    first = set(toy.elo)
    for number in range(30):
        for k, arrival in enumerate(arrivals):
            if arrival == number:
                toy.elo[f"late{k}"] = random.uniform(0, 800)
        toy.round()
    assert toy.longest < WINDOW
    tables = [toy.tables[name] for name in first]
    assert max(tables) - min(tables) <= 2


def test_slow_bots_sit_out_every_other_round_and_starve_nobody() -> None:
    toy = Toy(strengths(24))
    slow = {"b03": 20 * CHEAP_US, "b11": 30 * CHEAP_US}
    for _ in range(24):
        own = toy.round(slow)
        assert len(own.byes) <= 3
    assert toy.longest == 1
    assert [toy.tables[name] for name in slow] == [12, 12]
    others = [count for name, count in toy.tables.items() if name not in slow]
    assert max(others) - min(others) <= 2
    cheap = Toy(strengths(24))
    for _ in range(4):
        assert cheap.round({"b03": CHEAP_US}).byes == ()  # much more than others, and little


def test_whose_opponents_fail_plays_all_the_same() -> None:
    toy = Toy(strengths(12), seats=3)
    for number in range(20):
        toy.round(failing=[f"b{number % 12:02}"])
    assert toy.longest <= WINDOW
    assert min(toy.blocks.values()) >= 8


@pytest.mark.parametrize("seats", [2, 4])
def test_the_best_meet_whatever_the_gap_between_them(seats: int) -> None:
    elo = strengths(40)
    best = sorted(elo, key=elo.__getitem__)[-4:]
    elo |= {best[-1]: 2000.0, best[-2]: 1500.0}
    toy = Toy(elo, seats, deals=2)
    for _ in range(30):
        toy.round()
    met = toy.meetings(10)
    assert all(met[frozenset(pair)] for pair in combinations(best, 2))
    tables = toy.tables
    assert max(tables.values()) - min(tables.values()) <= 1


def test_nobody_meets_the_same_one_again_of_late() -> None:
    toy = Toy(strengths(30))
    for number in range(40):
        toy.round()
        last = toy.meetings(max(0, number - RECENT))
        assert max(last.values()) == 1


def test_an_anchor_bridges_the_field() -> None:
    elo = strengths(40)
    anchor = min(elo, key=elo.__getitem__)
    toy = Toy(elo, anchor=anchor)
    for _ in range(60):
        toy.round()
    met = {name for pair in toy.meetings() if anchor in pair for name in pair}
    assert len(met) > 30


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "deals"), some([(2, 1), (2, 5), (3, 2), (4, 1)], every=4))
def test_a_newcomer_is_placed_within_fifty_blocks(seats: int, deals: int) -> None:
    inside = ranked = trials = 0
    for seed in range(12):
        toy = Toy(strengths(20), seats, deals, seed=seed)
        for _ in range(max(8, 40 // deals)):
            toy.round()
        toy.elo["new"] = 25.0 + 60.0 * (seed % 12) + 20.0 * (seed // 12)
        while toy.blocks["new"] < PLACED:
            toy.round()
        tally = Tally()
        for result in toy.games:
            tally.add(result)
        ratings = fit_model(arrays_of(tally), Model())
        own = ratings.of("new")
        assert own.low is not None
        assert own.high is not None
        truth = ratings.anchor_elo + toy.elo["new"] - sum(toy.elo.values()) / len(toy.elo)
        inside += own.low <= truth <= own.high
        place = 1 + sum(elo > toy.elo["new"] for elo in toy.elo.values())
        above = [each for each in ratings.ratings if each.low is not None and each.low > own.high]
        below = [each for each in ratings.ratings if each.high is not None and each.high < own.low]
        ranked += len(above) < place <= len(ratings.ratings) - len(below)
        trials += 1
        assert toy.blocks["new"] < PLACED + 4 * deals
    assert inside >= trials - 2  # of 95 % intervals; all of it is drawn from fixed seeds
    assert ranked >= trials - 1


def test_rounds_are_cheap_to_derive_again() -> None:
    toy = Toy(strengths(12))
    for number in range(30):
        if number == 9:
            toy.elo["b03@2"] = toy.elo.pop("b03") + 100
        if number == 12:
            toy.elo["late"] = 300.0
        met = toy.met()  # from all rounds anew as from the last one alone
        assert toy.round().byes == met.byes
    assert toy.tables["b03@2"] >= 20
