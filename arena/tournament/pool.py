"""Run worker processes on this machine as an executor: start, supply, read and replace them.

Each worker is a process with two pipes. One carries blocks to the worker, and reports and log
entries back. The control pipe carries the order to stop; its end means that the parent is gone.
Workers are never forked from this process. A forked worker would hold the pipe ends of other
workers and outlive a killed parent.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Final

from multiprocessing_logging import MultiProcessingHandler

from arena.hosting.machine import capacity, orphans, spawn
from arena.schedule.schedule import Block
from arena.tournament import worker
from arena.tournament.executor import (
    Event,
    Job,
    Joined,
    Logged,
    Lost,
    PoolError,
    pack,
    rules_source,
    unpack_report,
)

_GOODBYE_SECONDS: Final = 10.0

_STARTS: Final = 3
_RETRY_SECONDS: Final = 0.2

_CRASHES: Final = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}
"""Signals by which an interpreter ends itself, perhaps through rules, as by an exit status."""
log = logging.getLogger("arena.runner")


class LogRelay(logging.Handler):
    """Log handler that passes a worker's records to the loggers of this process."""

    def emit(self, record: logging.LogRecord) -> None:
        """Handle the record by the logger of its name, as if it were logged here."""
        logging.getLogger(record.name).handle(record)


class _WorkersLog(MultiProcessingHandler):  # type: ignore[misc]  # its package has no types, so mypy takes it for Any
    """Log handler with a thread of its own that writes the log entries of workers.

    Its queue is of the ``fork`` context, although nothing is forked. Queues of other contexts have
    named semaphores, which would remain if this process were killed.
    """

    def __init__(self) -> None:
        logging.Handler.__init__(self)  # replaces the base's own, for its queue
        self.sub_handler = LogRelay()
        self.queue = multiprocessing.get_context("fork").Queue(-1)
        self._is_closed = False
        self._receive_thread = threading.Thread(
            target=self._receive, name="workers-log", daemon=True
        )
        self._receive_thread.start()

    def take(self, logged: Logged) -> None:
        """Write a worker's log entry to the log of this process."""
        self.handle(logged.record())


class _Slot:
    """Running worker process of one place, with its pipes."""

    def __init__(self, job: bytes, core: int, number: int) -> None:
        self.number = number
        self.name = f"worker-{number}"
        self.blocks, theirs = multiprocessing.Pipe()
        control, self.control = multiprocessing.Pipe(duplex=False)
        with contextlib.ExitStack() as undo:
            undo.callback(self.blocks.close)
            undo.callback(self.control.close)
            with theirs, control:
                self.process = spawn.start(theirs, control, self.name)
            undo.callback(self.kill)
            spawn.brief(self.blocks, worker.run, job, core)
            undo.pop_all()

    def send(self, block: Block) -> None:
        """Queue a block. A dead worker is not noticed here but by the end of its reports."""
        try:
            self.blocks.send_bytes(pack(block))
        except OSError:
            log.debug("%s does not take blocks any more", self.name)

    def dismiss(self) -> None:
        """Ask the worker to end its bots and itself after the blocks it has."""
        try:
            self.blocks.send_bytes(b"")
        except OSError:
            log.debug("%s has left already", self.name)

    def wait(self) -> Iterator[Logged]:
        """Wait a limited time for a dismissed worker to end, then yield its last log entries."""
        self._join()
        with contextlib.suppress(EOFError, OSError):
            while self.blocks.poll():
                report = unpack_report(self.blocks.recv_bytes())
                if isinstance(report, Logged):
                    yield report

    def kill(self) -> None:
        """Close the control pipe, so that worker and bots end; kill a worker that is slow to."""
        self.control.close()
        self._join()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.blocks.close()

    def _join(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GOODBYE_SECONDS)


class Pool:
    """Executor of ``workers`` worker processes; a context manager that ends them on exit."""

    def __init__(
        self, job: Job, workers: int, *, pin: bool, among: Sequence[int] | None = None
    ) -> None:
        """Prepare a pool. ``pin``: keep each worker and its bots on one core of ``among``.

        For ``among`` see ``capacity.taken_cores``.
        """
        self._job = pack(job)
        self._rules = rules_source(job.rules.values())
        self._cores = [-1] * workers
        self._pin = pin
        self._among = among
        self._taken = contextlib.ExitStack()
        self._slots: list[_Slot] = []
        self._reports = selectors.DefaultSelector()
        self._news: deque[Event] = deque()
        """Events that ``wait`` has not yielded yet."""
        self._kin: set[int] = set()
        """Process ids of known children; any other is an orphaned bot of a killed worker."""

    def __enter__(self) -> Pool:
        orphans.adopt_orphans()
        if self._pin:
            self._cores = self._taken.enter_context(
                capacity.taken_cores(len(self._cores), self._among)
            )
        self._log = _WorkersLog()
        try:
            for number in range(len(self._cores)):
                self._slots.append(self._start(number))
        except BaseException:
            self._kill()
            raise
        self._kin = set(orphans.children())
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            for slot in self._slots:
                slot.dismiss()
            for slot in self._slots:
                for logged in slot.wait():
                    self._log.take(logged)
        self._kill()
        orphans.sweep(keep=self._kin)

    def _kill(self) -> None:
        self._reports.close()
        for slot in self._slots:
            slot.kill()
        self._log.close()
        self._taken.close()

    @property
    def ahead(self) -> int:
        """Two blocks: one being played and one ready, so that no worker waits for the parent."""
        return 2

    def give(self, place: int, block: Block) -> None:
        """See Executor."""
        self._slots[place].send(block)

    def wake_by(self, connection: Connection) -> None:
        """Make every later ``wait`` also return when ``connection`` can be read."""
        self._reports.register(connection, selectors.EVENT_READ)

    def wait(self, seconds: float) -> Iterator[Event]:
        """See Executor."""
        if self._news:
            yield from self._events()
            return
        for key, _ in self._reports.select(seconds):
            slot: _Slot | None = key.data
            if slot is None:
                continue
            try:
                report = unpack_report(slot.blocks.recv_bytes())
            except (EOFError, OSError):
                self._replace(slot, "")
                yield from self._events()
                continue
            if isinstance(report, Logged):
                self._log.take(report)
            else:
                yield slot.number, report

    def abandon(self, place: int, why: str) -> None:
        """See Executor."""
        self._replace(self._slots[place], why)

    def stop(self) -> None:
        """See Executor."""
        for slot in self._slots:
            try:
                slot.control.send_bytes(worker.STOP)
            except OSError:
                log.debug("%s is gone already", slot.name)

    def _events(self) -> Iterator[Event]:
        while self._news:
            yield self._news.popleft()

    def _replace(self, slot: _Slot, why: str) -> None:
        """Replace a worker. ``why``: reason for its loss; empty: that of its exit status."""
        self._reports.unregister(slot.blocks)
        slot.kill()
        orphans.sweep(keep=self._kin)
        if not why:
            status = slot.process.returncode
            why = "was stuck" if status == worker.STUCK else f"died (exit status {status})"
            if status >= 0 or -status in _CRASHES:
                why += self._rules
        log.warning("%s %s", slot.name, why)
        self._news.append((slot.number, Lost(why)))
        self._slots[slot.number] = self._start(slot.number)
        self._kin |= set(orphans.children())

    def _start(self, number: int) -> _Slot:
        """Start a worker. Raises PoolError if each of several attempts fails."""
        for _ in range(_STARTS):
            try:
                slot = _Slot(self._job, self._cores[number], number)
                self._reports.register(slot.blocks, selectors.EVENT_READ, slot)
                self._news.append((number, Joined()))
                return slot
            except (EOFError, OSError, MemoryError, RuntimeError) as error:  # the last: no thread
                log.warning("worker-%d did not start: %s", number, error)
                time.sleep(_RETRY_SECONDS)
                problem = str(error) or "out of memory"
        raise PoolError(f"worker processes cannot be started: {problem}")
