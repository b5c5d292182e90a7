"""``arena check`` of several bots: one line for each, and a line that counts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import typer

from arena import __version__
from arena.cli.terminal.console import Exit, ignoring_closed_output, out, print_document
from arena.documents.bad_input import BadInput
from arena.documents.problems import ConfigError
from arena.hosting.sandbox.isolation import IsolationError
from arena.runs.disk import StoreError
from arena.studies.check.finding import Name, Report
from arena.tournament.jobs import PoolError
from arena.views.game.check_text import document, in_one_line, refused_line

Checked: TypeAlias = Callable[[], tuple[Report, Mapping[Name, str]]]
"""Function that checks a bot and returns its report and the files of exchanges by finding."""


def check_several(bots: Mapping[str, Checked], *, as_json: bool) -> None:
    """Check each bot and print a line for it; a failure does not stop the checks of the others.

    ``bots``: by the name given on the command line. Ends with typer.Exit unless all pass; the code
    is the highest that a single check would end with.
    """
    codes: list[Exit] = []
    documents = []
    with ignoring_closed_output():
        for bot, checked in bots.items():
            try:
                report, kept = checked()
                told, line = document(bot, report, kept), in_one_line(bot, report)
                codes.append(Exit.DONE if report.passed else Exit.FAIL)
            except (BadInput, ConfigError, IsolationError, StoreError, PoolError) as problem:
                found = [str(each) for each in getattr(problem, "problems", (problem,))]
                told, line = {"bot": bot, "problems": found}, refused_line(bot, found)
                codes.append(Exit.INVALID_RUN if isinstance(problem, PoolError) else Exit.BAD_INPUT)
            documents.append(told)
            if not as_json:
                out(line)
        passed = codes.count(Exit.DONE)
        if as_json:
            head = {"schema": "arena.checks/1", "arena": __version__}
            print_document({**head, "passed": passed == len(codes), "bots": documents})
        else:
            out(f"{passed} of {len(codes)} bots would lose no game by a fault")
    if passed < len(codes):
        raise typer.Exit(max(codes))
