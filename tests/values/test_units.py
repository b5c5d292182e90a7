from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.values.units import DURATION, SHARE, SIZE, UnitError, parse_share

Parse = Callable[[str], float]


@pytest.mark.parametrize(
    ("parse", "values"),
    [
        (DURATION.parse, {"250 ms": 0.25, "1 s": 1.0, "5 min": 300, "8 h": 28_800, "1.5s": 1.5}),
        (SIZE.parse, {"512 MiB": 512 << 20, "64 KiB": 65_536, "10 MB": 10**7, "1.5 KiB": 1536}),
        (parse_share, {"2 %": 0.02}),
    ],
)
def test_values_are_seconds_bytes_and_parts_of_one(parse: Parse, values: dict[str, float]) -> None:
    assert {text: parse(text) for text in values} == values


NO_DURATIONS = ["", "1", "s", "-1 s", "1  s", "1 S", "1 sec", "1e3 s", "1 s ", "1 s\n", "nan s"]


@pytest.mark.parametrize(
    ("parse", "texts", "message"),
    [
        (DURATION.parse, NO_DURATIONS, 'expected a duration such as "250 ms"'),
        (DURATION.parse, ["١ s"], 'expected a duration such as "250 ms"'),
        (SIZE.parse, ["0.5 B", "1 mib", "512", "0.0001 kB"], 'expected a size such as "512 MiB"'),
        (parse_share, ["101 %"], "at most"),
    ],
)
def test_other_texts_are_none(parse: Parse, texts: list[str], message: str) -> None:
    for text in texts:
        with pytest.raises(UnitError, match=message):
            parse(text)


@pytest.mark.parametrize(
    ("unit", "values"),
    [
        (DURATION, {0.25: "250 ms", 1.0: "1 s", 90.0: "90 s", 300.0: "5 min", 0.0: "0 s"}),
        (DURATION, {0.0005: "0.5 ms", 86_400.0: "24 h"}),
        (SIZE, {65_536: "64 KiB", 1025: "1025 B"}),
        (SHARE, {0.02: "2 %"}),
    ],
)
def test_values_are_shown_in_the_largest_whole_unit(unit: Any, values: dict[float, str]) -> None:
    assert {value: unit.format(value) for value in values} == values


@given(st.integers(0, 86_400 * 10**6))
def test_a_shown_duration_reads_the_same(microseconds: int) -> None:
    assert DURATION.parse(DURATION.format(microseconds / 10**6)) == microseconds / 10**6


@given(st.integers(0, 10**12 - 1))
def test_a_shown_size_reads_the_same(size: int) -> None:
    assert SIZE.parse(SIZE.format(size)) == size


@pytest.mark.slow
@given(st.text(max_size=12))
def test_the_pattern_of_the_schema_takes_what_parses(text: str) -> None:
    for unit in (DURATION, SHARE):
        try:
            unit.parse(text)
        except UnitError:
            assert not re.fullmatch(unit.pattern, text)
        else:
            assert re.fullmatch(unit.pattern, text)


def test_every_unit_of_size_is_known_by_the_pattern() -> None:
    assert all(re.fullmatch(SIZE.pattern, f"1 {unit}") for unit in SIZE.factors)
