"""Days and the clock of a machine."""

from __future__ import annotations

import datetime

from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.ladder.days import kept_since

DAY = 86_400
NOW = datetime.datetime(2026, 11, 23, 15, tzinfo=datetime.UTC)
TODAY = int(NOW.timestamp()) // DAY


def days(*numbers: int) -> list[int]:
    """An instant of each day, counted from today."""
    return [(TODAY + number) * DAY + 3600 for number in numbers]


def test_days_without_play_make_nothing_older() -> None:
    every_day = range(-9, 1)
    three = 3.0 * DAY
    assert kept_since(three, NOW, days(*every_day)).timestamp() == (TODAY - 3) * DAY + 15 * 3600
    assert kept_since(three, NOW, days(*every_day[:-1])).timestamp() == (TODAY - 3) * DAY
    assert kept_since(three, NOW, days(-40, -30, -20, -10)).timestamp() == (TODAY - 30) * DAY
    assert kept_since(three, NOW, days(-40, -40, -30)).timestamp() == 0
    assert kept_since(three, NOW, [0, *days(-40, -30)]).timestamp() == 0
    assert kept_since(three, NOW, []).timestamp() == 0


@given(
    st.lists(st.integers(0, 1 << 62), max_size=30),
    st.integers(1, 10_000),
    st.datetimes(datetime.datetime(1970, 1, 1), datetime.datetime(9000, 1, 1)),
)
def test_whatever_the_clock_says_the_last_days_of_play_are_kept(played_at, kept, now) -> None:
    since = kept_since(float(kept * DAY), now.replace(tzinfo=datetime.UTC), played_at)
    last = sorted({each // DAY for each in played_at if each})[-kept:]
    assert all(each * DAY >= since.timestamp() for each in last)
