from __future__ import annotations

import pytest

from arena.referee.deadline import SECOND, GameClock
from arena.results import TimeControl


@pytest.mark.parametrize(
    ("control", "used", "expected"),
    [
        (TimeControl(), 0.4, 1.0),
        (TimeControl(move=0.001), 0.0, 0.001),
        (TimeControl(move=None), 100.0, None),
        (TimeControl(move=None, bank=5.0), 2.0, 3.0),
        (TimeControl(move=None, bank=5.0), 6.0, 0.0),
        (TimeControl(move=None, bank=5.0, increment=0.5), 2.0, 3.5),
        (TimeControl(move=None, bank=5.0, increment=0.5), 7.0, 0.5),
        (TimeControl(move=1.0, bank=5.0), 4.5, 0.5),
        (TimeControl(move=1.0, bank=5.0), 1.0, 1.0),
        (TimeControl(move=1.0, increment=3.0), 1.0, 1.0),
    ],
)
def test_allowance_after_an_answer(
    control: TimeControl, used: float, expected: float | None
) -> None:
    clock = GameClock(control, 2)
    clock.charge(1, round(used * SECOND))
    assert clock.allowance(1) == (None if expected is None else round(expected * SECOND))
    assert clock.allowance(0) == GameClock(control, 2).allowance(0)
