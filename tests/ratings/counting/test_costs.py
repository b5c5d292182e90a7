"""What games cost their bots, counted."""

from __future__ import annotations

from statistics import quantiles

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.counting.usage import CostTally
from arena.values.results import STEPS, GameSpec, SeatUsage

SPEC = GameSpec("cup/g", "b", "d", 0, ("anna", "berta"))
UNKNOWN = SeatUsage()


def spent_of(*times: int, **more: int) -> SeatUsage:
    """Each time alone in its step: a step that comes twice counts twice."""
    steps = [step_and_one for time in times for step_and_one in (_step(time), 1)]
    return SeatUsage(tuple(steps), max(times, default=0), **more)


def _step(time: int) -> int:
    step = 0
    while 2.0 ** ((step + 1) / STEPS) <= time:
        step += 1
    return step


@given(st.lists(st.integers(50, 10**9), min_size=20, max_size=200))
def test_quantiles_are_to_a_fifth_and_the_longest_exact(times: list[int]) -> None:
    tally = CostTally()
    for time in times:
        tally.add(SPEC, (spent_of(time), UNKNOWN))
    (own, _) = tally.numbers("cup", ("anna", "berta"))
    assert own.moves == len(times)
    assert own.longest_us == max(times)
    ordered = sorted(times)
    assert own.median_us is not None
    assert own.p95_us is not None
    assert abs(own.median_us / ordered[(len(ordered) + 1) // 2 - 1] - 1) < 0.2
    least, most = quantiles(times, n=100, method="inclusive")[90], max(times)
    assert least * 0.8 <= own.p95_us <= most * 1.2


def test_processor_time_is_by_game_that_was_looked_at() -> None:
    tally = CostTally()
    tally.add(SPEC, (spent_of(5, games=1, cpu_us=300, memory=7), spent_of(5)))
    tally.add(SPEC, (spent_of(5), spent_of(9)))
    tally.add(SPEC, (spent_of(5, games=2, cpu_us=600, memory=5),))
    anna, berta = tally.numbers("cup", ("anna", "berta"))
    assert (anna.cpu_us, anna.cpu_games, anna.memory_bytes) == (300.0, 3, 7)
    assert (berta.cpu_us, berta.cpu_games, berta.memory_bytes) == (None, 0, None)


def test_of_a_run_of_an_earlier_version_nothing_is_known() -> None:
    tally = CostTally()
    tally.add(SPEC, ())
    assert tally.numbers("cup", ("anna", "berta")) == ()


def test_disciplines_are_counted_apart() -> None:
    tally = CostTally()
    tally.add(SPEC, (spent_of(5), spent_of(6)))
    assert tally.numbers("other", ("anna",)) == ()
    (berta,) = tally.numbers("cup", ("berta",))
    assert (berta.name, berta.moves, berta.median_us is not None) == ("berta", 1, True)


def test_answers_are_of_all_disciplines_together() -> None:
    tally = CostTally()
    tally.add(SPEC, (spent_of(*[100] * 150), UNKNOWN))
    tally.add(msgspec.structs.replace(SPEC, game_id="other/g"), (spent_of(5000), UNKNOWN))
    (quantile, longest) = tally.answers()["anna"]
    assert (abs(quantile / 100 - 1) < 0.2, longest) == (True, 5000)
    assert "berta" not in tally.answers()
    tally.add(SPEC, (UNKNOWN, spent_of(77)))
    assert tally.answers()["berta"] == (min(77, tally.answers()["berta"][0]), 77)


def test_what_a_damaged_line_says_breaks_nothing() -> None:
    tally = CostTally()
    tally.add(SPEC, (SeatUsage((10**12, 1, 3)), SeatUsage((), 0, 0, 5, 0)))
    anna, berta = tally.numbers("cup", ("anna", "berta"))
    assert anna.moves == 1
    assert berta == berta.__class__("berta", 0, None, None, None, None, 0, None)
