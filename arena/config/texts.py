"""Parts of a config as a tournament file writes them, with units; what is not set is left out."""

from __future__ import annotations

from typing import Any

from arena.documents.units import format_duration, format_share, format_size
from arena.results import BreakerPolicy, Limits, TimeControl
from arena.schedule.schedule import Discipline


def clock_texts(clock: TimeControl, *, pondering: bool) -> dict[str, str | bool]:
    """The time control with units, without the limits that are not set."""
    given = {
        "move": clock.move,
        "bank": clock.bank,
        "increment": clock.increment if clock.bank is not None else None,
        "startup": clock.startup,
    }
    texts = {key: format_duration(value) for key, value in given.items() if value is not None}
    return {**texts, "pondering": pondering}


def limit_texts(limits: Limits) -> dict[str, str | int]:
    """The limits with units, ``none`` for those that are not set."""
    return {
        "reply": format_size(limits.reply),
        "stderr": format_size(limits.stderr),
        "memory": format_size(limits.memory) if limits.memory is not None else "none",
        "processes": limits.processes if limits.processes is not None else "none",
        "cpu": format_duration(limits.cpu) if limits.cpu is not None else "none",
        "disk": format_size(limits.disk) if limits.disk is not None else "none",
        "files": limits.files if limits.files is not None else "none",
    }


def breaker_texts(breaker: BreakerPolicy) -> dict[str, str | int]:
    """When a bot is given up, with units."""
    return {
        "faults": format_share(breaker.faults),
        "after": breaker.after,
        "starts": breaker.starts,
        "then": breaker.then.value,
    }


def schedule_keys(discipline: Discipline) -> dict[str, Any]:
    """Its schedule without the keys that say nothing with its kind or table size."""
    schedule = discipline.schedule
    if discipline.rules.seats == 1:
        return {"deals": schedule.deals}
    keys: dict[str, Any] = {
        "kind": schedule.kind.value,
        "deals": schedule.deals,
        "seatings": schedule.seatings.value,
    }
    if schedule.max_pairings is not None:
        keys["max_pairings"] = schedule.max_pairings
    if schedule.focus:
        keys["focus"] = list(schedule.focus)
    if schedule.lineup is not None:
        keys["lineup"] = schedule.lineup.value
    if schedule.pairings:
        keys["pairings"] = [list(pairing) for pairing in schedule.pairings]
    return keys
