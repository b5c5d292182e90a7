"""What is known of a run while it is played."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from arena.runs.live import SessionStart
from arena.runs.withdrawals import Ground, Withdrawal, WithdrawalState
from arena.schedule.schedule import Done, Round, Schedule
from arena.schedule.seeds import Seeds
from arena.tournament.progress import Progress
from arena.values.results import GameResult
from tests.ratings.made_games import WIN, game, solo
from tests.runs.manifests import identity_of, manifest_of
from tests.schedule.test_rounds import listed, table

FAST: Final = 1_000
SLOW: Final = 1_000_000
BEGAN: Final = 100.0


def played(discipline: str, wall_us: int) -> GameResult:
    made = game(("anna", "berta"), WIN)
    spec = msgspec.structs.replace(made.spec, game_id=f"{discipline}/a+b:0:0")
    return msgspec.structs.replace(made, spec=spec, wall_us=wall_us)


def seconds_left(progress: Progress, pace: SessionStart | None = None) -> float | None:
    """Two seconds after the session began."""
    return progress.figures(BEGAN + 2.0, pace or SessionStart(BEGAN)).left


def test_each_discipline_has_its_own_pace() -> None:
    progress = Progress(20)
    progress.totals = {"fast": 10, "slow": 10}
    assert seconds_left(progress) is None
    for _ in range(10):
        progress.add(played("fast", FAST))
    assert seconds_left(progress) is None
    progress.add(played("slow", SLOW))
    assert seconds_left(progress) == pytest.approx(9 * SLOW / (SLOW + 10 * FAST) * 2.0)
    alone = Progress(4)
    alone.totals = {"fast": 4}
    assert seconds_left(alone) is None
    alone.add(played("fast", FAST))
    assert seconds_left(alone) == pytest.approx(6.0)
    assert alone.figures(BEGAN + 2.0, SessionStart(BEGAN)).rate == pytest.approx(0.5)
    later = Progress(4)  # uses what an earlier session knew
    later.totals = {"fast": 2, "slow": 2}
    later.add(played("slow", SLOW))
    later.begin()
    pace = msgspec.structs.replace(later.pace, began=BEGAN)
    assert seconds_left(later, pace) is None
    later.add(played("fast", FAST))
    assert seconds_left(later, pace) == pytest.approx((FAST + SLOW) / FAST * 2.0)


def test_faults_are_told_though_their_games_do_not_count() -> None:
    progress = Progress(9)
    progress.add(game(("anna", "bad"), WIN, faulty=[1, 1]))
    progress.add(game(("anna", "berta"), WIN, faulty=[0]))
    assert (progress.figures().faults, progress.figures().uncounted) == (3, 0)
    progress.withdrawn = {"bad": Withdrawal("bad", Ground.STARTUP, 1)}
    figures = progress.figures()
    assert (figures.faults, figures.uncounted, figures.withdrawn) == (3, 2, ("bad",))
    assert progress.failed == ["anna"], "its games with bad count for nobody"
    progress.add(game(("berta", "bad"), WIN, faulty=[0, 1]))
    assert (progress.done, progress.figures().uncounted, progress.failed) == (2, 4, ["anna"])


def test_who_had_a_fault_in_every_game() -> None:
    progress = Progress(6)
    assert progress.failed == []
    progress.add(game(("anna", "bad"), WIN, faulty=[1, 1]))
    progress.add(game(("anna", "berta"), WIN, faulty=[1]))
    assert progress.failed == ["bad", "berta"]
    progress.add(game(("berta", "anna"), WIN))
    assert progress.failed == ["bad"]
    progress.add(game(("carla", "anna"), WIN, faulty=[0]))
    progress.add(solo("anna", "d", None))
    assert progress.failed == ["bad", "carla"]


def test_whoever_is_not_withdrawn_any_more_has_games_to_play() -> None:
    games = [table(2, "abc")]
    schedule = Schedule(games, Seeds.of("seed"))
    progress = Progress.of(manifest_of(identity_of(*games)), schedule)
    done = Done(schedule.numbers)
    out = {"a": Withdrawal("a", Ground.WORKER, 3)}
    progress.judged(WithdrawalState(out, None), schedule, done)
    assert progress.left < schedule.games
    progress.judged(WithdrawalState({}, None), schedule, done)
    assert progress.left == schedule.games


def test_a_schedule_that_grows_has_more_games_whoever_has_left() -> None:
    games = [table(2, "abc"), table(1, "ab")]
    schedule = Schedule(games, Seeds.of("seed"), left=frozenset("c"))
    manifest = manifest_of(identity_of(*games))
    progress = Progress.of(manifest, schedule)
    done = Done(schedule.numbers)

    def numbers() -> tuple[int, ...]:
        return progress.planned, progress.total, progress.totals["toy-2"], progress.totals["toy-1"]

    progress.settle(schedule, done)
    planned, total, two, one = numbers()
    assert total < schedule.games
    schedule.grow(Round((listed(2, "ad", "bd"), table(1, "d")), Seeds.of("seed")))
    done.grow(schedule.numbers)
    progress.grow(manifest, schedule)
    assert numbers() == (planned + 15, total + 15, two + 12, one + 3)
    progress.settle(schedule, done)
    assert numbers() == (planned + 15, total + 15, two + 12, one + 3), "counted anew"
