"""Time that the machine takes, with real processes on one crowded core."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Workspace
from arena.referee.channel import PipeChannel, Reply, Silence
from arena.referee.protocol import Hello, encode
from arena.values.results import Limits
from tests.hosting.bots import needs_linux
from tests.referee.processes import AMPLE, BOTS, program, started
from tests.referee.scripted import SECOND

pytestmark = [
    pytest.mark.slow,
    pytest.mark.alone,
    pytest.mark.process,
    pytest.mark.usefixtures("leaves_nothing", "idle"),
    needs_linux,
]
HELLO = encode(Hello((1,), "arena", Limits(), AMPLE))
ACT = b'{"type":"act","id":"1","legal":[{}]}\n'
LIMIT = 0.4
"""Seconds; a bot that spins uses 0.3 of the processor."""
CAP = 5 * LIMIT + 1


@pytest.fixture
def core() -> int:
    """The last one: the first has more to do than others."""
    return max(os.sched_getaffinity(0))


@contextmanager
def burners(count: int, core: int) -> Iterator[None]:
    """So many processes that use all they get of a core."""
    command = [sys.executable, "-S", "-c", "while True: pass"]
    burning = [subprocess.Popen(command) for _ in range(count)]
    try:
        for process in burning:
            os.sched_setaffinity(process.pid, {core})
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


@contextmanager
def pinned(bot: str, core: int, *, in_group: bool = False) -> Iterator[PipeChannel]:
    """A bot that is ready and stays on a core, with all that it starts."""
    with (
        closing(Workspace.create()) as workspace,
        grouped(bot, workspace) if in_group else started(bot) as channel,
    ):
        assert isinstance(channel.ask(HELLO, within(AMPLE)), bytes)
        os.sched_setaffinity(channel.pid, {core})
        yield channel


@contextmanager
def grouped(bot: str, workspace: Workspace) -> Iterator[PipeChannel]:
    """A bot in a control group, which knows all about its time."""
    bots = str(workspace.snapshot("bots", BOTS))
    how = Launch((sys.executable, "-S", *program(bot)), bots, level=Level.LIMITS, copied=True)
    process = BotProcess(how, workspace)
    channel = PipeChannel(process, 1 << 16, 1 << 16)
    try:
        used = process.usage()
        if used is None or not used.is_complete:
            pytest.skip("no control group tells who waited")
        yield channel
    finally:
        channel.close()


def within(seconds: float) -> int:
    return round(seconds * SECOND)


def timed(channel: PipeChannel) -> tuple[Reply, float]:
    began = time.monotonic()
    reply = channel.ask(ACT, within(LIMIT))
    return reply, time.monotonic() - began


def test_a_bot_on_a_crowded_core_has_its_time(core: int) -> None:
    with pinned("spins", core, in_group=True) as channel, burners(3, core):
        reply, wall = timed(channel)
        scheduler_delay = channel.scheduler_delay()
    if reply is Silence.STARVED:
        pytest.skip("this machine has more to do than anybody can be judged by")
    assert isinstance(reply, bytes)
    assert wall > LIMIT, "else the core was not crowded and nothing is shown"
    assert wall - scheduler_delay.excused / SECOND < LIMIT + 0.05
    assert scheduler_delay.cpu is not None
    assert 0.2 < scheduler_delay.cpu / SECOND < 0.4


def test_a_bot_that_sleeps_on_a_crowded_core_has_no_more_time(core: int) -> None:
    with pinned("hang", core) as channel, burners(3, core):
        reply, wall = timed(channel)
        scheduler_delay = channel.scheduler_delay()
    assert reply is Silence.TIMED_OUT
    assert LIMIT <= wall < CAP
    assert scheduler_delay.excused / SECOND < LIMIT / 2


def test_a_bot_that_holds_itself_up_gains_nothing(core: int) -> None:
    with pinned("burns_with_children", core) as channel:
        reply, wall = timed(channel)
        scheduler_delay = channel.scheduler_delay()
        assert scheduler_delay.cpu is not None
    assert scheduler_delay.cpu + scheduler_delay.excused <= (wall + 0.05) * SECOND, (
        "only what others used"
    )
    assert reply is Silence.TIMED_OUT
