"""The thread of a worker that listens to the parent and looks after bots and the worker itself."""

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
"""On the control pipe: play the game in hand to its end, then no more."""
STUCK: Final = 3
"""Exit status of a worker that ended itself because a game got no further."""

_TICK: Final = 0.1
_SLOW_TICK: Final = 1.0
_EXCUSED_TIMES: Final = 5
"""How many times its time a bot gets at most on a machine that is too busy."""
_MARGIN: Final = 60.0


class Pulse:
    """The life of the main thread: what time it was when it last asked or heard anything."""

    def __init__(self) -> None:
        self.beat = 0
        """Changes with every question and answer; 0: no game is being played."""

    def now(self) -> int:
        """The time by ``time.monotonic_ns``, noted as a sign of life."""
        self.beat = now = monotonic_ns()
        return now

    def rest(self) -> None:
        """No game is being played."""
        self.beat = 0


class Watch:
    """Runs until the parent closes the control pipe or the worker is stuck; then ends both."""

    def __init__(
        self,
        control: Connection,
        processes: BotProcesses,
        pulse: Pulse,
        patience: float,
        stop: Callable[[], None],
    ) -> None:
        """``patience``: seconds; see ``longest_silence``. ``stop`` is called on STOP."""
        self._control = control
        self._processes = processes
        self._pulse = pulse
        self._patience = patience
        self._stop = stop
        self._tick = _TICK if processes.needs_inspection else _SLOW_TICK

    def run(self) -> NoReturn:
        """Watch. Ends the process, whatever happens; never returns."""
        status = 1
        try:
            self._until_stuck()
            status = STUCK
        except (EOFError, ConnectionError):
            pass
        finally:
            leave(self._processes, status)

    def _until_stuck(self) -> None:
        """Raises EOFError or ConnectionError when the parent is gone."""
        beat, silent = 0, 0.0
        while silent <= self._patience:
            began = time.monotonic()
            if self._control.poll(self._tick):
                if self._control.recv_bytes() == STOP:
                    self._stop()
                continue
            self._processes.inspect()
            # no more than two ticks: all of us may have been stopped for hours
            passed = min(time.monotonic() - began, 2 * self._tick)
            before, beat = beat, self._pulse.beat
            silent = silent + passed if beat and beat == before else 0.0


def leave(processes: BotProcesses, status: int = 1) -> NoReturn:
    """End this process without a word to the parent, and without a bot left behind."""
    processes.kill()
    os._exit(status)


def longest_silence(control: TimeControl, max_plies: int) -> float:
    """Seconds after which a game without a question or an answer is stuck, not slow."""
    answer = control.move
    if answer is None and control.bank is not None:
        answer = control.bank + control.increment * max_plies
    if answer is None:
        return math.inf
    return _EXCUSED_TIMES * max(answer, control.startup) + _MARGIN
