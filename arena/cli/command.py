"""Build a command from a dataclass of options and a function that takes an instance of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any, Final, TypeVar, get_type_hints

import typer

from arena.cli.common import ColorText, Debug, Quiet, Verbose, all_settings
from arena.cli.declared import JSON, Declared, parameter
from arena.cli.help import HelpedCommand
from arena.cli.terminal.console import Color, choose_color, endings
from arena.cli.terminal.signals import outliving_the_terminal
from arena.cli.usage import refuse
from arena.documents.bad_input import BadInput

_SWITCHES: Final = {"quiet": Quiet, "verbose": Verbose, "debug": Debug}
"""Common options that are on if they stand before the command or after it."""

Options = TypeVar("Options")


def command(
    do: Callable[[Options], None],
    *,
    outlives_terminal: bool = False,
    panels: Mapping[str, str] | None = None,
) -> Any:
    """Return the command that fills the options dataclass of ``do`` and calls ``do`` with it.

    The docstring of the dataclass is the help; each field is annotated with its typer option, and
    perhaps with a ``OneOf``. Every command also takes the common options:
    ``--quiet``, ``--verbose``, ``--debug`` and ``--color``. ``outlives_terminal``: the command
    continues when the terminal is closed. ``panels``: headings of the help, each with the names of
    its fields.
    """
    kind = get_type_hints(do)["options"]
    declared = Declared(kind)
    parameters = [parameter("ctx", typer.Context, inspect.Parameter.empty), *declared.parameters()]
    parameters += [
        parameter(name, hint, False) for name, hint in _SWITCHES.items() if not declared.has(name)
    ]
    parameters.append(parameter("color", ColorText, None))

    def call(**given: Any) -> None:
        context = given.pop("ctx")
        before = {} if context.parent is None else context.parent.params
        for name in _SWITCHES:
            given[name] = given[name] or bool(before.get(name))
        debug = given["debug"]
        try:
            read_color(given.pop("color"))
            declared.read(given)
        except BadInput as problem:
            as_json = given.get("as_json") or given.get("form") == JSON
            refuse(str(problem), as_json=bool(as_json))
        with ExitStack() as around:
            if outlives_terminal:
                around.enter_context(outliving_the_terminal())
            around.enter_context(endings(debug=debug, as_json=bool(given.get("as_json"))))
            if "settings" in given:
                given["settings"] = all_settings(given["settings"], given.pop("isolation"))
            for name in _SWITCHES:
                if not declared.has(name):
                    del given[name]
            do(kind(**declared.fields(given)))

    vars(call)["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(help=kind.__doc__, cls=HelpedCommand)(call)
    made: Any = typer.main.get_command(app)
    made.panels = {heading: names.split() for heading, names in (panels or {}).items()}
    return made


def read_color(text: str | None) -> None:
    """Set the colour mode; None leaves it unchanged. Raises BadInput."""
    if text is None:
        return
    try:
        choose_color(Color(text))
    except ValueError:
        from arena.documents.problems import check_one_of

        check_one_of("--color", text, [each.value for each in Color])
