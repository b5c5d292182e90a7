"""What a file asks for and so few entrants cannot be is said, and nothing of what they can."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.config.disciplines import excess
from arena.results import RulesSpec
from arena.schedule.keys import Schedule, Stage
from arena.schedule.kinds.kind import circle_rounds
from arena.schedule.schedule import Discipline
from tests.cli.shell import arena, bot
from tests.runs.rounds.test_following import Cup, by_name

SWISS, KNOCKOUT, LADDER = "swiss", "knockout", "ladder"


def said(names: str, schedule: Schedule, seats: int = 2) -> list[str]:
    rules = RulesSpec("toy", seats, {}, {})
    return excess([Discipline("toy", rules, tuple(names.split()), schedule)] * 2)


@pytest.mark.parametrize(
    ("names", "schedule", "expected"),
    [
        (
            "a b c",
            Schedule(kind=SWISS, rounds=5),
            ["rounds: found 5, and 3 bots can meet in 3 rounds at most: then it is over"],
        ),
        ("a b c", Schedule(kind=SWISS, rounds=3), []),
        ("a b c d", Schedule(kind=SWISS, rounds=3), []),
        (
            "a b",
            Schedule(kind=SWISS, rounds=2),
            ["rounds: found 2, and 2 bots can meet in 1 round at most: then it is over"],
        ),
        (
            "a b c",
            Schedule(kind=KNOCKOUT, seeded=8, third_place=True),
            [
                "seeded: found 8, and there are only 3 bots: nobody is drawn",
                "third_place: 3 bots have no two semi-finals: nobody plays for the third place",
            ],
        ),
        ("a b c d", Schedule(kind=KNOCKOUT, seeded=4, third_place=True), []),
        (
            "a b c",
            Schedule(
                kind="stages",
                stages=(
                    Stage(kind="round_robin"),
                    Stage(kind=SWISS, first=40, rounds=9),
                    Stage(kind=KNOCKOUT, first=2, seeded=3),
                ),
            ),
            [
                "stage 2, swiss: first: found 40, and only 3 are left: all of them go on",
                "stage 2, swiss: rounds: found 9, and 3 bots can meet in 3 rounds at most: "
                "then it is over",
                "stage 3, knockout: seeded: found 3, and there are only 2 bots: nobody is drawn",
            ],
        ),
        (
            "a b c",
            Schedule(max_pairings=7),
            ["max_pairings: found 7, and toy has only 3 pairings: all are played"],
        ),
        ("a b c", Schedule(max_pairings=3), []),
        (
            "a.x a.y a.z",
            Schedule(kind=LADDER, rounds=3),
            ["all 3 bots are of one author: nobody meets until another one enters"],
        ),
        ("a.x b.x", Schedule(kind=LADDER, rounds=3), []),
    ],
)
def test_what_cannot_be_is_said_once(names: str, schedule: Schedule, expected: list[str]) -> None:
    assert said(names, schedule) == expected


def test_at_three_and_four_seats_who_has_met_may_meet_again() -> None:
    assert said("a b c", Schedule(kind=SWISS, rounds=9), seats=3) == []
    assert said("a", Schedule(), seats=1) == []


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 9))
def test_no_swiss_tournament_has_more_rounds(players: int) -> None:
    cup = Cup("abcdefghi"[:players], rounds=20)
    rounds = 0
    while cup.follow():
        cup.play(by_name)
        rounds += 1
    assert 1 <= rounds <= circle_rounds(players)


@pytest.mark.slow
@pytest.mark.process
def test_it_is_said_by_a_dry_run_and_when_a_run_begins(tmp_path: Path) -> None:
    for name in ("anna", "berta", "carla"):
        bot(tmp_path, name)
    (tmp_path / "cup.yaml").write_text(
        "arena: 1\ngame: dragonheart\nschedule:\n  deals: 1\n  stages:\n    - {kind: round_robin}\n"
        "    - {kind: knockout, first: 40}\nentrants: [{glob: '*'}]\n"
    )
    text = "warning: stage 2, knockout: first: found 40, and only 3 are left: all of them go on\n"
    dry = arena(tmp_path, "run", "cup.yaml", "--dry-run")
    assert (dry.code, dry.err.count(text)) == (0, 1)
    assert "first: 40" in dry.out
    begun = arena(tmp_path, "run", "cup.yaml", "--rounds", "1")
    assert (begun.code, begun.err.count(text)) == (0, 1)
    assert text not in arena(tmp_path, "run", "cup.yaml").err
    assert text not in arena(tmp_path, "run", "cup.yaml", "-q", "-o", "other").err
