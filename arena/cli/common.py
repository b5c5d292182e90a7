"""What every command takes besides its own options, and one way to say that a call is wrong."""

from __future__ import annotations

import copy
import functools
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import UnionType
from typing import Annotated, Any, Final, NoReturn, TypeVar, cast, get_args, get_type_hints

import typer

from arena.cli.terminal.console import Color, Exit, choose_color, error, print_error
from arena.documents.bad_input import BadInput

USAGE_ERROR: Final[type[Exception]] = typer.BadParameter.__mro__[1]
"""What the parser raises for a call that is wrong."""
_EXTRA: Final = re.compile(r"unexpected extra arguments?(\(s\))? \((?P<words>.*)\)", re.DOTALL)
_COMMAND: Final = re.compile(r"No such command '(?P<name>.*?)'", re.DOTALL)
_NUMBERS: Final[dict[Callable[[str], float], str]] = {int: "a whole number", float: "a number"}
_PLAIN: Final = "txt"
_JSON: Final = "json"

Function = TypeVar("Function", bound=Callable[..., Any])


def colors(incomplete: str) -> list[str]:
    """For completion."""
    return [each.value for each in Color if each.value.startswith(incomplete)]


def forms(incomplete: str) -> list[str]:
    """For completion, where there are no others."""
    return [each for each in (_PLAIN, _JSON) if each.startswith(incomplete)]


ColorText = Annotated[
    str | None,
    typer.Option(
        "--color",
        metavar="auto|always|never",
        autocompletion=colors,
        help="Whether to colour what is printed. Default: auto.",
    ),
]
FormText = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORM",
        autocompletion=forms,
        help="txt, or json: the same as --json.",
        show_default=False,
    ),
]


class _Number:
    """An option that is a number, read here so that the words are ours."""

    def __init__(self, name: str, kind: Callable[[str], float], info: Any) -> None:
        written = [each for each in (info.default, *(info.param_decls or ())) if each is not ...]
        self._name = max(
            [*map(str, written), f"--{name.replace('_', '-')}"][: len(written) or 1], key=len
        )
        self._kind, self._low, self._high = kind, info.min, info.max

    def read(self, text: str) -> float:
        """Raises BadInput."""
        value: float | None = None
        with suppress(ValueError):
            value = self._kind(text)
        if value is None or not self._fits(value):
            found, expected = _quoted(text), _NUMBERS[self._kind]
            low, high = self._low, self._high
            if low is not None:
                to = f"from {low:,} to {high:,}" if high is not None else f"of at least {low:,}"
                expected = f"{expected} {to}"
            raise BadInput(f"{self._name}: found {found}, expected {expected}")
        return value

    def _fits(self, value: float) -> bool:
        low = self._low is None or value >= self._low
        return low and (self._high is None or value <= self._high)


def with_common(function: Function) -> Function:
    """The command with ``--color``, and with ``--json`` and ``--format json`` for one another."""
    hints = get_type_hints(function, include_extras=True)
    own = inspect.signature(function).parameters
    numbers: dict[str, _Number] = {}
    parameters = []
    for name, each in own.items():
        kind, default = hints[name], each.default
        if (number := _number(kind)) is not None:
            base, info = number
            numbers[name] = _Number(name, base, info)
            kind = _as_text(info)
            default = None if default is None else f"{default:g}"
        parameters.append(_parameter(name, kind, default))
    takes_json, takes_form = "as_json" in own, "form" in own
    if takes_json and not takes_form:
        parameters.append(_parameter("form", FormText, _PLAIN))
    parameters.append(_parameter("color", ColorText, None))

    @functools.wraps(function)
    def command(**given: Any) -> Any:
        try:
            read_color(given.pop("color"))
            if takes_json:
                _join_forms(given, takes_form=takes_form)
            for name, number in numbers.items():
                if given[name] is not None:
                    given[name] = number.read(given[name])
        except BadInput as problem:
            refuse(str(problem), as_json=bool(given.get("as_json")))
        return function(**given)

    vars(command)["__signature__"] = inspect.Signature(parameters)
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return cast("Function", command)


def read_color(text: str | None) -> None:
    """Colour as asked; nothing changes without. Raises BadInput."""
    if text is None:
        return
    try:
        choose_color(Color(text))
    except ValueError:
        words = '"auto", "always" or "never"'
        raise BadInput(f"--color: found {_quoted(text)}, expected {words}") from None


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _number(kind: Any) -> tuple[type, Any] | None:
    """The type of an option that is a number, and what was said of it."""
    base, *more = get_args(kind)
    [bare] = [each for each in get_args(base) if each is not type(None)] or [base]
    return (bare, more[0]) if bare in _NUMBERS and isinstance(base, type | UnionType) else None


def _as_text(info: Any) -> Any:
    changed = copy.copy(info)
    changed.min = changed.max = None
    changed.metavar = info.metavar or "N"
    return Annotated[str | None, changed]


def _join_forms(given: dict[str, Any], *, takes_form: bool) -> None:
    """Raises BadInput."""
    form = given["form"]
    if given["as_json"] and form not in (_PLAIN, _JSON):
        raise BadInput(f"--format: found {_quoted(form)} with --json, expected json")
    if not takes_form and form not in (_PLAIN, _JSON):
        raise BadInput(f"--format: found {_quoted(form)}, expected txt or json")
    given["as_json"] = given["as_json"] or form == _JSON
    if not takes_form:
        del given["form"]
    elif given["as_json"]:
        given["form"] = _JSON


def refuse(text: str, *, as_json: bool = False) -> NoReturn:
    """End because of a call that is wrong."""
    error(text)
    if as_json:
        print_error(BadInput(text), Exit.BAD_INPUT)
    raise typer.Exit(Exit.BAD_INPUT)


def told(problem: Any) -> str:
    """What the parser found wrong, in our words and on one line."""
    message = str(getattr(problem, "message", "")) or str(problem)
    where = getattr(getattr(problem, "ctx", None), "command_path", "arena")
    kind = type(problem).__name__
    if kind == "MissingParameter":
        return f"{_name(problem.param)}: missing; {where} --help tells what it is"
    if kind == "NoSuchOption":
        return f"unknown option {_quoted(problem.option_name)}{_similar(problem.possibilities)}"
    if kind == "BadOptionUsage":
        return f"{problem.option_name}: found no value, expected one"
    if (found := _EXTRA.search(message)) is not None:
        return f"found {_quoted(found['words'])}, expected no more; {where} --help tells what"
    if (found := _COMMAND.search(message)) is not None:
        known = getattr(getattr(problem.ctx, "command", None), "commands", {})
        return f"unknown command {_quoted(found['name'])}{_closest(found['name'], known)}"
    return " ".join(message.split())


def _name(param: Any) -> str:
    """``--deals``, or for an argument ``BOT``."""
    if param.param_type_name == "argument":
        return str(param.metavar or param.name.upper())
    return str(max(param.opts, key=len))


def _similar(words: Sequence[str] | None) -> str:
    return f" (did you mean {_quoted(sorted(words)[0])}?)" if words else ""


def _closest(word: str, known: Mapping[str, object]) -> str:
    from arena.documents.problems import did_you_mean

    hint = did_you_mean(word, known)
    return f" ({hint})" if hint else ""


def _quoted(text: str) -> str:
    from arena.documents.problems import quote

    return quote(text)


def run(app: typer.Typer) -> NoReturn:
    """Parse the call, do what it says, and end."""
    try:
        code = app(prog_name="arena", standalone_mode=False)
    except USAGE_ERROR as problem:
        if type(problem).__name__ == "NoArgsIsHelpError":
            typer.echo(str(problem))
            sys.exit(Exit.BAD_INPUT)
        text = told(problem)
        error(text)
        if {"--json", "--format=json"} & {*sys.argv}:
            print_error(BadInput(text), Exit.BAD_INPUT)
        sys.exit(Exit.BAD_INPUT)
    except typer.Abort:
        sys.exit(Exit.INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)
