"""Probabilities of tests: many read at once, and in the digits that machines agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LEVEL: Final = 0.05
"""Chance that any of a family of true hypotheses is rejected."""
LEAST: Final = 1e-16
"""Of a p-value from a difference to 1, whose rounding error is of that size."""


def holm(p_values: Sequence[float]) -> list[float]:
    """The adjusted p-values in the same order: reject those up to the level of the family.

    Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted, least = [1.0] * len(order), 0.0
    for rank, k in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p_values[k]))
        adjusted[k] = least
    return adjusted


def digits(p: float) -> float:
    """The number to six significant digits: further ones differ between machines."""
    return float(f"{p:.6g}")
