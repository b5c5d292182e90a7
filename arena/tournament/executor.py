"""Define the protocol of executors, which play blocks on this machine or on others.

An executor has places, each of which plays its blocks one after another. An executor decides
nothing. ``dispatch`` decides which block is played where and when, which is tried again, and when
play is stopped. ``run`` decides which games count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeAlias

import msgspec

from arena.results import GameDone, GameVoid, VoidCause
from arena.schedule.schedule import Block
from arena.tournament.jobs import BlockDone


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
        """Append ``block`` to the queue of ``place``. Never blocks for long."""

    def wait(self, seconds: float) -> Iterator[Event]:
        """Yield the events since the last call; without any, wait up to ``seconds`` for some.

        Raises PoolError if no more games can be played.
        """

    def abandon(self, place: int, why: str) -> None:
        """End a ``place`` that does not answer; ``wait`` then reports it as lost."""

    def stop(self) -> None:
        """Have all places finish their running game and then play no more."""
