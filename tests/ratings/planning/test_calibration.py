"""What a bot against itself tells: simulated tests, and what to run with."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.ratings.match.report import Measure
from arena.ratings.match.sprt import GAIN
from arena.ratings.planning import calibration
from arena.ratings.planning.calibration import Load, MachineLoad, Null

pytestmark = pytest.mark.slow

PLACES, MARGIN = Measure.PLACES, Measure.MARGIN
PAIRS = [0.0] * 10 + [0.25] * 3 + [0.5] * 60 + [0.75] * 3 + [1.0] * 12


def null(tests: int, values: list[float] = PAIRS, measure: Measure = PLACES) -> Null:
    return calibration.null_tests(
        calibration.mirrored(values, measure),
        GAIN,
        measure,
        blocks=len(values),
        block_games=2,
        two_seats=True,
        most=0.5 if measure is PLACES else max(values),
        tests=tests,
        is_re_paired=False,
    )


def test_simulated_tests_pass_as_often_as_they_may() -> None:
    found = null(1000)
    assert found.passes / 1000 == found.share.value
    assert 0.02 < found.passes / 1000 < 0.07
    assert found.games == pytest.approx(found.expected_games, rel=0.15)
    assert found.independent == pytest.approx(88 * 2 / 400, rel=1e-2)
    assert null(1000) == found


@pytest.mark.soak
def test_far_from_the_bounds_the_short_way_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    short = null(40)
    margins = null(20, [-3.0, -1.0, 0.0, 0.0, 2.0, 7.0], MARGIN)
    monkeypatch.setattr(calibration, "_NEAR", 1e9)
    assert null(40) == short
    assert null(20, [-3.0, -1.0, 0.0, 0.0, 2.0, 7.0], MARGIN) == margins


def test_mirrored_blocks_are_even_whatever_was_played() -> None:
    for measure, values, even in ((PLACES, [1.0, 1.0, 0.75], 0.5), (MARGIN, [9.0, 3.0], 0.0)):
        draw, rng = calibration.mirrored(values, measure), Random(1)
        drawn = [draw(rng) for _ in range(4000)]
        assert sum(drawn) / len(drawn) == pytest.approx(even, abs=0.06 * max(values))
        assert {abs(value - even) for value in drawn} == {abs(value - even) for value in values}


def test_games_of_different_deals_do_not_cancel() -> None:
    cancelling = [[1.0, 0.0], [0.0, 1.0]]
    draw, rng = calibration.re_paired(cancelling, PLACES), Random(1)
    assert {draw(rng) for _ in range(100)} == {0.0, 0.5, 1.0}
    assert calibration.loose_deviation(cancelling, PLACES) == 0.5
    alone = [[4.0, 4.0], [8.0, 8.0]]
    draw = calibration.re_paired(alone, MARGIN)
    assert {draw(rng) for _ in range(100)} == {-4.0, 0.0, 4.0}
    assert calibration.loose_deviation(alone, MARGIN) == 4.0
    assert calibration.loose_deviation([[0.5, 0.5]] * 9, PLACES) is None


@pytest.mark.parametrize(
    ("value", "limit"),
    [(0.01, 0.01), (0.0101, 0.02), (0.049, 0.05), (0.051, 0.1), (1.0, 1.0), (7.0, 10.0)],
)
def test_limits_are_round(value: float, limit: float) -> None:
    assert calibration.nice(value) == limit


def test_what_nearly_all_answers_need() -> None:
    times = {10: 998, 20: 1, 500: 1}
    assert calibration.percentile(times, 0.999) == 20
    assert calibration.percentile(times, 1.0) == 500
    assert calibration.percentile({}, 0.999) is None


def load(workers: int, speed: float, slowest: float = 0.02, timeouts: int = 0) -> Load:
    return Load(workers, 100, speed, timeouts, 0, 1000, 0.001, slowest)


@pytest.mark.parametrize(
    ("loads", "workers", "move", "why"),
    [
        ([load(1, 30), load(2, 60), load(4, 61)], 2, 0.05, "not 5 % faster"),
        ([load(1, 30), load(2, 60), load(4, 90)], 4, 0.05, "the most of those tried"),
        ([load(1, 30), load(2, 60, 0.6), load(4, 90, 1, 3)], 1, 0.05, "come too late"),
        ([load(1, 30), load(2, 60), load(4, 90, 1, 3)], 2, 0.05, "come too late"),
        ([load(1, 30, 1.0, 2), load(2, 60, 1.1, 9)], 1, 2.0, "2 time losses even at 1 worker"),
        ([load(1, 30, 0.9), load(2, 60, 0.9)], 1, 2.0, "answers near the limit even at 1 worker"),
    ],
)
def test_what_to_run_with(loads: list[Load], workers: int, move: float, why: str) -> None:
    found = calibration.advice(loads, 1.0, cores=4)
    assert (found.workers, found.move) == (workers, move)
    assert why in found.workers_reason


def test_more_workers_than_cores_are_not_recommended() -> None:
    found = calibration.advice([load(1, 30), load(2, 60), load(4, 90)], 1.0, cores=2)
    assert found.workers == 2
    assert "would have to share 2 cores" in found.workers_reason
    assert calibration.advice([load(4, 90), load(8, 99)], 1.0, cores=2).workers == 4


def test_without_a_limit_no_answer_is_late() -> None:
    assert calibration.advice([load(1, 30), load(2, 60, 900.0)], None, 2).workers == 2
    assert calibration.advice([load(1, 30), load(2, 60, timeouts=1)], None, 2).workers == 1


def on(machine: str, usual: float | None, **changes: Any) -> MachineLoad:
    fields: dict[str, Any] = {"games": 10, "timeouts": 0, "answers": 99, "slowest": usual}
    return MachineLoad(machine=machine, usual=usual, **fields | changes)


def test_of_several_machines_the_slowest_has_to_bear_the_limit() -> None:
    one = calibration.advice([load(4, 90)], 1.0, 2)
    two = calibration.advice([load(4, 90)], 1.0, 2, [on("slow", 0.2), on("fast", 0.01)])
    assert two.move > one.move
    assert "99.9 % of the answers need on slow (200 ms)" in two.move_reason
    own = calibration.advice([load(4, 90)], 1.0, 2, [on("", 0.2), on("fast", None)])
    assert "need on the machine of the run (200 ms)" in own.move_reason
