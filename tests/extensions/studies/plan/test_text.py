"""Plans for people."""

from __future__ import annotations

import pytest

from arena.extensions.matches.statistics.report import Scale
from arena.extensions.studies.plan.planner import PlanSettings, plan_of
from arena.extensions.studies.plan.text import duration, plan_text
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


@pytest.mark.parametrize(
    ("settings", "command", "modes"),
    [
        ({}, "arena compare NEW OLD -g GAME --mode gain", [(150, 400, 400), (400, 400, 150)]),
        (
            {"mode": "no-regression", "beta": 0.01},
            "arena compare NEW OLD -g GAME --mode no-regression --beta 0.01",
            [(230, 632, 440), (632, 440, 152)],
        ),
        (
            {"elo0": 0.0, "elo1": 5.0, "scale": Scale.LOGISTIC},
            "arena compare NEW OLD -g GAME --elo0 0 --elo1 5 --scale logistic --max-games 125604",
            None,
        ),
        ({"elo0": -5.0, "elo1": 5.0}, "arena compare NEW OLD -g GAME --elo0 -5 --elo1 5", []),
        ({"difference": 30.0}, "arena run NEW OLD -g GAME -n 726", []),
        ({"precision": 20.0}, "arena run NEW OLD -g GAME -n 580", []),
    ],
)
def test_a_plan_names_its_command_and_the_modes(settings, command, modes) -> None:
    plan = plan_of(PlanSettings(**settings))
    assert plan.command.startswith(command)
    assert plan_text(plan, None).splitlines()[-1] == f"to play it: {plan.command}"
    if modes is None:
        assert [(each.elo0, each.elo1) for each in plan.modes[:2]] == [(0, 5), (-5, 0)]
        return
    assert [each.games for each in plan.modes[:-1]] == modes
    for row in plan.modes:
        assert row.mode != "fixed" or row.games == (plan.fixed_length,) * 3
    if modes and "mode" not in settings:  # the chosen test is one of them
        rows = {row.true: row.games for row in plan.rows}
        assert plan.modes[0].games == (rows[-40], rows[0], rows[40])
