"""Who is excused for an overrun: a table of bots and loads on a simulated machine of two cores.

Nothing here waits or depends on the load of the real machine, but for the one test with processes.
"""

from __future__ import annotations

import contextlib
import os
from contextlib import closing
from typing import NamedTuple

import pytest

from arena.hosting.machine.usage import Usage
from arena.hosting.workspace.cells import Workspace
from arena.referee.channel import Silence
from arena.referee.deadline import FIRST_POLL, MILLISECOND, AnswerDeadline
from tests.hosting.bots import needs_linux
from tests.referee.processes import AMPLE
from tests.referee.test_machine import ACT, HELLO, burners, grouped, within

CORES = 2
ALLOWED = 300
"""Milliseconds that an answer may take."""
SLOW = 450
"""Milliseconds that a bot sleeps which is too slow."""
GRAIN = 10 * MILLISECOND
"""What the work of the kernel and of the referee itself may take on an idle machine."""


class Load(NamedTuple):
    """What wants to run from the question on, and how late the referee wakes."""

    spins: bool = False
    """Whether the bot's main thread computes; else it sleeps."""
    children: int = 0
    """Children, or further threads, of the bot that burn what they get."""
    outside: int = 0
    """Processes of others that do so."""
    late: int = 0
    """Milliseconds by which the referee wakes too late, each time after the glance."""

    @property
    def own(self) -> int:
        return self.spins + self.children

    @property
    def cpu(self) -> float:
        """Cores that the bot's processes have on average: all that want to run get equal shares."""
        return min(float(self.own), CORES * self.own / max(1, self.own + self.outside))

    @property
    def stalled(self) -> float:
        """Share of the time in which the bot's processes wait and none of them runs."""
        return max(0.0, 1 - self.cpu) if self.own else 0.0

    def measure(self, now: float) -> Usage:
        cpu, waited = (round(share * now * MILLISECOND) for share in (self.cpu, self.stalled))
        return Usage(cpu, waited, 0, 1 + self.children, is_complete=True)


def over_after(load: Load) -> tuple[float, float]:
    """When the time of a bot is over that never answers, and what was given back; milliseconds."""
    now = 0.0
    patience = AnswerDeadline(
        0, ALLOWED * MILLISECOND, FIRST_POLL, lambda: load.measure(now), cores=CORES
    )
    while True:
        due = patience.due(round(now * MILLISECOND)) / MILLISECOND
        if due <= now:
            return now, patience.scheduler_delay(round(now * MILLISECOND)).excused / MILLISECOND
        was_glance = due * MILLISECOND <= FIRST_POLL
        now = due + (0 if was_glance else load.late)
        patience.record_wake(round(due * MILLISECOND), round(now * MILLISECOND))


IDLE = [
    Load(spins=spins, children=children, late=late)
    for spins in (False, True)
    for children in (0, 1, 2, 3, 8, 64)
    for late in (0, 20)
]
"""Nobody else wants a core; the referee shares the machine with the bot alone."""
CROWDED_BY_ITSELF = [
    Load(spins=spins, children=children, late=late)
    for spins in (False, True)
    for children in (2, 8, 64)
    for late in (60, 200)
]
"""The bot's own processes have every core, and so arena itself wakes too late."""


@pytest.mark.parametrize("load", [*IDLE, *CROWDED_BY_ITSELF], ids=str)
def test_own_children_and_sleep_are_never_excused(load: Load) -> None:
    over, excused = over_after(load)
    assert excused == 0
    assert over <= ALLOWED + load.late
    assert over < SLOW or load.late >= SLOW - ALLOWED


@pytest.mark.parametrize("outside", [1, 2, 4, 8, 30])
def test_sleep_is_not_excused_by_the_load_of_others(outside: int) -> None:
    assert over_after(Load(outside=outside)) == (ALLOWED, 0)


@pytest.mark.parametrize("outside", [2, 3, 4, 6])
def test_who_computes_gets_the_time_that_others_took(outside: int) -> None:
    load = Load(spins=True, outside=outside)
    over, excused = over_after(load)
    glance = FIRST_POLL / MILLISECOND
    assert load.cpu * (over - glance) + glance == pytest.approx(ALLOWED, abs=5)
    assert excused == pytest.approx(over - ALLOWED, abs=5)
    assert excused > 0


@pytest.mark.parametrize("load", [Load(late=80), Load(spins=True, late=80)], ids=str)
def test_where_the_bot_leaves_a_core_free_the_lateness_of_arena_is_given_back(load: Load) -> None:
    """It was stopped, or others held it up: one thread cannot have done it."""
    over, excused = over_after(load)
    assert excused >= load.late
    assert over >= ALLOWED + load.late


def test_lateness_is_shared_where_others_want_the_cores_too() -> None:
    shares = [over_after(Load(children=8, outside=n, late=80))[1] for n in (0, 2, 4, 8)]
    assert shares == sorted(shares)
    assert shares[0] == 0 < shares[-1]


def answered(load: Load, *, by_main: bool, at: float = SLOW) -> tuple[bool, float]:
    """Whether an answer of that instant is late, and what was given back; milliseconds.

    The process that writes it uses a little of the processor for that.
    """
    now = 0.0

    def measure() -> Usage:
        each = round(load.cpu * now / max(1, load.own) * MILLISECOND)
        waited = round((now - load.cpu * now / max(1, load.own)) * MILLISECOND)
        children = dict.fromkeys(range(1, 1 + load.children), (each, waited))
        writes = MILLISECOND // 10 * (by_main and now >= at)
        main = (each, waited) if load.spins else (writes, 0)
        return load.measure(now)._replace(shares={0: main, **children})

    patience = AnswerDeadline(0, ALLOWED * MILLISECOND, FIRST_POLL, measure, CORES)
    while True:
        due = patience.due(round(now * MILLISECOND)) / MILLISECOND
        if due <= now:
            return True, patience.scheduler_delay(round(now * MILLISECOND)).excused / MILLISECOND
        if due >= at:
            now = at
            is_late = patience.is_late(round(now * MILLISECOND))
            return is_late, patience.scheduler_delay(round(now * MILLISECOND)).excused / MILLISECOND
        now = due


@pytest.mark.parametrize("children", [1, 2, 4, 16])
@pytest.mark.parametrize("outside", [2, 4, 8, 30])
def test_who_sleeps_while_its_children_wait_is_late(children: int, outside: int) -> None:
    """The machine kept the children waiting, and not the process that slept and then answered."""
    is_late, excused = answered(Load(children=children, outside=outside), by_main=True)
    assert is_late
    assert excused < SLOW - ALLOWED, "0 once it answered; before that nobody knows who will"


def test_behind_a_start_script_the_one_that_answers_is_excused() -> None:
    """The main process waits for its only child, and does nothing itself."""
    is_late, excused = answered(Load(children=1, outside=6), by_main=False)
    assert not is_late
    assert excused >= SLOW - ALLOWED
    alone = answered(Load(spins=True, outside=6), by_main=True)
    assert alone == (is_late, pytest.approx(excused))


@pytest.mark.parametrize("load", [Load(spins=True), Load(children=4), Load()], ids=str)
def test_on_an_idle_machine_every_late_answer_is_late(load: Load) -> None:
    assert answered(load, by_main=True) == (True, 0)
    assert answered(load, by_main=True, at=ALLOWED - 1) == (False, 0)


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.process
@pytest.mark.usefixtures("leaves_nothing", "idle")
@needs_linux
@pytest.mark.parametrize("bot", ["sleeps", "sleeps_while_children_burn"])
def test_on_an_idle_machine_sleep_and_own_children_are_not_excused(bot: str) -> None:
    """As above with real processes, which burn on all cores."""
    with closing(Workspace.create()) as workspace, grouped(bot, workspace) as channel:
        assert isinstance(channel.ask(HELLO, within(AMPLE)), bytes)
        reply = channel.ask(ACT, within(ALLOWED / 1000))
        scheduler_delay = channel.scheduler_delay()
    assert reply is Silence.TIMED_OUT
    assert scheduler_delay.excused < GRAIN


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.process
@pytest.mark.usefixtures("leaves_nothing", "idle")
@needs_linux
def test_on_a_crowded_machine_sleep_is_not_excused_for_the_children() -> None:
    cores = sorted(os.sched_getaffinity(0))
    with (
        closing(Workspace.create()) as workspace,
        grouped("sleeps_while_children_burn", workspace) as channel,
        contextlib.ExitStack() as others,
    ):
        assert isinstance(channel.ask(HELLO, within(AMPLE)), bytes)
        for core in cores:
            others.enter_context(burners(4, core))
        assert channel.ask(ACT, within(ALLOWED / 1000)) is Silence.TIMED_OUT
