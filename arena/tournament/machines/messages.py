"""What a fleet and the hosts on its machines tell each other: plain, in bytes.

A host says what it is (``About``) before anything else, and is told nothing by a fleet of another
arena. Then ``Setup``; the host asks for the bots that it lacks (``Wanted``, ``Piece``) and says
``Ready`` or ``Refused``. From then on blocks go one way and what happens comes the other.

A place is a number on its host. Whenever a place is lost its *life* ends, and what is said of an
earlier one is not heard: so nobody gives a block to a worker that is not there any more, or takes a
game from one.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.entrants.entrants import Entrant
from arena.hosting.sandbox.isolation import Level
from arena.results import Limits
from arena.schedule.schedule import Block
from arena.tournament.executor import Happening
from arena.tournament.jobs import Job, Logged


class About(msgspec.Struct, frozen=True, tag="about"):
    """What a host is."""

    arena: str
    """Version of the program."""
    machine: str
    """Its name, as it calls itself."""
    process: int
    """Number of the host's process."""
    boot: str = ""
    """``cores.boot_id``: the same for all hosts on one machine; empty: it is not known."""
    cores: tuple[int, ...] = ()
    """Cores that it may use and nobody has taken."""


class Traveller(msgspec.Struct, frozen=True):
    """An entrant and how its files are called on the way."""

    entrant: Entrant
    content: str
    """SHA-256 of the files of its folder, as ``folder_digest`` has it."""


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """What is to be played, and by whom."""

    job: Job
    """Without seed, and with nothing that holds on one machine alone."""
    bots: tuple[Traveller, ...]
    limits: Limits
    readable: tuple[str, ...]
    """Absolute paths that bots may read there."""
    places: int
    """Workers to start, at least 1."""
    pin: bool
    """Keep each worker and its bots on one core."""
    cores: tuple[int, ...] = ()
    """These cores, one for each worker: no other host of the fleet has them. If they are too few,
    some workers are not kept on one."""


class Wanted(msgspec.Struct, frozen=True, tag="wanted"):
    """The host lacks a bot: its archive from this byte on."""

    content: str
    offset: int


class Piece(msgspec.Struct, frozen=True, tag="piece"):
    """A part of an archive."""

    content: str
    data: bytes
    is_last: bool


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Places join from now on."""

    levels: dict[str, Level]
    """By entrant, how far it is kept apart there."""


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """The host cannot play this, and ends."""

    why: str
    """In one line."""


class Give(msgspec.Struct, frozen=True, tag="give"):
    """As ``Executor.give``."""

    place: int
    life: int
    block: Block


class Abandon(msgspec.Struct, frozen=True, tag="abandon"):
    """As ``Executor.abandon``."""

    place: int
    life: int
    why: str


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """As ``Executor.stop``."""


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """Nothing more will be asked: let the bots leave, and end."""


class Happened(msgspec.Struct, frozen=True, tag="happened"):
    """Something happened at a place."""

    place: int
    life: int
    event: Happening


ToHost: TypeAlias = Setup | Piece | Give | Abandon | Stop | Leave
FromHost: TypeAlias = About | Wanted | Ready | Refused | Happened | Logged

_encoder = msgspec.msgpack.Encoder()
_to_host: msgspec.msgpack.Decoder[ToHost] = msgspec.msgpack.Decoder(ToHost)
_from_host: msgspec.msgpack.Decoder[FromHost] = msgspec.msgpack.Decoder(FromHost)


def pack(message: ToHost | FromHost) -> bytes:
    """The message as bytes."""
    return _encoder.encode(message)


def read_by_host(data: bytes) -> ToHost:
    """The reverse of pack. Raises msgspec.DecodeError."""
    return _to_host.decode(data)


def read_by_fleet(data: bytes) -> FromHost:
    """The reverse of pack. Raises msgspec.DecodeError."""
    return _from_host.decode(data)
