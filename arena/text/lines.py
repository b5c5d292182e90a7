"""What a screen consists of."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """One line of a screen."""

    text: str
    strong: bool = False
