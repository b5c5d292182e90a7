"""Time budgets, and the deadline of an answer when the machine takes part of the time.

A bot may spend its time on computing and sleeping. It is not charged for waiting for a processor
that others use, nor for a referee that overslept. These times are given back:

- Of the time in which the bot was ready to run and did not, the part that its own processes did not
  use meanwhile: threads and children that hold up their own bot gain nothing. The amount is at most
  what each of its active processes waited. So a process that sleeps, or waits for its own children,
  and then answers was not kept waiting by the machine, however long the others were.
- The lateness of a referee that woke far too late, without the share in which the bot's own
  processes had every core: then the bot, and not the machine, kept the referee waiting.

The deadline moves by that amount. It is computed again when it expires, until nothing more is due,
or until the machine has kept the bot waiting for so long that nobody can be blamed.

No clock is read here: instants are given, in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from arena.hosting.machine.usage import Usage
from arena.values.results import Seat, TimeControl

SECOND: Final = 1_000_000_000


class GameClock:
    """The time left to each seat in one game."""

    __slots__ = ("_answers", "_bank", "_increment", "_margin", "_move", "_moves", "_refill")

    def __init__(self, control: TimeControl, seats: int) -> None:
        self._move = _nanoseconds(control.move)
        self._increment = _nanoseconds(control.increment) or 0
        self._margin = _nanoseconds(control.margin or 0.0) or 0
        self._moves = control.moves or 0
        self._answers = [0] * seats
        self._refill = bank = _nanoseconds(control.bank) or 0
        self._bank = None if control.bank is None else [bank] * seats

    @property
    def has_bank(self) -> bool:
        """True if answers are charged to a bank."""
        return self._bank is not None

    def allowance(self, seat: Seat) -> int | None:
        """Return the time limit of the next answer in nanoseconds; None without a limit."""
        if self._bank is None:
            return self._move
        bank = self._bank[seat]
        return bank if self._move is None else min(bank, self._move)

    def patience(self, seat: Seat) -> int | None:
        """Return the time in nanoseconds after which the next answer is a timeout; None: never.

        This is the allowance and the margin.
        """
        allowance = self.allowance(seat)
        return None if allowance is None else allowance + self._margin

    def banks(self) -> tuple[float, ...]:
        """Return what each seat has left in its bank, in seconds by seat; there must be a bank."""
        return tuple(left / SECOND for left in self._bank or ())

    def words(self, seat: Seat) -> str:
        """Describe the time limit of the next answer of ``seat``.

        Names no measured number, so equal games have equal messages.
        """
        move, allowance = self._move, self.allowance(seat)
        more = f" and a margin of {seconds(self._margin)}" if self._margin else ""
        if allowance is not None and allowance != move:
            return f"what was left of its bank{more}"
        return "its time" if move is None else f"{seconds(move)}{more}"

    def charge(self, seat: Seat, used: int) -> None:
        """Account for an answer that took ``used`` nanoseconds of the bot's own time."""
        if self._bank is not None:
            self._bank[seat] = max(0, self._bank[seat] - used) + self._increment
            self._answers[seat] += 1
            if self._moves and self._answers[seat] % self._moves == 0:
                self._bank[seat] += self._refill


def seconds(nanoseconds: int) -> str:
    """Return a configured time for people, such as ``1 s``."""
    return f"{nanoseconds / SECOND:g} s"


def _nanoseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * SECOND)


MILLISECOND: Final = 1_000_000
FIRST_POLL: Final = 50 * MILLISECOND
"""Longest first poll, in nanoseconds. The cost of an answer is not measured if it comes within this
time and a quarter of its allowance."""
LATE_WAKE: Final = 50 * MILLISECOND
"""Lateness, in nanoseconds, beyond which the referee itself was kept off the processor."""
_LEAST_EXTENSION: Final = MILLISECOND
"""Shortest extension worth another look, in nanoseconds."""
_CAP_TIMES: Final = 5
_CAP_MORE: Final = 1000 * MILLISECOND
_UNSURE_TIMES: Final = 1


class SchedulerDelay(NamedTuple):
    """The cost of waiting for the last answer, in nanoseconds; zero if nothing was slow."""

    cpu: int | None = None
    """Processor time used by the bot's processes; None if it was not measured."""
    lag: int = 0
    """Total time by which the referee itself woke too late."""
    excused: int = 0
    """Wall time the machine took: the deadline moved by it, and no clock is charged for it."""


NO_DELAY: Final = SchedulerDelay()


def was_read_delayed(began: int, now: int, deadline: int) -> bool:
    """Return whether reading from ``began`` to ``now`` took long and ended after ``deadline``.

    The machine can delay a read that long, or the writing process: the pipe stays locked while a
    writing thread sleeps. Times in nanoseconds.
    """
    return now - began > LATE_WAKE and now > deadline


class AnswerDeadline:
    """The deadline of one question not answered within the first poll. Instants in nanoseconds."""

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
        """Begin with a question sent at ``asked``, due at ``deadline``.

        ``glance`` is the first poll, in which nothing is measured: at most FIRST_POLL and a quarter
        of the allowance. ``measure`` returns the bot's usage so far, or None if that is unknown.
        ``cores`` is the number of cores on which the referee may run.
        """
        self._cores = cores
        self._asked = asked
        self._deadline = self._moved = deadline
        self._glance_ends = asked + glance
        self._measure = measure
        self._first: Usage | None = None
        self._first_at: int | None = None
        self._looked: tuple[int, int] | None = None
        """Instant of the last measurement, and the processor time used by then."""
        self._cpu: int | None = None
        self._queued = self._lag = self._overslept = 0
        self.is_starved = False
        """True if the time ran out because the machine withheld it beyond any reasonable limit."""

    def record_wake(self, planned: int, now: int) -> None:
        """Record that the referee, which meant to wake at ``planned``, did so at ``now``."""
        late = now - planned
        if late > _LEAST_EXTENSION:
            self._lag += late
        if late > LATE_WAKE:
            excused = round(late * (1 - self._crowding(now)))
            self._overslept += excused
            self._moved += excused

    def _crowding(self, now: int) -> float:
        """Return the share of the time since the last look in which the bot had every core.

        Returns zero if nothing was measured before, as within the first poll.
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
        """Return the instant of the next look: ``now`` or earlier if the time has run out."""
        if now < self._glance_ends:
            return self._glance_ends
        if self._first_at is None:
            self._first, self._first_at = self._measure(), now
            self._looked = None if self._first is None else (now, self._first.cpu_ns)
        if now < self._moved:
            return self._moved
        self.measure(now)
        moved = self._deadline + self._queued + self._overslept
        if moved - now < _LEAST_EXTENSION:
            return now
        cap = self._cap()
        if cap <= now:
            self.is_starved = self._is_sure
            return now
        self._moved = min(moved, cap)
        return self._moved

    def is_late(self, now: int) -> bool:
        """Return whether an answer that came at ``now`` was too late after all.

        The deadline may have moved for a process that did not write the answer, which is known only
        afterwards. The lateness that a referee is allowed is not counted.
        """
        if now <= self._deadline + self._overslept + LATE_WAKE or not self._queued:
            return False
        self.measure(now)
        return now > self._deadline + self._queued + self._overslept + LATE_WAKE

    @property
    def moved(self) -> int:
        """Deadline with the extensions so far."""
        return self._moved

    def _cap(self) -> int:
        """Return the instant at which waiting ends.

        It is later with complete measurements: only then can a game become void.
        """
        allowance = self._deadline - self._asked
        if not self._is_sure:
            return self._deadline + _UNSURE_TIMES * allowance + self._overslept
        return self._asked + _CAP_TIMES * allowance + _CAP_MORE + self._overslept

    @property
    def _is_sure(self) -> bool:
        """True if the measurements cover every process that the bot ever started."""
        return self._first is not None and self._first.is_complete

    def measure(self, now: int) -> None:
        """Update the cost of waiting so far; do nothing if the first poll brought the answer."""
        first, began = self._first, self._first_at
        used = self._look(now)
        if first is None or used is None or began is None:
            return
        wall = now - began
        self._cpu = max(0, used.cpu_ns - first.cpu_ns)
        if first.waited_ns is not None and used.waited_ns is not None:
            queued = min(
                wall, max(0, used.waited_ns - first.waited_ns), *_run_queue_waits(first, used)
            )
            self._queued = max(0, wall - max(self._cpu, wall - queued))

    def scheduler_delay(self, now: int) -> SchedulerDelay:
        """Return how long the machine delayed the answer; the wait ended at ``now``."""
        self.measure(now)
        excused = min(self._queued + self._overslept, now - self._asked)
        return SchedulerDelay(self._cpu, self._lag, excused)


def _run_queue_waits(first: Usage, used: Usage) -> list[int]:
    """Return the wait for a processor, in ns, of each process that has run since ``first``."""
    before = {pid: first.shares.get(pid, (0, 0)) for pid in used.shares}
    return [
        max(0, waited - before[pid][1])
        for pid, (cpu, waited) in used.shares.items()
        if cpu > before[pid][0]
    ]
