"""Report wrong calls of the command line in one line."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterable
from typing import Any, Final, NoReturn

import typer

from arena.cli.terminal.console import Exit, error, print_error, reported
from arena.documents.bad_input import BadInput

USAGE_ERROR: Final[type[Exception]] = typer.BadParameter.__mro__[1]
"""Base class of the exceptions that the parser raises for a wrong call."""
_EXTRA: Final = re.compile(r"unexpected extra arguments?(\(s\))? \((?P<words>.*)\)", re.DOTALL)
_COMMAND: Final = re.compile(r"No such command '(?P<name>.*?)'", re.DOTALL)


def refuse(text: str, *, as_json: bool = False) -> NoReturn:
    """Report a wrong call and exit with code 2; ``as_json`` also prints an error document."""
    error(text)
    if as_json:
        print_error(BadInput(text), Exit.BAD_INPUT)
    raise typer.Exit(Exit.BAD_INPUT)


def problem_text(problem: Any) -> str:
    """Return the problem that the parser found, as text."""
    message = str(getattr(problem, "message", "")) or str(problem)
    where = getattr(getattr(problem, "ctx", None), "command_path", "arena")
    kind = type(problem).__name__
    if kind == "MissingParameter":
        return f"{_name(problem.param)}: missing; {where} --help explains it"
    if kind == "NoSuchOption":
        near = problem.possibilities or ()
        return f"unknown option {_quoted(problem.option_name)}{_closest(problem.option_name, near)}"
    if kind == "BadOptionUsage":
        return f"{problem.option_name}: found no value, expected one"
    if (found := _EXTRA.search(message)) is not None:
        return f"found {_quoted(found['words'])}, expected no more; {where} --help explains"
    if (found := _COMMAND.search(message)) is not None:
        known = getattr(getattr(problem.ctx, "command", None), "commands", {})
        return f"unknown command {_quoted(found['name'])}{_closest(found['name'], known)}"
    return " ".join(message.split())


def _name(param: Any) -> str:
    """Return the name of a parameter: ``--deals``, or ``BOT`` for an argument."""
    if param.param_type_name == "argument":
        return str(param.metavar or param.name.upper())
    return str(max(param.opts, key=len))


def _closest(word: str, known: Iterable[str]) -> str:
    from arena.documents.problems import did_you_mean

    hint = did_you_mean(word, known)
    return f" ({hint})" if hint else ""


def _quoted(text: str) -> str:
    from arena.documents.problems import quote

    return quote(text)


def run(app: typer.Typer) -> NoReturn:
    """Parse the call, run the command and exit with its code."""
    code = _code(app)
    # The command has ended. A Ctrl-C during interpreter shutdown would replace the exit code by a
    # traceback, or by the status of a killed program.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def _code(app: typer.Typer) -> int:
    as_json = bool({"--json", "--format=json"} & {*sys.argv})
    try:
        with reported(debug="--debug" in sys.argv, as_json=as_json):  # a callback may fail too
            return _ended(app, as_json=as_json)
    except typer.Exit as end:
        return end.exit_code


def _ended(app: typer.Typer, *, as_json: bool) -> int:
    """Run the command and return its exit code; report a wrong call."""
    try:
        code = app(prog_name="arena", standalone_mode=False)
    except USAGE_ERROR as problem:
        if type(problem).__name__ == "NoArgsIsHelpError":
            typer.echo(str(problem))
            return Exit.DONE
        text = problem_text(problem)
        error(text)
        if as_json:
            print_error(BadInput(text), Exit.BAD_INPUT)
        return Exit.BAD_INPUT
    except typer.Abort:
        return Exit.INTERRUPTED
    return code if isinstance(code, int) else 0
