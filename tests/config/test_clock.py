"""The clock of an option is read as that of a tournament file."""

from __future__ import annotations

import re

import pytest

from arena.config.texts import clock_option
from arena.config.tournament import ClockSettings, read_clock
from arena.documents.problems import ConfigError
from arena.results import TimeControl


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("200 ms", TimeControl(0.2)),
        ("move: 200 ms, startup: 3 s", TimeControl(0.2, startup=3.0)),
        ("{bank: 10 s, increment: 50 ms}", TimeControl(None, 10.0, 0.05)),
    ],
)
def test_a_clock_is_read_with_its_units(text: str, control: TimeControl) -> None:
    assert read_clock(text) == ClockSettings(control, pondering=True)
    assert not read_clock("pondering: off").pondering


@pytest.mark.parametrize("pondering", [True, False])
@pytest.mark.parametrize(
    "control", [TimeControl(), TimeControl(0.2, startup=3.0), TimeControl(1.0, 10.0, 0.05)]
)
def test_a_clock_is_written_as_it_is_read(control: TimeControl, pondering: bool) -> None:
    text = clock_option(control, pondering=pondering)
    assert read_clock(text or "1 s") == ClockSettings(control, pondering)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("soon", 'move: found "soon", expected'),
        ("", "move: found nothing, expected"),
        ("mvoe: 1 s", 'unknown key "mvoe" (did you mean "move"?)'),
        ("increment: 1 s", "increment: found an increment, expected a bank"),
        ("move: [", "--clock:1"),
    ],
)
def test_what_is_no_clock_is_refused_with_its_place(text: str, found: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(found)) as failed:
        read_clock(text)
    assert str(failed.value).startswith("--clock:1:")
