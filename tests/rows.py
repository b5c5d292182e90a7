"""Rows of a table of tests: some for every change, all of them before a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def some(rows: Sequence[Any], *, every: int) -> list[Any]:
    """Return the rows for ``parametrize``; all but each ``every``-th are marked ``soak``."""
    return [
        row if index % every == 0 else pytest.param(*_values(row), marks=pytest.mark.soak)
        for index, row in enumerate(rows)
    ]


def _values(row: Any) -> tuple[Any, ...]:
    return row if type(row) is tuple else (row,)
