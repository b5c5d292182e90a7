"""Progress of play, and of commands that work through games: a live line, plain lines in a log.

The words are those of all who watch a run; no tables and statistics are imported for them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from arena.cli.terminal.console import harmless_line, is_animated, rewrite, say, showing, warn
from arena.runs.manifest import CurrentRound
from arena.tournament.progress import Figures, Progress
from arena.values.numbers import clock, count
from arena.values.titles import called

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

_PLAIN_SECONDS: Final = 10.0
_PLAIN_SHARE: Final = 0.05
_LIVE_SECONDS: Final = 0.25
_LEADERS: Final = 3
_DAMAGED: Final = 5
"""Number of games with damaged records that are reported individually."""


State: TypeAlias = Callable[[], tuple[str, int | None]]
"""Function that returns the state of a match and its number of games left, if known."""


class Display:
    """Output on which progress is shown; this one shows nothing."""

    def start(self, progress: Progress, state: State | None = None) -> None:
        """Begin: the stored games are counted and play starts.

        ``state``: returns the state of a match, which is shown instead of the share of games
        played.
        """

    def note(self, text: str) -> None:
        """Print a line on an event."""

    def tick(self, progress: Progress) -> None:
        """Show the current state, if an update is due."""

    def stop(self, progress: Progress) -> None:
        """End: play has stopped."""


def summary(progress: Progress, state: State | None = None) -> str:
    """Return one line on progress.

    ``state``: returns the state of a match, which is shown instead of the share of games played.
    """
    figures = progress.figures()
    if state is None:
        return progress_words(figures, is_open=True)
    stands, games = state()
    left = games / figures.rate if games is not None and figures.rate else None
    figures = figures._replace(total=None, turn=None, left=left)
    return f"{stands}  {progress_words(figures, is_open=True)}"


def _elapsed(progress: Progress) -> float:
    """Return the seconds since this session began."""
    return time.monotonic() - progress.pace.began


def _last(progress: Progress, state: State | None) -> str:
    """Return the line that remains after play."""
    return f"{summary(progress, state)}  elapsed {clock(_elapsed(progress))}"


class Plain(Display):
    """Display of plain lines: at most one per 10 s and at most one per 5 % of the games.

    For a match, which may end at any moment: one line per 10 s.
    """

    def __init__(self) -> None:
        self._state: State | None = None
        self._last = 0.0
        self._share = 0.0

    def start(self, progress: Progress, state: State | None = None) -> None:
        """See Display."""
        self._state, self._last, self._share = state, 0.0, 0.0

    def note(self, text: str) -> None:
        """See Display."""
        say(text)

    def tick(self, progress: Progress) -> None:
        """See Display."""
        elapsed, share = _elapsed(progress), progress.done / max(1, progress.total)
        enough = self._state is not None or share - self._share >= _PLAIN_SHARE
        if elapsed - self._last >= _PLAIN_SECONDS and enough:
            self._last, self._share = elapsed, share
            say(summary(progress, self._state))

    def stop(self, progress: Progress) -> None:
        """See Display."""
        say(_last(progress, self._state))


class Animated(Display):
    """Display of one line that is rewritten, with the leaders beside the counts."""

    def __init__(self) -> None:
        self._state: State | None = None
        self._last = 0.0
        self._live: Live | None = None

    def start(self, progress: Progress, state: State | None = None) -> None:
        """See Display."""
        from rich.console import Console
        from rich.live import Live

        self._state, self._last = state, 0.0
        console = Console(file=sys.stderr, highlight=False, markup=False)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        with showing():
            self._live.start()
        self.tick(progress)

    def note(self, text: str) -> None:
        """See Display."""
        if self._live is None:
            say(text)
        else:
            with showing():
                self._live.console.print(harmless_line(text, sys.stderr), soft_wrap=True)

    def tick(self, progress: Progress) -> None:
        """See Display."""
        if self._live is not None and time.monotonic() - self._last >= _LIVE_SECONDS:
            self._last = time.monotonic()
            leaders = _leaders(progress) if self._state is None else ""
            with showing():
                self._live.update(_line(summary(progress, self._state) + leaders), refresh=True)

    def stop(self, progress: Progress) -> None:
        """See Display."""
        if self._live is not None:
            with showing():
                self._live.stop()
            self._live = None
        say(_last(progress, self._state))


def _leaders(progress: Progress) -> str:
    best = progress.leaders(_LEADERS)
    leaders = ", ".join(f"{called(name)} {share:.0%}" for name, share in best)
    return f"  score {leaders}" if leaders else ""


def _line(text: str) -> Text:
    from rich.text import Text

    return Text(text, no_wrap=True, overflow="ellipsis")


def display(*, quiet: bool) -> Display:
    """Return the display that suits standard error."""
    if quiet:
        return Display()
    return Animated() if is_animated(sys.stderr) else Plain()


@contextmanager
def counting(words: str, every: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes a count and shows every ``every``-th one, on a terminal only."""
    animated = is_animated(sys.stderr)

    def show(number: int) -> None:
        if animated and number % every == 0:
            rewrite(f"{number} {words}")

    try:
        yield show
    finally:
        if animated:
            rewrite("")


class PreparedGames:
    """Counter of prepared games. Use as a context manager; leaves no partial line behind."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self._total = total
        self._quiet = quiet
        self._animated = not quiet and is_animated(sys.stderr)
        self._done = 0
        self._shown = 0
        self._last = time.monotonic()

    def __enter__(self) -> PreparedGames:
        return self

    def __exit__(self, *_: object) -> None:
        if self._animated:
            rewrite("")

    def step(self) -> None:
        """Count one more prepared game."""
        self._done += 1
        now = time.monotonic()
        if self._animated:
            if now - self._last >= _LIVE_SECONDS or self._done == self._total:
                self._last = now
                rewrite(self._words())
        elif not self._quiet:
            enough = self._done - self._shown >= _PLAIN_SHARE * self._total
            if now - self._last >= _PLAIN_SECONDS and enough and self._done < self._total:
                self._last, self._shown = now, self._done
                say(self._words())

    def _words(self) -> str:
        return f"{self._done}/{self._total} games prepared"


def warn_of_damage(problems: Sequence[str]) -> None:
    """Warn of games that are left out because of these problems of their records."""
    for problem in problems[:_DAMAGED]:
        warn(f"left out: {problem}")
    if len(problems) > _DAMAGED:
        warn(f"{len(problems) - _DAMAGED} more games are left out")


def progress_words(figures: Figures, *, is_open: bool) -> str:
    """Return ``120/300  40%  184 games/s  left 0:00:01  faults 0``.

    ``is_open``: whether games are being played; if not, no time left is given.
    """
    parts = [] if figures.turn is None else [turn_words(figures.turn)]
    if figures.total is None:
        parts.append(count(figures.done, "game"))
    else:
        share = figures.done / max(1, figures.total)
        parts += [f"{figures.done}/{figures.total}", f"{share:4.0%}"]
    if figures.rate is not None:
        parts.append(rate_words(figures.rate))
    if is_open and (figures.left is not None or figures.total is not None):
        parts.append(f"left {'?' if figures.left is None else clock(figures.left)}")
    uncounted = f" ({figures.uncounted} in games of withdrawn bots)" if figures.uncounted else ""
    parts.append(f"faults {figures.faults}{uncounted}")
    if figures.voids:
        causes = ", ".join(f"{times} {cause}" for cause, times in figures.voids.items())
        parts.append(f"void {sum(figures.voids.values())} ({causes})")
    if figures.withdrawn:
        parts.append(f"withdrawn {', '.join(map(called, figures.withdrawn))}")
        if figures.total is not None and figures.planned > figures.total:
            parts.append(f"with them {figures.planned} games were planned")
    return "  ".join(parts)


def turn_words(turn: CurrentRound) -> str:
    """Return ``round 2 of 5``, or ``stage 2 of 2, round 1``."""
    stage = f"stage {turn.stage} of {turn.stages}, " if turn.stages > 1 else ""
    return f"{stage}round {turn.number}" + (f" of {turn.of}" if turn.of is not None else "")


def rate_words(rate: float) -> str:
    """Return ``184 games/s``, or ``12 s a game`` for slow games."""
    if rate >= 10:
        return f"{rate:.0f} games/s"
    return f"{rate:.1f} games/s" if rate >= 0.1 else f"{1 / rate:.0f} s a game"


def fewer_words(figures: Figures) -> str:
    """Return why there are fewer games than planned, and how many; empty if there are not."""
    if not figures.withdrawn or figures.total is None or figures.planned <= figures.total:
        return ""
    whose = ", ".join(map(called, figures.withdrawn))
    fewer = count(figures.planned - figures.total, "game")
    return (
        f"without the {fewer} of {whose}, played or not, {figures.total} of the "
        f"{figures.planned} planned are left to count; {figures.done} of them are played"
    )
