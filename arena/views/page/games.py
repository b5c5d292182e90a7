"""Preparation of games for a page by several processes, which replay the records."""

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
from arena.hosting.machine import spawn
from arena.records.format import Record
from arena.records.perspective import SPECTATOR
from arena.results import Evidence
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.views.game.find import FoundGame, load, nameless
from arena.views.game.lead import LeadCourse, lead_course
from arena.views.game.replay import all_views, view_of
from arena.views.game.viewer.document import document
from arena.views.page.render import packed

_AHEAD: Final = 4
"""Games for each process that are requested before the first result is read."""
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
    """Yield all tasks' games in order, prepared by ``jobs`` processes.

    The processes end with the iterator or with this process. Raises BadInput if one of them was
    ended from outside or cannot be started.
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
    except (ConnectionError, EOFError):  # errors of the helpers' pipes alone
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
        """Return the result of the oldest open task.

        Raises EOFError, OSError, and the error of its preparation.
        """
        found: Prepared | Exception = self.pipe.recv()
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        """Kill the process, which has nothing to lose."""
        self.pipe.close()
        self._process.kill()
        self._process.wait()


def _start(helpers: list[_Helper], source: Source, wanted: int) -> None:
    """Start ``wanted`` processes. Raises BadInput; ``helpers`` may hold some then."""
    try:
        for number in range(wanted):
            helpers.append(_Helper(source, number))
    except OSError:
        raise BadInput("processes that prepare games cannot be started; -j 1 needs none") from None


def serve(pipe: Connection, _control: Connection, _job: bytes, _core: int) -> None:
    """Run a process that prepares games until the parent process ends.

    Signals by which a person stops the command are ignored.
    """
    for number in spawn.SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, spawn.SIGNALS)
    wanted: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, wanted), daemon=True).start()
    source: Source = wanted.get()
    while True:
        try:
            found: Prepared | Exception = prepare(wanted.get(), source)
        except Exception as error:  # raised again in the parent process
            found = error
        try:
            pipe.send(found)
        except OSError:
            os._exit(1)


def _listen(pipe: Connection, wanted: SimpleQueue[Any]) -> None:
    """Read all input at once, so that the parent process never blocks on its writes."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            wanted.put(pipe.recv())
    os._exit(1)


def prepare(task: Task, source: Source) -> Prepared:
    """Read the game of ``task`` and return its data for a page, or why it cannot be read."""
    try:
        with uncollected():
            return _read(task, source)
    except StoreError as error:
        return Prepared(task.number, "", (), (), problem=str(error))


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Disable the cyclic garbage collector, as no cycles are made (saves a fifth of the time)."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


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
