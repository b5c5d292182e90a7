"""Inject faults into the exchange with a bot: rare behaviour that a referee is allowed."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from arena.extensions.authors.check.endings import heard
from arena.extensions.authors.trial.listening import Cost, Event, MeteredChannel, Stopwatch
from arena.hosting.process import BotProcess
from arena.referee.channel import PipeChannel, Reply
from arena.referee.wire import Direction, WireMessage, to_line

SET_PIPE_SIZE: Final[int | None] = getattr(fcntl, "F_SETPIPE_SZ", None)
"""Request for another capacity of a pipe; None where pipes keep theirs."""
_NEW_FIELD: Final = "x_of_a_later_version"
_NEW_VALUE: Final[Any] = {"text": 'a "quoted" \\ text', "more": [1.5, None, {}]}
_NEW_LISTS: Final = ("events", "legal", "faults")
_NEW_OBJECTS: Final = ("limits", "clock", "observation")
_NEW_MESSAGE: Final = b'{"type":"x_of_a_later_version"}\n'
_UNASKED_SECONDS: Final = 0.15
"""Seconds to wait for output that a bot writes unasked."""
_SEPARATION_SECONDS: Final = 0.15
"""Seconds after which a bot has read a line, before the next one is sent."""
_PIECE_PAUSE: Final = 0.002


class Injection(NamedTuple):
    """Faults injected into the exchange with a process; protocol.md allows each of them."""

    fields: bool = False
    """Unknown fields in messages, observations, events and actions."""
    messages: bool = False
    """Messages of an unknown type."""
    spelling: bool = False
    """Spaces, escapes and reversed keys, which do not change the meaning."""
    padding: int = 0
    """Number of spaces added to each line."""
    together: bool = False
    """True: a line that asks for nothing arrives together with the next one."""
    pieces: int = 0
    """Number of parts in which a line arrives; 0: one part."""
    pipe: int = 0
    """Capacity of the bot's pipes, in bytes; 0: as the system has it."""
    delay: float = 0.0
    """Seconds of pause before a game and before its first question."""
    listens: bool = False
    """True: wait for unasked output, so that no two lines arrive together."""


NO_INJECTION: Final = Injection()
"""The ordinary exchange, without injected faults."""


class UnaskedOutput(NamedTuple):
    """Output that a bot wrote unasked."""

    after: str
    """Type of the message before."""
    data: bytes


class ExchangeNotes(NamedTuple):
    """Notes on the exchange with a process."""

    events: list[Event]
    unasked: list[UnaskedOutput]


class InjectingChannel(MeteredChannel):
    """A channel to a process, which injects faults and notes what is written unasked."""

    def __init__(
        self,
        process: BotProcess,
        channel: PipeChannel,
        kept: int,
        injection: Injection,
        question: Callable[[], tuple[bytes, bytes]],
        *,
        may_be_late: bool = True,
    ) -> None:
        """Open the channel. ``kept``, ``question``, ``may_be_late``: as in MeteredChannel."""
        self.talk = ExchangeNotes([], [])
        self._pipe = channel
        self._injection = injection
        self._acts = 0
        if injection.pipe and SET_PIPE_SIZE is not None:
            for descriptor in (process.stdin, process.stdout):
                fcntl.fcntl(descriptor, SET_PIPE_SIZE, injection.pipe)
        inner: Any = channel
        if injection.pieces:
            inner = _SplittingChannel(channel, injection.pieces)
        if injection.together:
            inner = _JoiningChannel(channel)
        super().__init__(inner, process, kept, self.talk.events.append, Stopwatch(), question)
        self.may_be_late = may_be_late

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel."""
        reply = super().ask(self._sent(bytes(question)), allowance)
        if self._last == "start":  # preparing for a game is no answer that took the time of a move
            self.talk.events.remove(self.costs()[-1])
        return reply

    def tell(self, line: bytes) -> None:
        """See Channel."""
        super().tell(self._sent(line))

    def look(self) -> None:
        """Note unasked output after the last question."""
        self._note_unasked(_UNASKED_SECONDS)

    def _sent(self, line: bytes) -> bytes:
        """Return ``line`` as it is to be sent; first send the lines before it, and listen."""
        injection = self._injection
        self._note_unasked(_UNASKED_SECONDS if injection.listens and self._last != "act" else 0.0)
        kind = json.loads(line)["type"]
        if injection.delay and (kind == "start" or (kind == "act" and not self._acts)):
            time.sleep(injection.delay)
        self._acts = 0 if kind == "start" else self._acts + (kind == "act")
        if injection.messages and kind != "hello":
            super().tell(_NEW_MESSAGE)
            time.sleep(_SEPARATION_SECONDS if injection.listens else 0.0)
        return injected(line, injection)

    def _note_unasked(self, seconds: float) -> None:
        if not self._last or self._pipe.is_closed:
            return
        if data := heard(self.process, seconds):
            self.talk.unasked.append(UnaskedOutput(self._last, data))
            now = self.talk.events[-1].at if isinstance(self.talk.events[-1], WireMessage) else 0
            self.talk.events.append(WireMessage(Direction.FROM, data.rstrip(b"\n"), now))

    def exchange(self) -> tuple[bytes, ...]:
        """Return all lines in both directions, as the text of a file for ``arena try --feed``."""
        return tuple(to_line(event) for event in self.talk.events if isinstance(event, WireMessage))

    def unbegun(self) -> tuple[bytes, ...]:
        """Return the exchange with a bot that was never ready, plus the game that was to start.

        Empty if the bot was sent only what every referee sends first.
        """
        if not (self._injection.fields or self._injection.spelling or self._injection.padding):
            return ()
        heard = [event for event in self.talk.events if isinstance(event, WireMessage)]
        last = heard[-1].at if heard else 0
        coming = [injected(line, self._injection).rstrip(b"\n") for line in self._question()]
        return (
            *self.exchange(),
            *(to_line(WireMessage(Direction.TO, line, last)) for line in coming),
        )

    def costs(self) -> list[Cost]:
        """Return the cost of every answer, ``ready`` first."""
        return [event for event in self.talk.events if isinstance(event, Cost)]

    def close(self, grace: float = 0.0) -> None:
        """See Channel."""
        if not self._pipe.is_closed:
            super().close(grace)
            self.end()


class _ChannelWrapper:
    """A channel that wraps another one and changes how lines arrive."""

    def __init__(self, channel: PipeChannel) -> None:
        self._channel = channel

    def __getattr__(self, name: str) -> Any:
        return getattr(self._channel, name)


class _SplittingChannel(_ChannelWrapper):
    """A channel that sends lines in parts."""

    def __init__(self, channel: PipeChannel, pieces: int) -> None:
        super().__init__(channel)
        self._pieces = pieces

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """Ask, see Channel; the time begins with the last part."""
        *first, last = self._parts(bytes(question))
        for part in first:
            self._channel.tell(part)
            time.sleep(_PIECE_PAUSE)
        return self._channel.ask(last, allowance)

    def tell(self, line: bytes) -> None:
        """See Channel."""
        for part in self._parts(line):
            self._channel.tell(part)
            time.sleep(_PIECE_PAUSE)

    def _parts(self, line: bytes) -> list[bytes]:
        size = max(1, len(line) // self._pieces)
        return [line[at : at + size] for at in range(0, len(line), size)]


class _JoiningChannel(_ChannelWrapper):
    """A channel that holds back a line that asks for nothing until the next line."""

    def __init__(self, channel: PipeChannel) -> None:
        super().__init__(channel)
        self._held = b""

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel."""
        held, self._held = self._held, b""
        return self._channel.ask(held + question, allowance)

    def tell(self, line: bytes) -> None:
        """See Channel."""
        self._held += line

    def dismiss(self, farewell: bytes) -> None:
        """See Channel."""
        self._channel.dismiss(self._held + farewell)


def injected(line: bytes, injection: Injection) -> bytes:
    """Return a message with the faults of ``injection``; its meaning is unchanged."""
    if injection.fields or injection.spelling:
        message: dict[str, Any] = json.loads(line)
        if injection.fields:
            message = _with_unknown_fields(message)
        if injection.spelling:
            line = json.dumps(_reversed_keys(message)).encode() + b"\n"
        else:
            line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    head, comma, rest = line.partition(b",")  # after the type, which a bot reads first
    return head + comma + b" " * injection.padding * bool(comma) + rest


def _with_unknown_fields(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with unknown fields."""
    for name in _NEW_OBJECTS:
        if isinstance(message.get(name), dict):
            message[name] = {_NEW_FIELD: _NEW_VALUE} | message[name]
    for name in _NEW_LISTS:
        if name in message:
            message[name] = [each | {_NEW_FIELD: _NEW_VALUE} for each in message[name]]
    return {_NEW_FIELD: _NEW_VALUE} | message


def _reversed_keys(value: Any) -> Any:
    """Return the value with the keys of every object in reverse order."""
    if isinstance(value, dict):
        return {key: _reversed_keys(value[key]) for key in reversed(value)}
    return [_reversed_keys(each) for each in value] if isinstance(value, list) else value
