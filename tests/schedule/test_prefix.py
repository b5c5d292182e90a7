"""Passes in the order of the schedule, whoever is out meanwhile."""

from __future__ import annotations

from collections.abc import Set

from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.handout import FinishedPass, Passes
from arena.schedule.keys import Lineup
from arena.schedule.schedule import Schedule
from arena.values.results import GameResult, Termination
from tests.schedule.test_schedule import schedule


def results(plan: Schedule) -> list[GameResult]:
    """By number."""
    games = sorted(
        (game for block in plan.blocks() for game in block.games),
        key=lambda game: plan.number(game.game_id) or 0,
    )
    return [
        GameResult(spec, Termination.COMPLETED, (1,) * len(spec.entrants), 1, "") for spec in games
    ]


def names(found: FinishedPass) -> list[set[str]]:
    return [{name for game in block for name in game.spec.entrants} for block in found.blocks]


MATCHES = schedule(2, deals=3, kind="match")
SOLO = schedule(1, deals=3)
RESULTS, ALONE = results(MATCHES), results(SOLO)


@given(st.permutations(range(MATCHES.games)))
def test_passes_come_in_order_and_whole(order: list[int]) -> None:
    rounds, found = Passes(MATCHES), []
    for number in order:
        rounds.add(number, RESULTS[number])
        found += list(rounds.finished(frozenset))
    assert [len(each.blocks) for each in found] == [10, 10, 10]
    assert all(len(met) == 2 for each in found for met in names(each))


def test_nobody_waits_for_who_is_out() -> None:
    rounds, out = Passes(MATCHES), set[str]()

    def gone() -> Set[str]:
        return out

    found: list[FinishedPass] = []
    for number in range(MATCHES.games):
        game = RESULTS[number]
        if out.isdisjoint(game.spec.entrants):
            rounds.add(number, game)
        for each in rounds.finished(gone):
            found.append(each)
            out |= {"eve", "bob"}
    assert [len(each.blocks) for each in found] == [10, 3, 3]


def test_alone_the_others_go_on_with_the_deal() -> None:
    def out() -> Set[str]:
        return {"eve"} if len(found) else set()

    rounds = Passes(SOLO)
    found: list[FinishedPass] = []
    for number in range(SOLO.games):
        rounds.add(number, ALONE[number])
        found += list(rounds.finished(out))
    assert [len(each.blocks[0]) for each in found] == [5, 4, 4]


def test_an_even_match_of_several_is_of_every_two_or_those_listed() -> None:
    listed = (("bob", "alice"), ("eve", "alice"))
    plan = schedule(4, deals=1, kind="match", pairings=listed)
    found = [{*game.entrants} for block in plan.blocks() for game in block.games]
    assert found == [{"alice", "bob"}] * 2 + [{"alice", "eve"}] * 2


def test_several_may_sit_alone_each_against_the_one() -> None:
    plan = schedule(
        3,
        deals=1,
        kind="match",
        lineup=Lineup.ALONE,
        focus=("bob", "eve"),
        pairings=(("alice", "bob"), ("alice", "eve")),
    )
    for block in plan.blocks():
        for game in block.games:
            assert sorted(map(game.entrants.count, {*game.entrants})) == [1, 2]
            assert game.entrants.count("alice") == 2
