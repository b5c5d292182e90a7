"""Numbers and stretches of time in words."""

from __future__ import annotations

from typing import Final

import pytest

from arena.values.numbers import clock, count, score_line, short_duration

DURATIONS: Final = [
    (0, "0 µs"),
    (410, "410 µs"),
    (999, "999 µs"),
    (1000, "1 ms"),
    (1490, "1.49 ms"),
    (12_300, "12.3 ms"),
    (99_960, "100 ms"),
    (500_000, "500 ms"),
    (1_500_000, "1.5 s"),
    (61_000_000, "61 s"),
    (3_600_000_000, "3600 s"),
]


@pytest.mark.parametrize(("microseconds", "expected"), DURATIONS)
def test_short(microseconds: float, expected: str) -> None:
    assert short_duration(microseconds) == expected


def test_a_number_with_its_noun() -> None:
    assert [count(each, "game") for each in (0, 1, 2)] == ["0 games", "1 game", "2 games"]


def test_a_clock() -> None:
    assert [clock(each) for each in (0, 59.6, 3725)] == ["0:00:00", "0:01:00", "1:02:05"]


@pytest.mark.parametrize(
    ("scores", "words"),
    [((12, 7), "12–7"), ((1, -1), "1 : -1"), ((0, 3, -12), "0 : 3 : -12"), ((), "")],
)
def test_scores_stay_apart_from_minus_signs(scores: tuple[int, ...], words: str) -> None:
    assert score_line(scores) == words
