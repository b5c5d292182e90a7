"""The watching thread of a worker, run in the test's own thread."""

from __future__ import annotations

import math
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from types import SimpleNamespace

import pytest

from arena.referee.ask import Heartbeat
from arena.tournament import worker
from arena.tournament.worker import STOP, STUCK, Watchdog, longest_silence
from arena.values.results import TimeControl

pytestmark = pytest.mark.usefixtures("leaves_nothing")


class Left(Exception):
    """In place of the end of the process."""


class Bots:
    """Bot processes that note what is asked of it."""

    needs_inspection = True

    def __init__(self) -> None:
        self.looks = 0
        self.killed = False
        self.at_look: Callable[[int], None] = lambda _: None

    def inspect(self) -> None:
        self.looks += 1
        self.at_look(self.looks)

    def kill(self) -> None:
        self.killed = True


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(status: int) -> None:
        raise Left(status)

    monkeypatch.setattr(worker.os, "_exit", leave)
    monkeypatch.setattr(worker, "_TICK", 0.001)


@pytest.fixture
def parent() -> Iterator[tuple[Connection, Connection]]:
    """Both ends of the control pipe: the worker's and the parent's."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    yield ours, theirs
    ours.close()
    theirs.close()


def end_of(
    parent: tuple[Connection, Connection],
    bots: Bots,
    pulse: Heartbeat | None = None,
    patience: float = math.inf,
    stop: Callable[[], None] = lambda: None,
) -> int:
    """The status with which the worker ends."""
    watching = Watchdog(parent[0], bots, pulse or Heartbeat(), patience, stop)  # type: ignore[arg-type]  # Bots stands in for a Stable
    with pytest.raises(Left) as caught:
        watching.run()
    status: int = caught.value.args[0]
    return status


def test_it_ends_with_its_parent(parent: tuple[Connection, Connection]) -> None:
    bots, stopped = Bots(), threading.Event()
    parent[1].send_bytes(STOP)
    parent[1].close()
    assert end_of(parent, bots, stop=stopped.set) == 1
    assert stopped.is_set()
    assert bots.killed


def test_it_inspects_the_bots_meanwhile(parent: tuple[Connection, Connection]) -> None:
    bots = Bots()
    bots.at_look = lambda looks: parent[1].close() if looks == 5 else None
    assert end_of(parent, bots) == 1
    assert bots.looks == 5


def test_it_ends_a_worker_that_is_stuck(parent: tuple[Connection, Connection]) -> None:
    bots, pulse = Bots(), Heartbeat()
    pulse.now()
    assert end_of(parent, bots, pulse, 0.02) == STUCK
    assert bots.killed
    assert bots.looks > 5


@pytest.mark.parametrize("resting", [True, False])
def test_a_worker_that_rests_or_asks_is_not_stuck(parent, resting) -> None:
    bots, pulse = Bots(), Heartbeat()

    def live(looks: int) -> None:
        if not resting:
            pulse.now()
        if looks == 100:
            parent[1].close()

    bots.at_look = live
    assert end_of(parent, bots, pulse, 0.02) == 1
    assert bots.looks == 100


def test_a_worker_that_was_stopped_as_a_whole_is_not_stuck(parent, monkeypatch) -> None:
    hour = 3600.0
    clock = [0.0]
    fake = SimpleNamespace(monotonic=lambda: clock[0], monotonic_ns=time.monotonic_ns)
    monkeypatch.setattr(worker, "time", fake)
    bots, pulse = Bots(), Heartbeat()
    pulse.now()

    def stopped(looks: int) -> None:
        clock[0] += hour
        if looks == 10:
            parent[1].close()

    bots.at_look = stopped
    assert end_of(parent, bots, pulse, hour) == 1


def test_it_ends_the_worker_when_it_fails_itself(parent: tuple[Connection, Connection]) -> None:
    bots = Bots()

    def fail(_: int) -> None:
        raise ZeroDivisionError

    bots.at_look = fail
    assert end_of(parent, bots) == 1
    assert bots.killed


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        (TimeControl(move=2.0, startup=1.0), 70.0),
        (TimeControl(move=2.0, startup=10.0), 110.0),
        (TimeControl(move=None, bank=20.0, increment=0.5, startup=1.0), 5 * 70.0 + 60),
        (TimeControl(move=None, bank=20.0, moves=40, startup=1.0), 5 * 60.0 + 60),
        (TimeControl(move=2.0, margin=3.0, startup=1.0), 85.0),
        (TimeControl(move=2.0, bank=20.0, startup=1.0), 70.0),
        (TimeControl(move=None, startup=1.0), math.inf),
    ],
)
def test_how_long_a_game_may_be_silent(control: TimeControl, seconds: float) -> None:
    assert longest_silence(control, max_plies=100) == seconds


def test_a_pulse_is_the_time() -> None:
    pulse = Heartbeat()
    assert pulse.beat == 0
    assert pulse.now() == pulse.beat <= time.monotonic_ns()
    pulse.rest()
    assert pulse.beat == 0
