"""The games of a run in the notation by which other programs know them, such as PGN."""

from __future__ import annotations

from collections.abc import Iterator

from arena.documents.bad_input import BadInput
from arena.games.game import NotedGame, NotedMove
from arena.games.registry import GAMES
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.text.numbers import count, listed
from arena.views.data.source import ChosenGames
from arena.views.export.run import held_back_words


def notations(games: ChosenGames) -> Iterator[str]:
    """Yield the games of rules that have a notation, each in it.

    Raises BadInput if no rules have one, or if names are hidden; StoreError for a record that is
    damaged or gone.
    """
    run = games.run
    if not _noted_disciplines(run):
        found = listed([each.rules.name for each in run.manifest.disciplines])
        raise BadInput(f"--pgn: found {found}, expected a run of chess")
    if not games.has_names:
        raise BadInput(f"{run.folder}: names are hidden, so --pgn would show them")
    for game in games:
        write = GAMES[run.rules(game.stored.result.spec.discipline).spec.name].notation
        if write is not None:
            yield write(_noted(run, game.stored))


def left_out(games: ChosenGames, written: int) -> list[str]:
    """Return what the file of ``written`` games does not have, a sentence for each reason."""
    run, found = games.run, []
    if games.held_back:
        found.append(held_back_words(games.held_back))
    if others := len(games) - written:
        found.append(f"{count(others, 'game')} of other rules: left out")
    if voids := {void.game for void in run.voids()}:
        voids -= {game.result.spec.game_id for game in run.games()}  # played again
    if voids:
        found.append(f"{count(len(voids), 'void game')}: left out")
    return found


def _noted_disciplines(run: StoredRun) -> list[str]:
    disciplines = run.manifest.disciplines
    return [each.name for each in disciplines if GAMES[each.rules.name].notation is not None]


def _noted(run: StoredRun, stored: Stored) -> NotedGame:
    record = run.record(stored)
    spec, faults = record.header.spec, record.end.faults
    moves = zip(record.plies, record.measured.think_us, strict=True)
    number = run.schedule.number(spec.game_id) or 0
    block = run.schedule.block(number)
    return NotedGame(
        event=run.manifest.name,
        round=f"{block.start // len(block) + 1}.{number - block.start + 1}",
        names=spec.entrants,
        options=record.header.options,
        moves=tuple(NotedMove(ply.action, ply.seat, us, ply.info) for ply, us in moves),
        places=record.end.places,
        ending=faults[0].kind.value if faults else record.end.termination.value,
        control=run.manifest.identity.clock,
        played_at=stored.played_at,
    )
