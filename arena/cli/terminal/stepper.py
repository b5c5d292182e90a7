"""Stepping through a game on a terminal."""

from __future__ import annotations

import time
from math import inf

from arena.cli.terminal.screen import Screen
from arena.results import Seat
from arena.text.screen import Line
from arena.views.game.replay import Replay
from arena.views.game.screen import screen
from arena.views.game.stepper import Stepper


def step_through(replay: Replay, seat: Seat | None) -> None:
    """Show the game until the person quits.

    ``seat``: whose view is shown first, may be SPECTATOR; None: all.
    """
    with Screen() as terminal:
        terminal.show(Stepping(Stepper.begin(replay, seat)))


class Stepping:
    """Screen content that shows a stepper and advances it while it plays automatically."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self.is_over = False
        self._period: float | None = None
        self._due = inf

    def lines(self, columns: int, rows: int) -> list[Line]:
        """See Shown."""
        return screen(self.stepper, columns, rows)

    def press(self, key: bytes, columns: int, rows: int) -> None:
        """See Shown."""
        pressed = self.stepper.press(key)
        if pressed is None:
            self.is_over = True
        else:
            self.stepper = pressed

    def wait(self) -> float | None:
        """Return the seconds until the next automatic step; None: never."""
        return None if self._due == inf else self._due - time.monotonic()

    def tick(self) -> None:
        """Advance if a step is due. A change of speed begins a new period."""
        now = time.monotonic()
        is_due = self.stepper.period == self._period and now >= self._due
        if is_due:
            self.stepper = self.stepper.tick()
        if is_due or self.stepper.period != self._period:
            self._period = self.stepper.period
            self._due = inf if self._period is None else now + self._period
