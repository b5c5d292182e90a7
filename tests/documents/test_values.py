from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.documents.values import DURATION, SHARE, SIZE, UnitError, parse_share


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250 ms", 0.25), ("1 s", 1.0), ("5 min", 300.0), ("8 h", 28_800.0), ("1.5s", 1.5)],
)
def test_durations_are_seconds(text: str, seconds: float) -> None:
    assert DURATION.parse(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [("512 MiB", 512 << 20), ("64 KiB", 65_536), ("10 MB", 10_000_000), ("1.5 KiB", 1536)],
)
def test_sizes_are_bytes(text: str, size: int) -> None:
    assert SIZE.parse(text) == size


def test_shares_are_parts_of_one() -> None:
    assert parse_share("2 %") == 0.02
    with pytest.raises(UnitError, match="at most"):
        parse_share("101 %")


@pytest.mark.parametrize(
    "text",
    ["", "1", "s", "-1 s", "1  s", "1 S", "1 sec", "1e3 s", "1 s ", "1 s\n", "nan s", "١ s"],
)
def test_other_texts_are_no_durations(text: str) -> None:
    with pytest.raises(UnitError, match='expected a duration such as "250 ms"'):
        DURATION.parse(text)


@pytest.mark.parametrize("text", ["0.5 B", "1 mib", "512", "0.0001 kB"])
def test_other_texts_are_no_sizes(text: str) -> None:
    with pytest.raises(UnitError, match='expected a size such as "512 MiB"'):
        SIZE.parse(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0.25, "250 ms"), (1.0, "1 s"), (90.0, "90 s"), (300.0, "5 min"), (0.0, "0 s")),
        *((0.0005, "0.5 ms"), (86_400.0, "24 h")),
    ],
)
def test_durations_are_shown_in_the_largest_whole_unit(seconds: float, text: str) -> None:
    assert DURATION.format(seconds) == text


def test_sizes_and_shares_are_shown_with_their_unit() -> None:
    assert SIZE.format(65_536) == "64 KiB"
    assert SIZE.format(1025) == "1025 B"
    assert SHARE.format(0.02) == "2 %"


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
