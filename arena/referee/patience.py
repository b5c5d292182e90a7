"""How long one answer may take when the machine takes part of the time. Reads no clock.

A bot has its time for computing and for sleeping, not for standing in the queue of a processor
that others use, nor for a referee that overslept. What is given back:

- of the time in which the bot was ready to run and did not, as much as its own processes did not
  use meanwhile: threads and children that hold up their own bot gain nothing. Nor is more given
  back than each of its processes waited that did anything: one that sleeps, or waits for its own
  children, and then answers, was not kept waiting by the machine, however long the others were;
- the lateness of a referee that woke far too late, but for the share in which the bot's own
  processes had every core: then they, and not the machine, kept the referee waiting.

The deadline moves by as much. It is looked at again when it strikes, until nothing more is due,
or until the machine has kept the bot waiting for so long that nobody can be blamed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from arena.hosting.machine.usage import Usage

MILLISECOND: Final = 1_000_000
GLANCE: Final = 50 * MILLISECOND
"""What an answer cost that came within this time, and a quarter of its allowance, is measured by
nobody."""
OVERSLEPT: Final = 50 * MILLISECOND
"""A referee that wakes later than this behind its time has not had the machine either."""
_GRAIN: Final = MILLISECOND
"""Less is not worth another look."""
_CAP_TIMES: Final = 5
_CAP_MORE: Final = 1000 * MILLISECOND
_UNSURE_TIMES: Final = 1


class Strain(NamedTuple):
    """What the waiting for the last answer cost; all nanoseconds. Zero where nothing was slow."""

    cpu: int | None = None
    """What the bot's processes used of the processor; None where it was not measured."""
    lag: int = 0
    """By how much the referee itself woke too late."""
    excused: int = 0
    """Wall time the machine took: the deadline moved by as much, and no clock is charged for it."""


NO_STRAIN: Final = Strain()


def was_held_up(began: int, now: int, deadline: int) -> bool:
    """Whether reading, which ``began`` then, came to an end only ``now``, and too late for that.

    Hardly anybody but who holds the other end of a pipe can make that last: a thread that sleeps
    inside of a write has the pipe locked.
    """
    return now - began > OVERSLEPT and now > deadline


class Patience:
    """The deadline of one question that was not answered at a glance. Instants in nanoseconds."""

    __slots__ = (
        "_asked",
        "_cores",
        "_cpu",
        "_deadline",
        "_first",
        "_first_at",
        "_glance_ends",
        "_lag",
        "_looked",
        "_measure",
        "_moved",
        "_overslept",
        "_queued",
        "is_starved",
    )

    def __init__(
        self,
        asked: int,
        deadline: int,
        glance: int,
        measure: Callable[[], Usage | None],
        cores: int,
    ) -> None:
        """``glance``: how long nothing is measured, at most GLANCE and a quarter of all.

        ``measure``: what the bot has used so far; None where that cannot be told. ``cores``: on
        how many the referee may run.
        """
        self._cores = cores
        self._asked = asked
        self._deadline = self._moved = deadline
        self._glance_ends = asked + glance
        self._measure = measure
        self._first: Usage | None = None
        self._first_at: int | None = None
        self._looked: tuple[int, int] | None = None
        """When the bot was measured last, and what it had used of the processor."""
        self._cpu: int | None = None
        self._queued = self._lag = self._overslept = 0
        self.is_starved = False
        """Whether the time is over because the machine has not given it within any reason."""

    def woke(self, planned: int, now: int) -> None:
        """Note that the referee, which meant to wake at ``planned``, did so ``now``."""
        late = now - planned
        if late > _GRAIN:
            self._lag += late
        if late > OVERSLEPT:
            excused = round(late * (1 - self._crowding(now)))
            self._overslept += excused
            self._moved += excused

    def _crowding(self, now: int) -> float:
        """Return the share of the time since the last look in which the bot had every core.

        Zero where nothing was measured before, as within the glance.
        """
        before, used = self._looked, self._look(now)
        if before is None or used is None:
            return 0.0
        since, cpu = before
        busy = (used.cpu_ns - cpu) / max(1, now - since)
        return min(1.0, max(0.0, busy - (self._cores - 1)))

    def _look(self, now: int) -> Usage | None:
        """Measure the bot, if it was measured before."""
        used = None if self._first is None else self._measure()
        if used is not None:
            self._looked = now, used.cpu_ns
        return used

    def due(self, now: int) -> int:
        """When to look again: ``now`` or before if the time is over."""
        if now < self._glance_ends:
            return self._glance_ends
        if self._first_at is None:
            self._first, self._first_at = self._measure(), now
            self._looked = None if self._first is None else (now, self._first.cpu_ns)
        if now < self._moved:
            return self._moved
        self.measure(now)
        moved = self._deadline + self._queued + self._overslept
        if moved - now < _GRAIN:
            return now
        cap = self._cap()
        if cap <= now:
            self.is_starved = self._is_sure
            return now
        self._moved = min(moved, cap)
        return self._moved

    def is_late(self, now: int) -> bool:
        """Return whether an answer that came ``now`` came too late after all.

        The deadline may have moved for a process that did not write the answer: only now that is
        known. What the referee may oversleep is left out.
        """
        if now <= self._deadline + self._overslept + OVERSLEPT or not self._queued:
            return False
        self.measure(now)
        return now > self._deadline + self._queued + self._overslept + OVERSLEPT

    @property
    def moved(self) -> int:
        """The deadline as far as it has moved."""
        return self._moved

    def _cap(self) -> int:
        """Beyond it nobody waits. A game is void only on sure grounds."""
        allowance = self._deadline - self._asked
        if not self._is_sure:
            return self._deadline + _UNSURE_TIMES * allowance + self._overslept
        return self._asked + _CAP_TIMES * allowance + _CAP_MORE + self._overslept

    @property
    def _is_sure(self) -> bool:
        """Whether nothing that the bot ever started escapes the measuring."""
        return self._first is not None and self._first.is_complete

    def measure(self, now: int) -> None:
        """Look what the waiting has cost so far; nothing if it was over at a glance."""
        first, began = self._first, self._first_at
        used = self._look(now)
        if first is None or used is None or began is None:
            return
        wall = now - began
        self._cpu = max(0, used.cpu_ns - first.cpu_ns)
        if first.waited_ns is not None and used.waited_ns is not None:
            queued = min(wall, max(0, used.waited_ns - first.waited_ns), *_waits(first, used))
            self._queued = max(0, wall - max(self._cpu, wall - queued))

    def strain(self, now: int) -> Strain:
        """What the waiting has cost up to ``now``, when it ended."""
        self.measure(now)
        excused = min(self._queued + self._overslept, now - self._asked)
        return Strain(self._cpu, self._lag, excused)


def _waits(first: Usage, used: Usage) -> list[int]:
    """Return how long each process that ran since ``first`` waited for a processor meanwhile."""
    before = {pid: first.shares.get(pid, (0, 0)) for pid in used.shares}
    return [
        max(0, waited - before[pid][1])
        for pid, (cpu, waited) in used.shares.items()
        if cpu > before[pid][0]
    ]
