"""Convert parts of a config to the texts of a tournament file, with units, without unset keys."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.documents.values import DURATION, SHARE, SIZE
from arena.results import BreakerPolicy, Limits, TimeControl
from arena.schedule.keys import SHARED_KEYS, Schedule, Stage
from arena.schedule.schedule import Discipline


def clock_texts(clock: TimeControl, *, pondering: bool) -> dict[str, str | bool]:
    """Return the time control with units, without the limits that are not set."""
    given = {
        "move": clock.move,
        "bank": clock.bank,
        "increment": clock.increment if clock.bank is not None else None,
        "startup": clock.startup,
    }
    texts = {key: DURATION.format(value) for key, value in given.items() if value is not None}
    return {**texts, "pondering": pondering}


def clock_option(clock: TimeControl, *, pondering: bool) -> str:
    """Return the value of ``--clock`` for a time control, "" for the default one."""
    if clock == TimeControl() and pondering:
        return ""
    texts = clock_texts(clock, pondering=pondering)
    del texts["pondering"]
    if clock.startup == TimeControl().startup:
        del texts["startup"]
    return ", ".join([*(f"{k}: {v}" for k, v in texts.items()), *["pondering: off"][pondering:]])


def limit_texts(limits: Limits) -> dict[str, str | int]:
    """Return the limits with units, ``none`` for those that are not set."""
    return {
        "reply": SIZE.format(limits.reply),
        "stderr": SIZE.format(limits.stderr),
        "memory": SIZE.format(limits.memory) if limits.memory is not None else "none",
        "processes": limits.processes if limits.processes is not None else "none",
        "cpu": DURATION.format(limits.cpu) if limits.cpu is not None else "none",
        "disk": SIZE.format(limits.disk) if limits.disk is not None else "none",
        "files": limits.files if limits.files is not None else "none",
    }


def breaker_texts(breaker: BreakerPolicy) -> dict[str, str | int]:
    """Return the section ``breaker``: the limits on faults, with units, and the consequence."""
    return {
        "faults": SHARE.format(breaker.faults),
        "after": breaker.after,
        "starts": breaker.starts,
        "then": breaker.then.value,
    }


def schedule_keys(discipline: Discipline) -> dict[str, Any]:
    """Return the schedule without the keys that have no effect with its kind or table size.

    It is derived from the fields, so no key that decides a run can be forgotten.
    """
    if discipline.rules.seats == 1:
        return {"deals": discipline.schedule.deals}
    unset = msgspec.to_builtins(Schedule())
    keys = msgspec.to_builtins(discipline.schedule)
    found = {key: value for key, value in keys.items() if key in SHARED_KEYS or value != unset[key]}
    if "stages" in found:
        plain = msgspec.to_builtins(Stage(kind=""))
        found["stages"] = [
            {key: value for key, value in each.items() if key == "kind" or value != plain[key]}
            for each in found["stages"]
        ]
    return found
