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
from arena.ratings.match.report import MatchReport
from arena.studies.match.options import MatchOptions
from arena.studies.match.play import play_match
from arena.tournament.events import Event, GameEnded


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

    def heard(event: Event) -> None:
        if isinstance(event, GameEnded):
            progress(event.progress.done)

    return play_match(options, heard)
