"""Run a relay in a Dask worker: start a host beside the worker and carry bytes both ways.

The host is a process of its own, so that no process of Dask is a child of the one that cleans up
after bots. While there is a host, a task holds each thread of the worker, so that Dask gives it to
nobody else. If the parent is killed or the scheduler is gone, the task ends, and the host with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final, cast

import dask
from dask.typing import Key
from distributed import Worker, WorkerPlugin, get_worker

from arena.extensions.machines import direct, host
from arena.extensions.machines.direct import DirectLine, Home
from arena.hosting.machine import spawn

_GROUP_SECONDS: Final = 0.05
"""Longest wait for a further message of a host to send along, in seconds."""
_GROUP_BYTES: Final = 16 * 1024
_DIRECT_GROUP_BYTES: Final = 64 * 1024
"""Size in bytes at which a group is sent on a direct line, where Dask does not store it."""
_ENDED: Final = frozenset({"released", "forgotten", "cancelled"})
_GOODBYE_SECONDS: Final = 25.0
"""Time limit in seconds on the exit of a host, a little more than its own limit."""


def plugin_name(session: str) -> str:
    """Return the name of the session's plugin, which also begins the keys of its holding tasks."""
    return f"arena-{session}"


class Relay(WorkerPlugin):
    """Worker plugin that runs one host, for one session of a fleet."""

    def __init__(self, session: str, topic: str, owner: str) -> None:
        """Prepare a relay, which sends its events to ``topic``.

        ``owner``: description of the run, shown to others who wait for the worker.
        """
        self.name = plugin_name(session)
        self.owner = owner
        self._session = session
        self._topic = topic
        self._lock = threading.Lock()
        self.held = 0
        """Number of the worker's threads that the session holds."""
        self._line: DirectLine | None = None
        """Direct connection to the parent; None: messages go as events of Dask."""
        self._is_carrying = False
        self.over = threading.Event()
        """Event that is set when nothing is played here any more."""

    def setup(self, worker: Worker) -> None:
        """Store the worker; the host is started only once all threads of the worker are held."""
        self._worker = worker

    def teardown(self, worker: Worker) -> None:
        """End the session because the worker closes or because the parent asked for it."""
        self.over.set()
        if self._line is not None and not self._is_carrying:
            self._line.close()

    def speak_by(self, line: DirectLine) -> None:
        """Exchange all messages with the parent over ``line``."""
        self._line = line
        self._listening = asyncio.create_task(self._listen(line))

    async def _listen(self, line: DirectLine) -> None:
        try:
            while True:
                messages = await line.read()
                await asyncio.to_thread(self.take, messages)
        except (EOFError, OSError):  # the parent is gone, or the host is
            self.over.set()

    def transition(self, key: Key, start: str, finish: str, **_: Any) -> None:
        """End the session if a holding task is cancelled: the parent is gone or wants the end.

        Dask calls this for each task ``key`` that changes from state ``start`` to ``finish``.
        """
        if start == "executing" and finish in _ENDED and str(key).startswith(self.name):
            self.over.set()

    def hold(self) -> None:
        """Hold a thread of the worker until the session ends; the last one starts the host."""
        with self._lock:
            self.held += 1
            is_last = self.held == self._worker.state.nthreads
        if is_last:
            try:
                self._start()
            except OSError as error:
                self._say({"ended": f"cannot be started: {error}"})
                self.over.set()
        self.over.wait()

    def _start(self) -> None:
        self._fleet, theirs = Pipe()
        control, self._control = Pipe(duplex=False)
        with contextlib.ExitStack() as undo:
            undo.callback(self._fleet.close)
            undo.callback(self._control.close)
            with theirs, control:
                self._process = spawn.start(theirs, control, "host")
            undo.callback(self._process.kill)
            spawn.brief(self._fleet, host.run, b"", -1)
            undo.pop_all()
        self._is_carrying = True
        self._say({"held": self.held})
        threading.Thread(target=self._carry, name="arena-relay", daemon=True).start()

    def take(self, messages: Sequence[bytes]) -> None:
        """Send ``messages`` to the host; may block until some are read. Raises OSError."""
        with self._lock:
            for message in messages:
                self._fleet.send_bytes(message)

    def _carry(self) -> None:
        """Carry the messages of the host to the parent until the host has ended."""
        ending = threading.Thread(target=self._end, name="arena-end", daemon=True)
        ending.start()
        limit = _GROUP_BYTES if self._line is None else _DIRECT_GROUP_BYTES
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._say({"said": _group(self._fleet, limit)})
        self.over.set()
        ending.join()
        status = self._process.returncode
        self._say({"ended": f"ended (exit status {status})" if status else ""})
        if self._line is not None:
            self._worker.loop.add_callback(self._line.close)
        self._worker.loop.add_callback(end, self._session, self._worker)

    def _end(self) -> None:
        """End the host when the session ends; kill it after ``_GOODBYE_SECONDS``."""
        self.over.wait()
        self._hang_up()
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GOODBYE_SECONDS)
        self._process.kill()
        self._process.wait()

    def _hang_up(self) -> None:
        """Stop sending to the host, so that it cleans up and ends; its messages are still read."""
        here = self._fleet.fileno()
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(here)) as way:
            way.shutdown(socket.SHUT_WR)

    def _say(self, what: dict[str, Any]) -> None:
        if self._line is not None:
            self._worker.loop.add_callback(self._line.write, what)
            return
        with contextlib.suppress(Exception):  # the worker may be closing
            self._worker.log_event(self._topic, {"session": self._session, **what})


def _group(fleet: Connection, limit: int) -> list[bytes]:
    """Return the next message and those that soon follow, to about ``limit`` bytes.

    Raises EOFError.
    """
    said = [fleet.recv_bytes()]
    size = len(said[0])
    with contextlib.suppress(EOFError, OSError):  # the next call raises it
        while size < limit and fleet.poll(_GROUP_SECONDS):
            said.append(fleet.recv_bytes())
            size += len(said[-1])
    return said


async def begin(
    session: str, topic: str, owner: str, home: Home | None, dask_worker: Worker
) -> int:
    """Install the relay of ``session``; return the number of threads of the worker to hold.

    ``topic``: of its events. ``home``: address of the parent for a direct connection; None: without
    one.
    """
    relay = Relay(session, topic, owner)
    if home is not None and dask.config.get("arena.direct", True):
        security: Any = dask_worker.security
        secure = security.get_connection_args("worker")["ssl_context"]
        is_plain = str(dask_worker.scheduler.address).startswith("tcp:")
        line = await direct.connect(home, session, None if is_plain else secure)
        if line is not None:
            relay.speak_by(line)
    await dask_worker.plugin_add(plugin=relay, name=relay.name, catch_errors=False)
    return int(dask_worker.state.nthreads)


async def holder(session: str, dask_worker: Worker) -> str:
    """Name the holder of the threads that ``session`` waits for; empty if they are free."""
    mine = plugin_name(session)
    for name, plugin in dask_worker.plugins.items():
        if isinstance(plugin, Relay) and name != mine and plugin.held:
            return plugin.owner
    others = [task for task in dask_worker.state.executing if not str(task.key).startswith(mine)]
    return f"other tasks of Dask ({len(others)} running)" if others else ""


async def take(session: str, messages: Sequence[bytes], dask_worker: Worker) -> None:
    """Send ``messages`` to the host of ``session``.

    Raises KeyError if the session has no relay here, and OSError.
    """
    relay = cast("Relay", dask_worker.plugins[plugin_name(session)])
    await asyncio.to_thread(relay.take, messages)


async def end(session: str, dask_worker: Worker) -> None:
    """End the host of ``session`` if it still runs."""
    if plugin_name(session) in dask_worker.plugins:
        await dask_worker.plugin_remove(name=plugin_name(session))


def hold(session: str) -> int:
    """Hold a thread of the worker, as a task of Dask, until the session ends."""
    relay = get_worker().plugins.get(plugin_name(session))
    if isinstance(relay, Relay):
        relay.hold()
    return 0
