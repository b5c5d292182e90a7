"""Define the messages between a fleet and the hosts on its machines, and encode them.

A host first describes itself (``About``). A fleet of another version of arena sends it nothing.
Otherwise the fleet sends ``Setup``; the host requests the bots that it lacks (``ArchiveRequest``,
``ArchiveChunk``) and answers ``HostReady`` or ``HostRefusal``. From then on the fleet sends blocks
and the host reports events.

A place is a number on its host. Whenever a place is lost its *life* ends, and messages about an
earlier life are ignored. So no block goes to a worker that is gone, and no game comes from one.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.entrants.entrants import Entrant
from arena.hosting.sandbox.isolation import Level
from arena.results import Limits
from arena.schedule.schedule import Block
from arena.tournament.executor import Job, Logged, PlaceEvent


class About(msgspec.Struct, frozen=True, tag="about"):
    """Description that a host sends first."""

    arena: str
    """Version of arena on the host."""
    machine: str
    """Host name that the machine reports."""
    process: int
    """Process id of the host."""
    boot: str = ""
    """Result of ``cores.boot_id``, the same for all hosts on one machine; empty if unknown."""
    cores: tuple[int, ...] = ()
    """Cores that the host may use and no arena has taken."""


class SentBot(msgspec.Struct, frozen=True):
    """An entrant that is sent to other machines, with the digest of its files."""

    entrant: Entrant
    content: str
    """SHA-256 of the files of its folder, as ``folder_digest`` computes it."""


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """Job and bots that a host is to play, with its share of the machine."""

    job: Job
    """Job without seed and without values that hold on one machine alone."""
    bots: tuple[SentBot, ...]
    limits: Limits
    readable: tuple[str, ...]
    """Absolute paths on the host's machine that bots may read."""
    places: int
    """Number of workers to start, at least 1."""
    pin: bool
    """True if each worker and its bots are to be kept on one core."""
    cores: tuple[int, ...] = ()
    """Cores for the workers, one each, which no other host of the fleet has. If they are too few,
    some workers are not kept on one core."""


class ArchiveRequest(msgspec.Struct, frozen=True, tag="wanted"):
    """Request for the archive of a bot that the host lacks, from byte ``offset`` on."""

    content: str
    offset: int


class ArchiveChunk(msgspec.Struct, frozen=True, tag="piece"):
    """Part of the archive of a bot."""

    content: str
    data: bytes
    is_last: bool


class HostReady(msgspec.Struct, frozen=True, tag="ready"):
    """Message that the host's places join from now on."""

    levels: dict[str, Level]
    """Isolation level of each entrant on the host, by name."""


class HostRefusal(msgspec.Struct, frozen=True, tag="refused"):
    """Message that the host cannot play this, and ends."""

    why: str
    """Reason, in one line."""


class Give(msgspec.Struct, frozen=True, tag="give"):
    """Call of ``Executor.give`` for a place of the host."""

    place: int
    life: int
    block: Block


class Abandon(msgspec.Struct, frozen=True, tag="abandon"):
    """Call of ``Executor.abandon`` for a place of the host."""

    place: int
    life: int
    why: str


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """Call of ``Executor.stop`` for all places of the host."""


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """Request to let the bots leave and then end; it is the last message to a host."""


class Happened(msgspec.Struct, frozen=True, tag="happened"):
    """Event at a place of the host."""

    place: int
    life: int
    event: PlaceEvent


ToHost: TypeAlias = Setup | ArchiveChunk | Give | Abandon | Stop | Leave
FromHost: TypeAlias = About | ArchiveRequest | HostReady | HostRefusal | Happened | Logged

_encoder = msgspec.msgpack.Encoder()
_to_host: msgspec.msgpack.Decoder[ToHost] = msgspec.msgpack.Decoder(ToHost)
_from_host: msgspec.msgpack.Decoder[FromHost] = msgspec.msgpack.Decoder(FromHost)


def pack(message: ToHost | FromHost) -> bytes:
    """Encode ``message`` as bytes."""
    return _encoder.encode(message)


def read_by_host(data: bytes) -> ToHost:
    """Return the message to a host in ``data``. Raises msgspec.DecodeError."""
    return _to_host.decode(data)


def read_by_fleet(data: bytes) -> FromHost:
    """Return the message of a host in ``data``. Raises msgspec.DecodeError."""
    return _from_host.decode(data)
