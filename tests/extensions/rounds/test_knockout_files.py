"""What of a knockout or of stages cannot be played is told in one sentence, at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.runs.config.tournament import load_tournament
from arena.values.problems import ConfigError
from tests.tournament.folders import lines, write, write_bot
from tests.values.refusals import bad

TWO = "{rules: dragonkrak, seats: 2}"


def load(folder: Path, game: str, schedule: str) -> None:
    entries = []
    for name in "abcd":
        write_bot(folder / name, f"bot: 1\nname: {name}\ncommand: [python3, main.py]\n")
        entries.append(f"  - bot: {name}\n")
    text = f"arena: 1\ngame: {game}\nschedule: {{{schedule}}}\nentrants:\n{''.join(entries)}"
    if game.startswith("["):
        text = text.replace("game:", "games:")
    write(folder / "cup.yaml", text)
    load_tournament(folder / "cup.yaml")


BAD = """
4 seats, kind: knockout, lives: 2
-> schedule.lives: found 2 lives at 4 seats, expected 2
2 seats, kind: knockout, lives: 3
-> schedule.lives: found 3, expected
2 seats, kind: knockout, lives: 2, third_place: true
-> schedule.third_place: found third_place with 2 lives, expected 2 seats and 1 life
2 seats, kind: knockout, second_final: false
-> schedule.second_final: found second_final with 1 life, expected lives: 2 beside it
2 seats, kind: knockout, sudden_death: 101
-> schedule.sudden_death: found 101, expected a whole number from 1 to 100
2 seats, kind: swiss, rounds: 2, sudden_death: 3
-> schedule.sudden_death: found sudden_death with the kind swiss
2 seats, kind: knockout, advance: 2
-> schedule.advance: found 2 at 2 seats, expected at
2 seats, kind: knockout, deals: 4, most: 10
-> schedule.most: found 10, expected a multiple of deals, which is 4
2 seats, kind: knockout, deals: 4, most: 2
-> schedule.most: found 2, expected a multiple
4 seats, kind: knockout, decide: test
-> schedule.decide: found a test at 4 seats
2 seats, kind: knockout, decide: test, deals: 4
-> schedule.decide: found a test with at most 16 deals, expected most: 20 or more
2 seats, kind: knockout, rounds: 4
-> schedule.rounds: found rounds with the kind knockout
2 seats, kind: stages
-> schedule.kind: found stages without stages, expected stages: [{
2 seats, stages: []
-> schedule.kind: found stages without stages, expected stages: [{
2 seats, kind: swiss, rounds: 2, stages: [{kind: knockout}]
-> schedule.stages: found stages with the kind swiss (it belongs to the kind stages)
2 seats, stages: [{kind: swiss}]
-> schedule.stages[0].kind: found swiss without rounds
2 seats, stages: [{kind: gauntlet}]
-> schedule.stages[0].kind: found gauntlet, expected round_robin, swiss, knockout or groups
4 seats, stages: [{kind: round_robin}]
-> schedule.stages[0].kind: found round_robin as a stage at 4 seats, expected 2 seats
2 seats, stages: [{kind: round_robin, lives: 2}]
-> schedule.stages[0].lives: found lives with the kind round_robin (it belongs to
2 seats, stages: [{kind: round_robin}, {kind: knockout, deals: 4, most: 6}]
-> schedule.stages[1].most: found 6, expected a multiple of deals, which is 4
2 seats, stages: [{kind: knockout, first: 2}]
-> schedule.stages[0].first: found first in the first stage
4 seats, stages: [{kind: knockout}, {kind: knockout, first: 3}]
-> schedule.stages[1].first: found 3 at 4 seats, expected at least 4
2 seats, stages: [{kind: round_robin}, {kind: knockout, first: 2}, {kind: knockout, first: 3}]
-> schedule.stages[2].first: found 3 of 2 who are left
2 seats, stages: [{kind: knockout, stages: []}]
-> schedule.stages[0]: unknown key
2 seats, stages: [{kind: groups}]
-> schedule.stages[0].kind: found groups without of, expected of: N beside it
2 seats, stages: [{kind: groups, of: 1}]
-> schedule.stages[0].of: found 1, expected a whole number from 2
2 seats, stages: [{kind: groups, of: 3, advance: 3}, {kind: knockout}]
-> schedule.stages[0].advance: found 3 of a group of 3, expected at most 2
2 seats, stages: [{kind: groups, of: 4}, {kind: knockout}]
-> schedule.stages[0].of: found groups of 4, and 4 bots, expected at most 3: two groups
2 seats, stages: [{kind: groups, of: 3, advance: 2}, {kind: knockout}]
-> schedule.stages[0].of: found groups of 3, and 4 bots, expected 3 bots or more in each of 2 groups
2 seats, stages: [{kind: groups, of: 2}, {kind: knockout, first: 3}]
-> schedule.stages[1].first: found 3, and 2 advance from the groups, expected 2, or no first
2 seats, stages: [{kind: groups, of: 3, advance: 2}]
-> schedule.stages[0].advance: found 2 in the last stage (nobody advances from the last stage)
2 seats, stages: [{kind: groups, of: 3, advance: 3}, {kind: knockout, rounds: x}]
-> schedule.stages[1].rounds: found "x"
2 seats, stages: [{kind: groups, advance: 2}, {kind: knockout, first: 4}]
-> schedule.stages[0].kind: found groups without of, expected of: N beside it
2 seats, stages: [{kind: groups, of: 9}, {kind: knockout, first: 4}]
-> schedule.stages[0].of: found groups of 9, and 4 bots
2 seats, kind: groups, of: 2, advance: 2
-> schedule.advance: found 2 in the last stage (nobody advances from the last stage)
2 seats, stages: [{kind: groups, of: 2, draw: lots}]
-> schedule.stages[0].draw: found "lots", expected "snake" or "seeded"
2 seats, stages: [{kind: groups, of: 2, lives: 2}]
-> schedule.stages[0].lives: found lives with the kind groups
2 seats, stages: [{kind: knockout}, {kind: groups, of: 2, first: 2}]
-> schedule.stages[1].of: found groups of 2, and 2 bots
3 seats, stages: [{kind: groups, of: 2}]
-> schedule.stages[0].kind: found groups as a stage at 3 seats, expected 2 seats
3 seats, kind: groups, of: 2
-> schedule.kind: found groups at 3 seats, expected 2 seats
2 seats, kind: groups, of: 2, advance: 1, rounds: 3
-> schedule.rounds: found rounds with the kind groups
2 seats, kind: groups, of: 4
-> schedule.of: found groups of 4, and 4 bots
"""


@bad(BAD)
def test_what_cannot_be_is_told(text: str, expected: list[str], tmp_path: Path) -> None:
    """In one line, of which most is given here."""
    seats, _, schedule = text.partition(" seats, ")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f"{{rules: dragonkrak, seats: {seats}}}", schedule)
    first, *more = str(caught.value).splitlines()
    assert expected[0] in first
    assert not [line for line in more if "cup.yaml" in line]


def test_all_games_have_tables_of_one_size(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f"[{TWO}, {{rules: dragonkrak, seats: 4}}]", "kind: knockout")
    (line,) = lines(caught.value)
    assert "games[1]: found 4 seats in rounds of 2, expected" in line


def test_a_list_of_stages_is_a_kind_by_itself(tmp_path: Path) -> None:
    load(tmp_path, TWO, "deals: 3, stages: [{kind: round_robin}, {kind: knockout, deals: 7}]")
    (discipline,) = load_tournament(tmp_path / "cup.yaml").disciplines
    assert discipline.schedule.kind == "stages"
    assert [each.deals for each in discipline.schedule.parts] == [3, 7]
    assert [each.most_deals for each in discipline.schedule.parts] == [12, 28]
