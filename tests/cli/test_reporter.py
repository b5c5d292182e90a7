"""How a person stops play."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli.terminal.reporter import Reporter
from arena.tournament import prepare
from arena.tournament.events import Judge, Listener, Started, Stoppable
from arena.tournament.progress import Progress


@pytest.mark.parametrize(
    ("done", "is_over", "interrupted"), [(1, True, True), (2, True, False), (2, False, True)]
)
def test_who_stops_what_is_over_has_stopped_nothing(
    done: int, is_over: bool, interrupted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``done``: of two games, when play ends after the signal. ``is_over``: no round follows."""
    stopped: list[bool] = []

    progress, before = Progress(2), signal.getsignal(signal.SIGINT)

    def play(tournament: Any, session: Any, listener: Listener, judge: Judge) -> None:
        def stop() -> None:
            stopped.append(True)
            session.is_stopped = True

        listener(Started(progress, 1, judge))
        listener(Stoppable(stop))
        os.kill(os.getpid(), signal.SIGINT)
        progress.done = done

    run: Any = SimpleNamespace(
        schedule=SimpleNamespace(games=2),
        manifest=SimpleNamespace(is_over=is_over),
        folder=tmp_path,
    )
    session = SimpleNamespace(run=run, progress=progress, is_stopped=False)
    monkeypatch.setattr(prepare, "_play", play)
    monkeypatch.setattr(prepare, "Session", lambda *_: session)
    tournament: Any = None
    played = prepare.play(tournament, run, Reporter(quiet=True))
    assert (stopped, played.interrupted) == ([True], interrupted)
    assert signal.getsignal(signal.SIGINT) is before
