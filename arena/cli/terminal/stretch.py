"""One stretch of play as a person sees it, and how he stops it."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from io import TextIOWrapper
from pathlib import Path
from types import FrameType

from arena.cli.terminal.dry_run import cores
from arena.cli.terminal.progress import Display, Reporter, State, display
from arena.cli.terminal.signals import handled
from arena.config.tournament import Tournament
from arena.runs.disk import in_place
from arena.tournament.prepare import play
from arena.tournament.progress import Progress
from arena.tournament.run import Judge, Listener, Run


def log_to(folder: Path) -> None:
    """Our own log, workers included, goes to the run folder; warnings are also shown."""
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    file = _LogFile(folder / "logs" / "arena.log", delay=True)
    file.setFormatter(formatter)
    logging.raiseExceptions = False  # a log that cannot be written ends nothing and says nothing
    logging.basicConfig(level=logging.INFO, handlers=[file], force=True)


class _LogFile(logging.FileHandler):
    """Writes to a file in its own place alone; nothing is kept where there can be none."""

    def _open(self) -> TextIOWrapper:
        try:
            return open(self.baseFilename, "a", encoding="utf-8", opener=in_place)
        except OSError:
            return open(os.devnull, "a", encoding="utf-8")


class Sitting:
    """What a person sees of one stretch of play, and how it is stopped."""

    def __init__(
        self,
        tournament: Tournament,
        run: Run,
        *,
        quiet: bool,
        verbose: bool,
        started: Callable[[Progress, int], None],
        state: State | None = None,
    ) -> None:
        """``started``: called with the workers when stored games are counted.

        ``state``: what is shown of a match, in place of the share that is played.
        """
        self._tournament = tournament
        self._run = run
        self._display: Display = display(quiet=quiet, state=state)
        self._reporter = Reporter(self._display, verbose=verbose)
        self._start = started
        self._judge: Judge | None = None
        self._stop: Callable[[], None] | None = None
        self._told = False
        self._showing = False
        self.workers = tournament.execution.workers or cores()
        self.progress = Progress(run.schedule.games)
        self.interrupted = False

    @property
    def faulty(self) -> str | None:
        """The first game with a fault."""
        return self._reporter.faulty

    def play(self, judge: Judge | None = None, deals: int | None = None) -> None:
        """Play until nothing is left, the judge ends it or a person does.

        Raises what ``arena.tournament.prepare.play`` does.
        """
        self._judge = judge
        with self._signals():
            try:
                play(
                    self._tournament,
                    self._run,
                    self.workers,
                    self._listener(),
                    self._can_stop,
                    judge,
                    deals,
                )
            except KeyboardInterrupt:
                self.interrupted = True
            finally:
                self._end()

    def _listener(self) -> Listener:
        """What is called during play."""
        reporter = self._reporter
        return Listener(self._started, reporter.game, reporter.void, self._tick, reporter.withdrawn)

    def _can_stop(self, stop: Callable[[], None]) -> None:
        """From now on an interrupt lets the games in hand finish."""
        self._stop = stop

    def _signals(self) -> AbstractContextManager[None]:
        """Catch what asks us to stop: once, finish the games in hand; twice, stop now."""
        return handled((signal.SIGINT, signal.SIGTERM), self._asked)

    def _end(self) -> None:
        """Play is over, one way or the other."""
        if self._showing:
            self._display.stop(self.progress)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted or self._stop is None:
            raise KeyboardInterrupt
        self.interrupted = True
        self._stop()

    def _started(self, progress: Progress) -> None:
        self.progress = progress
        self._start(progress, self.workers)
        decided = self._judge is not None and self._judge.is_over
        self._showing = progress.left > 0 and not progress.stopped and not decided
        if self._showing:
            self._display.start(progress)

    def _tick(self, progress: Progress) -> None:
        if self.interrupted and not self._told:
            self._told = True
            self._display.note("stopping: the games in hand are finished; again to stop now")
        self._display.tick(progress)
