"""Strengths from sums are those of the fit of the games."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.strengths import Sums
from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.scale import ELO, Model
from arena.values.results import GameResult
from tests.ratings.made_games import game


def table(names: tuple[str, ...], block: int, chance: Random) -> list[GameResult]:
    """A deal in all rotations, with places by chance and now and then a fault.

    At larger tables one seat is at fault at most: two would not be compared, and their points are
    spread over all pairs, which is an approximation.
    """
    found = []
    for k in range(len(names)):
        seated = names[k:] + names[:k]
        places = tuple(chance.randint(1, len(names)) for _ in names)
        at_fault = tuple(seat for seat in range(len(names)) if chance.random() < 0.05)
        at_fault = at_fault if len(names) == 2 else at_fault[:1]
        places = tuple(len(names) if s in at_fault else p for s, p in enumerate(places))
        found.append(game(seated, places, block=str(block), faulty=at_fault))
    return found


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 4), st.integers(2, 9), st.integers(0, 40), st.randoms(use_true_random=False))
def test_they_are_those_of_the_fit(seats: int, size: int, tables: int, random: Random) -> None:
    names = [f"b{k}" for k in range(max(size, seats))]
    sums, tally = Sums(), Tally(names)
    for block in range(tables):
        met = tuple(random.sample(names, seats))
        points: Counter[str] = Counter()
        for result in table(met, block, Random(random.randint(0, 10**9))):
            tally.add(result)
            for one, other in combinations(range(seats), 2):
                own = result.pair_score(one, other)
                if own is not None:
                    points[result.spec.entrants[one]] += own
                    points[result.spec.entrants[other]] += 1 - own
        sums.add(met, [points[name] for name in met])
        if block % 3 == 0:
            sums.fit(names)  # from wherever the last one ended
    expected = fit_model(arrays_of(tally), Model(seats=False)).point.x
    found = [each.elo for each in sums.fit(names)]
    assert found == pytest.approx([ELO * x for x in expected[: len(names)]], abs=1)


def test_who_has_not_played_is_in_the_middle_and_least_known() -> None:
    sums = Sums()
    for k in range(100):
        sums.add((f"a{k}", f"b{k}"), (2, 0))
    one, new = sums.fit(["a99", "new"])
    assert (new.elo, one.elo > 50, new.error > one.error > 0) == (0, True, True)
    assert Sums().fit(["new"]) == [new]
    for _ in range(20):
        sums.add(("a99", "new"), (1, 1))
    assert sums.fit(["new"])[0].error < new.error / 2
