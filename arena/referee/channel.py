"""Lines to and from one bot process, each question under one absolute deadline.

These rules keep a hostile bot from blocking or bloating the referee:

- every pipe is non-blocking; nothing is written or read without a deadline;
- only three things end a wait: a full line, the end of the process, the deadline. A closed pipe is
  no verdict;
- bytes that arrive never extend a deadline; if the read of an answer was delayed beyond it, what
  was in the pipe before counts;
- at most one line is held, and only the first and last part of standard error;
- input that a bot does not read is held up to a bound; beyond the bound the bot is sent nothing.
"""

from __future__ import annotations

import os
import select
from array import array
from collections.abc import Callable
from enum import Enum
from fcntl import ioctl
from termios import FIONREAD
from time import monotonic_ns
from typing import Final, Protocol, TypeAlias

from arena.hosting.machine import capacity
from arena.hosting.process import BotProcess
from arena.referee.deadline import (
    FIRST_POLL,
    LATE_WAKE,
    MILLISECOND,
    NO_DELAY,
    AnswerDeadline,
    SchedulerDelay,
    was_read_delayed,
)
from arena.referee.joint import Steps, Wait, alone
from arena.referee.protocol import Act, LineBuffer, LineTooLong
from arena.referee.stderr_capture import StderrCapture

_READ: Final = 64 * 1024
_DRAIN_READS: Final = 16
_OUTBOX_LIMIT: Final = 1024 * 1024
_SLICE: Final = 20.0
"""Interval between checks on a process without a pidfd, in milliseconds."""


class Silence(Enum):
    """Reason why no line came."""

    TIMED_OUT = "timed out"
    ENDED = "process ended"
    TOO_LONG = "line too long"
    OVER_LIMIT = "over a limit of its isolation"
    STARVED = "kept waiting by the machine"
    STDIN_BLOCKED = "does not read its input"


Reply: TypeAlias = bytes | Silence


class Channel(Protocol):
    """The operations that the referee needs of a bot; tests provide a scripted one."""

    ply: int | None
    """Ply at which the bot is asked, or None; labels the standard error that follows."""

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """Send a line and wait for one.

        The wait ends ``allowance`` nanoseconds after the line is sent, or never if it is None. The
        question belongs to the caller, who may change it afterwards.
        """

    def tell(self, line: bytes) -> None:
        """Send a line that has no answer. Never waits."""

    def rest(self) -> bytes:
        """Return the bot's output that was read beyond the requested line."""

    def scheduler_delay(self) -> SchedulerDelay:
        """Return how long the machine delayed the last ``ask``.

        Call it soon after that ``ask``, and before ``close``.
        """

    def over_limit(self) -> str | None:
        """Return the isolation limit for which the process was killed, or None.

        The text contains no measured quantity.
        """

    def exit_status(self) -> int | None:
        """Return the exit status as ``subprocess`` does, or None while the process runs."""

    def stderr(self) -> str:
        """Return the standard error captured since the last call, see ``StderrCapture.text``."""

    def dismiss(self, farewell: bytes) -> None:
        """Send the farewell and close the bot's input. Never waits."""

    def close(self, grace: float = 0.0) -> None:
        """Give the bot at most ``grace`` seconds to end by itself, then kill it.

        A closed channel ignores further lines and calls of ``close``; ``exit_status`` and
        ``stderr`` still work.
        """


class DirectChannel(Protocol):
    """A channel that takes questions as values."""

    def put(self, question: Act, count: int) -> int:
        """Accept the question of the next ``choose``.

        ``count``: number of legal actions. Returns the length of the line in bytes, 0 without one.
        Raises AttributeError, TypeError, ValueError or RecursionError if the question has no JSON.
        """

    def choose(self, token: str, allowance: int | None) -> Reply | int:
        """Ask the question that was put, with the id ``token``, as ``Channel.ask`` does.

        Returns the index of an action if the answer says no more than that.
        """


class PipeChannel:
    """A channel to a process."""

    _end = b"}\n"
    """End of an answer that comes alone and in one piece."""
    is_joint = True
    """True if ``asking`` may be used: a question is one line, and so is its answer."""

    def __init__(
        self, process: BotProcess, reply_limit: int, stderr_limit: int, pondering: bool = True
    ) -> None:
        """Open the channel to ``process``.

        ``reply_limit`` and ``stderr_limit`` are the longest line and the captured standard error,
        in bytes. With ``pondering`` the process may run while it is not asked.
        """
        self.ply: int | None = None
        """See Channel."""
        self._process = process
        self._lines = LineBuffer(reply_limit)
        self._stderr = StderrCapture(stderr_limit)
        self._stdin = process.stdin
        self._outbox = b""
        self._writable = True
        self._is_stdin_blocked = False
        self._frozen = not pondering
        self._hindered = self._frozen
        self._closed = False
        self._limit = reply_limit
        self._slice = _SLICE if process.pidfd is None else None
        self._cores = capacity.cores()
        self._number = array("i", [0])
        self._glance = FIRST_POLL
        """Length of the first poll, in which nothing is measured, in nanoseconds. It is 0 once the
        referee overslept, since the bot may be the cause."""
        self._cost: SchedulerDelay | AnswerDeadline = NO_DELAY
        self._answered_at = 0
        self._answered = [(process.stdout, select.POLLIN)]
        self._poll = select.poll()
        self._watched: dict[int, int] = {}
        """The descriptors of ``_poll``, with their events."""
        for descriptor in (process.stdout, process.stderr, process.pidfd):
            if descriptor is not None:
                self._watch(descriptor, select.POLLIN)

    @property
    def is_closed(self) -> bool:
        """True once the process has been reaped: its pid may belong to another process."""
        return self._closed

    @property
    def pid(self) -> int:
        """Process id of the bot."""
        return self._process.pid

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel. The deadline may cut off the question or the answer.

        Nearly every answer comes soon, alone and in one piece; all other cases are left to
        ``_wait``.
        """
        if self._hindered:
            return alone(self.asking(question, allowance))
        self._cost = NO_DELAY
        # as late as possible: nobody could answer during a stall between this and sending
        deadline = None if allowance is None else monotonic_ns() + allowance
        self._send(question)
        return self._await(deadline, monotonic_ns())

    def asking(self, question: bytes | bytearray, allowance: int | None) -> Steps[Reply]:
        """Ask as ``ask`` does, but leave each wait to the caller; see ``joint``.

        A process that is frozen between questions runs for this one; one that reads no input is not
        asked.
        """
        if self._is_stdin_blocked:
            return Silence.STDIN_BLOCKED
        if self._frozen:
            self._process.thaw()
        began, patience = monotonic_ns(), None
        self._send(question)
        if allowance is not None:
            glance, due = min(allowance // 4, self._glance), began + allowance
            times = self._process.times
            patience = AnswerDeadline(monotonic_ns(), due, glance, times, self._cores)
        try:
            reply = yield from self._wait(patience, [])
        finally:
            if self._frozen:
                self._process.freeze()
        self._cost, self._answered_at = patience or NO_DELAY, monotonic_ns()
        if patience is not None and patience.moved > began + (allowance or 0):
            self._glance = 0
        return reply

    def _await(self, deadline: int | None, asked: int) -> Reply:
        """Return the reply to a question that was sent at ``asked``."""
        woke, soon = asked, 0
        ready: list[tuple[int, int]] = []
        if self._lines.held:
            pass  # a line that came unasked is the answer
        elif deadline is None:
            ready = self._poll.poll(self._slice)
        else:
            soon = (deadline - asked) // 4
            if soon > self._glance:
                soon = self._glance
            elif soon < 0:
                soon = 0
            ready = self._poll.poll(soon / MILLISECOND)
            woke = monotonic_ns()
        if ready != self._answered:
            return self._judge_look(deadline, asked, soon, woke, ready)
        there, known = self._unread(), monotonic_ns()
        data = _read(self._process.stdout, self._limit) or b""
        read_at = monotonic_ns()
        return self._judge_look(deadline, asked, soon, woke, ready, there, known, data, read_at)

    def _judge_look(
        self,
        deadline: int | None,
        asked: int,
        soon: int,
        woke: int,
        ready: list[tuple[int, int]],
        there: int = 0,
        known: int = 0,
        data: bytes | None = None,
        read_at: int = 0,
    ) -> Reply:
        """Return the reply, from what the first poll and the read after it brought.

        ``soon`` is the length of that poll, which ended at ``woke``. ``data`` was read until
        ``read_at``; None if more than an answer was ready, or nothing. At ``known`` there were
        ``there`` bytes in the pipe.
        """
        late = 0
        if deadline is not None:
            late = woke - asked - soon
            if late > LATE_WAKE:
                self._cost = SchedulerDelay(None, late, late)
                self._glance = 0
        if data is not None:
            if deadline is not None and was_read_delayed(woke, read_at, deadline):
                self._lines.feed(data)
                late = read_at - known
                self._cost = SchedulerDelay(None, late, late)
                return self._line_of(there if known <= deadline else 0)
            if data.endswith(self._end) and data.count(b"\n") == 1:
                return data[:-1]
            self._lines.feed(data)
            ready = []
        patience = None
        if deadline is not None:
            patience = AnswerDeadline(asked, deadline, soon, self._process.times, self._cores)
            patience.record_wake(asked + soon, asked + soon + late)
        reply = alone(self._wait(patience, ready))
        if patience is not None:
            self._cost, self._answered_at = patience, monotonic_ns()
        return reply

    def tell(self, line: bytes) -> None:
        """See Channel. Input not read yet waits, up to a bound, for the next question.

        Beyond the bound the line is lost, and the bot is sent nothing any more.
        """
        if len(self._outbox) < _OUTBOX_LIMIT:
            self._send(line)
        else:
            self._is_stdin_blocked = self._hindered = True
            self._writable = False
            self._hold(b"")

    def rest(self) -> bytes:
        """See Channel."""
        return self._lines.rest() if self._lines.held or self._lines.has_blank else b""

    def scheduler_delay(self) -> SchedulerDelay:
        """See Channel. Nothing is measured if the answer came within the first poll."""
        if isinstance(self._cost, AnswerDeadline):
            self._cost = self._cost.scheduler_delay(self._answered_at)
        return self._cost

    def over_limit(self) -> str | None:
        """See Channel."""
        return self._process.over_limit

    def exit_status(self) -> int | None:
        """See Channel."""
        return self._process.exit_status()

    def stderr(self) -> str:
        """See Channel."""
        if not self._closed:
            self._drain(self._process.stderr, self._keep)
        text = self._stderr.text()
        self._stderr.clear()
        return text

    def dismiss(self, farewell: bytes) -> None:
        """See Channel."""
        self._thaw()
        self.tell(farewell)
        self._writable = False
        self._process.close_stdin()

    def close(self, grace: float = 0.0) -> None:
        """See Channel. Afterwards the descriptors of the pipes may belong to other files."""
        if self._closed:
            return
        self._thaw()
        if grace:
            self._process.wait(grace)
        self._drain(self._process.stderr, self._keep)
        self._closed, self._writable = True, False
        self._process.kill()

    def _keep(self, said: bytes) -> None:
        self._stderr.add(said, self.ply)

    def _send(self, data: bytes | bytearray) -> None:
        """Write as much of ``data`` as the pipe accepts now, and hold the rest.

        A bot that closed its input commits no offence by that.
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
            sent = -1
        if self._outbox or sent != len(data):
            self._unsent(data, sent)

    def _unsent(self, data: bytes | bytearray, sent: int) -> None:
        """Hold what was not sent of ``data``: all but ``sent`` bytes; -1: the pipe is closed."""
        if sent < 0:
            self._writable = False
        self._hold(b"" if sent < 0 else bytes(data[sent:]))

    def _hold(self, rest: bytes) -> None:
        """Hold what the pipe did not accept, and watch for room only while something is held."""
        if rest and not self._outbox:
            self._watch(self._stdin, select.POLLOUT)
        elif self._outbox and not rest:
            self._unwatch(self._stdin)
        self._outbox = rest

    def _watch(self, descriptor: int, events: int) -> None:
        self._poll.register(descriptor, events)
        self._watched[descriptor] = events

    def _thaw(self) -> None:
        """Let the process run from now on, asked or not."""
        if self._frozen:
            self._process.thaw()
            self._frozen, self._hindered = False, self._is_stdin_blocked

    def _wait(self, patience: AnswerDeadline | None, ready: list[tuple[int, int]]) -> Steps[Reply]:
        """Process what is ready, and wait for more until there is a line or a reason for none."""
        is_over = False
        while True:
            began = monotonic_ns()
            there = len(self._lines) + min(_READ, self._unread())
            known = monotonic_ns()
            ended = self._take_in(ready)
            now = monotonic_ns()
            if patience is not None and was_read_delayed(began, now, patience.moved):
                in_time = there if known <= patience.moved else 0
                patience.record_wake(known, now)
                return self._line_of(in_time)
            if (reply := self._line()) is not None:
                if patience is None or not isinstance(reply, bytes) or not patience.is_late(now):
                    return reply
                self._lines.put_back(reply)
                return Silence.TIMED_OUT
            if ended:
                return Silence.ENDED if self.over_limit() is None else Silence.OVER_LIMIT
            if patience is None:
                ready = self._poll.poll((yield Wait(self._slice, self._watched)))
            elif is_over:
                return Silence.STARVED if patience.is_starved else Silence.TIMED_OUT
            else:
                is_over, ready = yield from self._look(patience)

    def _look(self, patience: AnswerDeadline) -> Steps[tuple[bool, list[tuple[int, int]]]]:
        """Wait for any event. Return whether the time has run out, and what is ready."""
        now = monotonic_ns()
        left = max(0.0, (patience.due(now) - now) / MILLISECOND)
        planned = left if self._slice is None else min(left, self._slice)
        ready = self._poll.poll((yield Wait(planned, self._watched)))
        patience.record_wake(now + round(planned * MILLISECOND), monotonic_ns())
        return not left, ready

    def _unread(self) -> int:
        """Return the number of bytes in the pipe; waits while a writing thread holds the pipe."""
        ioctl(self._process.stdout, FIONREAD, self._number)
        return self._number[0]

    def _line(self) -> Reply | None:
        """Return the next complete line of what was read, or None.

        Returns TOO_LONG if the line exceeds the limit.
        """
        try:
            return self._lines.take() if self._lines else None
        except LineTooLong:
            return Silence.TOO_LONG

    def _line_of(self, there: int) -> Reply:
        """Return the line that the first ``there`` bytes held complete, else TIMED_OUT.

        They were in the pipe in time; those behind them may have come while the read was delayed.
        """
        try:
            is_there = self._lines.beginning(there).take() is not None
        except LineTooLong:
            is_there = True
        return (self._line() if is_there else None) or Silence.TIMED_OUT

    def _take_in(self, ready: list[tuple[int, int]]) -> bool:
        """Read and write what is ready; return whether the process has ended."""
        process, ended = self._process, False
        for descriptor, _ in ready:
            if descriptor == process.stdout:
                self._take(descriptor, self._lines.feed)
            elif descriptor == process.stderr:
                self._take(descriptor, self._keep)
            elif descriptor == self._stdin:
                self._send(b"")
            else:
                ended = True
        if ended or (process.pidfd is None and process.ended()):
            self._drain(process.stdout, self._feed)
            return True
        return False

    def _feed(self, data: bytes) -> bool:
        """Add to the lines; return whether there is room for more."""
        self._lines.feed(data)
        return len(self._lines) <= self._limit

    def _take(self, descriptor: int, sink: Callable[[bytes], None]) -> None:
        """Read once what is ready; stop watching a pipe that was closed."""
        data = _read(descriptor, _READ)
        if data:
            sink(data)
        elif data is not None:
            self._unwatch(descriptor)

    def _unwatch(self, descriptor: int) -> None:
        """Poll a descriptor no more, which the bot has closed."""
        self._poll.unregister(descriptor)
        del self._watched[descriptor]

    def _drain(self, descriptor: int, sink: Callable[[bytes], bool | None]) -> None:
        """Read the bytes in the pipe, with a bound, since another process may still be writing.

        Stops when ``sink`` returns False.
        """
        for _ in range(_DRAIN_READS):
            data = _read(descriptor, _READ)
            if not data or sink(data) is False:
                return


def _read(descriptor: int, most: int) -> bytes | None:
    """Return bytes of the pipe, ``most`` or fewer: b"" at its end, None if it is empty now.

    A pipe that was ready may be empty again: a bot can open its own pipe and read back what it
    wrote.
    """
    try:
        return os.read(descriptor, most)
    except BlockingIOError:
        return None
