"""Options of a dataclass: how they are written and explained, and the values of their texts."""

from __future__ import annotations

import dataclasses
import inspect
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import typer

from arena.cli import choices
from arena.cli.common import FormText, Isolation
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
