"""Ties that are level after ``most`` deals: sudden death, its bound, and what decides after it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from arena.extensions.rounds.following import stages
from arena.extensions.rounds.kinds.knockout import KnockoutKind
from arena.extensions.rounds.pairing.ties import Contest
from arena.schedule.keys import Stage
from arena.values.results import GameResult, Termination
from tests.extensions.rounds.test_following import SEEDS
from tests.extensions.rounds.test_knockout import Knockout

Deal: TypeAlias = tuple[int, int]
"""What the first by name has in the two games of a deal: a win 2, a draw 1."""
LEVEL: Deal = (2, 0)


def play_deals(cup: Knockout, brought: Callable[[Sequence[str]], Deal]) -> None:
    """Play the last round; ``brought`` is asked once for each deal of each pairing."""
    deals: dict[str, Deal] = {}
    for spec, _ in cup.games_of_round():
        first = min(spec.entrants)
        if spec.deal not in deals:
            deals[spec.deal] = brought(sorted(spec.entrants))
        has = deals[spec.deal][spec.entrants.index(first)]
        own, other = {2: (1, 2), 1: (1, 1), 0: (2, 1)}[has]
        places = tuple(own if name == first else other for name in spec.entrants)
        cup.played.add(GameResult(spec, Termination.COMPLETED, places, 1, ""))


def contests(cup: Knockout) -> dict[str, Contest]:
    *_, now = stages(cup.field, cup.schedule, cup.played, cup.verdict, SEEDS, is_over=True)
    return {each.name: each for each in KnockoutKind().stand(now).ties.values()}


def expected(deals: Sequence[Deal], length: int, most: int, bound: int) -> tuple[str, str, int]:
    """Who wins a tie of a and b, by which rule, after how many deals: written independently."""
    ahead = list(accumulate(sum(deal) - 2 for deal in deals))
    for played in range(length, most + 1, length):
        if ahead[played - 1]:
            return "ab"[ahead[played - 1] < 0], "points", played
    for played in range(most + 1, most + bound + 1):
        if ahead[played - 1]:
            return "ab"[ahead[played - 1] < 0], "sudden_death", played
    more = sum((sum(deal) > 2) - (sum(deal) < 2) for deal in deals[: most + bound])
    return ("ab"[more < 0], "deals", most + bound) if more else ("a", "seed", most + bound)


OFTEN_LEVEL = st.sampled_from([LEVEL, (1, 1), LEVEL, (1, 1), (2, 1), (1, 0), (2, 2), (0, 0)])


@settings(deadline=None)
@given(
    length=st.integers(1, 3),
    times=st.integers(1, 2),
    bound=st.integers(0, 6),
    deals=st.lists(OFTEN_LEVEL, min_size=12, max_size=12),
)
def test_a_tie_is_decided_as_stated(length: int, times: int, bound: int, deals: list[Deal]) -> None:
    most = length * times
    cup = Knockout("ab", deals=length, most=most, sudden_death=bound)
    left = iter(deals)
    while cup.follow():
        in_round = cup.field.rounds[-1][0].schedule.deals
        is_sudden = contests(cup)["final"].deals >= most
        assert (in_round, cup.last.deals) == ((1, 1) if is_sudden else (length, UNSET))
        play_deals(cup, lambda _: next(left))
    tie = contests(cup)["final"]
    assert (tie.tie.order[0], tie.by, tie.deals) == expected(deals, length, most, bound)
    assert tie.deals <= most + bound
    assert cup.decided == [("final", tie.tie.order[0], tie.by)]
    assert cup.last.by == ("knockout-2" if bound else "knockout-1")
    assert cup.differences == []


def test_fewer_ties_are_left_to_tie_breaks() -> None:
    undecided = {0: 0, 2: 0, 10: 0}
    for chance in range(60):
        for bound in undecided:
            luck = random.Random(chance)
            cup = Knockout("ab", deals=2, most=2, sudden_death=bound)
            while cup.follow():
                play_deals(cup, lambda _, luck=luck: luck.choice([LEVEL, (1, 1), (2, 1), (0, 1)]))
            undecided[bound] += contests(cup)["final"].by in ("deals", "seed")
    assert undecided[10] == 0 < undecided[2] < undecided[0]


@pytest.mark.slow
@given(
    st.integers(2, 7), st.integers(0, 2**32), st.booleans(), st.integers(1, 2), st.integers(1, 3)
)
def test_who_comes_without_a_loss_is_beaten_by_points_alone(
    size: int, chance: int, second_final: bool, most: int, bound: int
) -> None:
    """In a double knockout a level final is never decided by the order of the file."""
    luck = random.Random(chance)
    names = "abcdefg"[:size]
    cup = Knockout(
        names, lives=2, second_final=second_final, deals=1, most=most, sudden_death=bound
    )
    while cup.follow():
        play_deals(cup, lambda _: luck.choice([LEVEL, (1, 1), LEVEL, (1, 1), (2, 1), (1, 0)]))
    found = contests(cup)
    finals = [found[name] for name in ("final", "second final") if name in found]
    beaten = {
        name
        for each in found.values()
        if each not in finals and len(each.tie.entrants) > 1
        for name in each.tie.order[1:]
    }
    (unbeaten,) = {*finals[0].tie.entrants} - beaten
    for each in finals:
        assert each.by in ("points", "sudden_death", "unbeaten")
        points = dict(zip(each.tie.entrants, each.points, strict=True))
        assert (each.by == "unbeaten") == (len({*points.values()}) == 1)
        assert each.tie.order[0] == max(points, key=lambda n: (points[n], n == unbeaten))
        assert each.deals <= most + bound
    if finals[-1].tie.order[0] != unbeaten:
        assert len(finals) == 1 + second_final, "it was beaten in each final"
    assert all(each.by != "unbeaten" for each in found.values() if each not in finals)
    assert cup.differences == []


def test_a_tie_that_is_short_of_deals_is_filled_up_before_others_go_to_sudden_death() -> None:
    cup = Knockout("abcd", deals=2, most=4, sudden_death=2)
    cup.follow()
    play_deals(cup, lambda _: LEVEL)
    cup.follow()
    for spec, _ in cup.games_of_round("a"):  # which has a new version before its last deals
        cup.played.add(GameResult(spec, Termination.COMPLETED, (1, 2), 1, ""))
    cup.change(entered=["a@2"], left=["a"])
    assert (cup.follow(), cup.last.deals) == ((("a@2", "d"),), UNSET)
    play_deals(cup, lambda _: LEVEL)
    assert (cup.follow(), cup.last.deals) == ((("a@2", "d"), ("b", "c")), 1)
    play_deals(cup, lambda names: LEVEL if "b" in names else (2, 1))
    assert (cup.follow(), cup.last.deals) == ((("b", "c"),), 1)
    assert cup.decided == [("semi-final 1", "a", "sudden_death")]
    play_deals(cup, lambda _: (0, 1))
    assert (cup.follow(), cup.last.deals) == ((("a@2", "c"),), UNSET)
    assert cup.decided == [("semi-final 2", "c", "sudden_death")]
    assert cup.differences == []


def test_a_stage_has_its_own_and_a_line_with_other_deals_does_not_follow() -> None:
    own = (Stage(kind="swiss", rounds=1), Stage(kind="knockout", deals=3, most=3, sudden_death=4))
    cup = Knockout("ab", kind="stages", stages=own)
    for _ in range(2):
        cup.follow()
        play_deals(cup, lambda _: LEVEL)
    assert (cup.follow(), cup.last.deals, cup.last.stage) == ((("a", "b"),), 1, 1)
    assert cup.differences == []
    *before, last = cup.manifest.changes
    for other in (UNSET, 2):
        follows: Any = msgspec.structs.replace(cup.last, deals=other)
        changes = (*before, msgspec.structs.replace(last, follows=follows))
        cup.manifest = msgspec.structs.replace(cup.manifest, changes=changes)
        ((line, text),) = cup.differences
        assert (line, text) == (3, "round 3: its deals are not those that follow from the results")


@pytest.mark.parametrize("seats", [3, 4])
def test_at_larger_tables_it_ends_when_those_who_go_on_are_ahead(seats: int) -> None:
    cup = Knockout("abcdefgh"[: 2 * seats], seats=seats, advance=2, deals=1, most=1, sudden_death=3)
    tables = cup.follow()
    cup.play(lambda _, __: False)
    assert (cup.follow(), cup.last.deals) == (tables, 1)
    cup.play(lambda one, other: one == min(tables[0]) != other)  # one of two that go on
    assert (cup.follow(), cup.last.deals) == (tables, 1)
    best = {sorted(table)[place] for table in tables for place in (1, 2)}
    cup.play(lambda one, other: one in best and other not in best)
    cup.follow()
    assert {by for _, _, by in cup.decided} == {"sudden_death"}
    assert cup.differences == []
