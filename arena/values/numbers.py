"""Format numbers and durations for people: the same in tables, panels and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log10
from typing import Final, NamedTuple

NOTHING: Final = "–"
"""Placeholder for a missing value."""


def count(number: int, noun: str) -> str:
    """Return ``number`` with its noun: ``1 game``, ``2 games``."""
    return f"{number} {noun}{'s'[: number != 1]}"


class GameCount(NamedTuple):
    """Numbers of games of a run, a round or a bot."""

    counting: int = 0
    """Number of stored games that count."""
    stored: int = 0
    planned: int | None = None
    """Number of games that count and were played or will be; None: not known."""

    def words(self, noun: str = "") -> str:
        """Return ``6 of 8``, with a ``noun`` ``6 of 8 games``, and what does not count apart.

        That is ``6 of 8, and 4 that do not count``.
        """
        shown = f"{self.counting:,}" + ("" if self.is_through else f" of {self.planned:,}")
        if noun:
            shown += f" {noun}{'s'[: shown != '1']}"
        apart = self.stored - self.counting
        return shown + (f", and {apart:,} that do not count" if apart else "")

    @property
    def is_through(self) -> bool:
        """Return whether no planned game is missing."""
        return self.planned is None or self.counting >= self.planned


def listed(names: Sequence[str]) -> str:
    """Return a list of names: ``a``, ``a and b``, ``a, b and c``."""
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def score_line(scores: Iterable[int]) -> str:
    """Return ``12–7``, or ``1 : -1`` where a score is negative."""
    numbers = [*scores]
    return (" : " if min(numbers, default=0) < 0 else "–").join(map(str, numbers))


def clock(seconds: float) -> str:
    """Return a duration such as ``0:01:23``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"


def short_duration(microseconds: float) -> str:
    """Return ``410 µs``, ``12.3 ms`` or ``1.5 s``, as ``duration`` of viewer/model.js does."""
    if microseconds < 1000:
        return f"{microseconds:.0f} µs"
    size, unit = (1e6, "s") if microseconds >= 1e6 else (1e3, "ms")
    value = microseconds / size
    digits = 2 if value < 10 else 1 if value < 100 else 0
    shown = f"{value:.{digits}f}"
    return f"{shown.rstrip('0').rstrip('.') if digits else shown} {unit}"


def percent(share: float | None) -> str:
    """Return a share such as ``61.3 %``."""
    return NOTHING if share is None else f"{100 * share:.1f} %"


def likelihood(share: float) -> str:
    """Return a probability such as ``97.1 %``, never rounded to certainty."""
    if share > 0.999:
        return "more than 99.9 %"
    return "less than 0.1 %" if share < 0.001 else percent(share)


def percent_cell(share: float | None, decimals: int = 0) -> str:
    """Return a share for a column with ``%`` in its header, never rounded to certainty."""
    if share is None:
        return NOTHING
    least, shown = 10.0**-decimals, 100 * share
    if 0.0 < shown < least / 2:
        return f"<{least:.{decimals}f}"
    if 100 - least / 2 < shown < 100.0:
        return f">{100 - least:.{decimals}f}"
    return f"{shown:.{decimals}f}"


def likelihood_cell(share: float | None, decimals: int = 0) -> str:
    """Format as ``percent_cell``, but never certain: stored values have six decimals."""
    return percent_cell(None if share is None else min(1.0 - 1e-9, max(1e-9, share)), decimals)


def fixed(number: float | None, decimals: int) -> str:
    """Return a number with ``decimals`` decimals, and no minus before a zero."""
    return NOTHING if number is None else f"{round(number, decimals) + 0.0:.{decimals}f}"


def signed(number: float | None, decimals: int = 0) -> str:
    """Format as ``fixed`` with a sign; zero has a plus."""
    return NOTHING if number is None else f"{round(number, decimals) + 0.0:+.{decimals}f}"


def signed_short(value: float, decimals: int = 1) -> str:
    """Return ``+20``, ``-2.5`` or ``0``."""
    rounded = round(value, decimals)
    return f"{rounded:+,.{decimals}f}".removesuffix("." + "0" * decimals) if rounded else "0"


def plus_minus(error: float | None, decimals: int = 0) -> str:
    """Return an interval's half-width, never rounded to zero; empty without an interval."""
    if error is None:
        return ""
    least = 10.0**-decimals
    return f"±{max(error, least / 1.9):.{decimals}f}"


def reach(value: float | None, low: float | None, high: float | None) -> str:
    """Return the bounds of an interval relative to its value; empty without an interval.

    The result is ``±12``, or ``+15 -9`` where the sides differ by more than a tenth of the
    half-width.
    """
    if value is None or low is None or high is None:
        return ""
    above, below, half = high - value, value - low, (high - low) / 2
    if abs(above - below) <= 0.1 * half:
        return plus_minus(half)
    return f"{signed(above)} {signed(-below)}"


def p_value(p: float) -> str:
    """Return the p-value of a test: ``p = 0.0123``, or ``p < 0.0001``."""
    return "p < 0.0001" if p < 0.00005 else f"p = {p:.4f}"


def signed_percent(share: float) -> str:
    """Return a share such as ``+12 %``."""
    return f"{100 * share:+.0f} %"


def trimmed(value: float, decimals: int = 2) -> str:
    """Return a number with at most ``decimals`` decimals, without needless zeros."""
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".")


_MARGIN: Final = 3.0
"""Percent kept free at both ends, so that marks there are not cut."""


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
