"""Checks of what programs pass to the public functions."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import wraps
from inspect import signature
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from arena.api.errors import as_error
from arena.api.tables import Table
from arena.documents.bad_input import BadInput
from arena.documents.problems import quote

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
COUNT: Final = ArgumentKind("a whole number from 1", lambda value: _is_whole(value) and value >= 1)
NUMBER: Final = ArgumentKind("a number", _is_number)
SEED: Final = ArgumentKind(
    "text or a whole number", lambda value: isinstance(value, str) or _is_whole(value)
)
FLAG: Final = ArgumentKind("true or false", lambda value: isinstance(value, bool))
FUNCTION: Final = ArgumentKind("a function", callable)
MAPPING: Final = ArgumentKind("a mapping with text as keys", _is_mapping)
ROWS: Final = ArgumentKind(
    "rows, such as those of run.seats() or frame.to_dict('records')",
    lambda value: (
        isinstance(value, Table) or (isinstance(value, Iterable) and not hasattr(value, "columns"))
    ),
)


def check_argument(name: str, value: object, kind: ArgumentKind) -> None:
    """Raise BadInput unless a value is of its kind."""
    if not kind.fits(value):
        raise BadInput(f"{name}: found {_shown(value)}, expected {kind.words}")


def _shown(value: object) -> str:
    """Return a value for a message; of a large object only its type."""
    if value is None or isinstance(value, str | int | float | tuple | list | dict):
        return quote(value)
    return f"{type(value).__name__} object"


def checked(**kinds: ArgumentKind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that checks arguments by name and turns refusals into Error.

    None is accepted where it is the default.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = signature(function)
        defaults = {name: each.default for name, each in own.parameters.items()}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = own.bind(*args, **kwargs).arguments
            except TypeError:
                return function(*args, **kwargs)  # raises it with its name
            with as_error():
                for name, kind in kinds.items():
                    if name in given and (given[name] is not None or defaults[name] is not None):
                        check_argument(name, given[name], kind)
                return function(*args, **kwargs)

        return call

    return decorate
