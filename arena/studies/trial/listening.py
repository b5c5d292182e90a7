"""Listening in on a bot: each line both ways, its standard error, the cost of each answer.

Listening changes neither what the bot is sent nor how its answers are judged.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from arena.games.base import Json
from arena.hosting.process import BotProcess
from arena.referee.channel import Channel, PipeChannel, Reply
from arena.referee.wire import Direction, ObservedChannel, WireMessage, to_line
from arena.results import FaultKind
from arena.studies.reask.courses import Answer
from arena.tournament.executor import Job
from arena.tournament.local.processes import BotProcesses, ProcessKey


class ProcessStarted(NamedTuple):
    """Event: the bot's process was started."""

    pid: int


class DecisionDue(NamedTuple):
    """Event: the bot is to be asked next, with all that its seat sees, even parts it does not want.

    All values are plain JSON.
    """

    observation: Json
    """Observation; None: not known."""
    events: Sequence[Json]
    """Events since the bot was last asked."""
    legal: Sequence[Json]


class Cost(NamedTuple):
    """Time and memory that one answer took."""

    wall: int
    """Nanoseconds from the question to the answer, or to the end of the wait."""
    cpu: int | None
    """CPU time of the answer in nanoseconds; None: the process is gone, or cannot be measured."""
    peak: int
    """Most memory that the process has held so far, in bytes, as far as that was measured."""


class ComparedAnswer(NamedTuple):
    """Event: an answer, compared with the earlier answers to the same question."""

    before: tuple[Answer | FaultKind, ...]
    """Earlier answers; empty: not known."""
    now: Answer
    is_same: bool


class ComparedLine(NamedTuple):
    """Event: a line, compared with the kept line of the same question."""

    before: bytes | None
    """Kept line; None if there was no line."""
    is_same: bool
    """True if both decide alike."""


Event: TypeAlias = ProcessStarted | DecisionDue | WireMessage | Cost | ComparedAnswer | ComparedLine
Listener: TypeAlias = Callable[[Event], object]


def line_to_keep(event: Event) -> bytes | None:
    """Return the line that a file for ``feed`` keeps of an event; None if it keeps nothing."""
    return to_line(event) if isinstance(event, WireMessage) else None


def until_failed(listener: Listener) -> Listener:
    """Wrap ``listener`` so that it is not called again after it has raised an exception.

    Otherwise it could raise again while the first exception is being handled.
    """
    has_failed = False

    def told(event: Event) -> None:
        nonlocal has_failed
        if has_failed:
            return
        try:
            listener(event)
        except BaseException:
            has_failed = True
            raise

    return told


def with_answer_limit(listener: Listener, limit: float, warn: Callable[[], object]) -> Listener:
    """Wrap ``listener`` so that ``warn`` is called if an answer takes over ``limit`` seconds.

    ``warn`` is called once, on a thread of its own, because the thread of ``listener`` waits.
    """
    timer: threading.Timer | None = None
    is_told = threading.Event()

    def over() -> None:
        if not is_told.is_set():
            is_told.set()
            warn()

    def hears(event: Event) -> None:
        nonlocal timer
        listener(event)
        if timer is not None:
            timer.cancel()
            timer = None
        if (
            isinstance(event, WireMessage)
            and event.way is Direction.TO
            and b'"type":"act"' in event.data
        ):
            timer = threading.Timer(limit, over)
            timer.daemon = True
            timer.start()

    return hears


class Stopwatch:
    """A clock that stands still while questions and answers are listened to."""

    def __init__(self) -> None:
        self.lost = 0
        """Nanoseconds for which the clock stood still."""

    def now(self) -> int:
        """Return the time in nanoseconds."""
        return time.monotonic_ns() - self.lost


class MeteredChannel(ObservedChannel):
    """A channel that also reports to its listener what each answer cost."""

    def __init__(
        self,
        channel: PipeChannel,
        process: BotProcess,
        kept: int,
        listener: Listener,
        watch: Stopwatch,
        hello: bytes | None = None,
    ) -> None:
        """Open the channel.

        ``kept``: as in Overheard. ``hello``: sent in place of the first question.
        """
        super().__init__(channel, kept, listener)
        self._process = process
        self._listener = listener
        self._watch = watch
        self._hello = hello
        self._peak = 0
        listener(ProcessStarted(channel.pid))

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel."""
        entered = time.monotonic_ns()
        if self._hello is not None:
            question, self._hello = self._hello, None
        self._tell_error()
        self._tell(Direction.TO, bytes(question).removesuffix(b"\n"))
        before = self._process.usage()
        asked = time.monotonic_ns()
        reply = self._channel.ask(question, allowance)
        wall = time.monotonic_ns() - asked
        self._channel.scheduler_delay()  # the strain is measured now and kept
        after = self._process.usage()
        self._peak = max(self._peak, self._process.peak())
        if isinstance(reply, bytes):
            self._tell(Direction.FROM, reply)
        self._tell_error()
        cpu: int | None = None
        if before is not None and after is not None:
            cpu = max(0, after.cpu_ns - before.cpu_ns)
        self._listener(Cost(wall, cpu, self._peak))
        self._watch.lost += time.monotonic_ns() - entered - wall
        return reply

    def end(self) -> None:
        """Report the last output of a process that is gone."""
        self._tell_error()


class ListeningProcesses(BotProcesses):
    """Bot processes, of which one has a channel that reports to a listener."""

    def __init__(
        self,
        job: Job,
        key: ProcessKey,
        listener: Listener,
        watch: Stopwatch,
        hello: bytes | None = None,
    ) -> None:
        """Prepare the processes. ``hello``: as in MeteredChannel."""
        super().__init__(job, self._listened)
        self._hello = hello
        self._watch = watch
        self._key = key
        self._listener = listener
        self._overheard: MeteredChannel | None = None
        self._held: list[Event] | None = None
        """Events held back while processes end, for the listener afterwards."""

    def _listened(self, key: ProcessKey, process: BotProcess, channel: PipeChannel) -> Channel:
        if key != self._key:
            return channel
        kept = self._bots[key.entrant].limits.stderr
        self._overheard = MeteredChannel(
            channel, process, kept, self._hear, self._watch, self._hello
        )
        return self._overheard

    def close(self) -> None:
        """See BotProcesses."""
        self._held = held = list[Event]()
        try:
            super().close()
            if self._overheard is not None:
                self._overheard.end()
                self._overheard = None
        finally:
            self._held = None
        for event in held:
            self._hear(event)

    def _hear(self, event: Event) -> None:
        if self._held is not None:
            self._held.append(event)
        else:
            self._listener(event)
