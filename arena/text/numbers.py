"""Numbers and stretches of time in words."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """``1 game``, ``2 games``."""
    return f"{number} {noun}{'s'[: number != 1]}"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def clock(seconds: float) -> str:
    """``0:01:23``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"


def short_duration(microseconds: float) -> str:
    """``410 µs``, ``12.3 ms``, ``1.5 s``, as ``duration`` of viewer-model.js writes it."""
    if microseconds < 1000:
        return f"{microseconds:.0f} µs"
    size, unit = (1e6, "s") if microseconds >= 1e6 else (1e3, "ms")
    value = microseconds / size
    digits = 2 if value < 10 else 1 if value < 100 else 0
    shown = f"{value:.{digits}f}"
    return f"{shown.rstrip('0').rstrip('.') if digits else shown} {unit}"
