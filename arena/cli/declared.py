"""Options of a dataclass as parameters of the parser, and the parsed values as its fields."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import typer

from arena.cli import choices
from arena.cli.choices import OneOf
from arena.cli.common import FormText, Isolation
from arena.documents.bad_input import BadInput
from arena.documents.option import Opt

_NUMBERS: Final[dict[Callable[[str], float], str]] = {int: "a whole number", float: "a number"}
_NOTHING: Final = inspect.Parameter.empty
_NEEDED: Final = dataclasses.MISSING
JSON: Final = "json"
_PLAIN: Final = "txt"


class Declared:
    """The parameters of a command, from the fields of the dataclass ``kind``.

    A field ``settings`` brings ``--isolation`` with it. A field ``as_json`` brings ``--format``,
    unless another field is that option.
    """

    def __init__(self, kind: Any) -> None:
        hints = get_type_hints(kind, include_extras=True)
        words = {name: _of_parser(hint) for name, hint in hints.items()}
        fields = sorted(dataclasses.fields(kind), key=lambda each: _is_option(words[each.name]))
        self._own = {each.name: each for each in fields}
        self._options: dict[str, _Option] = {}
        for name, field in self._own.items():
            default = _NOTHING if field.default is _NEEDED else field.default
            self._add(name, words[name], default)
            if name == "settings":
                self._add("isolation", Isolation, None)
        flags = {option.flag for option in self._options.values()}
        self._adds_form = "as_json" in self._own and "--format" not in flags
        if self._adds_form:
            self._add("form", FormText, _PLAIN)

    def _add(self, name: str, hint: Any, default: Any) -> None:
        self._options[name] = _Option(name, hint, default)

    def has(self, name: str) -> bool:
        """Return whether there is such a field."""
        return name in self._own

    def parameters(self) -> Iterator[inspect.Parameter]:
        """Yield the parameters of the parser."""
        for option in self._options.values():
            yield option.parameter()

    def read(self, given: dict[str, Any]) -> None:
        """Check the parsed values, and put numbers into ``given``. Raises BadInput."""
        for option in self._options.values():
            option.check(given)
        if self._adds_form or {"as_json", "form"} <= self._own.keys():
            _join_forms(given)
        if self._adds_form:
            del given["form"]

    def fields(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values for the dataclass: tuples for lists, none for what is absent."""
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
            if value is not None or self._own[name].default is _NEEDED
        }


class _Option:
    """A parameter of the parser with the marks of its annotation.

    Numbers are read here instead of in the parser, so that arena words the errors.
    """

    def __init__(self, name: str, hint: Any, default: Any) -> None:
        self._name = name
        base, info, *marks = get_args(hint)
        self._reads: Callable[[str], object] | None = next(
            (each.reads for each in marks if isinstance(each, Opt)), None
        )
        self._info = copy.copy(info)
        self._choices = next((each for each in marks if isinstance(each, OneOf)), None)
        self.flag = _flag(name, info)
        if base is bool and not _names(info):
            self._info.default = self.flag  # without a name the parser adds --no-NAME
        [bare] = [each for each in get_args(base) if each is not type(None)][:1] or [base]
        is_list = get_origin(base) is tuple
        self._number = None
        if self._reads is not None:
            base, default = str | None, None
        elif not is_list and bare in _NUMBERS and isinstance(base, type | UnionType):
            self._number = bare
            self._low, self._high = info.min, info.max
            self._info.min = self._info.max = None
            base = str | None
            default = default if default in (None, _NOTHING) else f"{default:g}"
        elif is_list:
            is_needed = default is _NOTHING
            base, default = (list[str] if is_needed else list[str] | None), default
            default = default if is_needed else None
        elif isinstance(bare, type) and issubclass(bare, StrEnum):
            self._reads = bare
            self._choices = self._choices or OneOf(*bare)
            base = str | None
        if self._info.metavar is None:
            self._info.metavar = self._metavar(bare)
        if self._choices is not None:
            self._info.autocompletion = self._choices.complete
        self._base, self._default = base, default

    def _metavar(self, bare: Any) -> str | None:
        if self._choices is not None:
            return "|".join(self._choices.words)
        if self._number is not None:
            return "N"
        return {bool: None, Path: "PATH"}.get(bare, "TEXT")

    def parameter(self) -> inspect.Parameter:
        """Return the parameter of the parser."""
        return parameter(self._name, Annotated[self._base, self._info], self._default)

    def check(self, given: dict[str, Any]) -> None:
        """Check the value in ``given``; replace text by what it stands for. Raises BadInput."""
        value = given[self._name]
        if value is None:
            return
        if self._choices is not None:
            for each in value if isinstance(value, list) else [value]:
                self._choices.check(self.flag, each)
        if self._reads is not None:
            try:
                given[self._name] = self._reads(value)
            except ValueError as error:
                raise BadInput(f"{self.flag}: found {_quoted(value)}, {error}") from None
        if self._number is not None:
            given[self._name] = self._read(self._number, value)

    def _read(self, kind: Callable[[str], float], text: str) -> float:
        value: float | None = None
        with suppress(ValueError):
            value = kind(text)
        low, high = self._low, self._high
        if (
            value is None
            or not (low is None or value >= low)
            or not (high is None or value <= high)
        ):
            expected = _NUMBERS[kind]
            if low is not None:
                to = f"from {low:,} to {high:,}" if high is not None else f"of at least {low:,}"
                expected = f"{expected} {to}"
            raise BadInput(f"{self.flag}: found {_quoted(text)}, expected {expected}")
        return value


def parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    """Return a parameter of a function that the parser calls."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _of_parser(hint: Any) -> Any:
    """Return the hint with what the parser takes in place of an ``Opt``."""
    base, mark, *_ = get_args(hint)
    if not isinstance(mark, Opt):
        return hint
    info = (typer.Argument if mark.is_argument else typer.Option)(
        *mark.names.split(),
        help=mark.help,
        metavar=mark.metavar,
        min=mark.least,
        max=mark.most,
        show_default=mark.shows_default,
        autocompletion=getattr(choices, mark.completes, None),
    )
    return Annotated[base, info, mark, *([OneOf(*mark.one_of)] if mark.one_of else [])]


def _is_option(hint: Any) -> bool:
    """Return whether a field is an option, which follows the arguments."""
    return hasattr(get_args(hint)[1], "prompt")


def _flag(name: str, info: Any) -> str:
    """Return the longest name of an option, as messages use it; of an argument its metavar."""
    if not hasattr(info, "prompt"):  # an argument
        return str(info.metavar or name.upper())
    return max(_names(info), key=len, default=f"--{name.replace('_', '-')}")


def _names(info: Any) -> list[str]:
    """Return the names that an option was given."""
    return [str(each) for each in (info.default, *(info.param_decls or ())) if each is not ...]


def _join_forms(given: dict[str, Any]) -> None:
    """Merge ``--format`` and ``--json`` in ``given``. Raises BadInput."""
    form = given["form"]
    if given["as_json"] and form not in (_PLAIN, JSON):
        raise BadInput(f"--format: found {_quoted(form)} with --json, expected json")
    given["as_json"] = given["as_json"] or form == JSON
    if given["as_json"]:
        given["form"] = JSON


def _quoted(text: str) -> str:
    from arena.documents.problems import quote

    return quote(text)
