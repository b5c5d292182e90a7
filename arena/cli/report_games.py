"""Games prepared for a page by several processes: their records applied again, their documents."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.connection import wait
from pathlib import Path
from typing import Final, NamedTuple

from arena.cli.console import BadInput
from arena.cli.replay import Found, load, nameless, record_of
from arena.cli.replay_page import views
from arena.records.format import Record
from arena.report.replay import SPECTATOR, view_of
from arena.report.run_page.render import packed
from arena.report.viewer.document import document
from arena.results import Evidence
from arena.tournament.disk import StoreError
from arena.tournament.store import Manifest, Stored

_AHEAD: Final = 4
"""Games for each process that are asked for before the first of them is taken."""
_FEW: Final = 8
"""Games that are prepared sooner than processes are started."""


class Source(NamedTuple):
    """Where games come from, and what may be told of them."""

    folder: Path
    manifest: Manifest
    games: int
    """In the list of all."""
    is_public: bool
    """Whether only a spectator's view is made."""


class Task(NamedTuple):
    """A game that is wanted."""

    number: int
    """From 1, in the list of all games."""
    stored: Stored
    wants_document: bool
    """Otherwise times and evidence alone."""
    alias: str
    """In place of its id, names then left out too; empty: all is told."""


class Prepared(NamedTuple):
    """A game that is ready."""

    number: int
    document: str
    """Packed; empty if none was wanted."""
    moves: tuple[tuple[int, ...], ...]
    """By seat the microseconds of each of its answers."""
    evidence: tuple[Evidence, ...]
    problem: str = ""
    """Why there is nothing of it: its record is damaged."""


def prepared(tasks: Sequence[Task], source: Source, jobs: int) -> Iterator[Prepared]:
    """All of them in their order, by so many processes, which end with the iterator or with us.

    Raises BadInput if a process was ended from outside or none can be started.
    """
    if jobs == 1 or len(tasks) <= _FEW:
        yield from (prepare(task, source) for task in tasks)
        return
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), context, _begin, (source,))
    try:
        left = iter(tasks)
        waiting: deque[Future[Prepared]] = deque()
        for task in islice(left, _AHEAD * jobs):
            waiting.append(pool.submit(_prepare, task))
        while waiting:
            yield waiting.popleft().result()
            for task in islice(left, 1):
                waiting.append(pool.submit(_prepare, task))
    except BrokenProcessPool:
        raise BadInput("a process that prepared games was ended; fewer (-j) need less") from None
    except (ConnectionError, EOFError):  # of no reader of ours
        raise BadInput("processes that prepare games cannot be started; -j 1 needs none") from None
    finally:
        pool.shutdown(cancel_futures=True)


_source: Source | None = None


def _begin(source: Source) -> None:
    """In a process that prepares games: it ends when we end, not when a person stops us."""
    global _source
    _source = source
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _prepare(task: Task) -> Prepared:
    if _source is None:
        raise RuntimeError("this process was not told where games come from")
    return prepare(task, _source)


def prepare(task: Task, source: Source) -> Prepared:
    """One game."""
    try:
        return _read(task, source)
    except StoreError as error:
        return Prepared(task.number, "", (), (), str(error))


def _read(task: Task, source: Source) -> Prepared:
    """Raises StoreError if its record is damaged."""
    if not task.wants_document:
        record = record_of(source.folder, task.stored)
        return Prepared(task.number, "", _moves(record), record.measured.evidence)
    found = Found(task.stored, task.number, source.games)
    replay = load(source.folder, source.manifest, found)
    record = replay.record
    if task.alias:
        replay = nameless(replay, task.alias)
    shown = [view_of(replay, SPECTATOR)] if source.is_public else views(replay)
    text = packed(document(shown))
    return Prepared(task.number, text, _moves(record), record.measured.evidence)


def _moves(record: Record) -> tuple[tuple[int, ...], ...]:
    moves: list[list[int]] = [[] for _ in record.header.spec.entrants]
    for ply, used in zip(record.plies, record.measured.think_us, strict=True):
        if ply.seat is not None and not ply.autopilot:
            moves[ply.seat].append(used)
    return tuple(map(tuple, moves))
