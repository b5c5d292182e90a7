"""Who gets which block when."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Container, Iterable, Sequence, Set
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule.handout import Handout, walks
from arena.schedule.keys import Discipline
from arena.schedule.keys import Schedule as Plan
from arena.schedule.kinds.registry import pairings
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Block, Done, Schedule
from arena.schedule.seeds import Seeds
from arena.values.results import RulesSpec

KEPT = 16
"""Bots of eight entrants at tables of two."""


def schedule(entrants: int = 20, *, deals: int = 3, others: int = 0) -> Schedule:
    names = tuple(f"bot-{number:02}" for number in range(entrants))
    plays = [Discipline("two", RulesSpec("any", 2, {}, {}), names, Plan(deals=deals))]
    if others:
        plan = Plan(deals=others)
        plays.append(Discipline("three", RulesSpec("any", 3, {}, {}), names[:5], plan))
    return Schedule(plays, Seeds.of("seed"))


def played(
    plan: Schedule,
    places: int = 1,
    kept: int | None = KEPT,
    done: Container[int] = (),
    without: Callable[[], Set[str]] = frozenset,
    deals: int | None = None,
    suspects: Callable[[], Set[str]] = frozenset,
) -> list[tuple[int, Block]]:
    """Every block with its place; the places take turns."""
    handout = Handout(plan, kept, done, without, deals, suspects)
    found = []
    turn = 0
    while (block := handout.next(turn % places)) is not None:
        found.append((turn % places, block))
        turn += 1
    assert all(handout.next(place) is None for place in range(places))
    return found


def blocks(found: list[tuple[int, Block]]) -> list[Block]:
    return [block for _, block in found]


@settings(deadline=None)
@given(
    entrants=st.integers(2, 24),
    places=st.integers(1, 5),
    kept=st.none() | st.integers(0, 60),
    deals=st.integers(1, 3),
    others=st.integers(0, 2),
)
def test_every_block_is_given_out_once(entrants, places, kept, deals, others) -> None:
    plan = schedule(max(entrants, 5 if others else 2), deals=deals, others=others)
    found = blocks(played(plan, places, kept))
    assert sorted(found, key=lambda block: block.block) == sorted(
        plan.blocks(), key=lambda block: block.block
    )


@pytest.mark.parametrize("kept", [None, 40, 1000, 1])
@pytest.mark.parametrize("places", [1, 3])
def test_where_all_bots_are_kept_the_order_is_that_of_the_schedule(kept, places) -> None:
    plan = schedule(others=2)
    assert blocks(played(plan, places, kept)) == list(plan.blocks())


@pytest.mark.parametrize("places", [1, 2, 5])
def test_a_deal_is_given_out_whole_before_the_next_one(places: int) -> None:
    plan = schedule(deals=3)
    cycles = [block.block.rsplit(":", 1)[1] for block in blocks(played(plan, places))]
    assert cycles == sorted(cycles)


@pytest.mark.parametrize("places", [2, 4])
def test_places_meet_different_entrants(places: int) -> None:
    found = played(schedule(48, deals=1), places)
    for begin in range(0, len(found) // 2, 24 * places):
        met: Counter[str] = Counter()
        for place in range(places):
            window = found[begin : begin + 8 * places]
            met.update({n for at, b in window if at == place for n in b.games[0].entrants})
        assert sum(met.values()) <= 12 * places


def test_a_run_goes_on_with_what_is_left_whatever_the_order() -> None:
    plan = schedule(others=1)
    done = Done(plan.games)
    first = blocks(played(plan, 2))[:300]
    for block in first:
        for game in block.games:
            number = plan.number(game.game_id)
            assert number is not None
            done.add(number)
    rest = blocks(played(plan, 3, done=done))
    key = lambda block: block.block  # noqa: E731
    assert sorted([*first, *rest], key=key) == sorted(plan.blocks(), key=key)


def test_what_is_not_wanted_is_left_out() -> None:
    plan = schedule()
    found = blocks(played(plan, 2, without=lambda: {"bot-03"}, deals=2))
    wanted = list(plan.blocks(without=lambda: {"bot-03"}, deals=2))
    assert {block.block for block in found} == {block.block for block in wanted}
    assert len(found) == len(wanted)


def test_suspects_play_last_in_a_pass_and_in_the_order_of_the_schedule() -> None:
    plan = schedule(deals=2)
    found = blocks(played(plan, 2, suspects=lambda: {"bot-07"}))
    late = [at for at, block in enumerate(found) if "bot-07" in block.games[0].entrants]
    assert late == [*range(190 - 19, 190), *range(380 - 19, 380)]
    expected = [b for b in plan.blocks() if "bot-07" in b.games[0].entrants]
    assert [found[at] for at in late] == expected


def test_one_who_is_given_up_meanwhile_is_spared_what_was_put_off() -> None:
    plan = schedule(deals=1)
    given_up: set[str] = set()
    handout = Handout(plan, KEPT, without=lambda: given_up, suspects=lambda: {"bot-07"})
    for _ in range(190 - 19):
        block = handout.next(0)
        assert block is not None
        assert "bot-07" not in block.games[0].entrants
    assert handout.next(0) is not None
    given_up.add("bot-07")
    assert handout.next(0) is None


def names(count: int) -> tuple[str, ...]:
    return tuple(f"bot-{number:03}" for number in range(count))


def everybody(count: int, seats: int = 2, limit: int | None = None) -> tuple[Pairing, ...]:
    return pairings(names(count), seats, Plan(max_pairings=limit))


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
def test_the_walks_hold_every_pairing_once(count, seats, held, limit) -> None:
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
    plan = Plan(kind="gauntlet", focus=("bot-000",))
    found = pairings(names(100), 2, plan)
    assert starts(in_walks(found, 30), 30) <= 110


def test_larger_tables_meet_by_groups() -> None:
    found = everybody(24, 4)
    assert len(found) == len(list(combinations(range(24), 4)))
    assert starts(in_walks(found, 16), 16) < starts(found, 16) / 2
