"""The games of a run in the notation by which other programs know them, such as PGN."""

from __future__ import annotations

from collections.abc import Iterator

from arena.documents.bad_input import BadInput
from arena.games.game import NotedGame, NotedMove
from arena.games.registry import GAMES
from arena.records.format import Record
from arena.runs.reader import StoredRun
from arena.views.data.source import ChosenGames


def notations(games: ChosenGames) -> Iterator[str]:
    """Yield the games, each in the notation of its rules.

    Raises BadInput if rules have none, or if names are hidden; StoreError for a record that is
    damaged or gone.
    """
    run = games.run
    for discipline in run.manifest.disciplines:
        if GAMES[discipline.rules.name].notation is None:
            raise BadInput(f"--pgn: found {discipline.rules.name}, expected a run of chess")
    if not games.has_names:
        raise BadInput(f"{run.folder}: names are hidden, so --pgn would show them")
    for game in games:
        write = GAMES[run.rules(game.stored.result.spec.discipline).spec.name].notation
        if write is not None:
            yield write(_noted(run, run.record(game.stored)))


def _noted(run: StoredRun, record: Record) -> NotedGame:
    spec, faults = record.header.spec, record.end.faults
    moves = zip(record.plies, record.measured.think_us, strict=True)
    return NotedGame(
        event=run.manifest.name,
        round=spec.game_id,
        names=spec.entrants,
        options=record.header.options,
        moves=tuple(NotedMove(ply.action, ply.seat, us, ply.info) for ply, us in moves),
        places=record.end.places,
        ending=faults[0].kind.value if faults else record.end.termination.value,
    )
