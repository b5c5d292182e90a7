"""``arena doctor``: report what this machine, or a cluster, can do."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

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
from arena.extensions.machines import checkup
from arena.extensions.machines.checkup import Checkup, CheckupLine
from arena.extensions.machines.survey_report import ReportSection, Surveyable, SurveyReport
from arena.tournament.prepare import remote
from arena.values.numbers import count
from arena.values.option import Opt

_WIDTH: Final = 100
"""Width of the report on a cluster, in columns."""
_LEAST: Final = 30
"""Smallest width of a column of prose, in columns of the terminal."""


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
            "Ask all machines of a cluster; end with code 4 if none can play.",
            metavar="CLUSTER",
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
        lines += _section(ReportSection(section, rows))
    return "\n".join(lines)


def _section(section: ReportSection) -> list[str]:
    """Return the lines of a section."""
    title, rows, headers, is_prose = section
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
    """Check the machines at an address and print a report.

    Raises typer.Exit with code 4 unless one of them can play.
    """
    found = cast(Surveyable, remote(where)).survey(wanted)
    if as_json:
        print_document(found.document)
    else:
        out_text(_text_of_all(found))
    if found.problem:
        error(found.problem)
        raise typer.Exit(Exit.INVALID_RUN)
    say(found.able)


def _text_of_all(found: SurveyReport) -> str:
    lines = [found.head]
    for section in found.sections:
        lines += _section(section)
    return "\n".join([*lines, *found.remarks])


COMMAND: Final = command(examine)
