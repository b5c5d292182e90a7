"""Play games, and compare two bots, from a program."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from arena.extensions.data.api.errors import (
    COUNT,
    TEXT,
    ArgumentKind,
    check_argument,
    checked,
)
from arena.extensions.data.api.functions import Chooser, function_tournament, names_of, play_here
from arena.extensions.data.api.runs import Run
from arena.extensions.matches.options import MatchOptions
from arena.extensions.matches.play import play_match
from arena.extensions.matches.statistics.report import MatchReport
from arena.runs.reader import StoredRun
from arena.tournament.events import Event, GameEnded
from arena.values.bad_input import BadInput
from arena.values.problems import quote
from arena.views.standings.standings import FORMS, table_of, write_tables

_PLAYER: Final = ArgumentKind(
    "the folder or command of a bot, or a function",
    lambda value: isinstance(value, str) or callable(value),
)
_PLAYERS: Final = ArgumentKind(
    "a list of bots and functions, or a mapping of names to them",
    lambda value: isinstance(value, Sequence | Mapping) and not isinstance(value, str),
)


@checked(bots=_PLAYERS)
def play(
    game: str,
    bots: Sequence[str | Chooser] | Mapping[str, str | Chooser],
    *,
    deals: int = 1,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: str | int | None = None,
    into: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] = lambda played, games: None,
    settings: Sequence[str] = (),
) -> Run:
    """Play every pairing of ``bots`` on ``deals`` deals, each in all seatings; return the run.

    ``bots``: folders, ``builtin:NAME`` or commands, and functions, in a list or by name. A function
    takes a ``SeatQuestion`` with ``observation``, ``events`` and ``legal``. It returns the index of
    a legal action or the action, alone or in a pair with its ``info``. It runs in this process,
    without isolation, and may not take longer than the clock allows. One that raises commits a
    fault. ``into``: folder of the run, which is new or holds the same run, stopped before its end:
    then the missing games are played; None: a folder that goes with the returned run.
    ``progress``: called with the number of games played and of all games. ``settings``: as
    ``--set`` of ``arena run``, such as ``clock.move=2 s``. Raises Error.
    """
    players = dict(_named(bots))
    functions = {name: each for name, each in players.items() if not isinstance(each, str)}
    scratch = None
    if into is None:
        scratch = Path(tempfile.mkdtemp(prefix="arena-play-"))
        into = scratch / "play"
    folder = Path(into)
    with ExitStack() as undo:
        if scratch is not None:
            undo.callback(shutil.rmtree, scratch, ignore_errors=True)
        tournament = function_tournament(
            game,
            players,
            deals=deals,
            seats=seats,
            options=options,
            seed=None if seed is None else str(seed),
            overrides=settings,
        )
        play_here(tournament, functions, folder, progress)
        write_tables(folder, table_of(StoredRun(folder)), FORMS)
        undo.pop_all()
    return Run(folder, scratch)


def _named(
    bots: Sequence[str | Chooser] | Mapping[str, str | Chooser],
) -> Iterator[tuple[str, str | Chooser]]:
    """Yield the bots and functions by name. Raises BadInput."""
    taken = set[str]()
    for each in bots.values() if isinstance(bots, Mapping) else bots:
        check_argument("bots", each, _PLAYER)
    for name, each in (
        bots.items() if isinstance(bots, Mapping) else zip(names_of(bots), bots, strict=True)
    ):
        check_argument("bots", name, TEXT)
        if name.lower() in taken:
            raise BadInput(f"bots: found {quote(name)} twice, expected names of their own")
        taken.add(name.lower())
        yield name, each


@checked(max_games=COUNT, workers=COUNT)
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
