"""Reach other machines through a Dask cluster: find its workers and carry bytes both ways.

Only Dask's membership, transport and security are used. A host is started beside each worker.
Messages go over a direct connection (``direct``), or else by ``Client.run`` and by events. No game
is a Dask task, so nothing that counts is run twice or lost. The only tasks are those that hold the
threads of a worker (see ``relay``).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import platform
import threading
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from concurrent.futures import wait
from functools import partial
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Final

from distributed import Client, Future
from distributed.comm.addressing import get_address_host

from arena.extensions.machines import relay
from arena.extensions.machines.cluster import connect, errors_named, in_words, way_to
from arena.extensions.machines.direct import DirectLine, Door, Home
from arena.extensions.machines.fleet import AddressBusy, AddressUnfit, Came, HostLost, News
from arena.tournament.executor import PoolError

_AGAIN_SECONDS: Final = 300.0
"""Time limit on finding a lost scheduler again, in seconds."""
_STEP_SECONDS: Final = 1.0
"""Interval between attempts to find the scheduler again, in seconds; also a limit on closing."""
_ASK_SECONDS: Final = 5.0
"""Interval between questions to workers that others hold, in seconds."""
_END_SECONDS: Final = 5.0
"""Time limit on ending the sessions of all workers, and on closing the client, in seconds."""
_PAUSE_SECONDS: Final = 0.05
"""Pause between two messages to a host, in seconds; later ones are then sent together."""
_STARTS: Final = 3
"""Number of hosts started in turn beside a worker where each ends unexpectedly."""
_LASTING_SECONDS: Final = 300.0
"""Lifetime after which the end of a host resets its worker's number of starts, in seconds."""
_OWNER: Final = f"a run of arena ({platform.node()}, process {os.getpid()})"

log = logging.getLogger("arena.dask")


class _Session:
    """A host beside a worker, from the moment it is wanted."""

    def __init__(self, name: str, worker: str) -> None:
        self.name = name
        self.worker = worker
        self.holders: list[Future[int]] = []
        self.to_send: list[bytes] = []
        self.is_sending = False
        self.line: DirectLine | None = None
        """Direct connection to the relay; None: messages go through the scheduler."""
        self.is_held = False
        """True once this session holds all threads of the worker."""
        self.began = time.monotonic()


class _Lost:
    """Item of the inbox: the connection to the scheduler is lost."""


class DaskTransport:
    """Transport to hosts beside the workers of a cluster. Use as a context manager."""

    def __init__(self, where: str, workers: int) -> None:
        """Prepare a transport to ``where``, an address that passed ``check_address``.

        ``workers``: number of threads of a cluster that is started here.
        """
        self._where = where
        self._workers = workers
        self._inbox: SimpleQueue[list[News] | _Lost] = SimpleQueue()
        """Queue of lists of news; what arrives together wakes the playing thread only once."""
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._sessions: dict[str, _Session] = {}
        self._starts: Counter[str] = Counter()
        """Number of hosts started beside each worker, by address; 0 again after one that lasted."""
        self._client: Client | None = None
        self._gone_since = self._looked = 0.0
        self._door: Door | None = None
        self._home: Home | None = None
        """Address at which relays can reach this process; None if they cannot."""
        self._asked = 0.0
        self._bell: Future[int] | None = None
        """Task that may run on any worker, so that an adaptive cluster starts one."""

    def __enter__(self) -> DaskTransport:
        """Connect to the cluster. Raises BadInput if there is no such cluster."""
        with contextlib.ExitStack() as around:
            self._target = around.enter_context(way_to(self._where, self._workers))
            around.callback(self._disconnect)
            with errors_named(self._where):
                self._connect()
            self._around = around.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._around.__exit__(kind, error, trace)

    @property
    def is_plain(self) -> bool:
        """True if the cluster uses no TLS, so that everybody who reaches its ports is let in."""
        client = self._client
        return client is not None and str(client.scheduler_info()["address"]).startswith("tcp:")

    def wait(self, seconds: float) -> Iterator[News]:
        """See Transport."""
        if self._client is None:
            seconds = min(seconds, _STEP_SECONDS)
            self._look_again()
        self._ask()
        with contextlib.suppress(Empty):
            waited = self._inbox.get(timeout=seconds)
            for news in (waited, *self._at_hand()):
                if isinstance(news, _Lost):
                    yield from self._lose()
                else:
                    yield from news

    def _at_hand(self) -> Iterator[list[News] | _Lost]:
        """Yield the items that are already in the inbox."""
        for _ in range(self._inbox.qsize()):
            yield self._inbox.get_nowait()

    def send(self, address: str, message: bytes) -> None:
        """See Transport."""
        session = self._sessions.get(address)
        if session is None:
            return
        with self._lock:
            session.to_send.append(message)
            is_idle, session.is_sending = not session.is_sending, True
        if is_idle:
            self._soon(self._pump(session))

    def end(self, address: str) -> None:
        """See Transport."""
        session = self._sessions.pop(address, None)
        if session is not None:
            self._soon(self._end(session))

    # The connection

    def _connect(self) -> None:
        """Connect and begin a session at every worker. Raises any error of Dask."""
        self._client = client = connect(self._target)
        self._topic = client.id  # the scheduler forgets it when the client goes, even if killed
        self._home = asyncio.run_coroutine_threadsafe(
            self._open_door(client), _loop(client).asyncio_loop
        ).result()
        client.subscribe_topic("all", partial(self._on_cluster, client))
        client.subscribe_topic(self._topic, self._on_host)
        for worker in client.scheduler_info(n_workers=-1)["workers"]:
            _loop(client).add_callback(self._begin, client, worker)

    def _disconnect(self) -> None:
        """End every session and close the client."""
        client, self._client = self._client, None
        if client is None:
            return
        sessions = [self._sessions.pop(name) for name in list(self._sessions)]
        endings = [self._end(each, client) for each in sessions]
        loop = _loop(client).asyncio_loop
        wait([asyncio.run_coroutine_threadsafe(each, loop) for each in endings], _END_SECONDS)
        self._close_door(client)
        with contextlib.suppress(Exception):
            for topic in ("all", self._topic):
                client.unsubscribe_topic(topic)
            client.close(timeout=_END_SECONDS)

    async def _open_door(self, client: Client) -> Home | None:
        """Accept relays at our address towards the scheduler; return it, or None if that fails."""
        known: Any = client
        here, secure = known.scheduler_comm.comm.local_address, None
        if not str(known.scheduler.address).startswith("tcp:"):
            secure = known.security.get_listen_args("client")["ssl_context"]
        self._door = Door(self._admit)
        return await self._door.open(get_address_host(here), secure)

    def _close_door(self, client: Client) -> None:
        door, self._door = self._door, None
        if door is not None:
            with contextlib.suppress(Exception):
                loop = _loop(client).asyncio_loop
                asyncio.run_coroutine_threadsafe(door.close(), loop).result(_STEP_SECONDS)

    def _lose(self) -> Iterator[News]:
        """Close the client after the loss of the scheduler, and yield Gone for every host."""
        if self._client is None:
            return
        log.warning("%s: the scheduler is gone", self._where)
        self._gone_since = time.monotonic()
        client, self._client = self._client, None
        lost = list(self._sessions)
        self._sessions.clear()
        for name in lost:
            yield name, HostLost("has no scheduler any more")
        self._close_door(client)
        with contextlib.suppress(Exception):
            client.close(timeout=_STEP_SECONDS)

    def _look_again(self) -> None:
        """Try to reach the scheduler again. Raises PoolError after ``_AGAIN_SECONDS``."""
        now = time.monotonic()
        if now - self._looked < _STEP_SECONDS:
            return
        try:
            self._connect()
            log.warning("%s: the scheduler is there again", self._where)
        except Exception as error:  # of the network or of Dask
            if now - self._gone_since > _AGAIN_SECONDS:
                told = f"the scheduler {self._where} was gone for {_AGAIN_SECONDS:.0f} s"
                raise PoolError(f"{told}: {in_words(error)}") from None
        self._looked = time.monotonic()

    def _ask(self) -> None:
        """Ask at intervals who holds the workers that we wait for; request one if we have none."""
        client, now = self._client, time.monotonic()
        if client is None or now - self._asked < _ASK_SECONDS:
            return
        self._asked = now
        sessions = list(self._sessions.values())
        for session in sessions:
            if not session.is_held:
                self._soon(self._ask_for(session))
        if not sessions and (self._bell is None or self._bell.done()):
            with contextlib.suppress(Exception):
                self._bell = client.submit(int, key=f"{self._topic}-bell-{now}", pure=False)

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` on the client's event loop; without a client, drop it."""
        client = self._client
        if client is None:
            work.close()
            return
        asyncio.run_coroutine_threadsafe(work, _loop(client).asyncio_loop)

    # Callbacks on the thread of the client

    def _on_cluster(self, client: Client, event: tuple[float, Any]) -> None:
        """Handle an event of the scheduler: a worker has joined or left."""
        _, what = event
        if client is not self._client or not isinstance(what, dict):
            return
        worker = what.get("worker")
        match what.get("action"):
            case "add-worker":
                _loop(client).add_callback(self._begin, client, worker)
            case "remove-worker":
                for session in [each for each in self._sessions.values() if each.worker == worker]:
                    self._forget(session, "has left the cluster")

    async def _admit(self, name: str, line: DirectLine) -> None:
        """Handle messages of a relay until its line ends."""
        session = self._sessions.get(name)
        if session is None or session.line is not None:
            return
        session.line = line
        line.write("welcome")
        try:
            while True:
                self._on_host((0.0, {**await line.read(), "session": name}))
        finally:
            lost = {"session": name, "ended": "its connection was lost"}
            soon = asyncio.get_running_loop().call_later  # a lost worker is reported first
            soon(_STEP_SECONDS, self._on_host, (0.0, lost))

    def _on_host(self, event: tuple[float, Any]) -> None:
        """Handle an event of a host: its threads are held, it sent messages, or it has ended."""
        _, what = event
        session = self._sessions.get(what.get("session", ""))
        if session is None:  # it has ended, or the event is about the client
            return
        match what:
            case {"held": threads}:
                session.is_held = True
                self._inbox.put([(session.name, Came(threads))])
            case {"said": messages}:
                self._inbox.put([(session.name, message) for message in messages])
            case {"ended": why}:
                if time.monotonic() - session.began > _LASTING_SECONDS:
                    self._starts[session.worker] = 0
                self._forget(session, why)
                if why and self._client is not None:
                    _loop(self._client).add_callback(self._begin, self._client, session.worker)

    def _forget(self, session: _Session, why: str) -> None:
        self._sessions.pop(session.name, None)
        self._inbox.put([(session.name, HostLost(why))])
        if self._client is not None and session.holders:
            _loop(self._client).add_callback(self._client.cancel, session.holders)

    async def _begin(self, client: Client, worker: str) -> None:
        """Start a host beside the worker, unless it has one."""
        if any(each.worker == worker for each in self._sessions.values()):
            return
        self._starts[worker] += 1
        if self._starts[worker] > _STARTS:
            self._inbox.put([(worker, AddressUnfit(f"its host ended {_STARTS} times"))])
            return
        session = _Session(f"{self._topic}-{next(self._numbers)}", worker)
        self._sessions[session.name] = session
        found = await self._run(client, session, relay.begin, self._topic, _OWNER, self._home)
        if not isinstance(found, int):
            self._sessions.pop(session.name, None)
            self._inbox.put([(worker, AddressUnfit(in_words(found)))])
            return
        names = [f"{relay.plugin_name(session.name)}-{number}" for number in range(found)]
        session.holders = client.map(  # at once, and before later tasks: if two fleets
            relay.hold,  # each held half of a worker, neither would ever play
            [session.name] * found,
            key=names,
            pure=False,
            retries=0,
            workers=[worker],
            allow_other_workers=False,
            fifo_timeout="0 s",
        )
        for holder in session.holders:
            holder.add_done_callback(partial(self._on_release, client, session))

    def _on_release(self, client: Client, session: _Session, holder: Future[int]) -> None:
        """Handle the end of a holding task; unless we ended it, the scheduler is gone."""
        if client is not self._client or session.name not in self._sessions:
            return
        if holder.status in ("cancelled", "lost"):
            self._inbox.put(_Lost())
        elif holder.status == "error":
            self._forget(session, "cannot be had")

    async def _bring(self, client: Client, session: _Session, messages: list[bytes]) -> Any:
        """Send ``messages`` to a relay; return the error, or None."""
        if session.line is None:
            return await self._run(client, session, relay.take, messages)
        try:
            session.line.write(messages)
            await session.line.drain()
        except OSError as error:
            return error
        return None

    async def _ask_for(self, session: _Session) -> None:
        client = self._client
        if client is not None:
            found = await self._run(client, session, relay.holder)
            if isinstance(found, str) and found and not session.is_held:
                self._inbox.put([(session.worker, AddressBusy(found))])

    async def _pump(self, session: _Session) -> None:
        """Send all queued messages of a session, in order."""
        while True:
            with self._lock:
                messages, session.to_send = session.to_send, []
                session.is_sending = bool(messages)
            client = self._client
            if not messages or client is None:
                return
            found = await self._bring(client, session, messages)
            if found is not None:
                if session.name in self._sessions:
                    self._forget(session, in_words(found))
                return
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _end(self, session: _Session, client: Client | None = None) -> None:
        client = client or self._client
        if client is not None:
            with contextlib.suppress(Exception):
                await client.cancel(session.holders)
            await self._run(client, session, relay.end)

    async def _run(self, client: Client, session: _Session, what: Any, *arguments: Any) -> Any:
        """Return the result of ``what`` at the session's worker, or the exception."""
        try:
            found = await client.run(
                what, session.name, *arguments, workers=[session.worker], on_error="return"
            )
            return found[session.worker]
        except OSError as error:  # of the scheduler; errors at a worker are returned
            if client is self._client:
                self._inbox.put(_Lost())
            return error
        except Exception as error:  # of the network, of Dask, or of unpickling at the worker
            return error


def _loop(client: Client) -> Any:
    """Return the client's tornado loop, which runs on an asyncio loop."""
    return client.loop
