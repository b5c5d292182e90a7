"""Work of a command that several processes share, with results in the order of the tasks."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import chain, islice
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from arena.hosting.machine import spawn
from arena.values.bad_input import BadInput

_AHEAD: Final = 4
"""Tasks for each process that are requested before the first result is read."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def shared(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, few: int
) -> Generator[Result, None, None]:
    """Yield the results of ``work`` for all tasks in order, computed by ``jobs`` processes.

    ``work``, the tasks and the results are pickled. ``few``: number of tasks that are done faster
    than processes are started. The processes end with the iterator or with this process. Raises
    the errors of ``work``; BadInput if a process was ended from outside or cannot be started.
    """
    left = iter(tasks)
    first = list(islice(left, few + 1))
    left = chain(first, left)
    if jobs == 1 or len(first) <= few:
        yield from map(work, left)
        return
    helpers: list[_Helper] = []
    turns = deque[_Helper]()
    try:
        for number, task in enumerate(left):
            if number < jobs:
                helpers.append(_started(work, number))
            helper = helpers[number % jobs]
            helper.pipe.send(task)
            turns.append(helper)
            if len(turns) == _AHEAD * jobs:
                yield turns.popleft().result()
        while turns:
            yield turns.popleft().result()
    except (ConnectionError, EOFError):  # errors of the helpers' pipes alone
        raise BadInput("a process that prepared games was ended; fewer (-j) need less") from None
    finally:
        for helper in helpers:
            helper.close()


class _Helper:
    """A process that does tasks one after another. Raises OSError if it cannot be started."""

    def __init__(self, work: Callable[[Any], Any], number: int) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        control, ours = multiprocessing.Pipe(duplex=False)
        with contextlib.ExitStack() as undo:
            undo.callback(self.pipe.close)
            with theirs, control, ours:
                self._process = spawn.start(theirs, control, f"helper-{number}")
            undo.callback(self.close)
            spawn.brief(self.pipe, serve, b"", -1)
            self.pipe.send(work)
            undo.pop_all()

    def result(self) -> Any:
        """Return the result of the oldest open task.

        Raises EOFError, OSError, and the error of the work.
        """
        found = self.pipe.recv()
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        """Kill the process, which has nothing to lose."""
        self.pipe.close()
        self._process.kill()
        self._process.wait()


def _started(work: Callable[[Any], Any], number: int) -> _Helper:
    """Start a process. Raises BadInput."""
    try:
        return _Helper(work, number)
    except OSError:
        raise BadInput("processes that prepare games cannot be started; -j 1 needs none") from None


def serve(pipe: Connection, _control: Connection, _job: bytes, _core: int) -> None:
    """Run a process that does tasks until the parent process ends.

    Signals by which a person stops the command are ignored.
    """
    for number in spawn.SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, spawn.SIGNALS)
    wanted: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, wanted), daemon=True).start()
    work = wanted.get()
    while True:
        try:
            found = work(wanted.get())
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
