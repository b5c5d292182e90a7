"""The deadline that moves, on a simulated machine: time in milliseconds, nothing waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from arena.hosting.machine.usage import Usage
from arena.referee.deadline import (
    FIRST_POLL,
    LATE_WAKE,
    MILLISECOND,
    SECOND,
    AnswerDeadline,
    GameClock,
    SchedulerDelay,
)
from arena.values.results import TimeControl

CAP = 5 * 400 + 1000
"""Of an allowance of 400 ms."""


def usage(cpu: float, waited: float, is_complete: bool) -> Usage:
    return Usage(round(cpu * MILLISECOND), round(waited * MILLISECOND), 0, 1, is_complete)


class Machine:
    """Time passes; a bot gets a share of it, or sleeps."""

    def __init__(self, cpu: float = 0.0, waiting: float = 0.0, is_sure: bool = True) -> None:
        """Shares of the time in which the bot's processes run, and in which they queue."""
        self.is_sure = is_sure
        self.now = 0.0
        self.cpu = cpu
        self.waiting = waiting
        self.looks = 0
        self.is_gone = False

    def measure(self) -> Usage | None:
        self.looks += 1
        if self.is_gone:
            return None
        return usage(self.cpu * self.now, self.waiting * self.now, self.is_sure)

    def wait(self, patience: AnswerDeadline, until: float = 1e9, late: float = 0.0) -> float | None:
        """Look whenever it is due; when the time is over, or None if it is not ``until`` then."""
        while True:
            due = patience.due(round(self.now * MILLISECOND)) / MILLISECOND
            if due <= self.now:
                return self.now
            if due > until:
                self.now = until
                return None
            self.now = due + late
            patience.record_wake(round(due * MILLISECOND), round(self.now * MILLISECOND))


def patience(machine: Machine, allowance: float = 400) -> AnswerDeadline:
    return AnswerDeadline(0, round(allowance * MILLISECOND), FIRST_POLL, machine.measure, 2)


@pytest.mark.parametrize(
    ("machine", "over"),
    [
        (Machine(), 400),
        (Machine(cpu=1.0), 400),
        # its own children hold it up: nobody else uses the processor
        (Machine(cpu=1.0, waiting=0.8), 400),
        # it computes on many processors
        (Machine(cpu=4.0, waiting=0.5), 400),
        # threads that sleep in turns are not counted as waiting
        (Machine(cpu=0.2), 400),
        # half of the time somebody else computes, all the time after the glance
        (Machine(cpu=0.5, waiting=0.5), 50 + 350 * 2),
        # it waits half of the time and sleeps the other half: sleeping is billed
        (Machine(waiting=0.5), 50 + 350 * 2),
        # of four processes on its processor two are its own: half is given back
        (Machine(cpu=0.5, waiting=0.75), 50 + 350 * 2),
        # a quarter for itself
        (Machine(cpu=0.25, waiting=0.75), 50 + 350 * 4),
    ],
)
def test_when_the_time_is_over(machine: Machine, over: float) -> None:
    waiting = patience(machine)
    assert machine.wait(waiting) == pytest.approx(over, abs=5)
    assert not waiting.is_starved
    scheduler_delay = waiting.scheduler_delay(round(machine.now * MILLISECOND))
    assert scheduler_delay.excused == pytest.approx((over - 400) * MILLISECOND, abs=5 * MILLISECOND)
    assert scheduler_delay.cpu == pytest.approx(
        machine.cpu * (machine.now - 50) * MILLISECOND, abs=2
    )
    assert scheduler_delay.lag == 0


def test_a_bot_that_never_gets_the_processor_is_not_to_blame() -> None:
    machine = Machine(waiting=1.0)
    waiting = patience(machine)
    assert machine.wait(waiting) == CAP
    assert waiting.is_starved


@pytest.mark.parametrize("waiting", [0.8, 1.0])
def test_where_something_may_escape_the_measuring_no_game_is_void(waiting: float) -> None:
    """A bot could have others work for it; then it gets its time once more, and no more."""
    machine = Machine(waiting=waiting, is_sure=False)
    patient = patience(machine)
    assert machine.wait(patient) == 2 * 400
    assert not patient.is_starved


def test_a_count_that_leaps_is_worth_no_more_than_the_time_it_took() -> None:
    """A thread with a long past may take the place of the one that was measured."""
    machine = Machine()
    waiting = patience(machine)
    assert machine.wait(waiting, until=100) is None
    machine.waiting = 1000.0
    found = waiting.scheduler_delay(round(machine.now * MILLISECOND))
    assert found.excused == 50 * MILLISECOND


@pytest.mark.parametrize("when", [0, 1])
def test_without_a_count_of_the_waiting_nothing_is_given_back(when: int) -> None:
    machine = Machine(waiting=1.0)
    looks = iter([when == 1, when == 0, False, False])

    def measure() -> Usage | None:
        found = machine.measure()
        assert found is not None
        return found if next(looks) else found._replace(waited_ns=None)

    waiting = AnswerDeadline(0, 400 * MILLISECOND, FIRST_POLL, measure, 2)
    assert machine.wait(waiting) == 400


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_a_bot_that_used_its_time_before_the_cap_is_to_blame(share: float) -> None:
    machine = Machine(cpu=share, waiting=0.8)
    waiting = patience(machine)
    over = machine.wait(waiting)
    assert over is not None
    assert 0.2 * (over - 50) + 50 == pytest.approx(400, abs=5)
    assert not waiting.is_starved


def test_an_answer_in_time_is_measured_only_when_asked_for() -> None:
    machine = Machine(cpu=0.5, waiting=0.25)
    waiting = patience(machine)
    assert machine.wait(waiting, until=250) is None
    assert machine.looks == 1, "only the first, after the glance"
    found = waiting.scheduler_delay(round(machine.now * MILLISECOND))
    assert found == SchedulerDelay(cpu=100 * MILLISECOND, lag=0, excused=50 * MILLISECOND)


def test_an_answer_at_a_glance_is_not_measured_at_all() -> None:
    machine = Machine(cpu=1.0)
    waiting = patience(machine)
    assert machine.wait(waiting, until=20) is None
    assert waiting.scheduler_delay(20 * MILLISECOND) == SchedulerDelay()
    assert machine.looks == 0


def gone(machine: Machine) -> None:
    machine.is_gone = True


def reborn(machine: Machine) -> None:
    """Another process stands at the depth of the main one, and its counters are lower."""
    machine.cpu = machine.waiting = 0.0


@pytest.mark.parametrize("what", [gone, reborn])
def test_without_figures_nothing_is_given_back(what: Callable[[Machine], None]) -> None:
    machine = Machine(cpu=0.5, waiting=0.5)
    waiting = patience(machine)
    assert machine.wait(waiting, until=100) is None
    what(machine)
    assert machine.wait(waiting) == 400


def test_where_the_system_tells_nothing_nothing_is_given_back() -> None:
    machine = Machine()
    machine.is_gone = True
    waiting = patience(machine)
    assert machine.wait(waiting) == 400
    assert waiting.scheduler_delay(400 * MILLISECOND) == SchedulerDelay(cpu=None)


def test_what_the_referee_overslept_is_given_back_and_told() -> None:
    machine = Machine()
    waiting = patience(machine)
    waiting.record_wake(50 * MILLISECOND, 5050 * MILLISECOND)  # it was stopped during the glance
    machine.now = 5050
    assert machine.wait(waiting) == 5400
    assert waiting.scheduler_delay(5400 * MILLISECOND) == SchedulerDelay(
        0, 5000 * MILLISECOND, 5000 * MILLISECOND
    )
    assert not waiting.is_starved, "the cap is for what the machine takes from the bot"


def test_a_little_late_is_told_and_not_given_back() -> None:
    machine = Machine()
    waiting = patience(machine)
    over = machine.wait(waiting, late=20)
    assert over == 420
    assert waiting.scheduler_delay(420 * MILLISECOND) == SchedulerDelay(0, 40 * MILLISECOND, 0)
    assert 20 * MILLISECOND < LATE_WAKE


def test_more_than_all_is_never_given_back() -> None:
    """The referee sleeps while the bot waits: the same time is not counted twice."""
    machine = Machine(waiting=1.0)
    waiting = patience(machine)
    assert machine.wait(waiting, until=60) is None
    waiting.record_wake(60 * MILLISECOND, 360 * MILLISECOND)
    assert waiting.scheduler_delay(360 * MILLISECOND).excused <= 360 * MILLISECOND


@pytest.mark.parametrize(
    ("control", "used", "expected"),
    [
        (TimeControl(), 0.4, 1.0),
        (TimeControl(move=0.001), 0.0, 0.001),
        (TimeControl(move=None), 100.0, None),
        (TimeControl(move=None, bank=5.0), 2.0, 3.0),
        (TimeControl(move=None, bank=5.0), 6.0, 0.0),
        (TimeControl(move=None, bank=5.0, increment=0.5), 2.0, 3.5),
        (TimeControl(move=None, bank=5.0, increment=0.5), 7.0, 0.5),
        (TimeControl(move=1.0, bank=5.0), 4.5, 0.5),
        (TimeControl(move=1.0, bank=5.0), 1.0, 1.0),
        (TimeControl(move=1.0, increment=3.0), 1.0, 1.0),
    ],
)
def test_allowance_after_an_answer(control, used, expected) -> None:
    clock = GameClock(control, 2)
    clock.charge(1, round(used * SECOND))
    assert clock.allowance(1) == (None if expected is None else round(expected * SECOND))
    assert clock.allowance(0) == GameClock(control, 2).allowance(0)


HISTORIES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 40)), max_size=40)
"""Answers: the seat, and how many tenths of a second it took."""


@given(
    bank=st.integers(1, 50),
    increment=st.integers(0, 9),
    moves=st.none() | st.integers(1, 6),
    margin=st.integers(0, 5),
    move=st.none() | st.integers(1, 50),
    history=HISTORIES,
)
def test_a_bank_is_what_was_given_less_what_was_used(
    bank: int, increment: int, moves: int | None, margin: int, move: int | None, history
) -> None:
    """The bank is that of the answer since which it was never empty, with all sums since then."""
    control = TimeControl(
        None if move is None else move / 10,
        bank / 10,
        increment / 10,
        moves=moves or UNSET,
        margin=margin / 10 if margin else UNSET,
    )
    clock = GameClock(control, 2)
    for seat, used in history:
        clock.charge(seat, used * SECOND // 10)
    for seat in range(2):
        used = [each for who, each in history if who == seat]
        given = [
            increment + (bank if moves and n % moves == 0 else 0) for n in range(1, len(used) + 1)
        ]
        left = max(
            bank + sum(given) - sum(used),
            *(sum(given[n:]) - sum(used[n + 1 :]) for n in range(len(used))),
            0,
        )
        allowed = left if move is None else min(left, move)
        assert clock.banks()[seat] == left / 10
        assert clock.allowance(seat) == allowed * SECOND // 10
        assert clock.patience(seat) == (allowed + margin) * SECOND // 10
