"""Games prepared for a page by several processes: their records applied again, their documents."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Final, NamedTuple

from arena.documents.bad_input import BadInput
from arena.records.format import Record
from arena.records.perspective import SPECTATOR
from arena.results import Evidence
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.tournament.local import spawn
from arena.views.game.find import Found, load, nameless
from arena.views.game.replay import all_views, view_of
from arena.views.game.viewer.document import document
from arena.views.page.render import packed

_AHEAD: Final = 4
"""Games for each process that are asked for before the first of them is taken."""
_FEW: Final = 8
"""Games that are prepared sooner than processes are started."""


class Source(NamedTuple):
    """Where games come from, and what may be told of them."""

    run: StoredRun
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
    helpers: list[_Helper] = []
    try:
        _start(helpers, source, min(jobs, len(tasks)))
        left = iter(tasks)
        turns = deque(islice(cycle(helpers), min(_AHEAD * len(helpers), len(tasks))))
        for helper in turns:
            helper.pipe.send(next(left))
        while turns:
            helper = turns.popleft()
            yield helper.result()
            for task in islice(left, 1):
                helper.pipe.send(task)
                turns.append(helper)
    except (ConnectionError, EOFError):  # of no reader of ours
        raise BadInput("a process that prepared games was ended; fewer (-j) need less") from None
    finally:
        for helper in helpers:
            helper.close()


class _Helper:
    """A process that prepares games one after another. Raises OSError if it cannot be started."""

    def __init__(self, source: Source, number: int) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        control, ours = multiprocessing.Pipe(duplex=False)
        with contextlib.ExitStack() as undo:
            undo.callback(self.pipe.close)
            with theirs, control, ours:
                self._process = spawn.start(theirs, control, f"report-{number}")
            undo.callback(self.close)
            spawn.brief(self.pipe, serve, b"", -1)
            self.pipe.send(source)
            undo.pop_all()

    def result(self) -> Prepared:
        """Of the first task without one. Raises EOFError, OSError, and what preparing it raised."""
        found: Prepared | Exception = self.pipe.recv()
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        """End it now: it has nothing to lose."""
        self.pipe.close()
        self._process.kill()
        self._process.wait()


def _start(helpers: list[_Helper], source: Source, wanted: int) -> None:
    """Raises BadInput; then there may be some."""
    try:
        for number in range(wanted):
            helpers.append(_Helper(source, number))
    except OSError:
        raise BadInput("processes that prepare games cannot be started; -j 1 needs none") from None


def serve(pipe: Connection, _control: Connection, _job: bytes, _core: int) -> None:
    """Entry point of a process that prepares games: it ends when we end, not when a person stops
    us."""
    for number in spawn.SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, spawn.SIGNALS)
    wanted: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, wanted), daemon=True).start()
    source: Source = wanted.get()
    while True:
        try:
            found: Prepared | Exception = prepare(wanted.get(), source)
        except Exception as error:  # raised again where it is told
            found = error
        try:
            pipe.send(found)
        except OSError:
            os._exit(1)


def _listen(pipe: Connection, wanted: SimpleQueue[Any]) -> None:
    """Take whatever comes, so that nobody ever waits for us to take it."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            wanted.put(pipe.recv())
    os._exit(1)


def prepare(task: Task, source: Source) -> Prepared:
    """One game."""
    try:
        with uncollected():
            return _read(task, source)
    except StoreError as error:
        return Prepared(task.number, "", (), (), str(error))


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """For what makes much and no cycles: to look for some takes a fifth of the time, in vain."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _read(task: Task, source: Source) -> Prepared:
    """Raises StoreError if its record is damaged."""
    if not task.wants_document:
        record = source.run.record(task.stored)
        return Prepared(task.number, "", _moves(record), record.measured.evidence)
    found = Found(task.stored, task.number, source.games)
    replay = load(source.run, found)
    record = replay.record
    if task.alias:
        replay = nameless(replay, task.alias)
    shown = [view_of(replay, SPECTATOR)] if source.is_public else all_views(replay)
    text = packed(document(shown))
    return Prepared(task.number, text, _moves(record), record.measured.evidence)


def _moves(record: Record) -> tuple[tuple[int, ...], ...]:
    moves: list[list[int]] = [[] for _ in record.header.spec.entrants]
    for ply, used in zip(record.plies, record.measured.think_us, strict=True):
        if ply.seat is not None and not ply.autopilot:
            moves[ply.seat].append(used)
    return tuple(map(tuple, moves))
