"""Rows of a table of tests: some for every change, all of them before a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def some(
    rows: Sequence[Any],
    *,
    every: int,
    alone: bool = False,
    mark: pytest.MarkDecorator = pytest.mark.soak,
) -> list[Any]:
    """Return the rows for ``parametrize``; all but each ``every``-th are marked, as ``soak``.

    A tuple is the values of several parameters, or with ``alone`` the value of one.
    """
    return [
        row if index % every == 0 else pytest.param(*_values(row, alone), marks=mark)
        for index, row in enumerate(rows)
    ]


def _values(row: Any, alone: bool) -> tuple[Any, ...]:
    return row if type(row) is tuple and not alone else (row,)
