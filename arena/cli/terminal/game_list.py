"""Print the list of games of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.cli.terminal.console import columns, is_colored, out
from arena.cli.terminal.counting import PreparedGames
from arena.documents.bad_input import NothingToDo
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.text import clean
from arena.text.numbers import count
from arena.views.game.list_text import GameList, render
from arena.views.game.rows import (
    GameFilter,
    GameOrder,
    GameRow,
    GameRows,
    game_rows,
    ordered,
    with_lead,
)


class GameQuery(NamedTuple):
    """The games to list, and their order; the default lists all games by number."""

    wanted: GameFilter = GameFilter()
    order: GameOrder = GameOrder.NUMBER
    is_reversed: bool = False
    limit: int | None = None
    """Most games to list; None: all."""
    has_leads: bool = False
    """True if records are replayed for the course of the lead in any order."""


def print_games(run: StoredRun, query: GameQuery, form: str, *, quiet: bool = False) -> None:
    """Print the games of ``run`` in a form of ``list_text``; ``quiet``: without progress.

    Raises NothingToDo or StoreError.
    """
    found = game_rows(run, query.wanted.keeps)
    folder = clean.plain(str(run.folder))
    if not found.games:
        raise NothingToDo(f"{folder}: no game of this run is stored yet")
    rows, notes = _listed(run, query, found, quiet=quiet)
    unknown = sum(row.slowest_us is None and row.plies > 0 for row in rows)
    if unknown:
        notes.append(f"the slowest move of {count(unknown, 'game')} is unknown: it is not stored")
    listed = GameList(
        run=run.manifest.title,
        folder=folder,
        rows=rows,
        fitting=len(found.rows),
        games=found.games,
        planned=run.schedule.games if run.manifest.has_end else None,
        titles=run.titles,
        has_leads=query.has_leads or query.order.needs_records,
        order=query.order,
        notes=notes,
    )
    out(render(listed, form, width=columns(), color=is_colored()).rstrip("\n"))


def _listed(
    run: StoredRun, query: GameQuery, found: GameRows, *, quiet: bool
) -> tuple[Sequence[GameRow], list[str]]:
    """Return the rows to list, and sentences on what is unknown of them.

    Records are replayed before the order needs them, else of the listed games alone.
    """
    rows: Sequence[GameRow] = found.rows
    notes: list[str] = []
    if query.order.needs_records:
        rows, notes = _replayed(run, rows, found, quiet=quiet)
    rows = ordered(rows, query.order, is_reversed=query.is_reversed)[: query.limit]
    if query.has_leads and not query.order.needs_records:
        rows, notes = _replayed(run, rows, found, quiet=quiet)
    return rows, notes


def _replayed(
    run: StoredRun, rows: Sequence[GameRow], found: GameRows, *, quiet: bool
) -> tuple[list[GameRow], list[str]]:
    """Return the rows with the courses of their leads, and sentences on what is unknown."""
    told: list[GameRow] = []
    expired, damaged = 0, list[str]()
    with PreparedGames(len(rows), quiet=quiet) as counter:
        for row in rows:
            stored = found.stored[row.number]
            if run.is_expired(stored.record):
                expired += 1
                told.append(row)
            else:
                try:
                    told.append(with_lead(run, row, stored))
                except StoreError as problem:
                    damaged.append(clean.plain(str(problem)))
                    told.append(row)
            counter.step()
    notes = []
    if expired:
        have = "it has no record" if expired == 1 else "they have no records"
        notes.append(f"the course of {count(expired, 'game')} is unknown: {have} any more")
    if damaged:
        games = count(len(damaged), "game")
        notes.append(f"the course of {games} is unknown: {damaged[0]}")
    return told, notes
