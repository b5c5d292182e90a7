"""What the parent and its workers tell each other: plain, versioned with the program, in bytes."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec

from arena.hosting.sandbox.isolation import Launch
from arena.results import (
    GameDone,
    GameVoid,
    Limits,
    LogWire,
    OnFault,
    RulesSpec,
    TimeControl,
)
from arena.schedule.schedule import Block


class PoolError(Exception):
    """The machine does not let us play; the text says why."""


class Unplayable(PoolError):
    """No machine that is there can play this."""

    def __init__(self, refusals: dict[str, str]) -> None:
        """``refusals``: why, by machine; at least one."""
        lines = "".join(f"\n  {machine}: {why}" for machine, why in refusals.items())
        super().__init__(f"no machine can play this:{lines}")
        self.reason = next(iter(refusals.values()))
        """Of one of them."""


class Player(msgspec.Struct, frozen=True):
    """An entrant as every machine knows it."""

    name: str
    options: dict[str, Any]
    """Sent to the bot in ``start``."""
    digest: str = ""
    """As in ``Entrant``: which bot it is, wherever its files lie."""


class LocalBot(msgspec.Struct, frozen=True):
    """The bot of an entrant as one machine has it."""

    launch: Launch
    limits: Limits = Limits()
    """In force for it, as it is told in ``hello``."""


class Local(msgspec.Struct, frozen=True):
    """What holds on one machine alone: all paths that a worker is told are in here."""

    workspace: str
    """Root of the workspace where bots live, absolute."""
    bots: dict[str, LocalBot]
    """By entrant; built."""
    kept: int | None = None
    """Bots that a worker may keep between games, at most; None: as it sees fit."""


NOWHERE: Final = Local("", {})
"""In a job that goes to another machine, which puts its own there."""


class Job(msgspec.Struct, frozen=True):
    """All that a worker has to know besides its blocks. The same everywhere but for ``local``."""

    rules: dict[str, RulesSpec]
    """By discipline."""
    players: tuple[Player, ...]
    control: TimeControl
    names_shown: bool
    on_fault: OnFault
    fresh: bool
    """Start bots anew for every game."""
    seed_key: bytes
    """Empty where each block brings its chance."""
    local: Local
    pondering: bool = True
    """Whether a bot may use the processor while another one is to move."""
    log_wire: LogWire = LogWire.OFF


class BlockDone(msgspec.Struct, frozen=True, tag="block"):
    """The worker is through with a block."""

    block: str


class Logged(msgspec.Struct, frozen=True, tag="log"):
    """The worker has something for the log."""

    name: str
    """Of the logger."""
    level: int
    created: float
    """As ``time.time``."""
    message: str


Report: TypeAlias = GameDone | GameVoid | BlockDone | Logged

_encoder = msgspec.msgpack.Encoder()
_reports: msgspec.msgpack.Decoder[Report] = msgspec.msgpack.Decoder(Report)
_jobs = msgspec.msgpack.Decoder(Job)
_blocks = msgspec.msgpack.Decoder(Block)


def pack(message: Job | Block | Report) -> bytes:
    """The message as bytes."""
    return _encoder.encode(message)


def unpack_job(data: bytes) -> Job:
    """The reverse of pack."""
    return _jobs.decode(data)


def unpack_block(data: bytes) -> Block:
    """The reverse of pack."""
    return _blocks.decode(data)


def unpack_report(data: bytes) -> Report:
    """The reverse of pack."""
    return _reports.decode(data)
