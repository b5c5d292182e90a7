"""Find what makes times that are measured on this machine doubtful."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

Fact = tuple[str, bool, str]
"""Name of a fact, whether it is good, and a description."""


def timing() -> Iterator[Fact]:
    """Yield the facts that this system shows."""
    if (areas := _read("/proc/swaps")) is not None:
        is_off = len(areas.splitlines()) < 2
        yield (
            "swap",
            is_off,
            "off" if is_off else "on: a bot can be slow because it was swapped out",
        )
    governor = _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor == "performance":
        yield "frequency", True, governor
    elif governor is not None:
        yield "frequency", False, f"governor {governor}: the processor may slow down"
    if (siblings := _read("/sys/devices/system/cpu/smt/active")) == "1":
        detail = "hyper-threading is on: two workers may share a core; use half as many workers"
        yield "cores", False, detail
    elif siblings is not None:
        yield "cores", True, "no hyper-threading"


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, ValueError):
        return None
