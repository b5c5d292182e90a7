"""Ways to machines that need no cluster: hosts that pretend to play, and real ones beside us."""

from __future__ import annotations

import contextlib
import selectors
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from arena import __version__
from arena.entrants.entrants import Entrant, EntrantKind
from arena.entrants.folders import folder_digest
from arena.extensions.machines import host, messages
from arena.extensions.machines.fleet import Came, HostLost, News
from arena.hosting.machine import spawn
from arena.hosting.sandbox.isolation import Isolation
from arena.hosting.workspace.trees import is_foreign
from arena.tournament.executor import NOWHERE, BlockDone, Job, Joined, Lost
from arena.values.results import GameDone, GameSpec, GameVoid, Limits
from tests.tournament.executors import won
from tests.tournament.tables import Sat, job

Answer: TypeAlias = Callable[["Pretender", messages.ToHost], None]


class Pretender:
    """A host that plays from memory, a game at each place whenever somebody waits."""

    def __init__(
        self, address: str, places: int, play: Callable[[GameSpec], object] = won, *, pace: int = 1
    ) -> None:
        """``pace``: steps that each game takes."""
        self.address = address
        self.machine = f"machine of {address}"
        self.arena = __version__
        self.places = places
        self.said: deque[messages.FromHost] = deque([messages.About(self.arena, self.machine, 1)])
        self.heard: list[messages.ToHost] = []
        self.stopped = False
        self._play = play
        self._pace = pace
        self._steps = 0
        self._lives = [0] * places
        self._queues: list[deque[GameSpec | BlockDone]] = [deque() for _ in range(places)]

    def hear(self, message: messages.ToHost) -> None:
        """What a host does with it."""
        self.heard.append(message)
        match message:
            case messages.Setup(places=places):
                assert places == self.places
                self.said.append(messages.HostReady({}))
                for place in range(places):
                    self.said.append(messages.Happened(place, 0, Joined()))
            case messages.Give(place, life, block) if life == self._lives[place]:
                assert block.chance is not None
                assert {*block.chance.bots} == {game.game_id for game in block.games}
                self._queues[place].extend((*block.games, BlockDone(block.block)))
            case messages.Abandon(place, life, why) if life == self._lives[place]:
                self.lose(place, why)
            case messages.Stop():
                self.stopped = True

    def lose(self, place: int, why: str) -> None:
        """A worker ends, and another one takes its place."""
        self._queues[place].clear()
        self.said.append(messages.Happened(place, self._lives[place], Lost(why)))
        self._lives[place] += 1
        self.said.append(messages.Happened(place, self._lives[place], Joined()))

    def step(self) -> None:
        """Play a game at each place, if it is time."""
        self._steps += 1
        if self._steps % self._pace:
            return
        for place, queue in enumerate(self._queues):
            if self.stopped:
                while queue and isinstance(queue[0], GameSpec):
                    queue.popleft()
            if not queue:
                continue
            first = queue.popleft()
            found = first if isinstance(first, BlockDone) else self._play(first)
            if isinstance(found, Lost):
                self.lose(place, found.why)
            elif isinstance(found, GameDone | GameVoid | BlockDone):
                self.said.append(messages.Happened(place, self._lives[place], found))


class Pretended:
    """A transport to pretenders. ``news`` may be put in by tests."""

    def __init__(self, *hosts: Pretender) -> None:
        self.hosts: dict[str, Pretender] = {}
        self.news: deque[News] = deque()
        self.ended: list[str] = []
        for each in hosts:
            self.join(each)

    def join(self, pretender: Pretender) -> None:
        """A host comes."""
        self.hosts[pretender.address] = pretender
        self.news.append((pretender.address, Came(pretender.places)))

    def kill(self, address: str) -> None:
        """A host goes, with all that it has not said yet."""
        del self.hosts[address]
        self.news.append((address, HostLost("was killed")))

    def wait(self, seconds: float) -> Iterator[News]:
        """See Transport; never sleeps."""
        while self.news:
            yield self.news.popleft()
        for each in list(self.hosts.values()):
            each.step()
            while each.said and each.address in self.hosts:
                yield each.address, messages.pack(each.said.popleft())

    def send(self, address: str, message: bytes) -> None:
        """See Transport."""
        if (pretender := self.hosts.get(address)) is None:
            return
        read = messages.read_by_host(message)
        pretender.hear(read)
        if isinstance(read, messages.Leave):
            del self.hosts[address]
            self.news.append((address, HostLost("")))

    def end(self, address: str) -> None:
        """See Transport."""
        self.ended.append(address)
        self.hosts.pop(address, None)


class Beside:
    """A transport to real hosts that are children of this process. Use as a context manager."""

    def __init__(self, *places: int) -> None:
        """``places``: of each host."""
        self._places = places
        self._hosts: dict[str, tuple[subprocess.Popen[bytes], Connection, Connection]] = {}
        self._heard = selectors.DefaultSelector()
        self._news: list[News] = []

    def __enter__(self) -> Beside:
        for number, places in enumerate(self._places):
            self.start(f"host-{number}", places)
        return self

    def start(self, address: str, places: int) -> int:
        """One more; its process id."""
        ours, theirs = Pipe()
        control, kept = Pipe(duplex=False)
        with theirs, control:
            process = spawn.start(theirs, control, "host")
        spawn.brief(ours, host.run, b"", -1)
        self._hosts[address] = process, ours, kept
        self._heard.register(ours, selectors.EVENT_READ, address)
        self._news.append((address, Came(places)))
        return process.pid

    def __exit__(self, *_: object) -> None:
        for address in list(self._hosts):
            self.end(address)
        self._heard.close()

    def wait(self, seconds: float) -> Iterator[News]:
        """See Transport."""
        news, self._news = self._news, []
        yield from news
        for key, _ in self._heard.select(0 if news else seconds):
            if key.data not in self._hosts:
                continue
            try:
                yield key.data, self._hosts[key.data][1].recv_bytes()
            except (EOFError, OSError):
                self.end(key.data)
                yield key.data, HostLost("has ended")

    def send(self, address: str, message: bytes) -> None:
        """See Transport."""
        if address in self._hosts:
            with contextlib.suppress(OSError):
                self._hosts[address][1].send_bytes(message)

    def end(self, address: str) -> None:
        """See Transport."""
        if (known := self._hosts.pop(address, None)) is None:
            return
        process, ours, kept = known
        self._heard.unregister(ours)
        kept.close()
        ours.close()
        process.wait(60.0)


def bare_setup(*bots: Sat, **changes: Any) -> messages.Setup:
    """What a host is told of these bots, which travel as their folders of the tests."""
    setup: Job = msgspec.structs.replace(job(*bots, **changes), seed_key=b"", local=NOWHERE)
    return messages.Setup(setup, tuple(map(_traveller, bots)), Limits(), (), 1, pin=False)


def _traveller(sat: Sat) -> messages.SentBot:
    launch = sat.bot.launch
    content = folder_digest(Path(launch.folder), is_foreign)
    entrant = Entrant(
        name=sat.player.name,
        kind=EntrantKind.COMMAND,
        command=launch.command,
        words=launch.command,
        folder=launch.folder,
        digest=content,
        files=content,
        isolation=Isolation.LIMITS,
    )
    return messages.SentBot(entrant, content)
