from __future__ import annotations

import pytest

from arena.extensions.authors.check.check import clock_option
from arena.runs.config.tournament import ClockSettings, read_clock
from arena.values.results import TimeControl


@pytest.mark.parametrize("pondering", [True, False])
@pytest.mark.parametrize(
    "control",
    [
        TimeControl(),
        TimeControl(0.2, startup=3.0),
        TimeControl(1.0, 10.0, 0.05),
        TimeControl(None, 60.0, 0.6, moves=40, margin=0.02),
    ],
)
def test_a_clock_is_written_as_it_is_read(control: TimeControl, pondering: bool) -> None:
    text = clock_option(control, pondering=pondering)
    assert read_clock(text or "1 s") == ClockSettings(control, pondering)
