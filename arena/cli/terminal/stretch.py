"""One session of play as a person sees it, and how the person stops it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType

from arena.cli.terminal.announce import lines_of_round
from arena.cli.terminal.console import say, warn
from arena.cli.terminal.progress import Display, Reporter, State, display
from arena.cli.terminal.signals import handled
from arena.config.tournament import Tournament
from arena.hosting.machine.room import cores
from arena.studies.listener import FamilyStanding, MatchProgress, PlayResult
from arena.tournament.prepare import play
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.tournament.session import Judge, SessionCallbacks


class Watched:
    """One session of play as a person sees it, and how the person stops it."""

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
        """Prepare the session.

        ``started``: called with the progress and the number of workers when stored games are
        counted. ``state``: returns the state of a match, which is shown instead of the share of
        games played.
        """
        self._tournament = tournament
        self.run = run
        """The run with all rounds added so far."""
        self._display: Display = display(quiet=quiet, state=state)
        self._reporter = Reporter(self._display, verbose=verbose)
        self._start = started
        self._judge: Judge | None = None
        self._stop: Callable[[], None] | None = None
        self._said_so = False
        self._showing = False
        self.workers = tournament.execution.workers or cores()
        self.progress = Progress(run.schedule.games)
        self.interrupted = False

    @property
    def faulty(self) -> str | None:
        """Id of the first game with a fault."""
        return self._reporter.faulty

    def play(self, judge: Judge | None = None, deals: int | None = None) -> None:
        """Play until no games are left, the judge ends play, or a person interrupts.

        Raises what ``arena.tournament.prepare.play`` does.
        """
        self._judge = judge
        reporter = self._reporter
        callbacks = SessionCallbacks(
            started=self._started,
            game=reporter.game,
            void=reporter.void,
            tick=self._tick,
            withdrawn=reporter.withdrawn,
            note=self._display.note,
            grown=self._grown,
        )

        def can_stop(stop: Callable[[], None]) -> None:
            self._stop = stop

        with handled((signal.SIGINT, signal.SIGTERM), self._asked):
            try:
                own = self._tournament, self.run, self.workers
                play(*own, callbacks, can_stop, judge, deals)
            except KeyboardInterrupt:
                self.interrupted = True
            else:  # an interrupt may have arrived when nothing was left to stop
                is_left = self.progress.left > 0 or self.progress.has_more
                is_left = is_left or not self.run.manifest.is_over
                self.interrupted = self.interrupted and is_left
            finally:
                if self._showing:
                    self._display.stop(self.progress)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        """Finish the running games at the first interrupt, and stop at once at the second."""
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

    def _grown(self, run: Run) -> None:
        if run is self.run:
            return
        self.run = run
        for line in lines_of_round(run):
            self._display.note(line)

    def _tick(self, progress: Progress) -> None:
        if self.interrupted and not self._said_so:
            self._said_so = True
            self._display.note("stopping: the games being played are finished; again to stop now")
        self._display.tick(progress)


class Onlooker:
    """``Listener`` of a study that reports to the person who waits at the terminal."""

    def __init__(self, *, quiet: bool, verbose: bool = False) -> None:
        self._quiet = quiet
        self._verbose = verbose

    def note(self, text: str) -> None:
        """See Listener."""
        if not self._quiet:
            say(text)

    def say(self, text: str) -> None:
        """See Listener."""
        say(text)

    def warn(self, text: str) -> None:
        """See Listener."""
        warn(text)

    def play(
        self,
        tournament: Tournament,
        run: Run,
        started: Callable[[Progress, int], None],
        judge: Judge | None = None,
        deals: int | None = None,
        standing: Callable[[], MatchProgress | FamilyStanding] | None = None,
    ) -> PlayResult:
        """See Listener."""
        watched = Watched(
            tournament,
            run,
            quiet=self._quiet,
            verbose=self._verbose,
            started=started,
            state=None if standing is None else lambda: _words(standing()),
        )
        watched.play(judge, deals)
        return PlayResult(watched.progress, watched.interrupted, watched.run)


def _words(standing: MatchProgress | FamilyStanding) -> tuple[str, int | None]:
    """Return the state of a match or a family in one line, and the games left (None if unknown)."""
    if isinstance(standing, FamilyStanding):
        from arena.views.match.family_text import live as family_live

        return family_live(*standing), None
    from arena.views.match.text import live

    return live(*standing), standing.games_left
