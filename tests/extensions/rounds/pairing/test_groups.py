"""Groups: their draw, who meets whom after them, and a table of football."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import ceil, log2

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.extensions.rounds.kinds.groups import tables
from arena.extensions.rounds.pairing.bracket import first_round
from arena.extensions.rounds.pairing.groups import crossed, drawn, letter
from arena.extensions.rounds.pairing.state import Now, Paired, Played
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult, shares
from arena.games.luck import Luck
from arena.schedule.keys import GroupDraw, Ranking, Seeding, TieBreak, WinPoints
from tests.tournament.tables import discipline

LUCK = Luck(b"groups")


@given(st.integers(2, 200), st.integers(2, 20), st.sampled_from(GroupDraw), st.binary(max_size=4))
def test_each_group_has_one_of_each_pot(bots: int, of: int, how: GroupDraw, seed: bytes) -> None:
    names = [str(number) for number in range(bots)]
    groups = drawn(names, of, how, Luck(seed))
    assert sorted(name for own in groups for name in own) == sorted(names)
    sizes = {len(own) for own in groups}
    assert len(groups) == ceil(bots / of)
    assert max(sizes) <= of
    assert max(sizes) - min(sizes) <= 1
    for own in groups:
        assert [int(name) // len(groups) for name in own] == [*range(len(own))]
    assert groups == drawn(names, of, how, Luck(seed))
    renamed = drawn([f"x{name}" for name in names], of, how, Luck(seed))
    assert renamed == [tuple(f"x{name}" for name in own) for own in groups]


def test_the_snake_turns_and_the_seed_draws_evenly() -> None:
    assert ["".join(own) for own in drawn("abcdefgh", 4, GroupDraw.SNAKE, LUCK)] == ["adeh", "bcfg"]
    first = Counter(
        next(place for place, own in enumerate(groups) if "a" in own)
        for seed in range(600)
        for groups in [drawn("abcdefgh", 2, GroupDraw.SEEDED, Luck(str(seed).encode()))]
    )
    assert min(first[place] for place in range(4)) > 100


def places_of(order: list[str], seeding: Seeding) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Ties of the first round, "" for a bye, and for everybody the number of its tie."""
    names = [*order, *[""] * len(order)]
    ties = [(names[a - 1], names[b - 1]) for a, b in first_round(len(order), seeding)]
    return ties, {name: number for number, tie in enumerate(ties) for name in tie if name}


@given(st.integers(2, 24), st.integers(1, 6), st.sampled_from(Seeding))
@example(4, 4, Seeding.STANDARD)
@example(5, 3, Seeding.EQUAL_DISTANCE)
def test_members_of_a_group_meet_as_late_as_a_bracket_allows(
    count: int, advance: int, seeding: Seeding
) -> None:
    """In a part of a bracket that is one round shorter half as many of a group are enough."""
    groups = [[f"{letter(group)}{k + 1}" for k in range(advance)] for group in range(count)]
    order = crossed(groups, seeding)
    assert [*sorted(order, key=lambda name: int(name[-1]))] == order
    assert order[:count] == [own[0] for own in groups]
    ties, tie_of = places_of(order, seeding)
    assert advance == 1 or not [tie for tie in ties if {*tie} <= {own[0] for own in groups}]
    rounds = len(ties).bit_length()
    for own in groups:
        for one, other in combinations(own, 2):
            meet = 1 + (tie_of[one] ^ tie_of[other]).bit_length()
            assert meet > rounds - ceil(log2(advance)), (one, other)


def test_the_round_of_16_of_a_world_cup() -> None:
    groups = [[f"{name}1", f"{name}2"] for name in "ABCDEFGH"]
    ties, tie_of = places_of(crossed(groups, Seeding.STANDARD), Seeding.STANDARD)
    world_cup = "A1 B2, C1 D2, E1 F2, G1 H2, B1 A2, D1 C2, F1 E2, H1 G2"
    assert {*map(frozenset, ties)} == {frozenset(tie.split()) for tie in world_cup.split(", ")}
    assert all((tie_of[own[0]] < 4) != (tie_of[own[1]] < 4) for own in groups)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9))
def test_groups_of_which_fewer_are_left_lose_nobody(sizes: list[int]) -> None:
    groups = [[f"{letter(group)}{k}" for k in range(size)] for group, size in enumerate(sizes)]
    order = crossed(groups, Seeding.STANDARD)
    assert sorted(order) == sorted(name for own in groups for name in own)


def test_letters_go_on_after_z() -> None:
    assert [letter(number) for number in (0, 25, 26, 51, 52, 701, 702)] == [
        *("A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"),
    ]


EURO_2008_A = """
Switzerland 0 1 Czechia, Portugal 2 0 Turkey, Czechia 1 3 Portugal, Switzerland 1 2 Turkey,
Switzerland 2 0 Portugal, Turkey 3 2 Czechia
"""
"""Third is Czechia, which beat Switzerland, though its goal difference is worse."""
EURO_2004_C = """
Denmark 0 0 Italy, Sweden 5 0 Bulgaria, Bulgaria 0 2 Denmark, Italy 1 1 Sweden,
Italy 2 1 Bulgaria, Denmark 2 2 Sweden
"""
"""Three have five points, and drew with each other: goals decide."""


def football(results: str, order: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """Name, points and goal difference by the table of one group."""
    matches = [each.split() for each in results.replace("\n", " ").split(",")]
    names = tuple(dict.fromkeys(name for own in matches for name in (own[0], own[3])))
    ranking = Ranking(points=WinPoints(win=3, draw=1), order=("points", *order))
    cup = discipline(*names, kind="groups", of=4)
    cup = msgspec.structs.replace(cup, ranking=ranking)
    rounds = []
    for one, own, others, other in matches:
        goals = int(own) - int(others)
        points = shares([int(own), int(others)])
        table = TableResult((one, other), points, (0, 0), margins=(goals, -goals))
        rounds.append(Paired("", (), (), FinishedRound((table,)), True, names))
    there = dict(zip(names, names, strict=True))
    now = Now(cup, names, there, rounds, Played(), LUCK, 1)
    (found,) = tables(now)
    goals = {
        name: sum(
            (int(own[1]) - int(own[2])) * (1 if own[0] == name else -1)
            for own in matches
            if name in own
        )
        for name in names
    }
    if "margin" in order:
        assert [each.tie_breaks[TieBreak.MARGIN] for each in found] == [
            Fraction(goals[each.name]) for each in found
        ]
    return [(each.name, int(each.points), goals[each.name]) for each in found]


@pytest.mark.parametrize(
    ("results", "order", "expected"),
    [
        (
            EURO_2008_A,
            ("direct", "margin"),
            "Portugal 6 2, Turkey 6 0, Czechia 3 -2, Switzerland 3 0",
        ),
        (EURO_2008_A, ("margin",), "Portugal 6 2, Turkey 6 0, Switzerland 3 0, Czechia 3 -2"),
        (EURO_2004_C, ("DE", "margin"), "Sweden 5 5, Denmark 5 2, Italy 5 1, Bulgaria 0 -8"),
    ],
)
def test_a_table_of_football(results: str, order: tuple[str, ...], expected: str) -> None:
    """The orders in which they really ended, by direct comparison and by goals."""
    found = football(results, order)
    assert [f"{name} {points} {goals}" for name, points, goals in found] == expected.split(", ")
