"""Listening in on a bot: each line both ways, its standard error, what each answer cost.

Nothing of it changes what the bot is sent, nor what its answers are worth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from arena.games.base import Json
from arena.hosting.process import BotProcess
from arena.referee.captured import Captured
from arena.referee.channel import PipeChannel, Reply
from arena.referee.patience import Strain
from arena.results import FaultKind
from arena.studies.reask.courses import Answer
from arena.tournament.jobs import Job
from arena.tournament.processes import BotProcesses, ProcessKey


class Way(StrEnum):
    """Where something went."""

    TO = "to"
    """A line to the bot."""
    FROM = "from"
    """A line of its standard output, or what it wrote in place of one."""
    ERROR = "error"
    """What it wrote to its standard error."""


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


class Heard(NamedTuple):
    """Something went one way."""

    way: Way
    data: bytes
    """A line without its end; of standard error all that there was, in lines."""
    at: int
    """Nanoseconds after the start of the process."""


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


class Stopwatch:
    """A clock that stands still while questions and answers are listened to."""

    def __init__(self) -> None:
        self.lost = 0
        """Nanoseconds that it stood still."""

    def now(self) -> int:
        """Nanoseconds."""
        return time.monotonic_ns() - self.lost


class Overheard:
    """A channel through which somebody listens in."""

    def __init__(
        self,
        channel: PipeChannel,
        process: BotProcess,
        kept: int,
        listener: Listener,
        watch: Stopwatch,
        hello: bytes | None = None,
    ) -> None:
        """``kept``: bytes of standard error that ``stderr`` gives out at most. ``hello``: asked in
        place of the first question."""
        self.ply: int | None = None
        """See Channel."""
        self._channel = channel
        self._process = process
        self._listener = listener
        self._watch = watch
        self._stderr = Captured(kept)
        self._hello = hello
        self._peak = 0
        self._began = time.monotonic_ns()
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

    def tell(self, line: bytes) -> None:
        """See Channel."""
        self._tell_error()
        if not self._channel.is_closed:
            self._tell(Way.TO, line.removesuffix(b"\n"))
        self._channel.tell(line)

    def rest(self) -> bytes:
        """See Channel."""
        rest = self._channel.rest()
        if rest:
            self._tell(Way.FROM, rest)
        return rest

    def strain(self) -> Strain:
        """See Channel."""
        return self._channel.strain()

    def over_limit(self) -> str | None:
        """See Channel."""
        return self._channel.over_limit()

    def exit_status(self) -> int | None:
        """See Channel."""
        return self._channel.exit_status()

    def stderr(self) -> str:
        """See Channel."""
        self._tell_error()
        text = self._stderr.text()
        self._stderr.clear()
        return text

    def dismiss(self, farewell: bytes) -> None:
        """See Channel."""
        if not self._channel.is_closed:
            self._tell(Way.TO, farewell.removesuffix(b"\n"))
        self._channel.dismiss(farewell)

    def close(self, grace: float = 0.0) -> None:
        """See Channel."""
        self._channel.close(grace)

    def end(self) -> None:
        """The process is gone: tell what it wrote last."""
        self._tell_error()

    def _tell(self, way: Way, data: bytes) -> None:
        self._listener(Heard(way, data, time.monotonic_ns() - self._began))

    def _tell_error(self) -> None:
        if text := self._channel.stderr():
            data = text.encode("utf-8", "replace")
            self._stderr.add(data, self.ply)
            self._tell(Way.ERROR, data)


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
        """``hello``: as of Overheard."""
        super().__init__(job)
        self._hello = hello
        self._watch = watch
        self._key = key
        self._listener = listener
        self._overheard: Overheard | None = None
        self._held: list[Event] | None = None
        """While processes end: what the listener hears once they are gone."""

    def _spoken(
        self, key: ProcessKey, process: BotProcess, channel: PipeChannel
    ) -> PipeChannel | Overheard:
        """See BotProcesses."""
        if key != self._key:
            return channel
        kept = self._bots[key.entrant].limits.stderr
        self._overheard = Overheard(channel, process, kept, self._hear, self._watch, self._hello)
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
