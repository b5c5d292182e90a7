"""Run the program, and report wrong calls of the command line in one line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NoReturn

import typer

from arena.cli.terminal.console import reported
from arena.documents.bad_input import BadInput

_WRONG_CALL: Final[type[Exception]] = typer.BadParameter.__mro__[1]
"""Base class of the exceptions that the parser raises for a wrong call."""


def run(app: typer.Typer) -> NoReturn:
    """Parse the call, run the command and exit with its code."""
    code = _code(app, sys.argv[1:])
    # The command has ended. A Ctrl-C during interpreter shutdown would replace the exit code by a
    # traceback, or by the status of a killed program.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def _code(app: typer.Typer, args: Sequence[str]) -> int:
    is_document = bool({"--json", "--format=json"} & {*args})
    is_document = is_document or ("--format", "json") in pairwise(args)
    try:
        with reported(debug="--debug" in args, as_json=is_document):
            try:
                code = app(args or ["--help"], prog_name="arena", standalone_mode=False)
            except _WRONG_CALL as problem:
                raise BadInput(_text(problem)) from None
            except typer.Abort:
                raise KeyboardInterrupt from None
            return code if isinstance(code, int) else 0
    except typer.Exit as end:
        return end.exit_code


def _text(problem: Any) -> str:
    """Return what is wrong with a call, as text."""
    if (name := getattr(problem, "option_name", None)) is None:
        return " ".join(str(problem).split())
    if not hasattr(problem, "possibilities"):
        return f"{name}: found no value, expected one"
    from arena.documents.problems import did_you_mean, quote

    hint = did_you_mean(name, problem.possibilities or ())
    return f"unknown option {quote(name)}" + (f" ({hint})" if hint else "")
