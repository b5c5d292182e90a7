"""A part of a page: a table with a title, its remarks, and the same numbers for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from arena.text.grid import Column


class Panel(NamedTuple):
    """One table of several that are shown below each other."""

    key: str
    """Names it in JSON and in the CSV column ``panel``."""
    title: str
    columns: Sequence[Column]
    """Rounded, for people; names are made safe by the ``Show`` it was built with. Without columns
    the remarks are all there is to say."""
    remarks: Sequence[str]
    data: Any
    """What JSON says: plain values or msgspec structs, numbers unrounded. In CSV a list of objects
    gives a row for each, and an object a row for its values besides those of its lists. None: the
    numbers are those of another panel."""
