"""Even selection from too many items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")

POINTS: Final = 500
"""Most points of a curve or a cloud; of more, a part is drawn."""


def thinned(items: Sequence[T], most: int = POINTS) -> list[T]:
    """Return at most ``most`` items in their order, evenly chosen, first and last included."""
    if len(items) <= most:
        return list(items)
    if most < 2:
        return list(items[:most])
    last = len(items) - 1
    return [items[k * last // (most - 1)] for k in range(most)]
