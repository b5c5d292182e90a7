"""An exchange with a bot, kept: lines of JSON, one for each thing that went either way.

``{"way": "to", "at": 0.00123, "text": "..."}``: ``way`` as in ``Way``, ``at`` in seconds from the
start of the process, ``text`` without the end of its line. Bytes of a bot that are no UTF-8 are
written as escapes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena.referee.captured import Captured
from arena.referee.channel import PipeChannel, Reply
from arena.referee.patience import Strain

LONGEST: Final = 8 << 20
"""Bytes that are kept of one game; what comes later is left out, as the first lines are needed."""
_SECOND: Final = 1_000_000_000


class Way(StrEnum):
    """Where something went."""

    TO = "to"
    """A line to the bot."""
    FROM = "from"
    """A line of its standard output, or what it wrote in place of one."""
    ERROR = "error"
    """What it wrote to its standard error."""


class Heard(NamedTuple):
    """Something went one way."""

    way: Way
    data: bytes
    """A line without its end; of standard error all that there was, in lines."""
    at: int
    """Nanoseconds after the start of the process."""


Hearing: TypeAlias = Callable[[Heard], object]


class Kept(msgspec.Struct, frozen=True):
    """A line of the file."""

    way: Way
    at: float
    text: str


def written(heard: Heard) -> bytes:
    """What is heard as a line of the file."""
    text = heard.data.decode("utf-8", "backslashreplace")
    return msgspec.json.encode(Kept(heard.way, heard.at / _SECOND, text)) + b"\n"


class Overheard:
    """A channel through which somebody listens in. Nothing of it changes what is said."""

    def __init__(self, channel: PipeChannel, kept: int, hears: Hearing) -> None:
        """``kept``: bytes of standard error that ``stderr`` gives out at most."""
        self.ply: int | None = None
        """See Channel."""
        self._channel = channel
        self._hears = hears
        self._stderr = Captured(kept)
        self._began = time.monotonic_ns()

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel."""
        self._tell_error()
        self._tell(Way.TO, bytes(question).removesuffix(b"\n"))
        reply = self._channel.ask(question, allowance)
        if isinstance(reply, bytes):
            self._tell(Way.FROM, reply)
        self._tell_error()
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

    def _tell(self, way: Way, data: bytes) -> None:
        self._hears(Heard(way, data, time.monotonic_ns() - self._began))

    def _tell_error(self) -> None:
        if text := self._channel.stderr():
            data = text.encode("utf-8", "replace")
            self._stderr.add(data, self.ply)
            self._tell(Way.ERROR, data)


class Recorded(Overheard):
    """A channel of which the exchange of each game is kept, with the hello before the first."""

    def __init__(self, channel: PipeChannel, kept: int) -> None:
        """``kept``: as of Overheard."""
        super().__init__(channel, kept, self._take)
        self._hello: list[Heard] | None = None
        self._lines: list[Heard] = []
        self._size = 0

    def begin(self) -> None:
        """A game begins: nothing more of the one before is kept."""
        self._tell_error()
        if self._hello is None:
            self._hello = self._lines
        self._lines, self._size = [], 0

    def exchange(self) -> bytes:
        """That of the game, from ``hello`` on."""
        return b"".join(map(written, (*(self._hello or ()), *self._lines)))

    def _take(self, heard: Heard) -> None:
        self._size += len(heard.data)
        if self._size <= LONGEST:
            self._lines.append(heard)
