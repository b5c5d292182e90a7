"""How a person stops play."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli.terminal import stretch
from arena.cli.terminal.stretch import Watched
from arena.tournament.progress import Progress


@pytest.mark.parametrize(
    ("done", "is_over", "interrupted"), [(1, True, True), (2, True, False), (2, False, True)]
)
def test_who_stops_what_is_over_has_stopped_nothing(
    done: int, is_over: bool, interrupted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``done``: of two games, when play ends after the signal. ``is_over``: no round follows."""
    stopped: list[bool] = []

    def play(tournament: Any, run: Any, workers: int, listener: Any, can_stop: Any, *_: Any) -> Any:
        progress = Progress(2)
        listener.started(progress)
        can_stop(lambda: stopped.append(True))
        os.kill(os.getpid(), signal.SIGINT)
        progress.done = done

    monkeypatch.setattr(stretch, "play", play)
    tournament: Any = SimpleNamespace(execution=SimpleNamespace(workers=1))
    run: Any = SimpleNamespace(
        schedule=SimpleNamespace(games=2), manifest=SimpleNamespace(is_over=is_over)
    )
    watched = Watched(tournament, run, quiet=True, verbose=False, started=lambda *_: None)
    watched.play()
    assert (stopped, watched.interrupted) == ([True], interrupted)
