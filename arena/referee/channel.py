"""Lines to and from one bot process, each question under one absolute deadline.

The rules that keep a hostile bot from blocking or bloating the referee:

- every pipe is non-blocking; nothing is written or read without a deadline;
- only three things end a wait: a full line, the end of the process, the deadline.
  A closed pipe is no verdict;
- bytes that arrive never extend a deadline;
- at most one line is held, standard error keeps its first and last part only.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple, Protocol, TypeAlias

from arena.hosting.process import BotProcess
from arena.protocol.framing import LineBuffer, LineTooLong

_READ: Final = 64 * 1024
_DRAIN_READS: Final = 16
_OUTBOX_LIMIT: Final = 1024 * 1024
_MILLISECOND: Final = 1_000_000
_SLICE: Final = 20.0
"""Milliseconds between looks at a process that cannot be polled for its end."""


class Silence(Enum):
    """Why no line came."""

    TIMED_OUT = "timed out"
    ENDED = "process ended"
    TOO_LONG = "line too long"
    OVER_LIMIT = "over a limit of its isolation"
    STARVED = "kept waiting by the machine"


class Strain(NamedTuple):
    """What the waiting for the last answer cost; all nanoseconds. Zero where nothing was slow."""

    cpu: int | None = None
    """What the bot's processes used of the processor; None where it was not measured."""
    lag: int = 0
    """By how much the referee itself woke too late."""
    excused: int = 0
    """Wall time the machine took: the deadline moved by as much, and no clock is charged for it."""


Reply: TypeAlias = bytes | Silence


class Channel(Protocol):
    """What the referee needs of a bot; tests play one with a script."""

    def ask(self, question: bytes | bytearray, deadline: int | None) -> Reply:
        """Send a line and wait for one. ``deadline``: ``time.monotonic_ns`` or None.

        The question belongs to the caller, who may change it afterwards.
        """

    def tell(self, line: bytes) -> None:
        """Send a line that has no answer. Never waits."""

    def rest(self) -> bytes:
        """What the bot sent besides the line it was asked for, as far as was read."""

    def strain(self) -> Strain:
        """What the last ``ask`` cost."""

    def exit_status(self) -> int | None:
        """None while the process runs, else as ``subprocess`` writes it."""

    def stderr(self) -> str:
        """What is kept of standard error since the last call."""

    def dismiss(self, farewell: bytes) -> None:
        """Say goodbye and close the bot's input. Never waits."""

    def close(self, grace: float = 0.0) -> None:
        """Give the bot at most ``grace`` seconds to end by itself, then kill it.

        Closed again, or told something, a closed channel does nothing; ``exit_status`` and
        ``stderr`` still answer.
        """


class Captured:
    """The first and the last half of what was written, at most ``limit`` bytes."""

    __slots__ = ("_half", "_head", "_tail", "_total")

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._head = b""
        self._tail = b""
        self._total = 0

    def add(self, data: bytes) -> None:
        """Keep what fits."""
        self._total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-self._half :] if room < len(data) else self._tail

    def text(self) -> str:
        """What was kept, with a mark where something is missing."""
        missing = self._total - len(self._head) - len(self._tail)
        mark = b"\n[... %d bytes ...]\n" % missing if missing else b""
        return (self._head + mark + self._tail).decode("utf-8", "replace")


class PipeChannel:
    """A channel to a process."""

    def __init__(self, process: BotProcess, reply_limit: int, stderr_limit: int) -> None:
        self._process = process
        self._lines = LineBuffer(reply_limit)
        self._stderr = Captured(stderr_limit)
        self._stdin = process.stdin
        self._outbox = b""
        self._writable = True
        self._closed = False
        self._limit = reply_limit
        self._answered = [(process.stdout, select.POLLIN)]
        self._poll = select.poll()
        for descriptor in (process.stdout, process.stderr, process.pidfd):
            if descriptor is not None:
                self._poll.register(descriptor, select.POLLIN)

    @property
    def is_closed(self) -> bool:
        """Whether its process has been reaped: the pid may be another's by now."""
        return self._closed

    @property
    def pid(self) -> int:
        """Of the bot's process."""
        return self._process.pid

    def ask(self, question: bytes | bytearray, deadline: int | None) -> Reply:
        """See Channel. The question may be cut off by the deadline, as the answer may."""
        self._send(question)
        reply: Reply | None = None
        while True:
            if self._lines:
                try:
                    line = self._lines.take()
                except LineTooLong:
                    return Silence.TOO_LONG
                if line is not None:
                    return line
            if reply is not None:
                return reply
            reply = self._wait(deadline)

    def tell(self, line: bytes) -> None:
        """See Channel. What a bot does not read yet waits, up to a bound, for the next question."""
        if len(self._outbox) < _OUTBOX_LIMIT:
            self._send(line)

    def rest(self) -> bytes:
        """See Channel."""
        return self._lines.rest()

    def strain(self) -> Strain:
        """See Channel."""
        return Strain()

    def exit_status(self) -> int | None:
        """See Channel."""
        return self._process.exit_status()

    def stderr(self) -> str:
        """See Channel."""
        if not self._closed:
            self._drain(self._process.stderr, self._stderr.add)
        text = self._stderr.text()
        self._stderr.clear()
        return text

    def dismiss(self, farewell: bytes) -> None:
        """See Channel."""
        self.tell(farewell)
        self._writable = False
        self._process.close_stdin()

    def close(self, grace: float = 0.0) -> None:
        """See Channel. From now on the numbers of the pipes may be those of other files."""
        if self._closed:
            return
        if grace:
            self._process.wait(grace)
        self._drain(self._process.stderr, self._stderr.add)
        self._closed, self._writable = True, False
        self._process.kill()

    def _send(self, data: bytes | bytearray) -> None:
        """Write what the pipe takes now, hold the rest.

        A bot that closed its input is not judged for it.
        """
        if not self._writable:
            return
        if self._outbox:
            data = self._outbox + data
        try:
            sent = os.write(self._stdin, data)
        except BlockingIOError:
            sent = 0
        except BrokenPipeError:
            self._hold(b"")
            self._writable = False
            return
        if self._outbox or sent != len(data):
            self._hold(bytes(data[sent:]))

    def _hold(self, rest: bytes) -> None:
        """Keep what the pipe did not take and watch for room; nothing left: stop watching."""
        if rest and not self._outbox:
            self._poll.register(self._stdin, select.POLLOUT)
        elif self._outbox and not rest:
            self._poll.unregister(self._stdin)
        self._outbox = rest

    def _wait(self, deadline: int | None) -> Reply | None:
        """Wait for anything to happen and take it in.

        Returns why nothing more can come; or the answer, if it came alone and in one piece,
        as nearly all do; or None.
        """
        process = self._process
        left = None if deadline is None else (deadline - time.monotonic_ns()) / _MILLISECOND
        expired = left is not None and left <= 0
        if expired:
            left = 0.0
        elif process.pidfd is None:
            left = _SLICE if left is None else min(left, _SLICE)
        ready = self._poll.poll(left)
        if ready == self._answered and not self._lines:
            data = _read(process.stdout, self._limit)
            if data is None:
                return Silence.TIMED_OUT if expired else None
            if data.endswith(b"}\n") and data.count(b"\n") == 1:
                return data[:-1]
            self._lines.feed(data)
            ready = [] if data else ready
        ended = False
        for descriptor, _ in ready:
            if descriptor == process.stdout:
                self._take(descriptor, self._lines.feed)
            elif descriptor == process.stderr:
                self._take(descriptor, self._stderr.add)
            elif descriptor == self._stdin:
                self._send(b"")
            else:
                ended = True
        if ended or (process.pidfd is None and process.ended()):
            self._drain(process.stdout, self._lines.feed)
            return Silence.ENDED
        return Silence.TIMED_OUT if expired else None

    def _take(self, descriptor: int, sink: Callable[[bytes], None]) -> None:
        """Read once what is ready; stop watching a pipe that was closed."""
        data = _read(descriptor, _READ)
        if data:
            sink(data)
        elif data is not None:
            self._poll.unregister(descriptor)

    def _drain(self, descriptor: int, sink: Callable[[bytes], None]) -> None:
        """Read what is in the pipe, but not for ever: someone else may still be writing."""
        for _ in range(_DRAIN_READS):
            data = _read(descriptor, _READ)
            if not data:
                return
            sink(data)


def _read(descriptor: int, most: int) -> bytes | None:
    """What is in the pipe; empty at its end; None if there is nothing now.

    A pipe that was ready may be empty again: a bot can open its own and take back what it wrote.
    """
    try:
        return os.read(descriptor, most)
    except BlockingIOError:
        return None
