"""The search space: options, their ranges, and points in coordinates suited to a fit.

A point is a row with a coordinate for each axis: for a number -1 at the low end of its range and 1
at the high end, for a choice the index of the value. Only points that a bot can receive occur:
whole numbers are whole, and others are rounded so that they have few digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Value = bool | int | float | str

_STEPS: Final = 100
"""Least number of different values of a range that is not of whole numbers; 1000 at most."""


class Number(NamedTuple):
    """Option that is a number from ``low`` to ``high``, ``low`` below ``high``."""

    name: str
    low: float
    high: float
    is_whole: bool

    def tidy(self, coordinates: Floats) -> Floats:
        """Return the nearest coordinates that a bot can receive."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        step = self._step
        values = np.round((middle + half * coordinates) / step) * step
        return (np.clip(values, self.low, self.high) - middle) / half

    def value(self, coordinate: float) -> Value:
        """Return the value of the option at a coordinate."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        found = middle + half * coordinate
        rounded = round(found) if self.is_whole else round(found, self._digits)
        return min(max(rounded, type(rounded)(self.low)), type(rounded)(self.high))

    def coordinate(self, value: Value) -> float:
        """Return the coordinate of a value; outside of the range that of the nearest end."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return min(1.0, max(-1.0, (float(value) - middle) / half))

    @property
    def _digits(self) -> int:
        return 0 if self.is_whole else -floor(log10((self.high - self.low) / _STEPS))

    @property
    def _step(self) -> float:
        return float(10.0**-self._digits)


class CategoricalOption(NamedTuple):
    """Option that is one of at least two values."""

    name: str
    values: tuple[Value, ...]

    def tidy(self, coordinates: Floats) -> Floats:
        """Return the nearest indices of values."""
        return np.clip(np.round(coordinates), 0, len(self.values) - 1)

    def value(self, coordinate: float) -> Value:
        """Return the value of the option at a coordinate."""
        return self.values[round(coordinate)]

    def coordinate(self, value: Value) -> float:
        """Return the coordinate of a value; 0 for an unknown value."""
        return float(self.values.index(value)) if value in self.values else 0.0


Axis = Number | CategoricalOption


class Space:
    """All axes together."""

    def __init__(self, axes: Sequence[Axis]) -> None:
        self.axes = tuple(axes)
        self._is_choice = np.array([isinstance(axis, CategoricalOption) for axis in axes])
        self._sizes = np.array(
            [len(axis.values) if isinstance(axis, CategoricalOption) else 0 for axis in axes]
        )

    def point(self, values: Mapping[str, Value]) -> Floats:
        """Return the point of these options, or the nearest one within the ranges."""
        return np.array([axis.coordinate(values[axis.name]) for axis in self.axes])

    def values(self, point: Floats) -> dict[str, Value]:
        """Return the options at a point."""
        return {
            axis.name: axis.value(float(coordinate))
            for axis, coordinate in zip(self.axes, point, strict=True)
        }

    def tidy(self, points: Floats) -> Floats:
        """Return the nearest points that a bot can receive."""
        columns = [axis.tidy(points[:, k]) for k, axis in enumerate(self.axes)]
        return np.stack(columns, axis=1)

    def anywhere(self, count: int, rng: np.random.Generator) -> Floats:
        """Return ``count`` points, uniformly distributed."""
        drawn = rng.uniform(-1, 1, (count, len(self.axes)))
        places = np.floor((drawn + 1) / 2 * np.maximum(self._sizes, 1))
        return self.tidy(np.where(self._is_choice, places, drawn))

    def around(self, centres: Floats, moves: Floats, rng: np.random.Generator) -> Floats:
        """Return one point beside each of ``centres``: numbers moved, one choice in four redrawn.

        ``moves``: change of each coordinate.
        """
        redrawn = self._is_choice & (rng.random(centres.shape) < 0.25)
        places = np.floor(rng.random(centres.shape) * np.maximum(self._sizes, 1))
        moved = np.where(self._is_choice, centres, np.clip(centres + moves, -1, 1))
        return self.tidy(np.where(redrawn, places, moved))
