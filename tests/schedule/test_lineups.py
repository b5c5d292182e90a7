from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from arena.schedule.handout import Passes
from arena.schedule.keys import Lineup, Seatings
from arena.schedule.schedule import Schedule
from arena.values.results import GameResult, GameSpec, Termination
from tests.tournament.tables import SEEDS, discipline
from tests.toy import ToyRules

PAIR = ("anna", "berta")
MATCHES = [
    (seats, lineup, seatings)
    for seats in (2, 3, 4)
    for lineup in (None, Lineup.EVEN, Lineup.ALONE)
    for seatings in Seatings
]


def match(
    seats: int, lineup: Lineup | None = None, seatings: Seatings = Seatings.ROTATE, deals: int = 30
) -> Schedule:
    focus = ("berta",) if lineup is Lineup.ALONE else ()
    table = discipline(
        *PAIR,
        rules=ToyRules(seats).spec,
        name=f"toy-{seats}",
        deals=deals,
        kind="match",
        lineup=lineup,
        focus=focus,
        seatings=seatings,
    )
    return Schedule([table], SEEDS)


@pytest.mark.parametrize(("seats", "lineup", "seatings"), MATCHES)
def test_a_block_favours_nobody(seats: int, lineup: Lineup | None, seatings: Seatings) -> None:
    plan = match(seats, lineup, seatings)
    sizes = set()
    for block in plan.blocks():
        tables = [game.entrants for game in block.games]
        sizes.add(len(tables))
        assert all(set(table) == set(PAIR) for table in tables)
        if lineup is Lineup.ALONE:
            assert [table.index("berta") for table in tables] == list(range(seats))
            assert all(table.count("berta") == 1 for table in tables)
        else:
            mirror = {"anna": "berta", "berta": "anna"}
            swapped = Counter(tuple(mirror[name] for name in table) for table in tables)
            assert swapped == Counter(tables)
    assert sizes == {plan.seatings("toy-" + str(seats))}
    assert sum(len(block.games) for block in plan.blocks()) == plan.games


def test_every_lineup_is_drawn_and_all_means_all() -> None:
    drawn = {block.games[0].entrants for block in match(4, deals=200).blocks()}
    halves = list(combinations(range(4), 2))
    every = {tuple("anna" if seat in half else "berta" for seat in range(4)) for half in halves}
    assert drawn == every
    for block in match(4, seatings=Seatings.ALL, deals=3).blocks():
        assert sorted(game.entrants for game in block.games) == sorted(every)


def test_three_seats_give_the_odd_one_in_turns() -> None:
    for block in match(3).blocks():
        assert sorted(game.entrants.count("anna") for game in block.games) == [1, 2]


@pytest.mark.parametrize(("seats", "lineup", "seatings"), MATCHES)
def test_games_have_numbers_and_ids_both_ways(seats, lineup, seatings) -> None:
    plan = match(seats, lineup, seatings, deals=3)
    specs = [game for block in plan.blocks() for game in block.games]
    assert [plan.number(game.game_id) for game in specs] == list(range(plan.games))
    assert [plan.game(game.game_id) for game in specs] == specs
    assert len({game.seating for game in specs}) == plan.seatings(f"toy-{seats}")


def result(spec: GameSpec) -> GameResult:
    seats = len(spec.entrants)
    return GameResult(spec, Termination.COMPLETED, tuple(range(1, seats + 1)), 1, "")


def several() -> Schedule:
    one = discipline(*PAIR, rules=ToyRules(2).spec, name="one", deals=4)
    other = discipline(*PAIR, rules=ToyRules(3).spec, name="other", deals=4, kind="match")
    return Schedule([one, other], SEEDS)


@pytest.mark.parametrize("order", ["forwards", "backwards", "odd first"])
def test_prefix_gives_blocks_in_the_order_of_the_schedule(order: str) -> None:
    plan = several()
    specs = [game for block in plan.blocks() for game in block.games]
    arriving = {"forwards": specs, "backwards": specs[::-1], "odd first": specs[1::2] + specs[::2]}[
        order
    ]
    passes, seen = Passes(plan), []
    for spec in arriving:
        number = plan.number(spec.game_id)
        assert number is not None
        passes.add(number, result(spec))
        for each in passes.finished(frozenset):
            (block,) = each.blocks
            assert [game.spec.discipline for game in block] == [each.discipline] * 2
            seen += [game.spec for game in block]
        if order == "backwards" and spec is not arriving[-1]:
            assert seen == []
    assert seen == specs


def test_a_missing_game_holds_back_all_that_follows() -> None:
    plan = match(2, deals=3)
    specs = [game for block in plan.blocks() for game in block.games]
    passes = Passes(plan)
    for number in (0, 2, 3, 4, 5):
        passes.add(number, result(specs[number]))
    assert list(passes.finished(frozenset)) == []
    passes.add(1, result(specs[1]))
    assert [len(block) for each in passes.finished(frozenset) for block in each.blocks] == [2, 2, 2]
    assert list(passes.finished(frozenset)) == []


def test_the_first_deals_alone() -> None:
    plan = several()
    some = [game for block in plan.blocks(deals=2) for game in block.games]
    assert len(some) == plan.games_within(2) == 8
    numbers = [plan.number(game.game_id) for game in some]
    assert all(number is not None and plan.is_within(number, 2) for number in numbers)
    others = set(range(plan.games)) - set(numbers)
    assert not any(plan.is_within(number, 2) for number in others)
    assert plan.games_within(99) == plan.games
