"""Places of numbers on an axis, in percent of its length, its tick marks, and SVG from patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import Final, NamedTuple

from markupsafe import Markup, escape


def made(pattern: str, *values: object) -> Markup:
    """Return ``Markup(pattern).format(…)`` in a third of the time.

    Values are strings and numbers. Strings are escaped, except for Markup.
    """
    found = [escape(value) if isinstance(value, str) else value for value in values]
    return Markup(pattern.format(*found))


def svg(kind: str, size: str, title: str, parts: Iterable[Markup]) -> Markup:
    """Return a drawing with its title; ``size``: attributes that say how large it is."""
    return made(
        '<svg class="{}" {} role="img" aria-label="{}"><title>{}</title>{}</svg>',
        *(kind, Markup(size), title, title, Markup("").join(parts)),
    )


_MARGIN: Final = 3.0
"""Percent kept free at both ends, so that marks there are not cut."""
_STEPS: Final = (1, 2, 5, 10)


class PlotScale(NamedTuple):
    """An axis from ``low`` to a higher ``high``, logarithmic if ``is_log``."""

    low: float
    high: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value in percent, 0 to 100; values off the axis are at its end."""
        low, high = self._mapped(self.low), self._mapped(self.high)
        share = min(1.0, max(0.0, (self._mapped(value) - low) / (high - low)))
        return _MARGIN + (100 - 2 * _MARGIN) * share

    def _mapped(self, value: float) -> float:
        return log10(max(value, 1e-12)) if self.is_log else value


def over(values: Sequence[float], *, least: float = 1.0) -> PlotScale:
    """Return a scale that holds all values and is at least ``least`` long."""
    low, high = (min(values), max(values)) if values else (0.0, least)
    if high - low < least:
        middle = (low + high) / 2
        return PlotScale(middle - least / 2, middle + least / 2)
    return PlotScale(low, high)


def log_over(values: Sequence[float]) -> PlotScale:
    """Return a logarithmic scale that holds all values, from and to a power of ten."""
    above = [value for value in values if value > 0] or [1.0]
    first, last = floor(log10(min(above)) + 1e-9), ceil(log10(max(above)) - 1e-9)
    return PlotScale(10.0**first, 10.0 ** max(last, first + 1), is_log=True)


def ticks(scale: PlotScale, most: int = 6) -> list[float]:
    """Return at most ``most`` round numbers on a scale; powers of ten if it is logarithmic."""
    if scale.is_log:
        powers = range(round(log10(scale.low)), round(log10(scale.high)) + 1)
        every = -(-len(powers) // most)
        return [10.0**power for power in powers[::every]]
    step = _round_step((scale.high - scale.low) / max(1, most - 1))
    first = ceil(scale.low / step - 1e-9)
    last = floor(scale.high / step + 1e-9)
    return [k * step + 0.0 for k in range(first, last + 1)]


def _round_step(least: float) -> float:
    power = 10.0 ** floor(log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))


def number(value: float) -> str:
    """Return a tick as text, without needless zeros."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:g}"
