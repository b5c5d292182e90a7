"""Preparation of games for a page by several processes, which replay the records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from arena.records.format import Record
from arena.records.perspective import SPECTATOR
from arena.results import Evidence
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.views.game.find import FoundGame, load, nameless
from arena.views.game.replay import all_views, view_of
from arena.views.game.rows import LeadCourse, lead_course
from arena.views.game.viewer.document import document
from arena.views.page.render import packed
from arena.views.processes import shared, uncollected

_FEW: Final = 8
"""Number of games that are prepared faster than processes are started."""


class Source(NamedTuple):
    """Origin of games, and limits on what may be shown."""

    run: StoredRun
    games: int
    """Number of games in the list of all."""
    is_public: bool
    """True if only a spectator's view is made."""


class Task(NamedTuple):
    """A game to prepare."""

    number: int
    """Number from 1 in the list of all games."""
    stored: Stored
    wants_document: bool
    """False if only times and evidence are needed."""
    alias: str
    """Replacement for its id, with names omitted; empty: id and names are shown."""


class Prepared(NamedTuple):
    """Data of a game for a page."""

    number: int
    document: str
    """Packed document; empty if none was wanted."""
    moves: tuple[tuple[int, ...], ...]
    """Microseconds of each answer, by seat."""
    evidence: tuple[Evidence, ...]
    lead: LeadCourse | None = None
    """Course of the lead; None without a document."""
    problem: str = ""
    """Problem of a damaged record; the other fields are then empty."""


def prepared(tasks: Sequence[Task], source: Source, jobs: int) -> Iterator[Prepared]:
    """Return an iterator of all tasks' games in order, prepared by ``jobs`` processes.

    The processes end with the iterator or with this process. Raises BadInput if one of them was
    ended from outside or cannot be started.
    """
    return shared(partial(prepare, source=source), tasks, jobs, _FEW)


def prepare(task: Task, source: Source) -> Prepared:
    """Read the game of ``task`` and return its data for a page, or why it cannot be read."""
    try:
        with uncollected():
            return _read(task, source)
    except StoreError as error:
        return Prepared(task.number, "", (), (), problem=str(error))


def _read(task: Task, source: Source) -> Prepared:
    """Replay the game of ``task`` and return its data. Raises StoreError for a damaged record."""
    if not task.wants_document:
        record = source.run.record(task.stored)
        return Prepared(task.number, "", _moves(record), record.measured.evidence)
    found = FoundGame(task.stored, task.number, source.games)
    replay = load(source.run, found)
    record = replay.record
    if task.alias:
        replay = nameless(replay, task.alias)
    shown = [view_of(replay, SPECTATOR)] if source.is_public else all_views(replay)
    text, lead = packed(document(shown)), lead_course(shown[0])
    return Prepared(task.number, text, _moves(record), record.measured.evidence, lead)


def _moves(record: Record) -> tuple[tuple[int, ...], ...]:
    moves: list[list[int]] = [[] for _ in record.header.spec.entrants]
    for ply, used in zip(record.plies, record.measured.think_us, strict=True):
        if ply.seat is not None and not ply.autopilot:
            moves[ply.seat].append(used)
    return tuple(map(tuple, moves))
