"""The order of pairings in which few bots have to be started."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule.keys import Schedule
from arena.schedule.kinds.registry import pairings
from arena.schedule.pairings import Pairing
from arena.schedule.walks import walks


def names(count: int) -> tuple[str, ...]:
    return tuple(f"bot-{number:03}" for number in range(count))


def everybody(count: int, seats: int = 2, limit: int | None = None) -> tuple[Pairing, ...]:
    return pairings(names(count), seats, Schedule(max_pairings=limit))


def starts(order: Iterable[Pairing], held: int) -> int:
    """How often an entrant has to be started by who keeps those that played last."""
    live: OrderedDict[str, None] = OrderedDict()
    found = 0
    for pairing in order:
        for name in pairing:
            found += name not in live
            live[name] = None
            live.move_to_end(name)
            if len(live) > held:
                live.popitem(last=False)
    return found


def in_walks(found: Sequence[Pairing], held: int) -> list[Pairing]:
    return [found[number] for walk in walks(found, held) for number in walk]


@settings(deadline=None)
@given(
    count=st.integers(2, 40),
    seats=st.integers(1, 4),
    held=st.integers(0, 45),
    limit=st.none() | st.integers(1, 60),
)
def test_the_walks_hold_every_pairing_once(
    count: int, seats: int, held: int, limit: int | None
) -> None:
    found = everybody(max(count, seats), seats, limit or (300 if seats > 2 else None))
    numbers = [number for walk in walks(found, held) for number in walk]
    assert sorted(numbers) == (list(range(len(found))) if numbers else [])


@pytest.mark.parametrize(
    ("count", "seats", "held", "limit"),
    [
        (30, 2, 30, None),
        (2, 2, 1, None),
        (40, 2, 1, None),
        (40, 2, 2, None),
        (15, 4, 15, None),
        (7, 1, 3, None),
        (200, 4, 15, 1000),
    ],
)
def test_where_all_are_kept_or_nothing_is_gained_the_order_is_that_of_the_schedule(
    count: int, seats: int, held: int, limit: int | None
) -> None:
    assert walks(everybody(count, seats, limit), held) == ()


@pytest.mark.parametrize(("count", "held"), [(31, 30), (60, 30), (200, 30), (200, 80), (97, 13)])
def test_each_tile_starts_one_group_at_most(count: int, held: int) -> None:
    """Twice as many starts as no order could do with, and far fewer than one by one."""
    found = everybody(count)
    size = held // 2
    tiles = -(-count // size) * (-(-count // size) + 1) / 2
    needed = starts(in_walks(found, held), held)
    assert needed <= 1.15 * (tiles * size + count)
    if count > 2 * held:
        assert needed < starts(found, held) / 2


@pytest.mark.parametrize(("count", "held"), [(60, 30), (200, 30), (97, 13)])
def test_after_any_share_of_a_pass_all_have_played_about_as_much(count: int, held: int) -> None:
    order = in_walks(everybody(count), held)
    size = held // 2
    played: Counter[str] = Counter(dict.fromkeys(names(count), 0))
    for done, pairing in enumerate(order, 1):
        played.update(pairing)
        if done % 50 == 0:
            fair = 2 * done / count
            assert max(played.values()) - fair <= 3 * size
            assert fair - min(played.values()) <= 3 * size


def test_a_gauntlet_keeps_its_focus() -> None:
    plan = Schedule(kind="gauntlet", focus=("bot-000",))
    found = pairings(names(100), 2, plan)
    assert starts(in_walks(found, 30), 30) <= 110


def test_larger_tables_meet_by_groups() -> None:
    found = everybody(24, 4)
    assert len(found) == len(list(combinations(range(24), 4)))
    assert starts(in_walks(found, 16), 16) < starts(found, 16) / 2
