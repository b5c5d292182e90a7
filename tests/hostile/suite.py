"""All that is to be played, one game after another."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.hosting.workspace.cells import Workspace
from arena.values.results import GameResult
from tests.hostile.canaries import Canaries
from tests.hostile.facts import Facts
from tests.hostile.folders import Folders, missing
from tests.hostile.judge import Finding, judge
from tests.hostile.killed import killed_findings
from tests.hostile.rows import Pace, Row
from tests.hostile.table import Table


class Plan(NamedTuple):
    """What to play."""

    rows: Sequence[Row]
    levels: Sequence[str]
    tables: Sequence[int] = (2,)
    """Numbers of seats."""
    repeat: int = 1


class HonestBotsFail(Exception):
    """The games without a hostile bot go wrong: nothing can be said about the others."""


def findings(plan: Plan, known: Facts) -> Iterator[Finding]:
    """Play, and look after each game. Raises HonestBotsFail."""
    workspace = Workspace.create()
    with Canaries() as canaries, contextlib.closing(workspace):
        folders = Folders(workspace, canaries)
        for pace in Pace:
            rows = [row for row in plan.rows if row.pace is pace and not missing(row)]
            if rows and pace is not Pace.KILLED:
                with Table(pace, rows, canaries, workspace, folders) as table:
                    yield from _at(table, rows, plan, canaries, known)
    rows = [row for row in plan.rows if row.pace is Pace.KILLED]
    yield from killed_findings(rows, plan.levels, known)


def _at(
    table: Table, rows: Sequence[Row], plan: Plan, canaries: Canaries, known: Facts
) -> Iterator[Finding]:
    standards = {
        (level, seats): _standard(table, level, seats)
        for level in plan.levels
        for seats in plan.tables
    }
    watch = table.watch()
    for _ in range(plan.repeat):
        for level in plan.levels:
            for row in rows:
                for seats in plan.tables if level in row.levels else ():
                    match = table.play(row, level, seats)
                    watched = watch.surprises()
                    standard = standards[level, seats]
                    traces = canaries.traces()
                    yield judge(row, level, match, standard, traces, watched, canaries, known)
                    if any("worker is gone" in each for each in watched):
                        watch = table.watch()


def _standard(table: Table, level: str, seats: int) -> GameResult:
    """The game among honest bots."""
    match = table.play(None, level, seats)
    if match.result is None or match.verdict != "ok" or match.others:
        raise HonestBotsFail(
            f"honest bots fail at {level}: {match.verdict} {match.detail} {match.others}"
        )
    return match.result
