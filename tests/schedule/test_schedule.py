from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.keys import Discipline, Seatings
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Seeds
from arena.values.results import GameSpec
from tests.tournament.tables import SEEDS, discipline
from tests.toy import ToyRules

NAMES = ("alice", "bob", "carol", "dave", "eve")
SEATS = [2, 3, 4]


def table(
    seats: int = 2, deals: int = 6, names: tuple[str, ...] = NAMES, **plan: Any
) -> Discipline:
    return discipline(*names, rules=ToyRules(seats).spec, name=f"toy-{seats}", deals=deals, **plan)


def schedule(seats: int = 2, deals: int = 6, **plan: Any) -> Schedule:
    return Schedule([table(seats, deals, **plan)], SEEDS)


SCHEDULES = {
    "two seats": schedule(2),
    "three seats": schedule(3),
    "four seats": schedule(4),
    "all seatings": schedule(3, seatings=Seatings.ALL),
    "solo": schedule(1),
    "gauntlet": schedule(3, kind="gauntlet", focus=("bob", "eve")),
    "listed": schedule(2, kind="pairings", pairings=(("eve", "bob"), ("alice", "bob"))),
    "capped": schedule(3, max_pairings=4),
    "several": Schedule([table(2, 7), table(1, 3), table(4, 2)], SEEDS),
}


def games(plan: Schedule, done: frozenset[int] = frozenset()) -> list[GameSpec]:
    return [game for block in plan.blocks(done) for game in block.games]


def ids(plan: Schedule) -> list[str]:
    return [f"{game.game_id} {','.join(game.entrants)}" for game in games(plan)]


@pytest.mark.parametrize("plan", SCHEDULES.values(), ids=SCHEDULES)
def test_the_games_of_a_block_have_numbers_in_a_row(plan: Schedule) -> None:
    numbers = []
    for block in plan.blocks():
        own = [plan.number(game.game_id) for game in block.games]
        assert all(list(plan.block(number or 0)) == own for number in own)
        numbers += own
    assert sorted(map(int, filter(None, numbers))) == list(range(1, plan.games))


def test_the_disciplines_follow_one_another() -> None:
    plan = Schedule([table(2, 7), table(1, 3)], SEEDS)
    heart = plan.games_of("toy-2")
    assert plan.place(0) == plan.place(heart) == (0, 0)
    assert plan.place(heart - 1) == (heart // 2 - 1, 6)


@pytest.mark.parametrize("seats", SEATS)
def test_everybody_meets_everybody_equally_often(seats: int) -> None:
    plan = schedule(seats)
    met = Counter(frozenset(game.entrants) for game in games(plan))
    assert set(met) == {frozenset(pairing) for pairing in combinations(NAMES, seats)}
    assert set(met.values()) == {6 * seats}
    assert plan.pairings(f"toy-{seats}") == comb(len(NAMES), seats)
    assert plan.games == met.total()


@pytest.mark.parametrize("seats", SEATS)
def test_everybody_sits_everywhere_equally_often(seats: int) -> None:
    sat = Counter(
        (name, seat) for game in games(schedule(seats)) for seat, name in enumerate(game.entrants)
    )
    assert len(sat) == len(NAMES) * seats
    assert len(set(sat.values())) == 1


@pytest.mark.parametrize("seats", SEATS)
def test_a_block_is_one_deal_in_all_rotations(seats: int) -> None:
    for block in schedule(seats).blocks():
        assert len(block.games) == seats
        assert len({(game.block, game.deal) for game in block.games}) == 1
        assert [game.seating for game in block.games] == list(range(seats))
        first = block.games[0].entrants
        assert [g.entrants for g in block.games] == [first[k:] + first[:k] for k in range(seats)]


def test_the_order_that_is_rotated_is_drawn_for_each_deal() -> None:
    neighbours = Counter(
        (game.entrants[0], game.entrants[1])
        for game in games(Schedule([table(4, 30, NAMES[:4])], SEEDS))
    )
    assert set(neighbours) == set(permutations(NAMES[:4], 2))


@pytest.mark.parametrize("seats", SEATS)
def test_all_seatings_are_every_order_once(seats: int) -> None:
    for block in schedule(seats, seatings=Seatings.ALL).blocks():
        orders = {game.entrants for game in block.games}
        assert orders == set(permutations(block.games[0].entrants))
        assert [game.seating for game in block.games] == list(range(factorial(seats)))


def test_alone_everybody_plays_the_same_deals() -> None:
    plan = schedule(1, deals=3)
    blocks = list(plan.blocks())
    assert [[game.entrants for game in block.games] for block in blocks] == [
        [(name,) for name in NAMES]
    ] * 3
    assert len({game.deal for game in games(plan)}) == 3
    for block in blocks:
        assert len({(game.deal, game.block, game.seating) for game in block.games}) == 1
    assert plan.games == 15
    assert plan.games_of("toy-1") == 15


def test_deals_are_never_shared_between_blocks() -> None:
    deals = [block.games[0].deal for block in SCHEDULES["several"].blocks()]
    assert len(set(deals)) == len(deals)


def test_the_first_seat_of_the_first_game_is_drawn() -> None:
    first = Counter(block.games[0].entrants[0] for block in schedule(deals=50).blocks())
    assert min(first.values()) > 50


@pytest.mark.parametrize("seats", [1, *SEATS])
def test_the_plan_does_not_depend_on_the_order_of_entrants(seats: int) -> None:
    assert games(Schedule([table(seats, names=NAMES[::-1])], SEEDS)) == games(schedule(seats))


def test_more_deals_only_add_games() -> None:
    few, many = games(schedule(deals=2)), games(schedule(deals=5))
    assert many[: len(few)] == few


def test_disciplines_take_turns() -> None:
    """At any moment each is as far as the others, to one cycle."""
    plan = SCHEDULES["several"]
    deals = {"toy-2": 7, "toy-1": 3, "toy-4": 2}
    cycles = dict.fromkeys(deals, 0)
    for block in plan.blocks():
        name = block.games[0].discipline
        cycles[name] = int(block.block.rpartition(":")[2]) + 1
        shares = [cycles[each] / deals[each] for each in deals]
        assert max(shares) - min(shares) <= 1 / 2 + 1 / 7 + 1e-9


def test_a_discipline_is_the_same_alone_and_among_others() -> None:
    among = [game for game in games(SCHEDULES["several"]) if game.discipline == "toy-4"]
    assert among == games(Schedule([table(4, 2)], SEEDS))


def test_the_plan_depends_on_the_seed_but_the_ids_do_not() -> None:
    other = Schedule([table()], Seeds.of("other"))
    assert [g.game_id for g in games(other)] == [g.game_id for g in games(schedule())]
    assert games(other) != games(schedule())


def test_ids_and_order_of_a_known_plan() -> None:
    """May never change: stored runs are resumed by these ids."""
    plan = Schedule([table(2, 2, ("b", "a", "c")), table(1, 1, ("b", "a"))], SEEDS)
    assert ids(plan) == [
        "toy-2/a+b:0:0 b,a",
        "toy-2/a+b:0:1 a,b",
        "toy-2/a+c:0:0 a,c",
        "toy-2/a+c:0:1 c,a",
        "toy-2/b+c:0:0 b,c",
        "toy-2/b+c:0:1 c,b",
        "toy-1/a:0:0 a",
        "toy-1/b:0:0 b",
        "toy-2/a+b:1:0 a,b",
        "toy-2/a+b:1:1 b,a",
        "toy-2/a+c:1:0 c,a",
        "toy-2/a+c:1:1 a,c",
        "toy-2/b+c:1:0 c,b",
        "toy-2/b+c:1:1 b,c",
    ]


@pytest.mark.parametrize("name", SCHEDULES)
def test_numbers_are_those_of_the_games(name: str) -> None:
    plan = SCHEDULES[name]
    planned = games(plan)
    numbers = [plan.number(game.game_id) for game in planned]
    assert sorted(number for number in numbers if number is not None) == list(range(plan.games))
    assert [plan.game(game.game_id) for game in planned] == planned
    assert len({game.game_id for game in planned}) == plan.games
    if name != "several":
        assert numbers == list(range(plan.games))


@pytest.mark.parametrize(
    "game_id",
    [
        "",
        "alice+bob:0:0",
        "toy-3/alice+bob:0:0",
        "toy-2/alice+bob",
        "toy-2/alice+bob:0",
        "toy-2/alice+bob:0:",
        "toy-2/alice+bob:x:0",
        "toy-2/\x1b[2J",
        "toy-2/alice+bob:0:2",
        "toy-2/alice+bob:6:0",
        "toy-2/alice+bob:-1:0",
        "toy-2/alice+bob:0:0:0",
        "toy-2/alice+bob: 0:0",
        "toy-2/alice+bob:00:0",
        "toy-2/alice+bob:0:01",
        "toy-2/alice+bob:\u0660:0",
        "toy-2/bob+alice:0:0",
        "toy-2/alice+alice:0:0",
        "toy-2/alice:0:0",
        "toy-2/alice+mallory:0:0",
        "toy-2/alice+bob:" + "9" * 5000 + ":0",
    ],
)
def test_what_is_not_planned_has_no_number(game_id: str) -> None:
    assert schedule().number(game_id) is None
    assert schedule().game(game_id) is None


@pytest.mark.parametrize("game_id", ["toy-1/alice:0:1", "toy-1/all:0:0", "toy-1/alice+bob:0:0"])
def test_what_is_not_planned_alone_has_no_number(game_id: str) -> None:
    assert SCHEDULES["solo"].number(game_id) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEDULES)
@given(data=st.data())
def test_what_is_done_is_not_played_again(name: str, data: st.DataObject) -> None:
    plan = SCHEDULES[name]
    numbers = data.draw(st.frozensets(st.integers(0, plan.games - 1)))
    left = games(plan, numbers)
    assert left == [game for game in games(plan) if plan.number(game.game_id) not in numbers]
    assert all(block.games for block in plan.blocks(numbers))


@given(st.lists(st.integers(0, 99)))
def test_done_is_a_set(numbers: list[int]) -> None:
    done, expected = Done(100), set[int]()
    for number in numbers:
        assert done.add(number) is (number not in expected)
        expected.add(number)
    assert len(done) == len(expected)
    assert {number for number in range(100) if number in done} == expected
    assert "0" not in done


@pytest.mark.parametrize("without", [set(), {"c"}, {"a", "c"}, {"a", "b", "c", "d"}, {"nobody"}])
def test_games_without_some_entrants(without: set[str]) -> None:
    """Of a round robin and of solo games, in the order of play; and how many are left out."""
    alone = discipline(*"abc", rules=ToyRules(1).spec, name="solo", deals=2)
    plan = Schedule([discipline(*"abcd", deals=3), alone], SEEDS)
    everything = [game for block in plan.blocks() for game in block.games]
    order = dict(plan.order())
    assert list(order) == [plan.number(game.game_id) for game in everything]
    assert [set(names) for names in order.values()] == [{*game.entrants} for game in everything]
    left = [game for game in everything if without.isdisjoint(game.entrants)]
    blocks = list(plan.blocks(without=lambda: without))
    assert [game for block in blocks for game in block.games] == left
    assert plan.games - plan.games_with(without) == len(left)
    solo = sum(game.discipline == "solo" for game in left)
    assert plan.games_of("solo") - plan.games_with(without, "solo") == solo


def test_who_is_left_out_may_grow_meanwhile() -> None:
    plan = Schedule([discipline(*"abcd", deals=3)], SEEDS)
    out: set[str] = set()
    met: list[frozenset[str]] = []
    for block in plan.blocks(without=lambda: out):
        met.append(frozenset(block.games[0].entrants))
        if len(met) == 4:
            out.add("a")
    assert any("a" in names for names in met[:4])
    assert not any("a" in names for names in met[4:])
    assert len(met) == 4 + sum("a" not in names for _, names in list(plan.order())[8::2])
