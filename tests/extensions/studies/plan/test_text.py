"""Plans for people."""

from __future__ import annotations

import pytest

from arena.extensions.studies.plan.text import duration
from arena.values.numbers import signed_percent, signed_short


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0001, "1 ms"), (0.0421, "43 ms"), (1.0, "1.0 s"), (119, "119.0 s"), (150, "2.5 min"),
        (9000, "2.5 h"), (400_000, "4.6 days"),
    ],
)  # fmt: skip
def test_durations(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_signs() -> None:
    shown = [signed_short(value) for value in (20, -2.5, 0, -0.01, 1234)]
    assert shown == ["+20", "-2.5", "0", "0", "+1,234"]
    assert (signed_short(-0.4, 0), signed_short(1.25, 2)) == ("0", "+1.25")
    assert signed_percent(-0.18) == "-18 %"
