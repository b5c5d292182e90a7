"""What runs inside a Dask worker: it starts a host beside it and carries bytes to and fro.

The host is a process of its own, so that nothing of Dask's is a child of what sweeps up after bots.
Each thread of the worker is held by a task as long as the host is there: so Dask gives it to nobody
else, and a parent that is killed or a scheduler that is gone ends the task, and with it the host.
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

from arena.tournament.local import spawn
from arena.tournament.machines import direct, host
from arena.tournament.machines.direct import Home, Line

_GROUP_SECONDS: Final = 0.05
"""What a host says within this time travels together."""
_GROUP_BYTES: Final = 16 * 1024
_DIRECT_GROUP_BYTES: Final = 64 * 1024
"""The same on a line of our own, where nobody else keeps it in memory."""
_ENDED: Final = frozenset({"released", "forgotten", "cancelled"})
_GOODBYE_SECONDS: Final = 25.0
"""For a host to end by itself; a little more than it takes to end itself."""


def plugin_name(session: str) -> str:
    """The keys of the tasks that hold a worker's threads begin with it, too."""
    return f"arena-{session}"


class Relay(WorkerPlugin):
    """One host of a worker, for one session of a fleet."""

    def __init__(self, session: str, topic: str, owner: str) -> None:
        """``owner``: who plays, in words for others who wait for the worker."""
        self.name = plugin_name(session)
        self.owner = owner
        self._session = session
        self._topic = topic
        self._lock = threading.Lock()
        self.held = 0
        """Threads of the worker."""
        self._line: Line | None = None
        """Straight to the parent; None: by events of Dask."""
        self._is_carrying = False
        self.over = threading.Event()
        """Set when nothing is played here any more."""

    def setup(self, worker: Worker) -> None:
        """Nothing is started before all threads of the worker are held."""
        self._worker = worker

    def teardown(self, worker: Worker) -> None:
        """The worker closes, or the session is over."""
        self.over.set()
        if self._line is not None and not self._is_carrying:
            self._line.close()

    def speak_by(self, line: Line) -> None:
        """Say everything to the parent by this line, and hear it from there."""
        self._line = line
        self._listening = asyncio.create_task(self._listen(line))

    async def _listen(self, line: Line) -> None:
        try:
            while True:
                messages = await line.read()
                await asyncio.to_thread(self.take, messages)
        except (EOFError, OSError):  # the parent is gone, or the host is
            self.over.set()

    def transition(self, key: Key, start: str, finish: str, **_: Any) -> None:
        """A task that holds a thread was taken from us: the parent is gone, or ends the session."""
        if start == "executing" and finish in _ENDED and str(key).startswith(self.name):
            self.over.set()

    def hold(self) -> None:
        """Keep a thread of the worker until it is over; the last one has the host started."""
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
        """Hand messages to the host, which may wait until it has read some. Raises OSError."""
        with self._lock:
            for message in messages:
                self._fleet.send_bytes(message)

    def _carry(self) -> None:
        """Carry what the host says until it has ended, or nobody wants to hear it."""
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
        """Once it is over, see that the host ends."""
        self.over.wait()
        self._hang_up()
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GOODBYE_SECONDS)
        self._process.kill()
        self._process.wait()

    def _hang_up(self) -> None:
        """The host hears no more, so it clears up and ends; what it says is still read."""
        here = self._fleet.fileno()
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(here)) as way:
            way.shutdown(socket.SHUT_WR)

    def _say(self, what: dict[str, Any]) -> None:
        if self._line is not None:
            self._worker.loop.add_callback(self._line.write, what)
            return
        with contextlib.suppress(Exception):  # of a worker that is closing
            self._worker.log_event(self._topic, {"session": self._session, **what})


def _group(fleet: Connection, limit: int) -> list[bytes]:
    """What was said, once something was, together with what soon follows. Raises EOFError."""
    said = [fleet.recv_bytes()]
    size = len(said[0])
    with contextlib.suppress(EOFError, OSError):  # the next call finds that
        while size < limit and fleet.poll(_GROUP_SECONDS):
            said.append(fleet.recv_bytes())
            size += len(said[-1])
    return said


async def begin(
    session: str, topic: str, owner: str, home: Home | None, dask_worker: Worker
) -> int:
    """Make ready for the tasks that hold the worker's threads; how many these are."""
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
    """Return who has threads of the worker that the session waits for; empty: nobody."""
    mine = plugin_name(session)
    for name, plugin in dask_worker.plugins.items():
        if isinstance(plugin, Relay) and name != mine and plugin.held:
            return plugin.owner
    others = [task for task in dask_worker.state.executing if not str(task.key).startswith(mine)]
    return f"other tasks of Dask ({len(others)} running)" if others else ""


async def take(session: str, messages: Sequence[bytes], dask_worker: Worker) -> None:
    """Messages for the host of that session. Raises KeyError if there is none, OSError."""
    relay = cast("Relay", dask_worker.plugins[plugin_name(session)])
    await asyncio.to_thread(relay.take, messages)


async def end(session: str, dask_worker: Worker) -> None:
    """The session is over: whatever still runs for it ends now."""
    if plugin_name(session) in dask_worker.plugins:
        await dask_worker.plugin_remove(name=plugin_name(session))


def hold(session: str) -> int:
    """The task that holds a thread of a worker."""
    relay = get_worker().plugins.get(plugin_name(session))
    if isinstance(relay, Relay):
        relay.hold()
    return 0
