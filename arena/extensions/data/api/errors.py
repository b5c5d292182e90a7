"""The one exception of the Python interface, and checks of what programs pass to its functions."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import ContextDecorator, suppress
from functools import wraps
from inspect import signature
from operator import index
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from arena import extensions
from arena.games.base import RulesError
from arena.hosting.sandbox.isolation import IsolationError
from arena.referee.records.read import RecordError
from arena.runs.disk import StoreError
from arena.tournament.executor import PoolError
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError, quote

_OWN: Final = (
    BadInput,
    ConfigError,
    IsolationError,
    PoolError,
    RecordError,
    RulesError,
    StoreError,
)


_OPTION: Final = re.compile(r"^--?([a-z][a-z0-9-]*)(?=[ :])", re.MULTILINE)
"""Option of a command, with which a line of a message begins."""
_ARGUMENTS: Final = {"g": "game", "set": "settings"}


class Error(Exception):
    """Raised for bad input, damaged runs and missing packages; the text is the explanation."""


class _Refusals(ContextDecorator):
    """See ``as_error``."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, (*_OWN, ModuleNotFoundError)):
            return
        if told := str(error) if isinstance(error, _OWN) else extensions.uninstalled(error):
            if isinstance(error, ConfigError):  # its last line is for who starts a command
                told = told.rpartition("\n")[0]
            raise Error(_OPTION.sub(_argument, told)) from None


def as_error() -> _Refusals:
    """Turn the exceptions with which arena refuses something into Error."""
    return _Refusals()


def _argument(option: re.Match[str]) -> str:
    """Return the name of the argument for an option of a command."""
    return _ARGUMENTS.get(option[1], option[1].replace("-", "_"))


P = ParamSpec("P")
R = TypeVar("R")


class ArgumentKind(NamedTuple):
    """Kind of value that an argument accepts."""

    words: str
    fits: Callable[[Any], bool]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_path(value: object) -> bool:
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    return isinstance(found, str) and found != "" and "\0" not in found


def _are_texts(value: object) -> bool:
    if isinstance(value, str) or not isinstance(value, Sequence | Set):
        return False
    return all(isinstance(each, str) for each in value)


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


TEXT: Final = ArgumentKind("text", lambda value: isinstance(value, str))
TEXTS: Final = ArgumentKind("a list of texts", _are_texts)
TEXT_OR_TEXTS: Final = ArgumentKind(
    "text or a list of texts", lambda value: isinstance(value, str) or _are_texts(value)
)
PATH: Final = ArgumentKind("a path", _is_path)
WHOLE: Final = ArgumentKind("a whole number", _is_whole)
_FROM_0: Final = ArgumentKind(
    "a whole number from 0", lambda value: _is_whole(value) and value >= 0
)
COUNT: Final[ArgumentKind] = ArgumentKind(
    "a whole number from 1", lambda value: _is_whole(value) and value >= 1
)
NUMBER: Final = ArgumentKind("a number", _is_number)
SEED: Final = ArgumentKind(
    "text or a whole number", lambda value: isinstance(value, str) or _is_whole(value)
)
FLAG: Final = ArgumentKind("true or false", lambda value: isinstance(value, bool))
FUNCTION: Final = ArgumentKind("a function", callable)
MAPPING: Final = ArgumentKind("a mapping with text as keys", _is_mapping)
_BY_ANNOTATION: Final = {
    "str": TEXT,
    "Sequence[str]": TEXTS,
    "str | Sequence[str]": TEXT_OR_TEXTS,
    "str | os.PathLike[str]": PATH,
    "int": WHOLE,
    "float": NUMBER,
    "str | int": SEED,
    "bool": FLAG,
    "Callable": FUNCTION,
    "Mapping": MAPPING,
}
"""Kind of an argument by its annotation, or by the name of its generic type."""


def check_argument(name: str, value: object, kind: ArgumentKind) -> None:
    """Raise BadInput unless a value is of its kind."""
    if not kind.fits(value):
        raise BadInput(f"{name}: found {_shown(value)}, expected {kind.words}")


def seed_of(value: Any) -> int:
    """Return the seed of games, perhaps of a type of numpy, as an int. Raises BadInput."""
    found = value
    with suppress(TypeError):  # then it is no whole number
        found = value if isinstance(value, bool) else index(value)
    check_argument("seed", found, _FROM_0)
    return int(found)


def _shown(value: object) -> str:
    """Return a value for a message; of any other type only the name of the type."""
    if value is None or isinstance(value, str | int | float | tuple | list | dict):
        return quote(value)
    return f"{type(value).__name__} object"


def _kind_of(annotation: str) -> ArgumentKind | None:
    """Return the kind of an argument; None for one that the function checks itself."""
    found = annotation.removesuffix(" | None")
    return _BY_ANNOTATION.get(found) or _BY_ANNOTATION.get(found.partition("[")[0])


def checked(**kinds: ArgumentKind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that checks arguments and turns refusals into Error.

    ``kinds``: those that do not follow from the annotations, by name. None is accepted where it is
    the default.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = signature(function)
        defaults = {name: each.default for name, each in own.parameters.items()}
        found = {name: _kind_of(each.annotation) for name, each in own.parameters.items()}
        wanted = {name: kind for name, kind in (found | kinds).items() if kind is not None}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = own.bind(*args, **kwargs).arguments
            except TypeError:
                return function(*args, **kwargs)  # raises it with its name
            with as_error():
                for name, kind in wanted.items():
                    if (
                        kind is not None
                        and name in given
                        and (given[name] is not None or defaults[name] is not None)
                    ):
                        check_argument(name, given[name], kind)
                return function(*args, **kwargs)

        return call

    return decorate
