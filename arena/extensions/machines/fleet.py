"""Combine hosts on other machines into one executor that assigns blocks to their places.

The fleet knows hosts only by their messages; a ``Transport`` carries the bytes.
"""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import Final, Protocol, TypeAlias

import msgspec

from arena import __version__
from arena.extensions.machines.messages import (
    Abandon,
    About,
    ArchiveRequest,
    Archives,
    FromHost,
    Give,
    Happened,
    HostReady,
    HostRefusal,
    Leave,
    Setup,
    Stop,
    ToHost,
    pack,
    read_by_fleet,
)
from arena.schedule.schedule import Block
from arena.schedule.seeds import Seeds
from arena.tournament.executor import (
    BlockDone,
    Event,
    Joined,
    Logged,
    Lost,
    PlaceEvent,
    PoolError,
)
from arena.values.bad_input import printable
from arena.values.results import GameDone, GameVoid, VoidCause

AHEAD_SECONDS: Final = 1.0
"""Play time that every place should have queued, in seconds, to hide network delays."""
_LEAST_AHEAD: Final = 2
_MOST_AHEAD: Final = 100
_NEWEST_SHARE: Final = 0.1
"""Weight of the newest block in the mean block time, from 0 to 1."""
NOBODY_SECONDS: Final = 300.0
"""Time limit on waiting for a machine while there is no host, in seconds."""
REFUSED_SECONDS: Final = 15.0
"""Time limit on waiting for another machine after all have refused, in seconds."""
_TELL_SECONDS: Final = 30.0
_GOODBYE_SECONDS: Final = 15.0
"""Time limit on the exit of hosts and their bots, in seconds."""
_NAME: Final = 64
"""Largest length of a machine's name, in characters."""

log = logging.getLogger("arena.fleet")


class Came(msgspec.Struct, frozen=True):
    """News that a host is ready for messages. A machine may have several hosts."""

    places: int
    """Number of blocks that the host may play at once."""


class HostLost(msgspec.Struct, frozen=True):
    """News that a host is lost or has ended."""

    why: str


class AddressUnfit(msgspec.Struct, frozen=True):
    """News that no host can run at an address."""

    why: str


class AddressBusy(msgspec.Struct, frozen=True):
    """News that others use an address; a host can only start there after them."""

    by: str


News: TypeAlias = tuple[str, "Came | bytes | HostLost | AddressUnfit | AddressBusy"]
"""Address and its news. The address of a host is never used again once the host is gone."""


class Transport(Protocol):
    """Transport that starts hosts where there is room, and carries bytes both ways, in order."""

    def wait(self, seconds: float) -> Iterator[News]:
        """Yield the news since the last call; without news, wait up to ``seconds`` for some.

        Raises PoolError if no machine can be reached any more.
        """

    def send(self, address: str, message: bytes) -> None:
        """Send ``message`` without blocking.

        If it cannot be delivered, ``wait`` yields HostLost later.
        """

    def end(self, address: str) -> None:
        """End a host that is not wanted; no more news of it follows."""


class _State(Enum):
    STRANGER = auto()
    PREPARING = auto()
    PLAYING = auto()


class _FleetHost:
    """State of a host in the fleet."""

    def __init__(self, address: str, places: int) -> None:
        self.address = address
        self.places = places
        self.machine = address
        self.state = _State.STRANGER
        self.numbers: list[int] = []
        """Number in the fleet of each place of the host."""
        self.boot = ""
        self.cores: tuple[int, ...] = ()
        """Cores that are reserved for this host."""


class _HostPlace:
    """A place of a host; its number in the fleet never changes."""

    def __init__(self, host: _FleetHost, place: int) -> None:
        self.host = host
        self.place = place
        self.life = 0
        self.joined = False
        self.playing_us = 0
        """Play time of the running block so far, in microseconds."""


class Fleet:
    """Executor on other machines. Use as a context manager; leaving it ends all hosts."""

    def __init__(
        self,
        transport: Transport,
        setup: Setup,
        seeds: Seeds,
        most: float = math.inf,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Prepare an executor of at most ``most`` places on the hosts of ``transport``.

        ``setup``: message for every host; its ``places`` and ``cores`` are filled in for each.
        ``note``: callback for messages to people about machines that join, fail or are awaited.
        """
        self._transport = transport
        self._setup = setup
        self._seeds = seeds
        self._most = most
        self._show = note
        self._archives = Archives(setup.bots)
        self._hosts: dict[str, _FleetHost] = {}
        self._places: list[_HostPlace] = []
        self._refused: dict[str, str] = {}
        """Reason of each machine that cannot play, by machine."""
        self._block_seconds = 0.0
        """Mean block time in seconds, recent blocks counting more; 0 before the first block."""
        self._news: list[Event] = []
        self._stopped = False
        self._lonely_since = self._told = time.monotonic()
        self._busy: dict[str, str] = {}
        """User of each busy address at the last check."""

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._archives.close()
        if kind is None:
            self._dismiss()
        for address in list(self._hosts):
            self._transport.end(address)

    def _dismiss(self) -> None:
        """Let all playing hosts leave, and handle their last messages for the log."""
        for host in list(self._hosts.values()):
            if host.state is _State.PLAYING:
                self._tell(host, Leave())
            else:
                self._transport.end(host.address)
                del self._hosts[host.address]
        give_up = time.monotonic() + _GOODBYE_SECONDS
        with contextlib.suppress(PoolError):
            while self._hosts and (left := give_up - time.monotonic()) > 0:
                for address, news in self._transport.wait(left):
                    if isinstance(news, bytes):
                        deque(self._hear(address, news), maxlen=0)
                    elif isinstance(news, HostLost):
                        self._hosts.pop(address, None)

    @property
    def ahead(self) -> int:
        """See Executor."""
        if not self._block_seconds:
            return _LEAST_AHEAD
        blocks = 1 + math.ceil(AHEAD_SECONDS / self._block_seconds)
        return max(_LEAST_AHEAD, min(blocks, _MOST_AHEAD))

    def give(self, place: int, block: Block) -> None:
        """See Executor. Include the chance of the block's games, but nothing more of the seed."""
        to = self._places[place]
        if block.chance is None:
            block = msgspec.structs.replace(block, chance=self._seeds.chance(block.games))
        self._tell(to.host, Give(to.place, to.life, block))

    def abandon(self, place: int, why: str) -> None:
        """See Executor."""
        lost = self._places[place]
        self._tell(lost.host, Abandon(lost.place, lost.life, why))
        self._news.append(self._lose(place, why))

    def stop(self) -> None:
        """See Executor."""
        self._stopped = True
        for host in self._hosts.values():
            self._tell(host, Stop())

    def wait(self, seconds: float) -> Iterator[Event]:
        """See Executor."""
        if self._news:
            news, self._news = self._news, []
            yield from news
            return
        for address, new in self._transport.wait(seconds):
            match new:
                case Came(places):
                    self._welcome(address, places)
                case HostLost(why):
                    yield from self._forget(address, why)
                case AddressUnfit(why):
                    self._turn_away(address, why)
                case AddressBusy(by):
                    self._wait_for(address, by)
                case bytes():
                    yield from self._hear(address, new)
        self._look_around()

    def _tell(self, host: _FleetHost, message: ToHost) -> None:
        self._transport.send(host.address, pack(message))

    def _welcome(self, address: str, places: int) -> None:
        places = int(min(places, self._most - sum(each.places for each in self._hosts.values())))
        if places < 1 or self._stopped:
            self._transport.end(address)
            return
        self._hosts[address] = _FleetHost(address, places)

    def _forget(self, address: str, why: str) -> Iterator[Event]:
        """Remove a host that is gone, and yield the loss of all its places."""
        host = self._hosts.pop(address, None)
        if host is None:
            return
        log.warning("%s: is gone: %s", host.machine, why or "its host has ended")
        if host.state is _State.PLAYING and not self._stopped:
            self._note(f"{host.machine}: lost: {why}")
        yield from self._lose_all(host, why)

    def _lose_all(self, host: _FleetHost, why: str) -> Iterator[Event]:
        for number in host.numbers:
            if self._places[number].joined:
                yield self._lose(number, why, VoidCause.MACHINE)

    def _lose(self, number: int, why: str, cause: VoidCause = VoidCause.WORKER) -> Event:
        place = self._places[number]
        place.life += 1
        place.joined = False
        return number, Lost(why, cause)

    def _hear(self, address: str, data: bytes) -> Iterator[Event]:
        """Act on bytes from a host; refuse one whose message cannot be read."""
        host = self._hosts.get(address)
        if host is None:  # the host was ended or refused
            return
        try:
            message = read_by_fleet(data)
        except msgspec.DecodeError:
            yield from self._refuse(host, f"speaks otherwise than arena {__version__}")
            return
        yield from self._act(host, message)

    def _act(self, host: _FleetHost, message: FromHost) -> Iterator[Event]:
        match message:
            case Happened(place, life, event) if place < len(host.numbers):
                yield from self._happened(host.numbers[place], life, event)
            case Logged():
                logging.getLogger(message.name).handle(message.record())
            case About():
                yield from self._meet(host, message)
            case ArchiveRequest(content, offset):
                self._tell(host, self._archives.piece(content, offset))
            case HostRefusal(why):
                yield from self._refuse(host, why)
            case HostReady(levels):
                host.state = _State.PLAYING
                host.numbers = [len(self._places) + place for place in range(host.places)]
                self._places += [_HostPlace(host, place) for place in range(host.places)]
                kept = ", ".join(dict.fromkeys(levels.values()))
                workers = f"{host.places} worker{'s'[: host.places != 1]}"
                self._note(f"{host.machine}: {workers}, isolation {kept}")
                if self._stopped:
                    self._tell(host, Stop())

    def _meet(self, host: _FleetHost, about: About) -> Iterator[Event]:
        host.machine = printable(about.machine)[:_NAME] or host.address
        if about.arena != __version__:
            other = f"has arena {about.arena}, not {__version__}"
            yield from self._refuse(host, other)
            return
        host.state = _State.PREPARING
        host.boot, host.cores = about.boot, self._cores_for(host, about)
        own = msgspec.structs.replace(self._setup, places=host.places, cores=host.cores)
        self._tell(host, own)

    def _cores_for(self, host: _FleetHost, about: About) -> tuple[int, ...]:
        """Return cores of the host's machine, at most one per place, that no other host has."""
        if not about.boot:
            return ()  # it may be on the machine of any other host
        others = (each.cores for each in self._hosts.values() if each.boot == about.boot)
        held = set().union(*others)
        return tuple(core for core in about.cores if core not in held)[: host.places]

    def _turn_away(self, machine: str, why: str) -> None:
        if self._refused.get(machine) != why:
            self._note(f"{machine}: cannot play: {why}")
        self._refused[machine] = why

    def _wait_for(self, address: str, by: str) -> None:
        """Note once who holds a machine if we have no host; restart the time limit on waiting."""
        if self._hosts:
            return
        self._lonely_since = self._told = time.monotonic()
        if self._busy.get(address) != by:
            self._busy[address] = by
            self._note(f"waiting: {address} is held by {by}")

    def _note(self, text: str) -> None:
        """Show a line; machines name themselves and their errors."""
        self._show(printable(text))

    def _refuse(self, host: _FleetHost, why: str) -> Iterator[Event]:
        """End a host that cannot play, or no longer can, and yield the loss of its places."""
        self._turn_away(host.machine, why)
        del self._hosts[host.address]
        self._transport.end(host.address)
        yield from self._lose_all(host, why)

    def _happened(self, number: int, life: int, event: PlaceEvent) -> Iterator[Event]:
        """Yield the event with its machine, unless it belongs to an earlier life of the place."""
        place = self._places[number]
        if life != place.life:
            return
        match event:
            case Joined():
                place.joined = True
                yield number, Joined(place.host.machine, place.host.address)
            case Lost(why):
                yield self._lose(number, why)
            case BlockDone():
                self._count_block(place.playing_us / 1e6)
                place.playing_us = 0
                yield number, event
            case GameDone():
                place.playing_us += event.result.wall_us
                yield number, msgspec.structs.replace(event, machine=place.host.machine)
            case GameVoid():
                yield number, msgspec.structs.replace(event, machine=place.host.machine)

    def _count_block(self, seconds: float) -> None:
        mean = self._block_seconds or seconds
        self._block_seconds = mean + _NEWEST_SHARE * (seconds - mean)

    def _look_around(self) -> None:
        """Check that a machine plays or may still come. Raises PoolError after a time limit."""
        now = time.monotonic()
        if self._hosts or self._stopped:
            self._lonely_since = self._told = now
            return
        lonely = now - self._lonely_since
        if self._refused and lonely > REFUSED_SECONDS:
            reasons = (f"  {name}: {why}" for name, why in self._refused.items())
            raise PoolError("no machine can play this:", *reasons)
        if lonely > NOBODY_SECONDS:
            raise PoolError(f"no machine came within {NOBODY_SECONDS:.0f} s")
        if now - self._told > _TELL_SECONDS:
            self._told = now
            self._note("no machine is there; waiting for one")
