"""The channel whose usual questions are asked by compiled code, where the package has that code.

``PipeChannel`` is the definition of what a channel does: ``_exchange.c`` does the usual course of a
question, and leaves everything else to it. Without a compiler at installation, or with
``ARENA_PURE`` in the environment, there are only channels in Python.
"""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Callable
from enum import EnumType
from pathlib import Path
from types import MemberDescriptorType
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from arena.hosting.process import BotProcess
from arena.referee.channel import PipeChannel, Reply
from arena.referee.deadline import LATE_WAKE, NO_DELAY
from arena.referee.joint import alone
from arena.referee.protocol import Act

PURE: Final = "ARENA_PURE"
"""Environment variable that turns the compiled exchange off."""
_encode: Final = msgspec.json.Encoder().encode
_Plan: TypeAlias = tuple[bytes, bool, bool, tuple[tuple[MemberDescriptorType, bytes, Any], ...]]


class CompiledExchange(Protocol):
    """The questions to one bot; instants and durations in nanoseconds."""

    line: bytes
    """The question, with its line end."""
    sent: int
    """Bytes of the question that the pipe accepted; -1 if the bot closed the pipe."""
    began: int
    """Instant before the question was sent."""
    asked: int
    """Instant after it was sent."""
    soon: int
    """Length of the first poll."""
    woke: int
    """Instant after the first poll."""
    ready: list[tuple[int, int]]
    """Descriptors that were ready then, with their events."""
    there: int
    """Bytes of the answer in the pipe at ``known``."""
    known: int
    data: bytes | None
    """Bytes read of the answer; None if more than the answer was ready, or nothing."""
    read_at: int
    """Instant after reading."""

    def put(self, question: Act, count: int) -> int:
        """Encode a question with ``count`` legal actions; return the length of its line.

        Raises what the encoder of ``msgspec`` raises.
        """

    def ask(self, token: str, allowance: int | None, glance: int) -> int | None:
        """Send the question and poll once, for at most ``glance``; read the answer.

        Returns the index of the chosen action if the answer came in time and is nothing but the
        message with ``token`` and an index. For everything else None: the attributes say how far
        this came.
        """

    def unwatch(self, descriptor: int) -> None:
        """Stop polling a descriptor, which the bot has closed."""


def _plan(kind: type[msgspec.Struct]) -> _Plan | None:
    """Return how the compiled code encodes instances of ``kind``; None leaves them to msgspec.

    The plan has the beginning with the tag, whether there is a tag, whether instances are frozen,
    and for each field the member, the key and the object that is left out, or an ellipsis.
    """
    if kind.__struct_config__.array_like:
        return None
    config, names = kind.__struct_config__, kind.__struct_fields__
    defaults = (msgspec.NODEFAULT,) * (len(names) - len(kind.__struct_defaults__))
    fields = []
    for name, key, default in zip(
        names,
        kind.__struct_encode_fields__,
        (*defaults, *kind.__struct_defaults__),
        strict=True,
    ):
        member = getattr(kind, name)
        if not isinstance(member, MemberDescriptorType) or type(default).__name__ == "Factory":
            return None
        is_omitted = config.omit_defaults and default is not msgspec.NODEFAULT
        fields.append((member, _encode(key) + b":", default if is_omitted else ...))
    tag = b"" if config.tag is None else _encode(config.tag_field) + b":" + _encode(config.tag)
    return b"{" + tag, bool(tag), config.frozen, tuple(fields)


def _load() -> Callable[[int, int, int, int, int, int], CompiledExchange] | None:
    """Return the compiled class, or None: in a package without it, and where it is turned off."""
    if os.environ.get(PURE):
        return None
    try:
        module = importlib.import_module("arena.referee._exchange")
        text = Path(__file__).with_name("_exchange.c").read_bytes()
        if hashlib.sha256(text).hexdigest() != module.SOURCE:
            return None  # built from another text, as when a checkout moved on
        module.set_up(_encode, _plan, msgspec.UNSET, EnumType, type(msgspec.Struct))
    except (ImportError, OSError, AttributeError):
        return None
    found: Callable[[int, int, int, int, int, int], CompiledExchange] = module.Exchange
    return found


Exchange: Final = _load()
"""Makes an exchange from the descriptors of standard input, output and error and of the process
(-1: none), the longest answer in bytes, and the lateness in nanoseconds of a poll or a read that is
left to Python."""
VARIANT: Final = "Python" if Exchange is None else "compiled"
"""The exchange that this process uses, in one word."""


def channel_to(
    process: BotProcess, reply_limit: int, stderr_limit: int, pondering: bool = True
) -> PipeChannel:
    """Open the channel to a process, compiled if possible; the arguments of ``PipeChannel``."""
    kind = PipeChannel if Exchange is None else CompiledChannel
    return kind(process, reply_limit, stderr_limit, pondering)


class CompiledChannel(PipeChannel):
    """A channel to a process that takes questions as values, see ``DirectChannel``."""

    def __init__(
        self, process: BotProcess, reply_limit: int, stderr_limit: int, pondering: bool = True
    ) -> None:
        """Open the channel. Raises RuntimeError if this package has no compiled code."""
        super().__init__(process, reply_limit, stderr_limit, pondering)
        if Exchange is None:
            raise RuntimeError("this package has no compiled exchange")
        pidfd = -1 if process.pidfd is None else process.pidfd
        watched = process.stdout, process.stderr, pidfd
        self._exchange = exchange = Exchange(process.stdin, *watched, reply_limit, LATE_WAKE)
        self.put = exchange.put
        """See DirectChannel."""

    def choose(self, token: str, allowance: int | None) -> Reply | int:
        """See DirectChannel. Everything but a plain answer is left to Python."""
        exchange = self._exchange
        if self._hindered:
            return alone(self.asking(exchange.line, allowance))
        is_unusual = self._outbox or self._lines.held or not self._writable
        if is_unusual or (allowance is None and self._slice is not None):
            return self.ask(exchange.line, allowance)
        self._cost = NO_DELAY
        index = exchange.ask(token, allowance, self._glance)
        if index is not None:
            return index
        deadline = None if allowance is None else exchange.began + allowance
        line, data = exchange.line, exchange.data
        if exchange.sent != len(line):
            self._unsent(line, exchange.sent)
            return self._await(deadline, exchange.asked)
        look = (exchange.asked, exchange.soon, exchange.woke, exchange.ready)
        read = (exchange.there, exchange.known, data, exchange.read_at)
        return self._judge_look(deadline, *look, *read)

    def _unwatch(self, descriptor: int) -> None:
        super()._unwatch(descriptor)
        self._exchange.unwatch(descriptor)
