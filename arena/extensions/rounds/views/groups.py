"""Tables of a stage of groups: one for each group, with who advances to which match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from arena.extensions.rounds.kinds.groups import GroupsKind, entries, group_scoring, tables
from arena.extensions.rounds.pairing.groups import letter
from arena.extensions.rounds.pairing.state import Now
from arena.extensions.rounds.views.meetings import Meeting, meetings_of
from arena.extensions.rounds.views.points import (
    PlaceRow,
    first_tie,
    place_columns,
    place_rows,
    tie_remark,
)
from arena.schedule.keys import Schedule
from arena.values.results import player_of
from arena.views.tables import Column, PageBlock


class Advancing(msgspec.Struct, frozen=True):
    """A bot that would advance with this table."""

    name: str
    match: str
    """Its first match in the next stage, or the kind of that."""


class GroupData(msgspec.Struct, frozen=True):
    """The JSON form of a group."""

    group: str
    over: int
    planned: int
    places: tuple[PlaceRow, ...]
    advancing: tuple[Advancing, ...]
    meetings: tuple[Meeting, ...]
    first_tie: str
    """Tie-break that decided the first tie, or ``lot``; empty if no points are equal."""


def groups_data(
    now: Now,
    called: Mapping[str, str],
    elos: Mapping[str, float | None],
    plan: Schedule | None,
    first: int | None,
) -> list[GroupData]:
    """Return the groups of a stage.

    ``called``: present name of each player. ``plan``: of the next stage, which takes the ``first``
    of those who advance; None for the last stage.
    """
    kind, over = GroupsKind(), sum(each.is_over for each in now.before)
    going: Mapping[str, str] = {}
    if plan is not None and over:
        seeds = kind.advancing(now, plan.seeding)[:first]
        going = {side: tie for tie, own in entries(seeds, plan) for side in own}
    planned = kind.planned_rounds(now.discipline.schedule, len(now.began))
    meetings = meetings_of(now, group_scoring(now.discipline))
    found = []
    for number, table in enumerate(tables(now)):
        names = [each.name for each in table]
        to = [Advancing(called[name], going[name]) for name in names if name in going]
        met = [each for each in meetings if player_of(each.names[0]) in names]
        rows = place_rows(table, called, elos, {})
        own = letter(number), over, planned, rows, tuple(to), tuple(met), first_tie(rows)
        found.append(GroupData(*own))
    return found


def group_panels(
    groups: Sequence[GroupData],
    key: str,
    head: str,
    gone: Mapping[str, str],
    remarks: Sequence[str],
) -> list[PageBlock]:
    """Return a panel for each group.

    ``key``: start of their names in documents. ``head``: words before titles. ``gone``: see
    ``place_columns``. ``remarks``: lines below the last table.
    """
    panels = []
    for each in groups:
        columns = place_columns(each.places, gone, has_byes=False)
        if each.advancing:
            going = {own.name: own.match for own in each.advancing}
            to = [going.get(row.name, "") for row in each.places]
            columns.insert(3, Column("advances to", "left", to))
        title = f"{head}group {each.group} after {each.over} of {each.planned} rounds"
        said = [*tie_remark(each.first_tie), *(remarks if each is groups[-1] else ())]
        panels.append(PageBlock.of(f"{key}_{each.group}", title, columns, said, each))
    return panels


def by_stage(panels: Sequence[PageBlock]) -> Iterator[list[Any]]:
    """Yield the data of the panels of each stage: several for groups, otherwise one or none."""

    def stage(panel: PageBlock) -> str:
        is_group = isinstance(panel.data, GroupData)
        return panel.key.rpartition("_")[0] if is_group else panel.key

    for _, own in groupby(panels, stage):
        yield [panel.data for panel in own]
