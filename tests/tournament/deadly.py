"""A worker process that fails in games of some entrants, in place of the real one.

What the names of entrants begin with says what happens: ``z`` kills the worker, ``late`` too but in
no game of the first four rounds; ``busy`` makes the machine fail at the first try of each game in
each worker.
"""

from __future__ import annotations

import os
import re
import signal
from typing import Any, Final

from arena.referee.session import MachineTooBusy
from arena.schedule.seeds import Chance
from arena.tournament import worker
from arena.values.results import GameDone, GameSpec

_EARLY: Final = re.compile("/round[1-4]/")
_genuine = worker.Worker.play
_tried: set[str] = set()


def _play(self: worker.Worker, spec: GameSpec, chance: Chance | None, *learned: Any) -> GameDone:
    if any(name.startswith("z") for name in spec.entrants):
        os.kill(os.getpid(), signal.SIGKILL)
    if any(name.startswith("late") for name in spec.entrants) and not _EARLY.search(spec.game_id):
        os.kill(os.getpid(), signal.SIGKILL)
    if any(name.startswith("busy") for name in spec.entrants) and spec.game_id not in _tried:
        _tried.add(spec.game_id)
        raise MachineTooBusy("for too long")
    return _genuine(self, spec, chance, *learned)


def run(*arguments: Any) -> None:
    """As ``worker.run``."""
    worker.Worker.play = _play  # type: ignore[method-assign]
    worker.run(*arguments)
