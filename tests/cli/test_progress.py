"""How long a run will still take, as it is shown."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from arena.cli.terminal.progress import Rate
from arena.results import GameResult
from arena.tournament.progress import Progress
from tests.ratings.made_games import WIN, game

FAST: Final = 1_000
SLOW: Final = 1_000_000


def played(discipline: str, wall_us: int) -> GameResult:
    made = game(("anna", "berta"), WIN)
    spec = msgspec.structs.replace(made.spec, game_id=f"{discipline}/a+b:0:0")
    return msgspec.structs.replace(made, spec=spec, wall_us=wall_us)


@pytest.fixture
def rate(monkeypatch: pytest.MonkeyPatch) -> Rate:
    monkeypatch.setattr(Rate, "elapsed", lambda self: 2.0)
    return Rate()


def test_each_discipline_has_its_own_pace(rate: Rate) -> None:
    progress = Progress(20)
    progress.totals = {"fast": 10, "slow": 10}
    for _ in range(10):
        progress.add(played("fast", FAST))
        progress.played += 1
    assert rate.seconds_left(progress) is None
    assert "left ?" in rate.summary(progress)
    progress.add(played("slow", SLOW))
    progress.played += 1
    assert rate.seconds_left(progress) == pytest.approx(9 * SLOW / (SLOW + 10 * FAST) * 2.0)


def test_one_discipline_goes_by_the_games_alone(rate: Rate) -> None:
    progress = Progress(4)
    progress.totals = {"fast": 4}
    assert rate.seconds_left(progress) is None
    progress.add(played("fast", FAST))
    progress.played += 1
    assert rate.seconds_left(progress) == pytest.approx(6.0)


def test_what_an_earlier_session_knew_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rate, "elapsed", lambda self: 2.0)
    progress = Progress(4)
    progress.totals = {"fast": 2, "slow": 2}
    progress.add(played("slow", SLOW))
    now = Rate(None, progress)
    progress.add(played("fast", FAST))
    progress.played += 1
    assert now.seconds_left(progress) == pytest.approx((FAST + SLOW) / FAST * 2.0)
