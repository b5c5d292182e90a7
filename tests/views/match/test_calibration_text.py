from __future__ import annotations

import pytest

from arena.ratings.planning.calibration import MachineLoad
from arena.views.match.planning_text import _machines


def on(usual: float | None, timeouts: int = 0) -> MachineLoad:
    return MachineLoad("m", 10, timeouts, 99, usual, usual)


@pytest.mark.parametrize(
    ("machines", "move", "said"),
    [
        (
            [on(0.2), on(0.05)],
            1.0,
            "2 machines, which differ by 4 times; 1 s a move is 5 times what the slowest answer "
            "took",
        ),
        (
            [on(0.2, timeouts=1), on(0.1)],
            1.0,
            "2 machines, which differ by 2 times; 1 s a move does not bear it: there were time "
            "losses",
        ),
        ([on(0.2), on(0.1)], None, "2 machines, which differ by 2 times"),
        ([on(None), on(None)], 1.0, "2 machines"),
    ],
)
def test_how_much_machines_differ(machines, move, said) -> None:
    assert _machines(machines, move) == said
