from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.results import GameSpec
from arena.tournament.schedule import Done, Schedule
from arena.tournament.seeds import Seeds

SEEDS = Seeds.of("seed")
NAMES = ("alice", "bob", "carol", "dave", "eve")
SEATS = [1, 2, 3, 4]


def schedule(seats: int = 2, deals: int = 6, names: tuple[str, ...] = NAMES) -> Schedule:
    return Schedule(names, seats, deals, SEEDS)


def games(plan: Schedule, done: frozenset[int] = frozenset()) -> list[GameSpec]:
    return [game for block in plan.blocks(done) for game in block.games]


@pytest.mark.parametrize("seats", SEATS)
def test_everybody_meets_everybody_equally_often(seats: int) -> None:
    plan = schedule(seats)
    met = Counter(frozenset(game.entrants) for game in games(plan))
    assert set(met) == {frozenset(pairing) for pairing in combinations(NAMES, seats)}
    assert set(met.values()) == {6 * seats}
    assert plan.pairings == comb(len(NAMES), seats)
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
        for seat in range(seats):
            assert len({game.entrants[seat] for game in block.games}) == seats


def test_deals_are_never_shared_between_blocks() -> None:
    deals = [block.games[0].deal for block in schedule().blocks()]
    assert len(set(deals)) == len(deals)


def test_the_first_seat_of_the_first_game_is_drawn() -> None:
    first = Counter(block.games[0].entrants[0] for block in schedule(deals=50).blocks())
    assert min(first.values()) > 50


@pytest.mark.parametrize("seats", SEATS)
def test_the_plan_does_not_depend_on_the_order_of_entrants(seats: int) -> None:
    assert games(schedule(seats)) == games(schedule(seats, names=NAMES[::-1]))


def test_more_deals_only_add_games() -> None:
    few, many = games(schedule(deals=2)), games(schedule(deals=5))
    assert many[: len(few)] == few


def test_the_plan_depends_on_the_seed_but_the_ids_do_not() -> None:
    other = Schedule(NAMES, 2, 6, Seeds.of("other"))
    assert [g.game_id for g in games(other)] == [g.game_id for g in games(schedule())]
    assert games(other) != games(schedule())


def test_ids_and_order_of_a_known_plan() -> None:
    """May never change: stored runs are resumed by these ids."""
    plan = Schedule(("b", "a", "c"), 2, 2, SEEDS)
    expected = [
        "a+b:0:0 b,a",
        "a+b:0:1 a,b",
        "a+c:0:0 a,c",
        "a+c:0:1 c,a",
        "b+c:0:0 c,b",
        "b+c:0:1 b,c",
        "a+b:1:0 b,a",
        "a+b:1:1 a,b",
        "a+c:1:0 c,a",
        "a+c:1:1 a,c",
        "b+c:1:0 c,b",
        "b+c:1:1 b,c",
    ]
    assert [f"{g.game_id} {','.join(g.entrants)}" for g in games(plan)] == expected


@pytest.mark.parametrize("seats", SEATS)
def test_numbers_count_games_in_order_of_play(seats: int) -> None:
    plan = schedule(seats)
    planned = games(plan)
    assert [plan.number(game.game_id) for game in planned] == list(range(plan.games))
    assert [plan.game(game.game_id) for game in planned] == planned


@pytest.mark.parametrize(
    "game_id",
    [
        "",
        "alice+bob",
        "alice+bob:0",
        "alice+bob:0:",
        "alice+bob:0:2",
        "alice+bob:6:0",
        "alice+bob:-1:0",
        "alice+bob:0:0:0",
        "alice+bob: 0:0",
        "alice+bob:00:0",
        "alice+bob:0:01",
        "alice+bob:\u0660:0",
        "bob+alice:0:0",
        "alice+alice:0:0",
        "alice:0:0",
        "alice+mallory:0:0",
        "alice+bob:" + "9" * 5000 + ":0",
    ],
)
def test_what_is_not_planned_has_no_number(game_id: str) -> None:
    assert schedule().number(game_id) is None
    assert schedule().game(game_id) is None


@pytest.mark.parametrize("seats", SEATS)
@given(data=st.data())
def test_what_is_done_is_not_played_again(seats: int, data: st.DataObject) -> None:
    plan = schedule(seats, deals=2)
    numbers = data.draw(st.frozensets(st.integers(0, plan.games - 1)))
    left = games(plan, numbers)
    assert left == [g for number, g in enumerate(games(plan)) if number not in numbers]
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
