"""``arena doctor``."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
import typer
from tabulate import tabulate

from arena import __version__
from arena.cli import choices
from arena.cli.command import command
from arena.cli.options import AsJson
from arena.cli.terminal.console import Exit, Style, error, out, say, styled
from arena.documents.bad_input import BadInput
from arena.documents.problems import did_you_mean, quote
from arena.hosting.machine import cgroups, marks, room
from arena.hosting.sandbox import blur, bubblewrap, landlock
from arena.hosting.sandbox.isolation import SANDBOX, IsolationError, Level
from arena.hosting.sandbox.probes import Probe, probe, resolve, timing
from arena.text.numbers import count

_WANTED: Final = (*(level.value for level in Level), SANDBOX)
_OPEN: Final = "open here"
_SEATS: Final = 2
_ALL: Final = {"memory", "processes", "freezing"}
"""Whatever of these there is a group for, the group ends with its run."""
_PROGRAMS: Final = ("bwrap", "node", "cc", "java")


class Finding(msgspec.Struct, frozen=True):
    """One line of the answer."""

    section: str
    name: str
    good: bool
    detail: str


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """Say what this machine can do.

    Tries each isolation level, and looks at what makes measured times unsteady.

    \b
    arena doctor
    arena doctor --isolation sandbox
    """

    isolation: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            autocompletion=choices.isolation,
            help="End with code 4 unless bots can be kept apart so.",
        ),
    ] = None
    as_json: AsJson = False


def examine(options: DoctorOptions) -> None:
    """Try everything and tell. Ends with code 4 unless the isolation that is asked for works."""
    wanted = options.isolation
    if wanted is not None and wanted not in _WANTED:
        hint = did_you_mean(wanted, _WANTED)
        expected = f"expected one of {', '.join(_WANTED)}" + (f" ({hint})" if hint else "")
        raise BadInput(f"--isolation: found {quote(wanted)}, {expected}")
    findings = tuple(_findings())
    level, problem = (None, "") if wanted is None else _answer(wanted)
    out(_document(findings, wanted, level) if options.as_json else _text(findings))
    if level is not None:
        say(f"isolation {wanted} works here" + (f": {level}" if level != wanted else ""))
    elif problem:
        error(problem)
        raise typer.Exit(Exit.INVALID_RUN)


def _answer(wanted: str) -> tuple[Level | None, str]:
    """What is meant by it here; or why there is none."""
    try:
        return resolve(wanted), ""
    except IsolationError as problem:
        return None, str(problem)


def _findings() -> Iterator[Finding]:
    for found in (*(probe(level) for level in Level), _sandbox()):
        yield Finding("isolation", found.name, found.works, found.detail)
    yield from _mechanisms()
    for name, gap in _gaps():
        yield Finding(_OPEN, name, good=False, detail=gap)
    for program in _PROGRAMS:
        path = bubblewrap.find() if program == "bwrap" else shutil.which(program)
        yield Finding("programs", program, path is not None, path or "not found on PATH")
    for machine in timing():
        yield Finding("timing", machine.name, machine.good, machine.detail)


def _sandbox() -> Probe:
    try:
        return Probe(SANDBOX, works=True, detail=f"means {resolve(SANDBOX)} here")
    except IsolationError:
        return Probe(SANDBOX, works=False, detail="neither landlock nor bubblewrap works here")


def _mechanisms() -> Iterator[Finding]:
    root = "arena is root: every bot runs as a user of its own"
    user = root if os.geteuid() == 0 else "bots run as the user who runs arena"
    yield Finding("mechanisms", "user", True, user)
    version = landlock.version()
    missing = "not offered by this kernel; at bubblewrap a bot can read all of /proc"
    detail = f"version {version}" if version else missing
    yield _room()
    yield Finding("mechanisms", "landlock", version >= landlock.LOWEST, detail)
    if sys.platform == "linux":
        yield _access_times()
        yield _names()
    for use, where in cgroups.describe().items():
        works = not where.startswith("no: ")
        yield Finding("mechanisms", f"cgroup: {use}", works, where.removeprefix("no: "))


def _access_times() -> Finding:
    """Whether a bot can leave word to the next one by reading files of the system."""
    if os.statvfs("/usr").f_flag & os.ST_NOATIME:
        return Finding("mechanisms", "times of reading", True, "not kept: mounted with noatime")
    if os.geteuid() == 0:
        return Finding("mechanisms", "times of reading", True, "kept, but not for reads of bots")
    detail = "kept: at landlock a bot can leave word by them; mount the system with noatime"
    return Finding("mechanisms", "times of reading", False, detail)


def _names() -> Finding:
    """Whether a bot can leave word to the next one by looking for files that do not exist."""
    if blur.can_forget_names():
        detail = "forgotten between games of fresh bots"
        return Finding("mechanisms", "names looked for", True, detail)
    detail = "remembered: in any sandbox a bot can leave word by them; only root can forget them"
    return Finding("mechanisms", "names looked for", False, detail)


def _room() -> Finding:
    """Whether the limits on this process leave any for as many workers as there are cores."""
    level = _answer(SANDBOX)[0] or Level.NONE
    try:
        room.require(room.cores(), _SEATS, room.processes_of(level))
    except IsolationError as problem:
        return Finding("mechanisms", "room", good=False, detail=str(problem))
    detail = f"for {count(room.cores(), 'worker')} with tables of {_SEATS} at {level}"
    return Finding("mechanisms", "room", good=True, detail=detail)


def _gaps() -> Iterator[tuple[str, str]]:
    """What stays open on exactly this machine; what no machine closes is in the documentation."""
    groups = cgroups.describe()
    missing = {use for use, where in groups.items() if where.startswith("no: ")}
    is_root = os.geteuid() == 0
    if not is_root:
        yield "files", "at none and limits a bot reads, changes and stops what this user can"
    if missing & {"memory", "processes"}:
        yield "memory", "a bot can be over its limit for a fraction of a second"
        yield "memory", "not counted: what waits in pipes and sockets, notes of the kernel"
        yield (
            "memory",
            "not counted, nor bounded: what is written to shared memory and unmapped again",
        )
        yield "memory", "not counted at bubblewrap: temporary files, of bounded size"
        yield "memory", "not counted at limits: /dev/shm, System V, files in memory that hide"
        yield "memory", "at limits huge pages can wait in pipes, and files in memory in sockets"
    if not is_root and missing >= _ALL:
        yield "end", "a bot can outlive arena and workers killed at one blow, until the next start"
        yield "end", "at none for good; at limits with the help of other programs of this user"
        if not marks.can_keep():
            yield "end", "or for good: the hard limit on file locks (ulimit -Hx) is low here"
        if not marks.sees_others():
            yield "end", "or for good: /proc hides processes here (hidepid)"
    if not is_root and "processes" in missing:
        yield (
            "processes",
            "at limits and landlock a bot can take those that its opponent needs to start threads",
        )
    if "freezing" in missing:
        yield "time", "who made a bot wait, the machine or the bot, is not known well"


def _text(findings: tuple[Finding, ...]) -> str:
    python = ".".join(map(str, sys.version_info[:3]))
    head = f"arena {__version__}  {platform.system()} {platform.release()} {platform.machine()}"
    lines = [f"{head}  Python {python}  {count(room.cores(), 'core')}"]
    for section in dict.fromkeys(finding.section for finding in findings):
        lines += ["", styled(section, Style.BOLD, sys.stdout)]
        rows = [
            (finding.name, _state(finding), finding.detail)
            for finding in findings
            if finding.section == section
        ]
        lines += ["  " + line for line in tabulate(rows, tablefmt="plain").splitlines()]
    return "\n".join(lines)


def _state(finding: Finding) -> str:
    if finding.good:
        return "yes"
    text = {"isolation": "NO", "timing": "note", _OPEN: "open"}.get(finding.section, "no")
    return styled(text, Style.RED, sys.stdout) if text == "NO" else text


def _document(findings: tuple[Finding, ...], wanted: str | None, level: Level | None) -> str:
    document: dict[str, Any] = {
        "schema": "arena.doctor/1",
        "arena": __version__,
        "system": platform.system(),
        "release": platform.release(),
        "cores": room.cores(),
        "wanted": wanted,
        "level": level,
        "findings": findings,
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


COMMAND: Final = command(examine)
