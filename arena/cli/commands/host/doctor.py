"""``arena doctor``: report what this machine, or a cluster, can do."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
import typer
from tabulate import tabulate

from arena.cli import choices
from arena.cli.command import command
from arena.cli.common import AsJson
from arena.cli.terminal.console import (
    Exit,
    TextAttribute,
    error,
    out_text,
    print_document,
    say,
    styled,
)
from arena.documents.option import Opt
from arena.hosting.sandbox.isolation import Level
from arena.text import clean
from arena.text.numbers import NOTHING, count, fixed, percent, short_duration
from arena.tournament.machines import checkup
from arena.tournament.machines.checkup import Checkup, CheckupLine, Survey, Surveyed
from arena.tournament.machines.direct import check_address, needing_dask

_WIDTH: Final = 100
"""Width of the report on a cluster, in columns."""
_LEAST: Final = 30
"""Smallest width of a column of prose, in columns of the terminal."""
_SHORT: Final = 16
"""Width of names in rows with many cells, in columns of the terminal."""


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """Say what this machine can do.

    Tries each isolation level, and reports what makes measured times unsteady. With --on, checks
    every machine of a cluster.

    \b
    arena doctor
    arena doctor --isolation sandbox
    arena doctor --on tls://scheduler:8786
    """

    isolation: Annotated[
        str | None, Opt("End with code 4 unless this level works.", one_of=choices.isolation)
    ] = None
    on: Annotated[
        str | None,
        Opt(
            "Ask all workers of a Dask cluster; end with code 4 if none can play.",
            metavar="dask|ADDRESS|FILE",
        ),
    ] = None
    as_json: AsJson = False


def examine(options: DoctorOptions) -> None:
    """Check the machine and print a report.

    Raises typer.Exit with code 4 unless the requested isolation works.
    """
    wanted = options.isolation
    if options.on is not None:
        _examine_all(options.on, wanted, as_json=options.as_json)
        return
    found = checkup.check()
    level, problem = (None, "") if wanted is None else checkup.answer(wanted)
    found = msgspec.structs.replace(found, wanted=wanted, level=level)
    if options.as_json:
        print_document(found)
    else:
        out_text(_text(found))
    if level is not None:
        say(f"isolation {wanted} works here" + (f": {level}" if level != wanted else ""))
    elif problem:
        error(problem)
        raise typer.Exit(Exit.INVALID_RUN)


def _text(found: Checkup) -> str:
    head = f"arena {found.arena}  {found.system} {found.release} {found.architecture}"
    lines = [f"{head}  Python {found.python}  {count(found.cores, 'core')}"]
    for section in dict.fromkeys(finding.section for finding in found.findings):
        rows = [
            (finding.name, _state(finding), finding.detail)
            for finding in found.findings
            if finding.section == section
        ]
        lines += _section(section, rows)
    return "\n".join(lines)


def _section(
    title: str,
    rows: Sequence[tuple[str, ...]],
    headers: tuple[str, ...] = (),
    *,
    is_prose: bool = False,
) -> list[str]:
    """Return the lines of a section; ``is_prose``: the last column is wrapped where it is long."""
    style: dict[str, Any] = {"tablefmt": "simple" if headers else "plain"}
    if rows and is_prose:
        others = sum(2 + max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1])
        style["maxcolwidths"] = [*[None] * (len(rows[0]) - 1), max(_LEAST, _WIDTH - 2 - others)]
    table = tabulate(rows, headers, disable_numparse=True, **style)
    return [
        "",
        styled(title, TextAttribute.BOLD, sys.stdout),
        *(f"  {x}" for x in table.splitlines()),
    ]


def _state(finding: CheckupLine) -> str:
    if finding.good:
        return "yes"
    words = {checkup.ISOLATION: "NO", checkup.TIMING: "note", checkup.OPEN: "open"}
    text = words.get(finding.section, "no")
    return styled(text, TextAttribute.RED, sys.stdout) if text == "NO" else text


def _examine_all(where: str, wanted: str | None, *, as_json: bool) -> None:
    """Check every worker of a cluster and print a report.

    Raises typer.Exit with code 4 unless a worker can play.
    """
    check_address(where)
    with needing_dask(where):
        from arena.tournament.machines.survey import survey
    found = msgspec.structs.replace(survey(where), wanted=wanted)
    if as_json:
        print_document(found)
    else:
        out_text(_text_of_all(found))
    able = [each for each in found.workers if each.can_play(wanted)]
    so = "" if wanted is None else f" at isolation {wanted}"
    if not able:
        error(f"no worker can play{so}" if found.workers else "no worker is there")
        raise typer.Exit(Exit.INVALID_RUN)
    say(f"{len(able)} of {count(len(found.workers), 'worker')} can play{so}")


def _text_of_all(found: Survey) -> str:
    machines = len({each.machine for each in found.workers if each.machine})
    threads = sum(each.threads for each in found.workers if each.can_play())
    head = f"{count(len(found.workers), 'worker')} on {count(machines, 'machine')}"
    lines = [f"arena {found.arena}  {found.scheduler}  {head}, {count(threads, 'game')} at once"]
    headers = ("worker", "machine", "threads", "cores", "isolation")
    lines += _section("workers", [_row(each) for each in found.workers], headers)
    speeds = ("worker", "arena", "Python", "games/s", "core", "round trip")
    lines += _section("speed", [_speed(each) for each in found.workers], speeds)
    told = [(each, each.checkup) for each in found.workers if each.checkup is not None]
    names = [name for name in checkup.PROGRAMS if any(name in at.programs for _, at in told)]
    programs = [(_short(each.label), *(_version(at, name) for name in names)) for each, at in told]
    if names:
        lines += _section("programs", programs, ("worker", *names))
    problems = [(each.label, each.problem) for each in found.workers if each.problem]
    if problems:
        lines += _section("cannot play", problems, is_prose=True)
    notes = [(each.label, note) for each in found.workers for note in each.notes]
    if notes:
        lines += _section("notes", notes, is_prose=True)
    if any(at.speed for _, at in told):
        lines += ["", "games/s: random games in a second of processor time, without bots"]
        lines.append("core: how much of one was had while all workers were tried at once")
    return "\n".join(lines)


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


COMMAND: Final = command(examine)
