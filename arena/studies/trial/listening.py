"""Listening in on a bot: each line both ways, its standard error, what each answer cost.

Nothing of it changes what the bot is sent, nor what its answers are worth.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from arena.games.base import Json
from arena.hosting.process import BotProcess
from arena.referee.channel import Channel, PipeChannel, Reply
from arena.referee.wire import Heard, Overheard, Way, written
from arena.results import FaultKind
from arena.studies.reask.courses import Answer
from arena.tournament.jobs import Job
from arena.tournament.local.processes import BotProcesses, ProcessKey


class Began(NamedTuple):
    """The bot's process was started."""

    pid: int


class Asked(NamedTuple):
    """The bot is to be asked next: what its seat sees, also where it does not want to be told.

    As plain JSON.
    """

    observation: Json
    """None: not known."""
    events: Sequence[Json]
    """Since it was last asked."""
    legal: Sequence[Json]


class Cost(NamedTuple):
    """What one answer took."""

    wall: int
    """Nanoseconds from the question to the answer, or to the end of the waiting."""
    cpu: int | None
    """Nanoseconds of the processor meanwhile; None: the process is gone, or cannot be measured."""
    peak: int
    """Bytes: the most memory it has held so far, as far as that was measured."""


class Compared(NamedTuple):
    """An answer beside what was answered before."""

    before: tuple[Answer | FaultKind, ...]
    """Empty: that is not known."""
    now: Answer
    is_same: bool


class Fed(NamedTuple):
    """A line beside the one that is kept of the same question."""

    before: bytes | None
    """None: there was none."""
    is_same: bool
    """Whether both decide alike."""


Event: TypeAlias = Began | Asked | Heard | Cost | Compared | Fed
Listener: TypeAlias = Callable[[Event], object]


def line_to_keep(event: Event) -> bytes | None:
    """What of an event is kept, as a line of a file for ``feed``; None: nothing."""
    return written(event) if isinstance(event, Heard) else None


def until_failed(listener: Listener) -> Listener:
    """The listener, told no more once it has raised: the end that follows must not fail."""
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


def impatient(listener: Listener, limit: float, told: Callable[[], object]) -> Listener:
    """The listener; ``told`` is called once, when an answer is waited for longer than the limit.

    Seconds. It is called from a thread, as whoever listens waits, too.
    """
    timer: threading.Timer | None = None
    is_told = threading.Event()

    def over() -> None:
        if not is_told.is_set():
            is_told.set()
            told()

    def hears(event: Event) -> None:
        nonlocal timer
        listener(event)
        if timer is not None:
            timer.cancel()
            timer = None
        if isinstance(event, Heard) and event.way is Way.TO and b'"type":"act"' in event.data:
            timer = threading.Timer(limit, over)
            timer.daemon = True
            timer.start()

    return hears


class Stopwatch:
    """A clock that stands still while questions and answers are listened to."""

    def __init__(self) -> None:
        self.lost = 0
        """Nanoseconds that it stood still."""

    def now(self) -> int:
        """Nanoseconds."""
        return time.monotonic_ns() - self.lost


class Costed(Overheard):
    """A channel through which somebody hears also what each answer cost."""

    def __init__(
        self,
        channel: PipeChannel,
        process: BotProcess,
        kept: int,
        listener: Listener,
        watch: Stopwatch,
        hello: bytes | None = None,
    ) -> None:
        """``kept``: as of Overheard. ``hello``: asked in place of the first question."""
        super().__init__(channel, kept, listener)
        self._process = process
        self._listener = listener
        self._watch = watch
        self._hello = hello
        self._peak = 0
        listener(Began(channel.pid))

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel."""
        entered = time.monotonic_ns()
        if self._hello is not None:
            question, self._hello = self._hello, None
        self._tell_error()
        self._tell(Way.TO, bytes(question).removesuffix(b"\n"))
        before = self._process.usage()
        asked = time.monotonic_ns()
        reply = self._channel.ask(question, allowance)
        wall = time.monotonic_ns() - asked
        self._channel.strain()  # is measured now and kept
        after = self._process.usage()
        self._peak = max(self._peak, self._process.peak())
        if isinstance(reply, bytes):
            self._tell(Way.FROM, reply)
        self._tell_error()
        cpu: int | None = None
        if before is not None and after is not None:
            cpu = max(0, after.cpu_ns - before.cpu_ns)
        self._listener(Cost(wall, cpu, self._peak))
        self._watch.lost += time.monotonic_ns() - entered - wall
        return reply

    def end(self) -> None:
        """The process is gone: tell what it wrote last."""
        self._tell_error()


class ListeningProcesses(BotProcesses):
    """Processes of which one is listened to."""

    def __init__(
        self,
        job: Job,
        key: ProcessKey,
        listener: Listener,
        watch: Stopwatch,
        hello: bytes | None = None,
    ) -> None:
        """``hello``: as of Costed."""
        super().__init__(job)
        self._hello = hello
        self._watch = watch
        self._key = key
        self._listener = listener
        self._overheard: Costed | None = None
        self._held: list[Event] | None = None
        """While processes end: what the listener hears once they are gone."""

    def _spoken(self, key: ProcessKey, process: BotProcess, channel: PipeChannel) -> Channel:
        """See BotProcesses."""
        if key != self._key:
            return channel
        kept = self._bots[key.entrant].limits.stderr
        self._overheard = Costed(channel, process, kept, self._hear, self._watch, self._hello)
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
