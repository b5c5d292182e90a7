"""Groups followed from the first round to the last, without a bot."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.following import stages
from arena.extensions.rounds.kinds.groups import entries, groups_of, labels, preview, tables
from arena.extensions.rounds.kinds.stages import StagesKind
from arena.extensions.rounds.pairing.state import Now, stage_luck
from arena.extensions.rulings.commands.ruling import RulingOptions, make_ruling
from arena.runs.reader import StoredRun
from arena.schedule.keys import GroupDraw, Schedule, Seeding, Stage
from arena.values.results import player_of
from arena.views.standings.standings import table_of
from tests.extensions.rounds.test_following import SEEDS, by_name
from tests.extensions.rounds.test_knockout import Knockout
from tests.tournament.test_histories import History

NAMES = "abcdefghijklmnopqrstuvwxyz"


def groups(bots: int, of: int = 4, advance: int = 2, **plan: object) -> Knockout:
    own = Stage(kind="groups", of=of, advance=advance, **plan), Stage(kind="knockout")
    return Knockout(NAMES[:bots], kind="stages", stages=own)


def now_of(cup: Knockout, stage: int = 0) -> Now:
    return stages(cup.field, cup.schedule, cup.played, cup.verdict, SEEDS, is_over=True)[stage]


def play_groups(cup: Knockout) -> list[tuple[str, str]]:
    """Play all rounds of the groups, and draw the next stage; who met."""
    met: list[tuple[str, str]] = []
    while cup.follow() and cup.last.stage == 0:
        met += [(one, other) for one, other in cup.field.rounds[-1][0].schedule.pairings]
        cup.play(by_name)
    return met


@given(st.integers(5, 14), st.integers(3, 5), st.sampled_from(GroupDraw))
@settings(max_examples=15)
def test_every_two_of_a_group_meet_once_and_nobody_else(
    bots: int, of: int, draw: GroupDraw
) -> None:
    cup = groups(max(bots, of + 3), of, 1, draw=draw)
    met = play_groups(cup)
    own = groups_of(now_of(cup))
    pairs = {frozenset(pair) for group in own for pair in combinations(group, 2)}
    assert Counter(map(frozenset, met)) == Counter(pairs)
    assert cup.last.over == max(len(group) - 1 + len(group) % 2 for group in own)
    assert sorted(now_of(cup, 1).players) == sorted(group[0] for group in map(sorted, own))
    assert cup.differences == []


def test_the_first_of_each_group_are_crossed() -> None:
    cup = groups(16)
    assert cup.follow()
    assert cup.last.by == "groups-1"
    assert cup.last.ties == tuple(f"group {name}" for name in "AABBCCDD")
    cup.play(by_name)
    play_groups(cup)
    ends = [[each.name for each in own] for own in tables(now_of(cup))]
    assert [own[:2] for own in ends] == [["a", "h"], ["b", "g"], ["c", "f"], ["d", "e"]]
    assert now_of(cup).there.keys() == {*NAMES[:16]}
    assert cup.field.rounds[-1][0].schedule.pairings == (
        *(("a", "g"), ("d", "f"), ("b", "h"), ("c", "e")),
    )
    assert cup.last.ties == tuple(f"quarter-final {n}" for n in (1, 2, 3, 4))
    cup.play(by_name)
    while cup.follow():
        cup.play(by_name)
    assert cup.decided == [("final", "a", "points")]
    assert cup.differences == []


@pytest.mark.parametrize("how", ["leaves", "withdrawn", "replaced"])
def test_who_goes_changes_nobody_elses_group(how: str) -> None:
    straight, cup = groups(8, draw=GroupDraw.SEEDED), groups(8, draw=GroupDraw.SEEDED)
    assert cup.follow() == straight.follow()
    before = groups_of(now_of(cup))
    (own,) = [group for group in before if "a" in group]
    first = next(pair for pair in cup.field.rounds[-1][0].schedule.pairings if "a" in pair)
    cup.play(by_name)
    if how == "leaves":
        cup.change(left=["a"])
    elif how == "withdrawn":
        cup.follow()
        cup.play(by_name)
        cup.withdraw("a", 1)
    else:
        cup.change(left=["a"], entered=["a@2"])
    play_groups(cup)
    assert groups_of(now_of(cup)) == before
    (table,) = [each for each in tables(now_of(cup)) if "a" in {row.name for row in each}]
    points = {row.name: row.points for row in table}
    others = sorted({*own} - {"a"})
    if how == "replaced":
        assert points["a"] == 3
    else:
        assert points["a"] == 1, "what ended before stands"
        met = {player_of(name) for name in first}
        assert all(points[name] >= 1 for name in others if name not in met), "others get a win"
        assert sum(points.values()) == 6, "no match has another weight for it"
    seeds = now_of(cup, 1).players
    expected = [name for name in sorted(own) if how == "replaced" or name != "a"][:2]
    assert [name for name in seeds if name in own] == expected
    assert cup.differences == []


def test_the_preview_shows_what_is_drawn() -> None:
    plan = Schedule(kind="groups", of=3, advance=2, draw=GroupDraw.SEEDED)
    cup = groups(6, 3, draw=GroupDraw.SEEDED)
    cup.follow()
    luck = stage_luck(SEEDS, cup.field.rounds[0][0], 0)
    one, two = (", ".join(own) for own in groups_of(now_of(cup)))
    assert [*preview(plan, NAMES[:6], luck)] == [f"group A: {one}", f"group B: {two}"]
    assert [*preview(plan, NAMES[:6], None)][:2] == ["pot 1: a, b", "pot 2: c, d"]
    odd = Schedule(kind="groups", of=4)
    assert [*preview(odd, NAMES[:5], None)] == ["group A: a, d, e", "group B: b, c"]
    found = entries(labels(odd, 5, Seeding.STANDARD), Schedule(kind="swiss", rounds=2))
    assert [*found] == [("swiss", ["A1"]), ("swiss", ["B1"])]
    knockout = Schedule(kind="knockout")
    found = entries(labels(plan, 9, Seeding.STANDARD), knockout)
    assert ("semi-final 1", ["A1", "winner of quarter-final 2"]) in found


def test_stages_are_previewed_from_the_entrants_to_the_bracket() -> None:
    own = (
        Stage(kind="swiss", rounds=1),
        Stage(kind="groups", of=2, first=4),
        Stage(kind="groups", of=1000),
        Stage(kind="knockout"),
    )
    cup = Knockout("abcdef", kind="stages", stages=own)
    assert [*StagesKind().preview(cup.field.rounds[0][0], SEEDS)] == [
        "stage 2, group A: place 1 of stage 1, place 4 of stage 1",
        "stage 2, group B: place 2 of stage 1, place 3 of stage 1",
        "stage 3, group A: A1, B1",
    ]


@pytest.mark.usefixtures("empty_records")
@pytest.mark.extensions("rulings")
def test_tables_of_groups_mark_who_is_out_and_all_places_stand_together(tmp_path: Path) -> None:
    history = History(tmp_path, "groups", 3, hard=False)
    history.play(1, 0, 1)
    folder = tmp_path / "run"
    make_ruling(
        RulingOptions(
            folder=folder, verb="disqualify", what="a", from_now=True, reason="so", author="Ann"
        )
    )
    history.play(4, 0)
    assert history.differences() == []
    run = StoredRun(folder)
    (section,) = table_of(run).sections
    assert section.rounds is not None
    panels = {panel.key: panel for panel in section.rounds()}
    assert [*panels][-3:] == ["groups_A", "groups_B", "overall"]
    assert "disqualified" in "\n".join(panels["overall"].piece(None).lines)
    places = [each["place"] for each in panels["overall"].data]
    assert places == sorted(places)
    assert len(places) == len(run.manifest.identity.entrants)
    advancing = set()
    for key in ("groups_A", "groups_B"):
        names = [row.name for row in panels[key].data.places]
        text = "\n".join(panels[key].piece(None).lines)
        assert ("disqualified" in text) == ("a" in names)
        advancing |= {each.name for each in panels[key].data.advancing}
    sides = {side.name for tie in panels["knockout"].data.ties for side in tie.sides}
    assert advancing == sides - {"a"} == sides, "the next of its group takes its place"
    last = panels["knockout"].data.places[0].name
    make_ruling(
        RulingOptions(
            folder=folder, verb="disqualify", what=last, from_now=True, reason="so", author="Ann"
        )
    )
    (section,) = table_of(StoredRun(folder)).sections
    assert section.rounds is not None
    (places_panel,) = (each for each in section.rounds() if each.key == "knockout_places")
    (marked,) = (line for line in places_panel.piece(None).lines if "disqualified" in line)
    assert last in marked.split()
