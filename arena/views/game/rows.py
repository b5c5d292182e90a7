"""Stored games as rows: the facts by which lists of games are shown, filtered and sorted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import NamedTuple

from arena.results import FaultKind, Seat
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.views.game.find import FoundGame, load
from arena.views.game.lead import LeadCourse, lead_course
from arena.views.game.replay import view_of


class RowFault(NamedTuple):
    """A fault of a listed game."""

    seat: Seat
    kind: FaultKind
    ply: int


class GameRow(NamedTuple):
    """A game of a list."""

    number: int
    """Number from 1, in the order of the list of all games."""
    game_id: str
    discipline: str
    deal: str
    names: tuple[str, ...]
    """Names by seat."""
    places: tuple[int, ...]
    scores: tuple[int, ...] | None
    plies: int
    faults: tuple[RowFault, ...]
    margin: int | None
    """Score of the first place over the best other; None alone, and in a game with a fault."""
    slowest_us: int | None
    """Think time of the slowest move, in microseconds; None if unknown or without moves."""
    lead: LeadCourse | None = None
    """Course of the lead; None if the record was not replayed."""


class GameRows(NamedTuple):
    """Rows of a run."""

    rows: list[GameRow]
    """Rows that were kept, by number."""
    stored: Mapping[int, Stored]
    """Stored games of the rows, by number."""
    games: int
    """Number of all stored games."""


def row_of(number: int, stored: Stored, *, less_is_better: bool) -> GameRow:
    """Return the row of a stored game. ``less_is_better``: whether a lower score is better."""
    result = stored.result
    spec, margins = result.spec, result.margins(less_is_better=less_is_better)
    return GameRow(
        number=number,
        game_id=spec.game_id,
        discipline=spec.discipline,
        deal=spec.deal,
        names=spec.entrants,
        places=result.places,
        scores=result.scores,
        plies=result.plies,
        faults=tuple(RowFault(fault.seat, fault.kind, fault.ply) for fault in result.faults),
        margin=margins[result.places.index(1)] if len(margins) > 1 else None,
        slowest_us=max((own.longest_us for own in stored.spent if own.times), default=None),
    )


def with_lead(run: StoredRun, row: GameRow, stored: Stored) -> GameRow:
    """Return the row with the course of its lead, from the record of the game.

    Raises StoreError for a missing or damaged record.
    """
    replay = load(run, FoundGame(stored, row.number, row.number))
    return row._replace(lead=lead_course(view_of(replay, None)))


def game_rows(run: StoredRun, is_kept: Callable[[GameRow], bool]) -> GameRows:
    """Read all games of ``run`` once and return the rows for which ``is_kept`` returns True.

    Records are not read. Raises StoreError.
    """
    less = {
        each.name: run.rules(each.name).info.less_is_better for each in run.manifest.disciplines
    }
    numbers: list[int] = []
    found: list[tuple[int, GameRow, Stored]] = []
    for game in run.games():
        numbers.append(game.number)
        discipline = game.result.spec.discipline
        row = row_of(0, game.stored, less_is_better=less[discipline])
        if is_kept(row):
            found.append((game.number, row, game.stored))
    numbers.sort()
    found.sort(key=itemgetter(0))
    rows: list[GameRow] = []
    stored: dict[int, Stored] = {}
    for number, row, game_stored in found:
        rank = bisect_left(numbers, number) + 1
        rows.append(row._replace(number=rank))
        stored[rank] = game_stored
    return GameRows(rows, stored, len(numbers))
