"""The ``arena`` program: its commands grouped by purpose, each imported when it is called."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from arena.cli.command import COLOR, COMMON, ParsedCommand, parameter, read_color, taking
from arena.cli.early import version_text
from arena.cli.terminal.console import reported
from arena.documents.bad_input import BadInput

COMMANDS: Final = {
    "Play": {
        "demo": "Play a first tournament, which needs no file.",
        "init": "Begin a tournament file.",
        "run": "Play a tournament, or resume it.",
        "ladder": "Keep a competition going for weeks.",
        "merge": "Combine the shards of a run into one run.",
        "play": "Play with bots yourself.",
    },
    "Compare": {
        "compare": "Tell whether a new version of a bot is better.",
        "plan": "Compute how many games a question needs.",
        "tune": "Find the options that make a bot strongest.",
    },
    "Look": {
        "standings": "Print the table of a run, or of results from anywhere.",
        "watch": "Look at a run while it is played.",
        "report": "Write a run as a page for the browser.",
        "site": "Write a competition as static pages for everybody.",
        "games": "List the games of a run, and find some of them.",
        "replay": "Step through a game.",
    },
    "Write a bot": {
        "new-bot": "Begin a bot.",
        "try": "Play one game of a bot and show all of it.",
        "check": "Find what would lose a bot its games.",
        "rules": "Explain the rules of a game.",
        "schema": "Print a JSON Schema.",
        "vectors": "Write positions of a game with their answers.",
    },
    "Add a game": {
        "new-game": "Begin a game.",
        "check-game": "Test a game by the contract of all rules.",
    },
    "Host": {
        "doctor": "Say what this machine can do.",
        "verify": "Prove a run from its records.",
        "export": "Write a pack of games to hand out, or tables to analyse.",
    },
}
"""Commands with the first line of their help, by purpose.

The module of a command is in the folder of ``commands`` named after the first word of the
purpose.
"""
MODULES: Final = {"try": "try_bot"}
"""Module names of commands that are Python keywords."""

_WRONG_CALL: Final[type[Exception]] = typer.BadParameter.__mro__[1]
"""Base class of the exceptions that the parser raises for a wrong call."""
_WIDEST: Final = 100
"""Most columns of a help text."""
_ASKING: Final = "help"
_HELP: Final = "Tournaments for game-playing bots: fair deals, nothing lost, honest numbers."
_EXIT_CODES: Final = (
    "Exit codes: 0 done, or a test passed; 1 it failed, or a difference was found; 2 bad input; 3 "
    "not enough games to tell; 4 a run that could not be played to its end; 5 nothing "
    "to report yet; 70 a bug in arena; 130 interrupted, everything saved."
)


def load(name: str) -> Any:
    """Return the command of that name, with its options."""
    purpose = next(purpose for purpose, lines in COMMANDS.items() if name in lines)
    folder, module = purpose.split()[0].lower(), MODULES.get(name, name.replace("-", "_"))
    return import_module(f"arena.cli.commands.{folder}.{module}").COMMAND


class Commands(TyperGroup, ParsedCommand):
    """Command group of names and help lines; a command is imported when it is called."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        for lines in COMMANDS.values():
            for name, line in lines.items():
                self.add_command(TyperCommand(name, help=line))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the name, the imported command and the remaining arguments.

        ``help COMMAND`` is ``COMMAND --help``, and ``help`` alone is ``--help``.
        """
        if args[0] == _ASKING:
            if ctx.resilient_parsing:  # the shell completes the name of a command
                return None, None, []
            if len(args) == 1:
                typer.echo(ctx.get_help())
                raise typer.Exit
            args = [args[1], "--help"]
        name, *rest = args
        if name in self.commands:
            return name, load(name), rest
        if ctx.resilient_parsing:
            return None, None, rest
        from arena.documents.problems import did_you_mean, quote

        hint = did_you_mean(name, self.commands)
        raise BadInput(f"unknown command {quote(name)}" + (f" ({hint})" if hint else ""))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under their purposes, all in the same columns."""
        widest = max(map(len, self.commands))
        for purpose, lines in COMMANDS.items():
            with formatter.section(purpose):
                formatter.write_dl([(name.ljust(widest), line) for name, line in lines.items()])


app = typer.Typer(
    cls=Commands,
    help=_HELP,
    epilog=_EXIT_CODES,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDEST},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(version_text())
        raise typer.Exit


def _common(ctx: typer.Context, **given: Any) -> None:
    read_color(COLOR.read(given["color"]))


_VERSION: Final = typer.Option(
    "--version", "-V", callback=_version, is_eager=True, help="Show the version."
)
_PARAMETERS: Final = [*(each.parameter() for each in COMMON)]
_PARAMETERS.append(parameter("version", Annotated[bool, _VERSION], False))
app.callback()(taking(_PARAMETERS, _common))


def run() -> NoReturn:
    """Parse the call, run the command and exit with its code."""
    code = _code(sys.argv[1:])
    # The command has ended. A Ctrl-C during interpreter shutdown would replace the exit code by a
    # traceback, or by the status of a killed program.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def _code(args: Sequence[str]) -> int:
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
