"""Build a command from a dataclass of options and a function that takes an instance of it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand

from arena.cli.common import ColorText, Debug, Quiet, Verbose
from arena.cli.options import CommandOption, join_forms, options_of
from arena.cli.terminal.console import Color, choose_color, endings
from arena.cli.terminal.signals import outliving_the_terminal
from arena.values.bad_input import BadInput

_SWITCHES: Final = {"quiet": Quiet, "verbose": Verbose, "debug": Debug}
"""Common options that are on if they stand before the command or after it."""
COLOR: Final = CommandOption("color", ColorText, None)
COMMON: Final = [*(CommandOption(name, hint, False) for name, hint in _SWITCHES.items())]
COMMON.insert(2, COLOR)
_UNLISTED: Final = {*(each.name for each in COMMON), "as_json"}
"""Names of options that other lines explain."""
_ALSO: Final = "-q, -v, --color, --debug and -h: arena --help explains them."
_NAMES: Final = 25
"""Most columns of the names of options; longer ones have a line of their own."""

Options = TypeVar("Options")


class ParsedCommand(TyperCommand):
    """Command whose values stay the texts that were given.

    typer would convert them with pydantic, whose import takes longer than most commands.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the texts into ``ctx.params``; return the words that are left."""
        if ctx.resilient_parsing:  # the shell completes a word
            return super().parse_args(ctx, args)
        given, rest, _ = self.make_parser(ctx).parse_args(args=args)
        for each in sorted(self.get_params(ctx), key=lambda each: not each.is_eager):
            value, _ = each.consume_value(ctx, given)
            if each.callback is not None:  # --help, --version and others that end here
                each.callback(ctx, each, value)
            elif each.expose_value:
                ctx.params[each.name] = value
        ctx.args = rest
        return rest


class HelpedCommand(ParsedCommand):
    """Command whose help has its options under headings."""

    options: Sequence[CommandOption] = ()
    panels: Mapping[str, Sequence[str]] = {}
    """Headings with the names of their options; others are arguments and options."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line: arguments that may be left out are in brackets."""
        arguments = [each for each in self.options if each.is_argument]
        words = [each.metavar if each.is_required else f"[{each.metavar}]" for each in arguments]
        return ["[OPTIONS]", *words]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options under their headings, all in the same columns."""
        sections = self.sections()
        names = [len(each.written) for part in sections.values() for each in part]
        widest = max((length for length in names if length <= _NAMES), default=_NAMES)
        for heading, part in sections.items():
            with formatter.section(heading):
                rows = [(each.written.ljust(widest), each.explained) for each in part]
                formatter.write_dl(rows, col_max=widest)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_ALSO)

    def sections(self) -> dict[str, list[CommandOption]]:
        """Return the listed options by heading."""
        listed = {each.name: each for each in self.options if each.name not in _UNLISTED}
        found = {head: [listed.pop(name) for name in names] for head, names in self.panels.items()}
        for each in listed.values():
            found.setdefault("Arguments" if each.is_argument else "Options", []).append(each)
        return found


def command(
    do: Callable[[Options], None],
    *,
    outlives_terminal: bool = False,
    panels: Mapping[str, str] | None = None,
) -> Any:
    """Return the command that fills the options dataclass of ``do`` and calls ``do`` with it.

    The docstring of the dataclass is the help; each field is annotated with an ``Opt``. Every
    command also takes the common options: ``--quiet``, ``--verbose``, ``--debug`` and ``--color``.
    ``outlives_terminal``: the command continues when the terminal is closed. ``panels``: headings
    of the help, each with the names of its fields.
    """
    kind = get_type_hints(do)["options"]
    fields, options = {each.name for each in dataclasses.fields(kind)}, options_of(kind)
    options += [each for each in COMMON if each.name not in fields]

    def call(ctx: typer.Context, **given: Any) -> None:
        before = {} if ctx.parent is None else ctx.parent.params
        for name in _SWITCHES:
            given[name] = given[name] or bool(before.get(name))
        values = _values(ctx, options, given)
        with ExitStack() as around:
            if outlives_terminal:
                around.enter_context(outliving_the_terminal())
            is_document = bool(values.get("as_json"))
            around.enter_context(endings(debug=given["debug"], as_json=is_document))
            do(kind(**{name: value for name, value in values.items() if name in fields}))

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"allow_extra_args": True}
    app.command(help=kind.__doc__, cls=HelpedCommand, context_settings=settings)(
        taking([each.parameter() for each in options], call)
    )
    made: Any = typer.main.get_command(app)
    made.options = options
    made.panels = {heading: names.split() for heading, names in (panels or {}).items()}
    return made


def parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    """Return a parameter of a function that typer reads."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def taking(
    parameters: Iterable[inspect.Parameter], call: Callable[..., None]
) -> Callable[..., None]:
    """Return the function with a signature from which typer makes a parser."""
    context = parameter("ctx", typer.Context, inspect.Parameter.empty)
    signature = inspect.Signature([context, *parameters])
    vars(call)["__signature__"] = signature
    call.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return call


def _values(
    ctx: typer.Context, options: Sequence[CommandOption], given: dict[str, Any]
) -> dict[str, Any]:
    """Return the values of all options by name, the colour being chosen. Raises BadInput."""
    where = ctx.command_path
    if missing := [each for each in options if each.is_required and not given[each.name]]:
        raise BadInput(f"{missing[0].flag}: missing; {where} --help explains it")
    if ctx.args:
        from arena.values.problems import quote

        found = quote(" ".join(ctx.args))
        raise BadInput(f"found {found}, expected no more; {where} --help explains")
    values = {each.name: each.read(given[each.name]) for each in options}
    read_color(values["color"])
    if {"as_json", "form"} <= values.keys():
        join_forms(values)
    if "settings" in values and values["isolation"] is not None:
        values["settings"] += (f"isolation.level={values['isolation']}",)
    return values


def read_color(text: str | None) -> None:
    """Set the colour mode; None leaves it unchanged. ``text``: a value of ``--color``."""
    if text is not None:
        choose_color(Color(text))
