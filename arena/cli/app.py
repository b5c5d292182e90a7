"""The ``arena`` program: its commands grouped by purpose, each imported when it is called."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from arena import extensions
from arena.cli.command import COLOR, COMMON, ParsedCommand, parameter, read_color, taking
from arena.cli.early import version_text
from arena.cli.terminal.console import reported
from arena.extensions import ListedCommand, listed
from arena.values.bad_input import BadInput

PURPOSES: Final = ("Play", "Compare", "Look", "Write a bot", "Add a game", "Host")
"""Headings of the list of commands, in this order; those of other packages come behind."""
_COMMANDS: Final = "arena.cli.commands"
OWN: Final = (
    *listed(_COMMANDS, "Play", (30, "run", "Play a tournament, or resume it.")),
    *listed(
        _COMMANDS,
        "Look",
        (10, "standings", "Print the table of a run, or of results from anywhere."),
        (50, "games", "List the games of a run, and find some of them."),
        (60, "replay", "Step through a game."),
    ),
    *listed(_COMMANDS, "Write a bot", (50, "schema", "Print a JSON Schema.")),
    *listed(_COMMANDS, "Host", (20, "verify", "Prove a run from its records.")),
)
"""Commands that no extension brings."""

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


def commands() -> dict[str, ListedCommand]:
    """Return all commands by name, in the order of their list."""
    brought = [each for part in extensions.every().extensions for each in part.commands]
    headings = dict.fromkeys((*PURPOSES, *(each.purpose for each in brought)))
    found = {each.name: each for each in (*reversed(brought), *OWN)}
    ranks = {heading: rank for rank, heading in enumerate(headings)}
    order = sorted(found.values(), key=lambda each: (ranks[each.purpose], each.rank, each.name))
    return {each.name: each for each in order}


def problems() -> list[str]:
    """Return a line for each extension, or command of one, that cannot be used."""
    known, found = commands(), extensions.every()
    taken = [
        f"extension {part.name}: another command is called {each.name}"
        for part in found.extensions
        for each in part.commands
        if known[each.name] != each
    ]
    return [*found.problems, *taken]


def load(name: str) -> Any:
    """Return the command of that name, with its options."""
    return extensions.load(f"{commands()[name].module}:COMMAND")


class Commands(TyperGroup, ParsedCommand):
    """Command group of names and help lines; a command is imported when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return [*commands()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name without its options, or None."""
        found = commands().get(cmd_name)
        return found and TyperCommand(cmd_name, help=found.line)

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
        if name in commands():
            return name, load(name), rest
        if ctx.resilient_parsing:
            return None, None, rest
        from arena.values.bad_input import needed_extension
        from arena.values.problems import did_you_mean, quote

        hint = did_you_mean(name, commands())
        unknown = f"unknown command {quote(name)}" + (f" ({hint})" if hint else "")
        raise BadInput(unknown, *(() if needed_extension(name) else problems()))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under their purposes, all in the same columns."""
        known = commands()
        widest = max(map(len, known))
        for purpose, part in groupby(known.values(), key=lambda each: each.purpose):
            with formatter.section(purpose):
                formatter.write_dl([(each.name.ljust(widest), each.line) for each in part])
        for problem in problems():
            formatter.write_paragraph()
            formatter.write_text(problem)


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
    from arena.values.problems import did_you_mean, quote

    hint = did_you_mean(name, problem.possibilities or ())
    return f"unknown option {quote(name)}" + (f" ({hint})" if hint else "")
