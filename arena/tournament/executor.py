"""What plays blocks: processes of this machine, or whatever else speaks this protocol.

An executor has places, each of which plays the blocks given to it one after another. It decides
nothing: what is played where and when, what is tried again and when to give up are for
``dispatch``, and what counts is for ``run``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeAlias

import msgspec

from arena.results import GameDone, GameVoid, VoidCause
from arena.schedule.schedule import Block
from arena.tournament.jobs import BlockDone


class Joined(msgspec.Struct, frozen=True, tag="joined"):
    """A place can be given blocks."""

    machine: str = ""
    """Name of the machine that it is on; empty: this one."""
    host: str = ""
    """Address of what its places fail together with, on that machine."""


class Lost(msgspec.Struct, frozen=True, tag="lost"):
    """Nothing comes from a place any more, and what it still owes is not played.

    Until it has joined again it is given nothing.
    """

    why: str
    """What became of it, to be said of a worker: ``died (exit status -9)``."""
    cause: VoidCause = VoidCause.WORKER
    """Of the game that was in hand: of the worker alone, or of the whole machine."""


Happening: TypeAlias = Joined | GameDone | GameVoid | BlockDone | Lost
Event: TypeAlias = tuple[int, Happening]
"""What happened, and at which place. Of a block every game is reported, in order, before it is
done; after ``stop`` some are not."""


class Executor(Protocol):
    """Plays blocks. Once ``wait`` has said that a place is lost, nothing older is heard of it."""

    @property
    def ahead(self) -> int:
        """How many blocks a place should have, the one that is played included; at least 2."""

    def give(self, place: int, block: Block) -> None:
        """Have a place play the block after those that it has. Never blocks for long."""

    def wait(self, seconds: float) -> Iterator[Event]:
        """What has happened since; if nothing has, what does within so many seconds.

        Raises PoolError if there is no playing any more.
        """

    def abandon(self, place: int, why: str) -> None:
        """Put an end to a place that does not answer; ``wait`` then tells that it is lost."""

    def stop(self) -> None:
        """Have all places play the game in hand to its end, and then no more."""
