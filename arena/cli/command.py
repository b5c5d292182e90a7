"""Build a command from a dataclass of options and a function that takes an instance of it.

A field of the dataclass is an option: how it is written and explained, and its value in a call.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from arena.cli import choices
from arena.cli.common import ColorText, Debug, FormText, Isolation, Quiet, Verbose
from arena.cli.terminal.console import Color, choose_color, endings
from arena.cli.terminal.signals import outliving_the_terminal
from arena.values.bad_input import BadInput
from arena.values.option import Arg

_NUMBERS: Final = {int: "a whole number", float: "a number"}
JSON: Final = "json"
_PLAIN: Final = "txt"


class CommandOption:
    """An option or argument of a command: a field of a dataclass with its mark."""

    def __init__(self, name: str, hint: Any, default: Any = dataclasses.MISSING) -> None:
        """Describe the field ``name`` by its annotated type; without a default it is required."""
        kind, self.mark, *_ = get_args(hint)
        self.name = name
        self.default = default
        self.is_argument = isinstance(self.mark, Arg)
        self.is_required = default is dataclasses.MISSING
        self.is_list = get_origin(kind) is tuple
        [self._kind] = [each for each in get_args(kind) if each not in (type(None), ...)] or [kind]
        self.is_flag = self._kind is bool
        is_enum = isinstance(self._kind, type) and issubclass(self._kind, Enum)
        self._words = self.mark.one_of
        if is_enum and not self._words:
            self._words = tuple(str(each.value) for each in self._kind)
        self._names = self.mark.names.split() or [f"--{name.replace('_', '-')}"]

    @property
    def metavar(self) -> str:
        """Placeholder of a value in help texts."""
        if self.mark.metavar or self.is_flag:
            return str(self.mark.metavar)
        usual = {int: "N", float: "N", Path: "PATH"}.get(self._kind, "TEXT")
        return "|".join(self._words) or ("TEXT" if self.mark.reads else usual)

    @property
    def flag(self) -> str:
        """Longest name, as messages use it; the placeholder of an argument."""
        return self.metavar if self.is_argument else max(self._names, key=len)

    @property
    def written(self) -> str:
        """Names and placeholder, as help texts list them."""
        if self.is_argument:
            return self.metavar
        return " ".join(filter(None, [", ".join(sorted(self._names, key=len)), self.metavar]))

    @property
    def explained(self) -> str:
        """Help text with the default."""
        words, default = [self.mark.help], getattr(self.default, "value", self.default)
        if self.is_required and not self.is_argument:
            words.append("Required.")
        is_shown = self.mark.shows_default and self.mark.reads is None
        if is_shown and default not in (dataclasses.MISSING, None, False, "", ()):
            is_number = self._kind in _NUMBERS
            words.append(f"Default: {f'{default:g}' if is_number else default}.")
        return " ".join(filter(None, words))

    def parameter(self) -> inspect.Parameter:
        """Return the parameter of a function from which typer makes its parser: it reads texts."""
        completed = self._completed if self._words else self._completion()
        given = {"metavar": self.metavar, "help": self.mark.help, "autocompletion": completed}
        kind: Any = bool if self.is_flag else list[str] | None if self.is_list else str | None
        info = typer.Argument(**given) if self.is_argument else typer.Option(*self._names, **given)
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if self.is_flag else None,
            annotation=Annotated[kind, info],
        )

    def _completion(self) -> Any:
        named = self.mark.completes
        return getattr(choices, named, None) if isinstance(named, str) else named

    def _completed(self, incomplete: str) -> list[str]:
        return choices.beginning(self._words, incomplete)

    def read(self, given: Any) -> Any:
        """Return the value of the text or texts of a call, which may be None. Raises BadInput."""
        if self.is_flag:
            return given
        if given is None or (self.is_list and not given):
            return self.default
        return tuple(map(self._value, given)) if self.is_list else self._value(given)

    def _value(self, text: str) -> Any:
        if self._words:
            from arena.values.problems import check_one_of

            check_one_of(self.flag, text, self._words)
        if self.mark.reads is not None:
            try:
                return self.mark.reads(text)
            except ValueError as error:
                raise BadInput(f"{self.flag}: found {_quoted(text)}, {error}") from None
        return self._number(text) if self._kind in _NUMBERS else self._kind(text)

    def _number(self, text: str) -> float:
        """Return a number; typer's parser would word the errors differently. Raises BadInput."""
        low, high = self.mark.least, self.mark.most
        value: float | None = None
        with suppress(ValueError):
            value = self._kind(text)
        if (
            value is None
            or not (low is None or value >= low)
            or not (high is None or value <= high)
        ):
            expected = _NUMBERS[self._kind]
            if low is not None:
                to = f"from {low:,} to {high:,}" if high is not None else f"of at least {low:,}"
                expected = f"{expected} {to}"
            raise BadInput(f"{self.flag}: found {_quoted(text)}, expected {expected}")
        return value


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


def options_of(kind: Any) -> list[CommandOption]:
    """Return the arguments and options of the dataclass ``kind``.

    A field ``settings`` brings ``--isolation`` with it. A field ``as_json`` brings ``--format``,
    unless another field is that option.
    """
    hints = get_type_hints(kind, include_extras=True)
    found = [
        CommandOption(each.name, hints[each.name], each.default)
        for each in dataclasses.fields(kind)
    ]
    arguments = [each for each in found if each.is_argument]
    options: list[CommandOption] = []
    for each in found:
        if not each.is_argument:
            options.append(each)
        if each.name == "settings":
            options.append(CommandOption("isolation", Isolation, None))
    flags = [each.flag for each in options]
    if "--json" in flags and "--format" not in flags:
        options.append(CommandOption("form", FormText, _PLAIN))
    return [*arguments, *options]


def join_forms(values: dict[str, Any]) -> None:
    """Merge ``--format`` and ``--json`` in ``values``. Raises BadInput."""
    form = values["form"]
    if values["as_json"] and form not in (_PLAIN, JSON):
        raise BadInput(f"--format: found {_quoted(form)} with --json, expected json")
    values["as_json"] = values["as_json"] or form == JSON
    if values["as_json"]:
        values["form"] = JSON


def _quoted(text: str) -> str:
    from arena.values.problems import quote

    return quote(text)
