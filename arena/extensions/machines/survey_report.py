"""Describe what the workers of a Dask cluster can do, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from arena import __version__
from arena.extensions.machines import checkup
from arena.extensions.machines.checkup import Checkup
from arena.hosting.sandbox.isolation import Level
from arena.tournament.prepare import Remote
from arena.values import clean
from arena.values.numbers import NOTHING, count, fixed, percent, short_duration

_SHORT: Final = 16
"""Width of names in rows with many cells, in columns of the terminal."""


class ReportSection(NamedTuple):
    """A table of a report on machines."""

    title: str
    rows: Sequence[tuple[str, ...]]
    headers: tuple[str, ...] = ()
    is_prose: bool = False
    """True if the last column is wrapped where it is long."""


class SurveyReport(NamedTuple):
    """Findings on machines, for people."""

    document: msgspec.Struct
    """Findings for programs."""
    head: str
    """First line."""
    sections: Sequence[ReportSection]
    remarks: Sequence[str]
    """Last lines."""
    able: str
    """How many can play; empty if none can."""
    problem: str
    """Reason why none can play; empty if some can."""


class Surveyed(msgspec.Struct, frozen=True, kw_only=True):
    """Findings about one worker of a cluster."""

    address: str
    name: str
    """Name of the worker in Dask."""
    label: str
    """Name of the worker in messages, different from all others."""
    machine: str = ""
    threads: int = 0
    round_trip_us: float | None = None
    """Median round trip from this process to the worker and back, in microseconds."""
    problem: str = ""
    """Reason why nothing can be played there; empty if games can be played."""
    notes: tuple[str, ...] = ()
    """Warnings, which do not prevent games."""
    checkup: Checkup | None = None

    def can_play(self, level: str | None = None) -> bool:
        """Return whether the worker can play games, at isolation ``level`` unless that is None."""
        if self.problem or self.checkup is None:
            return False
        return level is None or self.checkup.works(level)


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """Findings about a whole cluster; ``arena doctor --on … --json`` prints them as JSON."""

    schema: str = "arena.doctor-on/1"
    arena: str = __version__
    """Version of the arena that asks."""
    scheduler: str
    wanted: str | None = None
    workers: tuple[Surveyed, ...]


class Surveyable(Remote, Protocol):
    """Machines at an address that can be asked what they can do."""

    def survey(self, isolation: str | None) -> SurveyReport:
        """Return what the machines can do; ``isolation``: the level at which they are to play."""


def report(found: Survey) -> SurveyReport:
    """Return the report on a cluster, all of whose workers were asked."""
    machines = len({each.machine for each in found.workers if each.machine})
    threads = sum(each.threads for each in found.workers if each.can_play())
    workers = count(len(found.workers), "worker")
    counts = f"{workers} on {count(machines, 'machine')}, {count(threads, 'game')} at once"
    remarks = []
    if any(each.checkup is not None and each.checkup.speed for each in found.workers):
        remarks = [
            "",
            "games/s: random games in a second of processor time, without bots",
            "core: how much of one was had while all workers were tried at once",
        ]
    able = sum(each.can_play(found.wanted) for each in found.workers)
    so = "" if found.wanted is None else f" at isolation {found.wanted}"
    nobody = f"no worker can play{so}" if found.workers else "no worker is there"
    return SurveyReport(
        document=found,
        head=f"arena {found.arena}  {found.scheduler}  {counts}",
        sections=[*_sections(found)],
        remarks=remarks,
        able=f"{able} of {workers} can play{so}" if able else "",
        problem="" if able else nobody,
    )


def _sections(found: Survey) -> Iterator[ReportSection]:
    headers = ("worker", "machine", "threads", "cores", "isolation")
    yield ReportSection("workers", [_row(each) for each in found.workers], headers)
    speeds = ("worker", "arena", "Python", "games/s", "core", "round trip")
    yield ReportSection("speed", [_speed(each) for each in found.workers], speeds)
    told = [(each, each.checkup) for each in found.workers if each.checkup is not None]
    names = [name for name in checkup.PROGRAMS if any(name in at.programs for _, at in told)]
    programs = [(_short(each.label), *(_version(at, name) for name in names)) for each, at in told]
    if names:
        yield ReportSection("programs", programs, ("worker", *names))
    problems = [(each.label, each.problem) for each in found.workers if each.problem]
    if problems:
        yield ReportSection("cannot play", problems, is_prose=True)
    notes = [(each.label, note) for each in found.workers for note in each.notes]
    if notes:
        yield ReportSection("notes", notes, is_prose=True)


def _row(each: Surveyed) -> tuple[str, ...]:
    """Return the row of a worker, with the two strongest isolation levels that work."""
    found, machine = each.checkup, _short(each.machine) or NOTHING
    if found is None:
        return (each.label, machine, str(each.threads), NOTHING, NOTHING)
    levels = [level for level in Level if found.works(level)][-2:]
    return (each.label, machine, str(each.threads), str(found.cores), " ".join(levels) or NOTHING)


def _speed(each: Surveyed) -> tuple[str, ...]:
    found = each.checkup
    trip = NOTHING if each.round_trip_us is None else short_duration(each.round_trip_us)
    if found is None:
        return (each.label, *[NOTHING] * 4, trip)
    rate, share = (found.speed.rate, found.speed.share) if found.speed else (None, None)
    return (each.label, found.arena, found.python, fixed(rate, 0), percent(share), trip)


def _short(text: str) -> str:
    return clean.cut(text, _SHORT)


def _version(found: Checkup, program: str) -> str:
    return found.programs.get(program, NOTHING) or "fails"
