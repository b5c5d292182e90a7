"""A Dask cluster as the way to other machines: who is there, bytes to them and back.

Of Dask only membership, transport and security are used. A host is started beside each worker. It
is fed and heard by a line straight to it (``direct``), or else by ``Client.run`` and by events. No
game is a task: the only tasks are those that hold the threads of a worker (see ``relay``), so
nothing that counts is run twice or lost.
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

from arena.documents.problems import printable
from arena.tournament.jobs import PoolError
from arena.tournament.machines import relay
from arena.tournament.machines.cluster import connect, in_words, told, way_to
from arena.tournament.machines.direct import Door, Home, Line
from arena.tournament.machines.fleet import Busy, Came, Gone, News, Unfit

_AGAIN_SECONDS: Final = 300.0
"""How long to look for a scheduler that is gone."""
_STEP_SECONDS: Final = 1.0
"""Between two looks."""
_ASK_SECONDS: Final = 5.0
"""Between two questions to workers that others hold."""
_END_SECONDS: Final = 5.0
"""For workers to be told that a session is over."""
_PAUSE_SECONDS: Final = 0.05
"""Between two messages to a host; what is to be sent meanwhile travels together."""
_STARTS: Final = 3
"""So often a host is started beside a worker where it ended by no wish of ours."""
_LASTING_SECONDS: Final = 300.0
"""A host that was there for so long says nothing against the next one."""
_OWNER: Final = f"a run of arena ({platform.node()}, process {os.getpid()})"

log = logging.getLogger("arena.dask")


class _Session:
    """A host beside a worker, from when it is wanted."""

    def __init__(self, name: str, worker: str) -> None:
        self.name = name
        self.worker = worker
        self.holders: list[Future[int]] = []
        self.to_send: list[bytes] = []
        self.is_sending = False
        self.line: Line | None = None
        """Straight to its relay; None: by the scheduler."""
        self.is_held = False
        """Whether all threads of the worker are ours."""
        self.began = time.monotonic()


class _Lost:
    """The scheduler is gone."""


class DaskTransport:
    """Hosts beside the workers of a cluster. Use as a context manager."""

    def __init__(self, where: str, workers: int) -> None:
        """``where``: an address of ``check_address``. ``workers``: of a cluster of our own."""
        self._where = where
        self._workers = workers
        self._inbox: SimpleQueue[list[News] | _Lost] = SimpleQueue()
        """What came at once is one item: so the thread that plays wakes once for it."""
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._sessions: dict[str, _Session] = {}
        self._starts: Counter[str] = Counter()
        """By worker."""
        self._client: Client | None = None
        self._gone_since = self._looked = 0.0
        self._door: Door | None = None
        self._home: Home | None = None
        """Where relays can reach us."""
        self._asked = 0.0
        self._bell: Future[int] | None = None
        """A task for any worker: a cluster that adapts starts one for it."""

    def __enter__(self) -> DaskTransport:
        """Raises BadInput if there is no such cluster."""
        with contextlib.ExitStack() as around:
            self._target = around.enter_context(way_to(self._where, self._workers))
            around.callback(self._disconnect)
            with told(self._where):
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
        """Whether all who reach the ports of the cluster are let in."""
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
        """What needs no waiting for."""
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
        """Raises whatever Dask has to say."""
        self._client = client = connect(self._target)
        self._topic = client.id  # what the scheduler forgets once the client is gone, however
        self._home = asyncio.run_coroutine_threadsafe(
            self._open_door(client), _loop(client).asyncio_loop
        ).result()
        client.subscribe_topic("all", partial(self._on_cluster, client))
        client.subscribe_topic(self._topic, self._on_host)
        for worker in client.scheduler_info(n_workers=-1)["workers"]:
            _loop(client).add_callback(self._begin, client, worker)

    def _disconnect(self) -> None:
        """End every session, and leave."""
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
        """Let relays in at the address by which we reach the scheduler."""
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
        """The scheduler is gone, and with it all hosts."""
        if self._client is None:
            return
        log.warning("%s: the scheduler is gone", self._where)
        self._gone_since = time.monotonic()
        client, self._client = self._client, None
        lost = list(self._sessions)
        self._sessions.clear()
        for name in lost:
            yield name, Gone("has no scheduler any more")
        self._close_door(client)
        with contextlib.suppress(Exception):
            client.close(timeout=_STEP_SECONDS)

    def _look_again(self) -> None:
        """Try to find the scheduler again. Raises PoolError when that has taken too long."""
        now = time.monotonic()
        if now - self._looked < _STEP_SECONDS:
            return
        try:
            self._connect()
            log.warning("%s: the scheduler is there again", self._where)
        except Exception as error:  # whatever the network may come to
            if now - self._gone_since > _AGAIN_SECONDS:
                told = f"the scheduler {self._where} was gone for {_AGAIN_SECONDS:.0f} s"
                raise PoolError(f"{printable(told)}: {in_words(error)}") from None
        self._looked = time.monotonic()

    def _ask(self) -> None:
        """Find out now and then who holds the workers that we wait for; want one if none is."""
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
        """Have it done by the thread of the client."""
        client = self._client
        if client is None:
            work.close()
            return
        asyncio.run_coroutine_threadsafe(work, _loop(client).asyncio_loop)

    # By the thread of the client

    def _on_cluster(self, client: Client, event: tuple[float, Any]) -> None:
        """Something happened to a worker."""
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

    async def _admit(self, name: str, line: Line) -> None:
        """Hear a relay until its line ends."""
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
            soon = asyncio.get_running_loop().call_later  # a worker that is gone is told first
            soon(_STEP_SECONDS, self._on_host, (0.0, lost))

    def _on_host(self, event: tuple[float, Any]) -> None:
        """A host said something, or something happened to it."""
        _, what = event
        session = self._sessions.get(what.get("session", ""))
        if session is None:  # it is over, or the scheduler speaks of its client
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
        self._inbox.put([(session.name, Gone(why))])
        if self._client is not None and session.holders:
            _loop(self._client).add_callback(self._client.cancel, session.holders)

    async def _begin(self, client: Client, worker: str) -> None:
        """Have a host beside the worker, if it has none."""
        if any(each.worker == worker for each in self._sessions.values()):
            return
        self._starts[worker] += 1
        if self._starts[worker] > _STARTS:
            self._inbox.put([(worker, Unfit(f"its host ended {_STARTS} times"))])
            return
        session = _Session(f"{self._topic}-{next(self._numbers)}", worker)
        self._sessions[session.name] = session
        found = await self._run(client, session, relay.begin, self._topic, _OWNER, self._home)
        if not isinstance(found, int):
            self._sessions.pop(session.name, None)
            self._inbox.put([(worker, Unfit(in_words(found)))])
            return
        names = [f"{relay.plugin_name(session.name)}-{number}" for number in range(found)]
        session.holders = client.map(  # at one blow, and before whatever comes later: of two
            relay.hold,  # fleets that each hold half of a worker neither would ever play
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
        """A thread is held no more; by no wish of ours only if the scheduler is gone."""
        if client is not self._client or session.name not in self._sessions:
            return
        if holder.status in ("cancelled", "lost"):
            self._inbox.put(_Lost())
        elif holder.status == "error":
            self._forget(session, "cannot be had")

    async def _bring(self, client: Client, session: _Session, messages: list[bytes]) -> Any:
        """Bring messages to a relay; return what went wrong, or None."""
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
                self._inbox.put([(session.worker, Busy(found))])

    async def _pump(self, session: _Session) -> None:
        """Bring everything that is to be sent, in order."""
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
        """What the function returned at the session's worker, or the exception."""
        try:
            found = await client.run(
                what, session.name, *arguments, workers=[session.worker], on_error="return"
            )
            return found[session.worker]
        except OSError as error:  # on the way to the scheduler: what fails at a worker is returned
            if client is self._client:
                self._inbox.put(_Lost())
            return error
        except Exception as error:  # of the network, of Dask, of what cannot be read there
            return error


def _loop(client: Client) -> Any:
    """Of tornado's, on one of asyncio's."""
    return client.loop
