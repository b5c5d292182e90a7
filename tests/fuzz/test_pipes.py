from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.pipes import play_all

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.mark.usefixtures("leaves_nothing")
def test_whatever_is_babbled_the_game_ends_and_the_honest_bot_is_not_blamed() -> None:
    counts: Counter[str] = Counter()
    play_all("tests", 60, counts)
    assert counts.total() == 60
    assert counts.keys() >= {"no fault", "malformed", "crash"}
