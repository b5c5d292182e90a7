"""The one exception of the Python interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from arena.documents.bad_input import BadInput
from arena.documents.problems import ConfigError
from arena.games.base import RulesError
from arena.ratings.plain.read import ResultsError
from arena.records.read import RecordError
from arena.runs.disk import StoreError
from arena.views.export.pack import PackError

_OWN: Final = (
    BadInput,
    ConfigError,
    PackError,
    RecordError,
    ResultsError,
    RulesError,
    StoreError,
)


class Error(Exception):
    """Raised for bad input, damaged runs and missing packages; the text is the explanation."""


@contextmanager
def as_error() -> Iterator[None]:
    """Turn the exceptions with which arena refuses something into Error."""
    try:
        yield
    except _OWN as error:
        raise Error(str(error)) from None
