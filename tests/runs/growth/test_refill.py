"""Tables in place of lost ones."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.runs.growth.refills import is_refilled, refill
from arena.schedule.keys import Schedule
from arena.schedule.pairings import chosen

NAMES = tuple("abcdefghijkl")


def test_what_is_refilled() -> None:
    chosen_ones = Schedule(max_pairings=10)
    assert [is_refilled(seats, chosen_ones) for seats in (1, 2, 3, 4)] == [False, False, True, True]
    gauntlet = Schedule(kind="gauntlet", focus=("a",), max_pairings=10)
    assert is_refilled(3, gauntlet)
    assert not is_refilled(3, Schedule())  # there all meet all
    assert not is_refilled(3, Schedule(kind="pairings", pairings=(("a", "b", "c"),)))


def test_after_six_of_twelve_were_withdrawn_the_others_have_tables_again() -> None:
    planned = chosen(NAMES, 4, 30)
    left = NAMES[:6]
    lost = sum(not set(table) <= set(left) for table in planned)
    found = refill(left, (), planned, 4, lost)
    assert len(found) == comb(6, 4) - (len(planned) - lost)  # no further one was not planned
    tables = Counter(name for table in found for name in table)
    tables.update(name for table in planned if set(table) <= set(left) for name in table)
    assert set(tables.values()) == {10}


def test_of_few_lost_tables_everybody_gets_a_share() -> None:
    planned = chosen(NAMES, 4, 30)
    left = NAMES[1:]
    lost = [table for table in planned if "a" in table]
    found = refill(left, (), planned, 4, len(lost))
    assert len(found) == len(lost) == 10
    assert set(planned).isdisjoint(found)
    tables = Counter(name for table in (*planned, *found) if "a" not in table for name in table)
    assert max(tables.values()) - min(tables.values()) <= 1
    meetings = Counter(
        pair for table in (*planned, *found) if "a" not in table for pair in combinations(table, 2)
    )
    assert max(meetings.values()) - min(meetings[pair] for pair in combinations(left, 2)) <= 3


def test_in_a_gauntlet_one_of_the_focus_is_at_each_table() -> None:
    planned = (("a", "c", "d"), ("b", "c", "e"), ("a", "e", "f"))
    found = refill("abcde", "ab", planned, 3, 20)
    assert all(len({"a", "b"}.intersection(table)) == 1 for table in found)
    assert len(found) == 2 * comb(3, 2) - 2
    assert refill("bcde", "b", planned, 3, 1) == (("b", "c", "d"),)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(3, 4),
    st.sets(st.sampled_from(NAMES)),
    st.integers(0, 40),
    st.integers(1, 40),
    st.randoms(use_true_random=False),
)
def test_any_refill(seats: int, gone: set[str], number: int, limit: int, random: object) -> None:
    planned = chosen(NAMES, seats, limit)
    left = [name for name in NAMES if name not in gone]
    found = refill(left, (), planned, seats, number)
    alive = sum(set(table) <= set(left) for table in planned)
    assert len(found) == min(number, comb(len(left), seats) - alive)
    assert len(set(found)) == len(found)
    assert set(planned).isdisjoint(found)
    assert all(list(table) == sorted(set(table)) and len(table) == seats for table in found)
    assert {name for table in found for name in table} <= set(left)
    assert found == refill(list(reversed(left)), (), planned, seats, number)
