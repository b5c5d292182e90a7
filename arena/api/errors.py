"""The one exception of the Python interface."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from arena.documents.bad_input import BadInput
from arena.documents.problems import ConfigError
from arena.games.base import RulesError
from arena.hosting.sandbox.isolation import IsolationError
from arena.ratings.plain.read import ResultsError
from arena.records.read import RecordError
from arena.runs.disk import StoreError
from arena.tournament.jobs import PoolError
from arena.views.export.pack import PackError

_OWN: Final = (
    BadInput,
    ConfigError,
    IsolationError,
    PackError,
    PoolError,
    RecordError,
    ResultsError,
    RulesError,
    StoreError,
)


_OPTION: Final = re.compile(r"^--?([a-z][a-z0-9-]*)(?=[ :])")
"""Option of a command, with which a message begins."""
_ARGUMENTS: Final = {"g": "game", "set": "settings"}


class Error(Exception):
    """Raised for bad input, damaged runs and missing packages; the text is the explanation."""


@contextmanager
def as_error() -> Iterator[None]:
    """Turn the exceptions with which arena refuses something into Error."""
    try:
        yield
    except _OWN as error:
        raise Error(_OPTION.sub(_argument, str(error))) from None


def _argument(option: re.Match[str]) -> str:
    """Return the name of the argument for an option of a command."""
    return _ARGUMENTS.get(option[1], option[1].replace("-", "_"))
