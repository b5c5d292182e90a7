"""Define the watchdog thread of a worker: it obeys the parent and supervises worker and bots."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from time import monotonic_ns
from typing import Final, NoReturn

from arena.results import TimeControl
from arena.tournament.local.processes import BotProcesses

STOP: Final = b"s"
"""Message on the control pipe: finish the running game, then play no more."""
STUCK: Final = 3
"""Exit status of a worker that ended itself because a game made no progress."""

_TICK: Final = 0.1
_SLOW_TICK: Final = 1.0
_EXCUSED_TIMES: Final = 5
"""Largest multiple of its time that a bot gets on a machine that is too busy."""
_MARGIN: Final = 60.0


class Heartbeat:
    """Time of the main thread's last sign of life: a question or an answer."""

    def __init__(self) -> None:
        self.beat = 0
        """Time of the last question or answer, in nanoseconds; 0 while no game is being played."""

    def now(self) -> int:
        """Return the time by ``time.monotonic_ns``, and record it as a sign of life."""
        self.beat = now = monotonic_ns()
        return now

    def rest(self) -> None:
        """Record that no game is being played."""
        self.beat = 0


class Watchdog:
    """Watchdog that ends worker and bots when the control pipe closes or the worker is stuck."""

    def __init__(
        self,
        control: Connection,
        processes: BotProcesses,
        pulse: Heartbeat,
        patience: float,
        stop: Callable[[], None],
    ) -> None:
        """Prepare a watchdog, which calls ``stop`` on each STOP.

        ``patience``: longest silence of the main thread in seconds, see ``longest_silence``.
        """
        self._control = control
        self._processes = processes
        self._pulse = pulse
        self._patience = patience
        self._stop = stop
        self._tick = _TICK if processes.needs_inspection else _SLOW_TICK

    def run(self) -> NoReturn:
        """Watch, then end the process, even after an exception; never returns."""
        status = 1
        try:
            self._until_stuck()
            status = STUCK
        except (EOFError, ConnectionError):
            pass
        finally:
            kill_and_exit(self._processes, status)

    def _until_stuck(self) -> None:
        """Watch until the worker is stuck.

        Raises EOFError or ConnectionError when the parent is gone.
        """
        beat, silent = 0, 0.0
        while silent <= self._patience:
            began = time.monotonic()
            if self._control.poll(self._tick):
                if self._control.recv_bytes() == STOP:
                    self._stop()
                continue
            self._processes.inspect()
            # count two ticks at most: all processes may have been stopped for hours
            passed = min(time.monotonic() - began, 2 * self._tick)
            before, beat = beat, self._pulse.beat
            silent = silent + passed if beat and beat == before else 0.0


def kill_and_exit(processes: BotProcesses, status: int = 1) -> NoReturn:
    """Kill all bots and end this process at once, without a report to the parent."""
    processes.kill()
    os._exit(status)


def longest_silence(control: TimeControl, max_plies: int) -> float:
    """Return the seconds without question or answer after which a game is stuck, not slow.

    Returns infinity if answers have no time limit.
    """
    answer = control.move
    if answer is None and control.bank is not None:
        answer = control.bank + control.increment * max_plies
    if answer is None:
        return math.inf
    return _EXCUSED_TIMES * max(answer, control.startup) + _MARGIN
