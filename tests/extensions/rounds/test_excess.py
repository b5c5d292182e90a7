"""Settings of rounds that need more entrants than there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.kinds.rounds import circle_rounds
from arena.runs.config.tournament import load_tournament
from arena.schedule.keys import Schedule, Stage
from arena.schedule.kinds.registry import kind_of
from arena.values.problems import ConfigError
from tests.cli.shell import arena, bot
from tests.extensions.rounds.test_following import Cup, by_name
from tests.runs.config.test_disciplines import said

SWISS, KNOCKOUT, LADDER = "swiss", "knockout", "ladder"


@pytest.mark.parametrize(
    ("names", "schedule", "expected"),
    [
        (
            "a b c",
            Schedule(kind=SWISS, rounds=5),
            ["rounds: found 5, and 3 bots can meet in 3 rounds at most; it ends after them"],
        ),
        ("a b c", Schedule(kind=SWISS, rounds=3), []),
        ("a b c d", Schedule(kind=SWISS, rounds=3), []),
        (
            "a b",
            Schedule(kind=SWISS, rounds=2),
            ["rounds: found 2, and 2 bots can meet in 1 round at most; it ends after them"],
        ),
        (
            "a b c",
            Schedule(kind=KNOCKOUT, seeded=8, third_place=True),
            [
                "seeded: found 8, and there are only 3 bots: nobody is drawn",
                "third_place: 3 bots have no two semi-finals: no match for the third place",
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
                "stage 2, swiss: rounds: found 9, and 3 bots can meet in 3 rounds at most; "
                "it ends after them",
                "stage 3, knockout: seeded: found 3, and there are only 2 bots: nobody is drawn",
            ],
        ),
        (
            "a.x a.y a.z",
            Schedule(kind=LADDER, rounds=3),
            ["all 3 bots are of one author: no games until another author enters one"],
        ),
        ("a.x b.x", Schedule(kind=LADDER, rounds=3), []),
    ],
)
def test_what_cannot_be_is_said_once(names: str, schedule: Schedule, expected: list[str]) -> None:
    assert said(names, schedule) == expected


@pytest.mark.parametrize(("players", "rounds"), [(0, 0), (1, 0), (2, 1), (3, 3), (4, 3), (5, 5)])
def test_fewer_than_two_bots_meet_in_no_round(players: int, rounds: int) -> None:
    assert circle_rounds(players) == rounds
    cup = Schedule(kind=SWISS, rounds=9)
    assert kind_of(cup).possible_rounds(cup, players, 2) == rounds


def test_at_three_and_four_seats_who_has_met_may_meet_again() -> None:
    assert said("a b c", Schedule(kind=SWISS, rounds=9), seats=3) == []


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


def test_a_field_may_shrink_once_the_run_has_begun(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    entrants = "entrants: [{bot: builtin:greedy}]\nschedule: {kind: swiss, rounds: 3}\n"
    file.write_text(f"arena: 1\ngame: dragonheart\n{entrants}")
    assert len(load_tournament(file, has_begun=True).entrants) == 1
    with pytest.raises(ConfigError, match="found 1 entrant"):
        load_tournament(file)
