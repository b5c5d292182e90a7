"""Plans and calibrations for people."""

from __future__ import annotations

import msgspec
import pytest

from arena.ratings.match.report import Measure, Range
from arena.ratings.planning.calibration import SCHEMA, Calibration, Load, Null, Recommendation
from arena.text.numbers import signed_percent, signed_short
from arena.views.match.planning_text import calibration_text, duration


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


LOADS = (Load(1, 40, 30.5, 0, 0, 900, 0.0012, 0.02), Load(2, 40, 55.0, 3, 1, 900, None, 1.25))
FOUND = Calibration(
    schema=SCHEMA,
    arena="1",
    bot="anna",
    discipline="dragonheart-2",
    title="Dragonheart, Kosmos edition",
    seats=2,
    block_games=2,
    measure=Measure.PLACES,
    score="points",
    blocks=20,
    games=40,
    move=1.0,
    cores=2,
    seats_worth=(Range(0.55, 0.45, 0.65), Range(0.45, 0.35, 0.55)),
    seat_advantage=Range(34.9, -34.9, 107.5),
    draws=0.1,
    correlation=Range(-0.25, -0.4, -0.1),
    luck_ratio=0.75,
    deviation=Range(0.42, 0.36, 0.49),
    loose_deviation=0.485,
    elo_of_40=33.6,
    loads=LOADS,
    null=Null(0, 40, 0.05, 1000, 46, Range(0.046, 0.035, 0.061), 412.4, 400, 20, 0.1, False),
    advice=Recommendation(1, "because", 0.05, "for a reason"),
)


def test_a_calibration() -> None:
    text = calibration_text(FOUND, None)
    for line in (
        "anna against itself in Dragonheart, Kosmos edition: 20 blocks of 2 games",
        "seat 0 is worth +35 Elo (95 %: -35 to +108) against seat 1",
        "10.0 % of the games",
        "correlation -0.25 (-0.40 to -0.10) between the games of a deal: with mirrored deals 0.75 "
        "games",
        "deviation 0.42 (95 %: 0.36 to 0.49), so that 40 nElo are 34 Elo; on deals of their own "
        "0.485",
        "4.6 % of 1,000 tests of 0 against +40 nElo pass between equals (95 %: 3.5 to 6.1 %)",
        "drawn with replacement from the 20 played, which suffice for 0.1 tests",
        "1 worker: because",
        "clock.move 50 ms: for a reason",
    ):
        assert line in text
    rows = [line.split() for line in text.splitlines() if line.strip().startswith(("1 ", "2 "))]
    assert rows[:2] == [
        ["1", "40", "30.5", "0", "0", "1.2", "ms", "20", "ms"],
        ["2", "40", "55.0", "3", "1", "–", "1.25", "s"],
    ]


def test_a_game_that_always_ends_alike() -> None:
    nothing = msgspec.structs.replace(
        FOUND, deviation=Range(None), loose_deviation=None, elo_of_40=None, null=None, draws=None,
        seat_advantage=None,
        correlation=Range(None), luck_ratio=None, seats_worth=(Range(0.5),) * 3,
    )  # fmt: skip
    text = calibration_text(nothing, 40)
    assert "by seat: 0: 50.0 %, 1: 50.0 %, 2: 50.0 %" in text
    assert "none: two copies play the games of a deal alike, so that they cancel\n" in text
    assert "null test     none: all games are alike" in text
    assert "too narrow here for:" in text
