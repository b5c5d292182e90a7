"""Compare two bots from a program."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.api.errors import (
    COUNT,
    FLAG,
    FUNCTION,
    NUMBER,
    PATH,
    SEED,
    TEXT,
    TEXT_OR_TEXTS,
    TEXTS,
    checked,
)
from arena.config.tournament import Tournament
from arena.ratings.match.report import MatchReport
from arena.results import GameDone
from arena.studies.listener import FamilyStanding, MatchProgress, PlayResult
from arena.studies.match.play import MatchOptions, play_match
from arena.tournament.prepare import play
from arena.tournament.progress import Progress
from arena.tournament.run import Run as OpenRun
from arena.tournament.session import Judge, SessionCallbacks


class _Silent:
    """A ``Listener`` that reports the number of games only."""

    def __init__(self, progress: Callable[[int], object]) -> None:
        self._progress = progress

    def note(self, text: str) -> None:
        """See Listener."""

    def say(self, text: str) -> None:
        """See Listener."""

    def warn(self, text: str) -> None:
        """See Listener."""

    def play(
        self,
        tournament: Tournament,
        run: OpenRun,
        started: Callable[[Progress, int], None],
        judge: Judge | None = None,
        deals: int | None = None,
        standing: Callable[[], MatchProgress | FamilyStanding] | None = None,
    ) -> PlayResult:
        """See Listener."""
        workers = tournament.execution.workers or os.cpu_count() or 1
        kept = run

        def grown(longer: OpenRun) -> None:
            nonlocal kept
            kept = longer

        def game(progress: Progress, _: GameDone) -> None:
            self._progress(progress.done)

        callbacks = SessionCallbacks(
            started=lambda progress: started(progress, workers),
            game=game,
            void=lambda progress, void: None,
            tick=lambda progress: None,
            withdrawn=lambda progress, withdrawal: None,
            grown=grown,
        )
        found = play(tournament, run, workers, callbacks, lambda stop: None, judge, deals)
        return PlayResult(found, interrupted=False, run=kept)


@checked(
    candidate=TEXT,
    baseline=TEXT,
    game=TEXT_OR_TEXTS,
    mode=TEXT,
    elo0=NUMBER,
    elo1=NUMBER,
    alpha=NUMBER,
    beta=NUMBER,
    max_fault_share=NUMBER,
    may_be_alike=FLAG,
    max_games=COUNT,
    seed=SEED,
    into=PATH,
    workers=COUNT,
    progress=FUNCTION,
    settings=TEXTS,
)
def compare(
    candidate: str,
    baseline: str,
    game: str | Sequence[str],
    *,
    mode: str = MatchOptions.mode,
    elo0: float | None = None,
    elo1: float | None = None,
    alpha: float = MatchOptions.alpha,
    beta: float = MatchOptions.beta,
    max_fault_share: float = MatchOptions.max_faults,
    may_be_alike: bool = False,
    max_games: int = MatchOptions.max_games,
    seed: str | int | None = None,
    into: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    progress: Callable[[int], object] = lambda games: None,
    settings: Sequence[str] = (),
) -> MatchReport:
    """Play a match until its verdict, as ``arena compare`` does; return the report.

    ``candidate``, ``baseline``: folders, ``FOLDER@REV``, ``builtin:NAME`` or commands. ``game``:
    rules, perhaps with the seats (``dragonkrak:4``), or several. ``mode``: ``gain`` or
    ``no-regression``. ``into``: the run folder; None: one below ``runs``, the same for the same
    match, which continues. ``progress``: called with the number of games after each one. Raises
    Error.
    """
    options = MatchOptions(
        bots=(candidate, baseline),
        games=(game,) if isinstance(game, str) else tuple(game),
        mode=mode,
        elo0=elo0,
        elo1=elo1,
        alpha=alpha,
        beta=beta,
        max_faults=max_fault_share,
        allow_identical=may_be_alike,
        max_games=max_games,
        seed=None if seed is None else str(seed),
        output=None if into is None else Path(into),
        workers=workers,
        settings=tuple(settings),
    )
    return play_match(options, _Silent(progress))
