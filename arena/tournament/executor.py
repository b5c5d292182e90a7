"""Define the protocol of executors, and the messages between the parent and its workers.

An executor plays blocks on this machine or on others. It has places, each of which plays its blocks
one after another. An executor decides nothing. ``dispatch`` decides which block is played where and
when, which is tried again, and when play is stopped. ``run`` decides which games count.

Messages are MessagePack. Both ends run the same version of the program, so the format has no
version of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from arena.games.installed import OWN
from arena.hosting.sandbox.isolation import Launch
from arena.schedule.schedule import Block
from arena.values.bad_input import ArenaError
from arena.values.results import (
    Adjudicate,
    GameDone,
    GameVoid,
    Learning,
    Limits,
    LogWire,
    OnFault,
    RulesSpec,
    TimeControl,
    VoidCause,
)


class PoolError(ArenaError):
    """The machine cannot play games; the text gives the reason."""


class EntrantSpec(msgspec.Struct, frozen=True):
    """The properties of an entrant that are the same on every machine."""

    name: str
    options: dict[str, Any]
    """Options that the bot gets in ``start``."""
    digest: str = ""
    """Digest that identifies the bot independently of its folder, as in ``Entrant``."""


class LocalBot(msgspec.Struct, frozen=True):
    """The installed bot of an entrant on one machine."""

    launch: Launch
    limits: Limits = Limits()
    """Limits in force for the bot, as ``hello`` states them."""
    speaks: str = ""
    """Protocol of its program, as in ``Extension.channels``; empty for that of arena."""


class Local(msgspec.Struct, frozen=True):
    """The part of a job that differs between machines, with all paths that a worker gets."""

    workspace: str
    """Absolute path of the root of the workspace that holds the bots."""
    bots: dict[str, LocalBot]
    """Built bots, by name of the entrant."""
    kept: int | None = None
    """Largest number of bots that a worker keeps between games; None: the default of the worker."""


NOWHERE: Final = Local("", {})
"""Placeholder for ``Job.local`` in a job for another machine, which inserts its own value."""


class Job(msgspec.Struct, frozen=True):
    """The settings of a run for its workers, the same on every machine except for ``local``."""

    rules: dict[str, RulesSpec]
    """Rules and options of each discipline, by its name."""
    players: tuple[EntrantSpec, ...]
    control: TimeControl
    names_shown: bool
    on_fault: OnFault
    fresh: bool
    """True if every game starts new bot processes."""
    seed_key: bytes
    """Key of the seed of the run; empty if each block carries its own ``chance``."""
    local: Local
    pondering: bool = True
    """True if a bot may use the processor while another bot is to move."""
    log_wire: LogWire = LogWire.OFF
    adjudicate: dict[str, Adjudicate] = {}
    """When games end by agreement, by discipline."""
    learning: Learning | None = None
    """Bounds on what a bot keeps from round to round; None: it keeps nothing."""


def rules_source(rules: Iterable[RulesSpec]) -> str:
    """Return the packages of ``rules`` that are not arena's own, in brackets; "" without any.

    It ends the reason of a game that may be void through its rules.
    """
    foreign = (each for each in rules if each.package not in ("", OWN))
    names = dict.fromkeys(f"{each.name} of {each.package} {each.version}" for each in foreign)
    return f" (rules: {', '.join(names)})" if names else ""


class BlockDone(msgspec.Struct, frozen=True, tag="block"):
    """Report that the worker has finished a block."""

    block: str


class Logged(msgspec.Struct, frozen=True, tag="log"):
    """Report of a log entry of the worker."""

    name: str
    """Name of the logger."""
    level: int
    created: float
    """Time of the entry, in seconds since the epoch, as by ``time.time``."""
    message: str

    def record(self) -> logging.LogRecord:
        """Return the entry as a record of the log of this process."""
        what = {"name": self.name, "levelno": self.level, "msg": self.message}
        what["levelname"] = logging.getLevelName(self.level)
        what["created"] = self.created
        return logging.makeLogRecord(what)


Report: TypeAlias = GameDone | GameVoid | BlockDone | Logged

_encoder = msgspec.msgpack.Encoder()
_reports: msgspec.msgpack.Decoder[Report] = msgspec.msgpack.Decoder(Report)
_jobs = msgspec.msgpack.Decoder(Job)
_blocks = msgspec.msgpack.Decoder(Block)


def pack(message: Job | Block | Report) -> bytes:
    """Return the message as bytes."""
    return _encoder.encode(message)


def unpack_job(data: bytes) -> Job:
    """Return the job that ``pack`` encoded."""
    return _jobs.decode(data)


def unpack_block(data: bytes) -> Block:
    """Return the block that ``pack`` encoded."""
    return _blocks.decode(data)


def unpack_report(data: bytes) -> Report:
    """Return the report that ``pack`` encoded."""
    return _reports.decode(data)


class Joined(msgspec.Struct, frozen=True, tag="joined"):
    """Event that a place is ready for blocks."""

    machine: str = ""
    """Name of the machine of the place; empty for this machine."""
    host: str = ""
    """Address of the host on that machine, whose places fail together."""


class Lost(msgspec.Struct, frozen=True, tag="lost"):
    """Event that a place was lost: its remaining games are not played.

    The place gets no blocks until it has joined again.
    """

    why: str
    """Fate of the place, as a predicate for messages about a worker: ``died (exit status -9)``."""
    cause: VoidCause = VoidCause.WORKER
    """Cause by which the running game is void: the worker alone, or the whole machine."""


PlaceEvent: TypeAlias = Joined | GameDone | GameVoid | BlockDone | Lost
Event: TypeAlias = tuple[int, PlaceEvent]
"""Place number and what happened there. All games of a block are reported in order before the block
is done; after ``stop`` some games may be missing."""


class Executor(Protocol):
    """Player of blocks. After ``wait`` reports a place as lost, no older event of it follows."""

    @property
    def ahead(self) -> int:
        """Number of blocks that a place should hold, including the running one; at least 2."""

    def give(self, place: int, block: Block) -> None:
        """Append ``block`` to the queue of ``place`` and return quickly."""

    def wait(self, seconds: float) -> Iterator[Event]:
        """Yield the events since the last call; without any, wait up to ``seconds`` for some.

        Raises PoolError if no more games can be played.
        """

    def abandon(self, place: int, why: str) -> None:
        """End a ``place`` that does not answer; ``wait`` then reports it as lost."""

    def stop(self) -> None:
        """Have all places finish their running game and then play no more."""
