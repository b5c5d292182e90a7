"""Stepping through a game on a terminal."""

from __future__ import annotations

from arena.cli.terminal import Screen
from arena.report.replay import Replay
from arena.report.replay_screen import Stepper, screen
from arena.results import Seat


def step_through(replay: Replay, seat: Seat | None) -> None:
    """Show the game until the person quits, beginning with the view of ``seat``, None for all."""
    stepper = Stepper.begin(replay, seat)
    with Screen() as terminal:
        _draw(terminal, stepper)
        for keys in terminal.presses():
            for key in keys:
                pressed = stepper.press(key)
                if pressed is None:
                    return
                stepper = pressed
            _draw(terminal, stepper)


def _draw(terminal: Screen, stepper: Stepper) -> None:
    columns, rows = terminal.size
    # Clearing the rest of a full line would take its last character on some terminals.
    terminal.draw(screen(stepper, columns - 1, rows))
