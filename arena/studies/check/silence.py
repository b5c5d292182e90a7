"""Why a bot that was asked says nothing: found by what makes it speak.

Only once its time is over, when nothing is to be lost any more: what is sent here no referee sends.
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
"""Asks how many bytes are in a pipe: ``FIONREAD`` of Linux."""
_READ: Final = 64 * 1024
_NAP: Final = 0.01
_QUESTIONS: Final = 400
"""Their answers are more than the buffers of the usual languages hold."""
_FLOOD: Final = 8 << 20
"""Bytes of questions at most: a bot that reads takes them in time."""
_BUFFER: Final = 4000
"""Bytes that come at once from nothing but a buffer that was full."""
_FOR_START: Final = 0.5
_FOR_ONE: Final = 0.5
_FOR_FLOOD: Final = 2.0
_FOR_END: Final = 1.5


class Why(Enum):
    """What it waits for."""

    LATE = "late"
    """Nothing: it answered after its time."""
    NOT_READING = "not reading"
    """It does not read what it is sent."""
    ENDED = "ended"
    """It ended after its time."""
    AFTER_START = "after start"
    """It was ready only once it was told of a game."""
    NO_READY = "no ready"
    """It answers questions, and is never ready."""
    BUFFERED = "buffered"
    """It answered many questions at once, when a buffer was full."""
    AT_END = "at end"
    """It answered when its input had ended."""
    NOTHING = "nothing"
    """Nothing made it speak."""


def why_silent(process: BotProcess, question: bytes, start: bytes | None, late: float) -> Why:
    """Make it speak.

    ``question``: a line with a question; ``start``: to be sent first, if it is not ready yet.
    ``late``: seconds for which an answer that is late is waited for.
    """
    pipes = _Pipes(process)
    if pipes.heard(0.0):
        return Why.LATE
    if pipes.unread():
        return _at_last(process, pipes, late)
    if start is not None:
        pipes.send(start)
        if found := pipes.heard(_FOR_START):
            return Why.AFTER_START if b"ready" in found else Why.NO_READY
    pipes.send(question)
    if found := pipes.heard(_FOR_ONE):
        return Why.NO_READY if start is not None and b"ready" not in found else Why.LATE
    pipes.send(question * min(_QUESTIONS, _FLOOD // len(question)))
    if found := pipes.heard_of_many(_FOR_FLOOD):
        return Why.BUFFERED if len(found) >= _BUFFER else Why.LATE
    if pipes.unread():
        return _at_last(process, pipes, late)
    if pipes.heard(late):  # a timer, say: the end of input would seem to have set it off
        return Why.LATE
    process.close_stdin()
    return Why.AT_END if pipes.heard(_FOR_END) else Why.NOTHING


def _at_last(process: BotProcess, pipes: _Pipes, late: float) -> Why:
    """Of a bot that does something else than to read."""
    if pipes.heard(late):
        return Why.LATE
    return Why.ENDED if process.wait(_FOR_END) else Why.NOT_READING


class _Pipes:
    """To and from a process, past its channel."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._unsent = b""

    def send(self, data: bytes) -> None:
        """As much as the pipe takes; ``heard_of_many`` sends the rest."""
        self._unsent += data
        self._write()

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._process.stdin, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # it closed its input
            self._unsent = b""

    def unread(self) -> int:
        """Bytes that it has not taken from the pipe yet, or that the pipe did not take."""
        try:
            size = fcntl.ioctl(self._process.stdin, _UNREAD, struct.pack("i", 0))
        except (OSError, ValueError):
            return 0
        return int(struct.unpack("i", size)[0]) + len(self._unsent)

    def heard(self, seconds: float) -> bytes:
        """What it writes within that time, as soon as there is something; empty: nothing."""
        return heard(self._process, seconds)

    def heard_of_many(self, seconds: float) -> bytes:
        """The same while all is sent to it; ends early once it has read all and says nothing."""
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
    """What a process writes to standard output within that time, as soon as there is something.

    Empty: nothing came, or it closed it. Past its channel, which misses what is read here.
    """
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    if not poll.poll(max(0.0, seconds) * 1000):
        return b""
    try:
        return os.read(process.stdout, _READ)
    except OSError:
        return b""
