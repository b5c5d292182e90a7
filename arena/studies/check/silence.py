"""Reason why a bot that was asked does not answer, found by trying what makes it answer.

This happens only after the bot's time has run out, when the game is lost anyway: no referee
sends what is sent here.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import time
from enum import Enum
from typing import Final

from arena.hosting.process import BotProcess

_UNREAD: Final = 0x541B
"""Request for the number of bytes in a pipe: ``FIONREAD`` of Linux."""
_READ: Final = 64 * 1024
_NAP: Final = 0.01
_QUESTIONS: Final = 400
"""Number of questions whose answers overflow the output buffers of the usual languages."""
_FLOOD: Final = 8 << 20
"""Most bytes of questions to send: a bot that reads takes them in time."""
_BUFFER: Final = 4000
"""Least number of bytes that arrive at once only from a buffer that was full."""
_FOR_START: Final = 0.5
_FOR_ONE: Final = 0.5
_FOR_FLOOD: Final = 2.0
_FOR_END: Final = 1.5


class SilenceReason(Enum):
    """Reason for a bot's silence."""

    LATE = "late"
    """The bot waits for nothing: it answered after its time."""
    NOT_READING = "not reading"
    """The bot does not read its input."""
    ENDED = "ended"
    """The bot ended after its time."""
    AFTER_START = "after start"
    """The bot sent ready only after a start message."""
    NO_READY = "no ready"
    """The bot answers questions but never sends ready."""
    BUFFERED = "buffered"
    """The bot answered many questions at once, when a buffer was full."""
    AT_END = "at end"
    """The bot answered when its input had ended."""
    WANTS_INPUT = "wants input"
    """The bot answered only when one more line had come."""
    CLOSED = "closed"
    """The bot closed its standard output."""
    NOTHING = "nothing"
    """Nothing made the bot answer."""


def why_silent(
    process: BotProcess, question: bytes, start: bytes | None, late: float
) -> SilenceReason:
    """Make the bot speak, and return why it was silent.

    ``question``: a line with a question; ``start``: line to send first if the bot is not ready yet.
    ``late``: seconds to wait for a late answer.
    """
    pipes = _Pipes(process)
    if pipes.heard(0.0):
        return SilenceReason.LATE
    if pipes.is_closed() and not process.ended():
        return SilenceReason.CLOSED
    if pipes.unread():
        return _at_last(process, pipes, late)
    if start is not None:
        pipes.send(start)
        if found := pipes.heard(_FOR_START):
            return SilenceReason.AFTER_START if b"ready" in found else SilenceReason.NO_READY
    pipes.send(question)
    if found := pipes.heard(_FOR_ONE):
        if start is not None:
            return SilenceReason.LATE if b"ready" in found else SilenceReason.NO_READY
        is_answered_twice = found.count(b"\n") > 1 or pipes.heard(max(late, _FOR_ONE))
        return SilenceReason.LATE if is_answered_twice else SilenceReason.WANTS_INPUT
    pipes.send(question * min(_QUESTIONS, _FLOOD // len(question)))
    if found := pipes.heard_of_many(_FOR_FLOOD):
        return SilenceReason.BUFFERED if len(found) >= _BUFFER else SilenceReason.LATE
    if pipes.unread():
        return _at_last(process, pipes, late)
    if pipes.heard(late):  # a timer, for example; closing its input must not seem the cause
        return SilenceReason.LATE
    process.close_stdin()
    return SilenceReason.AT_END if pipes.heard(_FOR_END) else SilenceReason.NOTHING


def _at_last(process: BotProcess, pipes: _Pipes, late: float) -> SilenceReason:
    """Return why a bot that does not read its input is silent."""
    if pipes.heard(late):
        return SilenceReason.LATE
    return SilenceReason.ENDED if process.wait(_FOR_END) else SilenceReason.NOT_READING


class _Pipes:
    """Pipes to and from a process, bypassing its channel."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._unsent = b""

    def send(self, data: bytes) -> None:
        """Send as much of ``data`` as the pipe takes; ``heard_of_many`` sends the rest."""
        self._unsent += data
        self._write()

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._process.stdin, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # the bot closed its input
            self._unsent = b""

    def is_closed(self) -> bool:
        """Return whether no process can write to the standard output any more."""
        poll = select.poll()
        poll.register(self._process.stdout, 0)
        return bool(poll.poll(0))

    def unread(self) -> int:
        """Return the number of bytes that the bot has not read or that the pipe did not take."""
        try:
            size = fcntl.ioctl(self._process.stdin, _UNREAD, struct.pack("i", 0))
        except (OSError, ValueError):
            return 0
        return int(struct.unpack("i", size)[0]) + len(self._unsent)

    def heard(self, seconds: float) -> bytes:
        """Return the first output within ``seconds``; b"" without output."""
        return heard(self._process, seconds)

    def heard_of_many(self, seconds: float) -> bytes:
        """Return the first output while everything is sent; b"" if there was no output.

        Ends early when the bot has read everything and stays silent.
        """
        give_up = time.monotonic() + seconds
        quiet = 0
        while time.monotonic() < give_up:
            if self._unsent:
                self._write()
            if found := heard(self._process, _NAP):
                return found
            quiet = 0 if self.unread() else quiet + 1
            if quiet > _FOR_START / _NAP:
                break
        return b""


def heard(process: BotProcess, seconds: float) -> bytes:
    """Return the first output of a process on standard output within ``seconds``.

    Empty: no output, or the process closed it. The channel of the process misses what is read here.
    """
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    if not poll.poll(max(0.0, seconds) * 1000):
        return b""
    try:
        return os.read(process.stdout, _READ)
    except OSError:
        return b""
