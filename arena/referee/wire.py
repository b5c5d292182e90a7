"""A recorded exchange with a bot: one line of JSON for each message in either direction.

``{"way": "to", "at": 0.00123, "text": "..."}``: ``way`` as in ``Direction``, ``at`` in seconds from
the start of the process, ``text`` without the line end. Bytes of a bot that are no UTF-8 are
written as escapes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena.referee.channel import PipeChannel, Reply
from arena.referee.deadline import SchedulerDelay
from arena.referee.joint import Steps
from arena.referee.stderr_capture import StderrCapture

MAX_GAME_BYTES: Final = 8 << 20
"""Size kept of one game, in bytes; later lines are left out, as the first ones are needed."""
_SECOND: Final = 1_000_000_000


class Direction(StrEnum):
    """Direction of a message."""

    TO = "to"
    """Line sent to the bot."""
    FROM = "from"
    """Line of the bot's standard output, or its output in place of a line."""
    ERROR = "error"
    """Standard error of the bot."""


class WireMessage(NamedTuple):
    """One message in one direction."""

    way: Direction
    data: bytes
    """A line without its end; for standard error everything available, in lines."""
    at: int
    """Time after the start of the process, in nanoseconds."""


MessageListener: TypeAlias = Callable[[WireMessage], object]


class WireLine(msgspec.Struct, frozen=True):
    """One line of a file of recorded messages."""

    way: Direction
    at: float
    text: str


def to_line(heard: WireMessage) -> bytes:
    """Return a message as a line of the file."""
    text = heard.data.decode("utf-8", "backslashreplace")
    return msgspec.json.encode(WireLine(heard.way, heard.at / _SECOND, text)) + b"\n"


class ObservedChannel:
    """A channel that reports every message to a listener and changes none."""

    def __init__(self, channel: PipeChannel, kept: int, hears: MessageListener) -> None:
        """Wrap ``channel`` and report to ``hears``.

        ``kept`` is the limit of the standard error that ``stderr`` returns, in bytes.
        """
        self.ply: int | None = None
        """See Channel."""
        self._channel = channel
        self._hears = hears
        self._stderr = StderrCapture(kept)
        self._began = time.monotonic_ns()

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel."""
        self._tell_question(question)
        return self._told(self._channel.ask(question, allowance))

    def tell(self, line: bytes) -> None:
        """See Channel."""
        self._tell_error()
        if not self._channel.is_closed:
            self._tell(Direction.TO, line.removesuffix(b"\n"))
        self._channel.tell(line)

    def rest(self) -> bytes:
        """See Channel."""
        rest = self._channel.rest()
        if rest:
            self._tell(Direction.FROM, rest)
        return rest

    def scheduler_delay(self) -> SchedulerDelay:
        """See Channel."""
        return self._channel.scheduler_delay()

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
            self._tell(Direction.TO, farewell.removesuffix(b"\n"))
        self._channel.dismiss(farewell)

    def close(self, grace: float = 0.0) -> None:
        """See Channel."""
        self._channel.close(grace)

    def _tell(self, way: Direction, data: bytes) -> None:
        self._hears(WireMessage(way, data, time.monotonic_ns() - self._began))

    def _tell_question(self, question: bytes | bytearray) -> None:
        self._tell_error()
        self._tell(Direction.TO, bytes(question).removesuffix(b"\n"))

    def _told(self, reply: Reply) -> Reply:
        if isinstance(reply, bytes):
            self._tell(Direction.FROM, reply)
        self._tell_error()
        return reply

    def _tell_error(self) -> None:
        if text := self._channel.stderr():
            data = text.encode("utf-8", "replace")
            self._stderr.add(data, self.ply)
            self._tell(Direction.ERROR, data)


class RecordingChannel(ObservedChannel):
    """A channel that records the exchange of each game, with the hello before the first game."""

    def __init__(self, channel: PipeChannel, kept: int) -> None:
        """Wrap ``channel``; ``kept`` is the limit of the standard error that ``stderr`` returns."""
        super().__init__(channel, kept, self._take)
        self.is_joint = channel.is_joint
        """See PipeChannel."""
        self._hello: list[WireMessage] | None = None
        self._lines: list[WireMessage] = []
        self._size = 0

    def asking(self, question: bytes | bytearray, allowance: int | None) -> Steps[Reply]:
        """See PipeChannel."""
        self._tell_question(question)
        return self._told((yield from self._channel.asking(question, allowance)))

    def begin(self) -> None:
        """Begin a game and discard the record of the previous one."""
        self._tell_error()
        if self._hello is None:
            self._hello = self._lines
        self._lines, self._size = [], 0

    def exchange(self) -> bytes:
        """Return the exchange of the current game, the first ``hello`` included."""
        return b"".join(map(to_line, (*(self._hello or ()), *self._lines)))

    def _take(self, heard: WireMessage) -> None:
        self._size += len(heard.data)
        if self._size <= MAX_GAME_BYTES:
            self._lines.append(heard)
