"""Build a command from a dataclass of options and a function that takes an instance of it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin, get_type_hints

import typer

from arena.cli.options import ColorText, Debug, FormText, Isolation, all_settings
from arena.cli.terminal.console import Color, choose_color, endings
from arena.cli.terminal.signals import outliving_the_terminal
from arena.cli.usage import refuse
from arena.documents.bad_input import BadInput

_NUMBERS: Final[dict[Callable[[str], float], str]] = {int: "a whole number", float: "a number"}
_PLAIN: Final = "txt"
_JSON: Final = "json"
_NOTHING: Final = inspect.Parameter.empty

Options = TypeVar("Options")


class _Number:
    """A numeric option, read here instead of in the parser so that arena words its errors."""

    def __init__(self, name: str, kind: Callable[[str], float], info: Any) -> None:
        written = [each for each in (info.default, *(info.param_decls or ())) if each is not ...]
        self._name = max(
            [*map(str, written), f"--{name.replace('_', '-')}"][: len(written) or 1], key=len
        )
        self._kind, self._low, self._high = kind, info.min, info.max

    def read(self, text: str) -> float:
        """Return the number written in ``text``. Raises BadInput."""
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


def command(do: Callable[[Options], None], *, outlives_terminal: bool = False) -> Any:
    """Return the command that fills the options dataclass of ``do`` and calls ``do`` with it.

    The docstring of the dataclass is the help; each field is annotated with its typer option. If
    there is a field ``settings``, ``--isolation`` adds to it. Every command also takes ``--debug``
    and ``--color``, and with a field ``as_json`` also ``--format json``. ``outlives_terminal``: the
    command continues when the terminal is closed.
    """
    kind = get_type_hints(do)["options"]
    words = get_type_hints(kind, include_extras=True)
    own = {each.name: each for each in dataclasses.fields(kind)}
    numbers: dict[str, _Number] = {}
    parameters = []
    for name, field in own.items():
        hint = words[name]
        default = _NOTHING if field.default is dataclasses.MISSING else field.default
        if (number := _number(hint)) is not None:
            base, info = number
            numbers[name] = _Number(name, base, info)
            hint = _as_text(info)
            default = default if default in (None, _NOTHING) else f"{default:g}"
        elif get_origin(get_args(hint)[0]) is tuple:
            hint, default = _as_list(hint, default)
        parameters.append(_parameter(name, hint, default))
        if name == "settings":
            parameters.append(_parameter("isolation", Isolation, None))
    takes_json, takes_form = "as_json" in own, "form" in own
    parameters.append(_parameter("debug", Debug, False))
    if takes_json and not takes_form:
        parameters.append(_parameter("form", FormText, _PLAIN))
    parameters.append(_parameter("color", ColorText, None))

    def call(**given: Any) -> None:
        debug = given.pop("debug")
        try:
            read_color(given.pop("color"))
            if takes_json:
                _join_forms(given, takes_form=takes_form)
            for name, number in numbers.items():
                if given[name] is not None:
                    given[name] = number.read(given[name])
        except BadInput as problem:
            refuse(str(problem), as_json=bool(given.get("as_json")))
        with ExitStack() as around:
            if outlives_terminal:
                around.enter_context(outliving_the_terminal())
            around.enter_context(endings(debug=debug, as_json=bool(given.get("as_json"))))
            if "settings" in given:
                given["settings"] = all_settings(given["settings"], given.pop("isolation"))
            do(kind(**{name: _frozen(value, own[name]) for name, value in given.items()}))

    vars(call)["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(help=kind.__doc__)(call)
    return typer.main.get_command(app)


def read_color(text: str | None) -> None:
    """Set the colour mode; None leaves it unchanged. Raises BadInput."""
    if text is None:
        return
    try:
        choose_color(Color(text))
    except ValueError:
        words = '"auto", "always" or "never"'
        raise BadInput(f"--color: found {_quoted(text)}, expected {words}") from None


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _number(hint: Any) -> tuple[type, Any] | None:
    """Return the type and the typer option of a numeric option; None for other options."""
    base, *more = get_args(hint)
    [bare] = [each for each in get_args(base) if each is not type(None)][:1] or [base]
    return (bare, more[0]) if bare in _NUMBERS and isinstance(base, type | UnionType) else None


def _as_text(info: Any) -> Any:
    changed = copy.copy(info)
    changed.min = changed.max = None
    changed.metavar = info.metavar or "N"
    return Annotated[str | None, changed]


def _as_list(hint: Any, default: Any) -> tuple[Any, Any]:
    """Return type and default of a repeatable option; the parser gives a list or None."""
    info = get_args(hint)[1]
    if default is _NOTHING:
        return Annotated[list[str], info], default
    return Annotated[list[str] | None, info], None


def _frozen(value: Any, field: dataclasses.Field[Any]) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return field.default if value is None and field.default == () else value


def _join_forms(given: dict[str, Any], *, takes_form: bool) -> None:
    """Merge ``--format`` and ``--json`` in ``given``. Raises BadInput."""
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


def _quoted(text: str) -> str:
    from arena.documents.problems import quote

    return quote(text)
