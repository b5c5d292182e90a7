"""Play games from a program."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from arena.api.errors import as_error
from arena.api.runs import Run
from arena.documents.bad_input import BadInput
from arena.runs.manifest import is_run
from arena.runs.reader import StoredRun
from arena.studies.play.functions import Chooser, function_tournament, names_of, play_here
from arena.views.standings.standings import FORMS, table_of, write_tables


def play(
    game: str,
    bots: Sequence[str | Chooser] | Mapping[str, str | Chooser],
    *,
    deals: int = 1,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: str | None = None,
    into: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] = lambda played, games: None,
    settings: Sequence[str] = (),
) -> Run:
    """Play every pairing of ``bots`` on ``deals`` deals, each in all seatings; return the run.

    ``bots``: folders, ``builtin:NAME`` or commands, and functions, in a list or by name. A function
    takes a ``SeatQuestion`` with ``observation``, ``events`` and ``legal``. It returns the index of
    a legal action or the action, alone or in a pair with its ``info``. It runs in this process,
    without isolation, and may not take longer than the clock allows. One that raises commits a
    fault. ``into``: a new folder for the run; None: one that goes with the returned run.
    ``progress``: called with the number of games played and of all games. ``settings``: as
    ``--set`` of ``arena run``, such as ``clock.move=2 s``. Raises Error.
    """
    named = bots.items() if isinstance(bots, Mapping) else zip(names_of(bots), bots, strict=True)
    players = dict(named)
    if len({name.lower() for name in players}) < len(players):
        raise ValueError("expected names that differ in more than capitals")
    functions = {name: each for name, each in players.items() if not isinstance(each, str)}
    for name, each in functions.items():
        if not callable(each):
            raise TypeError(f"{name}: expected a bot or a function, found {each!r}")
    scratch = None
    if into is None:
        scratch = Path(tempfile.mkdtemp(prefix="arena-play-"))
        into = scratch / "play"
    folder = Path(into)
    with ExitStack() as undo, as_error():
        if scratch is not None:
            undo.callback(shutil.rmtree, scratch, ignore_errors=True)
        if is_run(folder):
            raise BadInput(f"{folder}: holds a run already; expected a new folder")
        tournament = function_tournament(
            game,
            players,
            deals=deals,
            seats=seats,
            options=options,
            seed=seed,
            overrides=settings,
        )
        play_here(tournament, functions, folder, progress)
        write_tables(folder, table_of(StoredRun(folder)), FORMS)
        undo.pop_all()
    return Run(folder, scratch)
