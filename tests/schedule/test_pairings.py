from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.keys import Schedule
from arena.schedule.kinds.kind import KINDS
from arena.schedule.kinds.registry import count, fewest, pairings
from arena.schedule.pairings import chosen

NAMES = tuple("abcdefgh")
GAUNTLET = "gauntlet"


def names(number: int) -> tuple[str, ...]:
    return tuple(f"bot-{k:03}" for k in range(number))


def meetings(found: tuple[tuple[str, ...], ...]) -> Counter[tuple[str, ...]]:
    return Counter(pair for pairing in found for pair in combinations(pairing, 2))


def test_a_round_robin_is_every_set() -> None:
    assert pairings(NAMES, 3, Schedule()) == tuple(combinations(NAMES, 3))


def test_alone_all_are_one_set() -> None:
    assert pairings(NAMES[::-1], 1, Schedule()) == (NAMES,)


def test_listed_pairings_are_played_as_listed() -> None:
    plan = Schedule(kind="pairings", pairings=(("c", "a"), ("b", "c")))
    assert pairings(NAMES, 2, plan) == (("a", "c"), ("b", "c"))


def test_a_gauntlet_is_each_of_the_focus_against_the_others() -> None:
    plan = Schedule(kind=GAUNTLET, focus=("h", "a"))
    assert pairings((*NAMES[:3], "h"), 2, plan) == (("a", "b"), ("b", "h"), ("a", "c"), ("c", "h"))
    at_three = pairings(NAMES, 3, plan)
    assert len(at_three) == 2 * comb(6, 2)
    assert all(len({"a", "h"} & set(pairing)) == 1 for pairing in at_three)


def test_a_gauntlet_with_a_cap_shares_it() -> None:
    plan = Schedule(kind=GAUNTLET, focus=("h", "a"), max_pairings=5)
    met = Counter(name for pairing in pairings(NAMES, 3, plan) for name in pairing)
    assert (met["a"], met["h"]) == (3, 2)
    assert max(met[name] for name in "bcdefg") <= 2


@given(st.integers(2, 9), st.integers(2, 4), st.integers(1, 130))
def test_a_choice_is_balanced(field: int, size: int, limit: int) -> None:
    size = min(size, field)
    found = chosen(names(field), size, limit)
    assert len(found) == len(set(found)) == min(limit, comb(field, size))
    assert all(len(set(pairing)) == size for pairing in found)
    assert all(list(pairing) == sorted(pairing) for pairing in found)
    played = Counter(dict.fromkeys(names(field), 0))
    played.update(name for pairing in found for name in pairing)
    assert max(played.values()) - min(played.values()) <= 1


@pytest.mark.parametrize(
    ("field", "size", "limit", "spread"),
    [
        (8, 2, 12, 1),
        (16, 4, 60, 2),
        (16, 4, 240, 2),
        (40, 4, 400, 2),
        (9, 3, 24, 1),
        (9, 4, 120, 2),
    ],
)
def test_each_pair_meets_about_equally_often(
    field: int, size: int, limit: int, spread: int
) -> None:
    met = meetings(chosen(names(field), size, limit))
    counts = [met[pair] for pair in combinations(names(field), 2)]
    assert max(counts) - min(counts) <= spread


def test_the_first_sets_of_a_choice_are_nearly_fair() -> None:
    found = chosen(names(12), 4, 100)
    for end in range(len(found)):
        played = Counter(name for pairing in found[:end] for name in pairing)
        counts = [played[name] for name in names(12)]
        assert max(counts) - min(counts) <= 5


@pytest.mark.parametrize("kind", [*KINDS])
@given(st.data())
def test_pairings_of_every_kind_are_counted_without_making_them(
    kind: str, data: st.DataObject
) -> None:
    seats = data.draw(st.integers(1, 5))
    entrants = NAMES[: data.draw(st.integers(fewest(seats, Schedule(kind=kind)), len(NAMES)))]
    if kind == "match":
        entrants = entrants[: fewest(seats, Schedule(kind=kind))]
    cap = data.draw(st.none() | st.integers(1, 40))
    focus = entrants[: data.draw(st.integers(1, max(1, len(entrants) - seats + 1)))]
    listed = tuple(combinations(entrants, seats))[: data.draw(st.integers(1, 9))]
    asked = {"max_pairings": cap, "focus": focus, "pairings": listed}
    keys = {key: value for key, value in asked.items() if key in KINDS[kind].keys}
    plan = msgspec.structs.replace(Schedule(kind=kind), **keys)
    made = pairings(entrants, seats, plan)
    assert count(len(entrants), seats, plan) == len(made) == len(set(made))
