"""Stepping through a game on a terminal."""

from __future__ import annotations

import time
from math import inf

from arena.cli.terminal.screen import Screen
from arena.results import Seat
from arena.views.game.replay import Replay
from arena.views.game.screen import screen
from arena.views.game.stepper import Stepper


def step_through(replay: Replay, seat: Seat | None) -> None:
    """Show the game until the person quits.

    ``seat``: whose view is shown first, may be SPECTATOR; None: all.
    """
    stepper, clock = Stepper.begin(replay, seat), _Clock()
    with Screen() as terminal:
        _draw(terminal, stepper)
        for keys in terminal.presses(clock.wait):
            for key in keys:
                pressed = stepper.press(key)
                if pressed is None:
                    return
                stepper = pressed
            stepper = clock.lead(stepper)
            _draw(terminal, stepper)


class _Clock:
    """Lets a stepper that plays go on when it is time."""

    def __init__(self) -> None:
        self._period: float | None = None
        self._due = inf

    def wait(self) -> float | None:
        """Seconds until it is time; None: never."""
        return None if self._due == inf else self._due - time.monotonic()

    def lead(self, stepper: Stepper) -> Stepper:
        """The stepper after a tick if one is due. A change of speed begins a new period."""
        now = time.monotonic()
        is_due = stepper.period == self._period and now >= self._due
        if is_due:
            stepper = stepper.tick()
        if is_due or stepper.period != self._period:
            self._period = stepper.period
            self._due = inf if self._period is None else now + self._period
        return stepper


def _draw(terminal: Screen, stepper: Stepper) -> None:
    terminal.draw(screen(stepper, *terminal.room))
