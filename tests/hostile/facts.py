"""What is expected of a bot at a level on this machine."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.sandbox.probes import resolve
from arena.hosting.workspace.cells import Workspace
from arena.values.results import Limits
from tests.hostile.rows import LEVELS, NEVER, Row


class Facts(NamedTuple):
    """What the expectations depend on."""

    root: bool
    """Whether arena is root, so that every bot is a user of its own."""
    counted: bool
    """Whether a cgroup limits the memory and the processes of a bot."""
    stopped: bool
    """Whether a cgroup stops all of a bot."""

    def __str__(self) -> str:
        who = "arena is root, bots are users of their own" if self.root else "bots run as its user"
        limited = "limit" if self.counted else "do not limit"
        stopped = "stop" if self.stopped else "do not stop"
        return f"{who}; control groups {limited} and {stopped} them"


def facts() -> Facts:
    """Those of this machine."""
    with (
        contextlib.closing(Workspace.create()) as workspace,
        tempfile.TemporaryDirectory() as folder,
    ):
        launch = Launch(("/bin/true",), folder, level=Level.LIMITS, limits=Limits())
        cell = workspace.cell(launch)
        group = cell.group
        cell.close()
    counted = group is not None and group.limits_memory and group.limits_processes
    return Facts(os.geteuid() == 0, counted, group is not None and group.freezes)


def available(levels: Iterable[str]) -> dict[str, str]:
    """By level: empty, or why it cannot be had here."""
    found = {}
    for level in levels:
        try:
            resolve(Level(level))
            found[level] = ""
        except IsolationError as error:
            found[level] = str(error)
    return found


def here(row: Row, known: Facts) -> Row:
    """The row with what is different on this machine."""
    changes: dict[str, Any] = {}
    if known.root and row.root:
        changes["through"] = row.root
    if not known.counted:
        changes |= row.uncounted or {}
        if not known.root:
            changes |= row.shared or {}
    if not known.stopped:
        changes |= row.unstopped or {}
    return row._replace(**changes)


def verdicts(row: Row, level: str) -> set[str]:
    """What is expected of the bot."""
    return set((row.at or {}).get(level, row.verdict).split("/"))


def outcomes(row: Row, level: str) -> set[str]:
    """What may come of its attack; empty if it makes none."""
    if row.through is None:
        return set()
    if row.through == NEVER or LEVELS.index(level) > LEVELS.index(row.through):
        return {"blocked"}
    return {"ok", "blocked"} if row.maybe else {"ok"}


def telling_levels(row: Row, levels: Sequence[str], known: Facts) -> tuple[str, ...]:
    """Where the bot tells most in little time, of the levels to be played, which are in order.

    At the strictest of its levels; and at a milder one if it attacks something, as each level keeps
    it off in a way of its own, or if another verdict is expected there. Of two levels that let it
    through alike the stricter one is enough.
    """
    found: list[str] = []
    of_here = here(row, known)
    for level in reversed([level for level in levels if level in row.levels]):
        if found:
            same = verdicts(of_here, level) == verdicts(of_here, found[0])
            through = "blocked" not in outcomes(of_here, level) | outcomes(of_here, found[0])
            if same and (row.through is None or through):
                continue
        found.insert(0, level)
    return tuple(found)
