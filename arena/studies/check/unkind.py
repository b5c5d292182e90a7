"""What a referee may do to a bot and hardly ever does: a channel that is legal but unkind."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from arena.hosting.process import BotProcess
from arena.referee.channel import PipeChannel, Reply, Silence
from arena.referee.wire import Heard, Way, written
from arena.studies.check.silence import Why, heard, why_silent
from arena.studies.trial.listening import Cost, Costed, Event, Stopwatch

_SET_PIPE_SIZE: Final = 1031
"""``F_SETPIPE_SZ``, which Python's ``fcntl`` names from 3.10 on, on Linux."""
_NEW_FIELD: Final = "x_of_a_later_version"
_NEW_VALUE: Final[Any] = {"text": 'a "quoted" \\ text', "more": [1.5, None, {}]}
_NEW_LISTS: Final = ("events", "legal", "faults")
_NEW_OBJECTS: Final = ("limits", "clock", "observation")
_NEW_MESSAGE: Final = b'{"type":"x_of_a_later_version"}\n'
_LOOK: Final = 0.15
"""Seconds in which what a bot writes unasked is there."""
_APART: Final = 0.15
"""Seconds after which a bot has read a line before the next one comes."""
_FOLLOWING: Final = 0.2
_PIECE_PAUSE: Final = 0.002
_LATE_TIMES: Final = 3.0
"""Of the time for an answer: as long a late one is waited for."""
_LATE_AT_MOST: Final = 6.0


class Twist(NamedTuple):
    """How a referee is unkind to a process; each is allowed by protocol.md."""

    fields: bool = False
    """Fields that nobody knows, in messages, observations, events and actions."""
    messages: bool = False
    """Messages of a type that nobody knows."""
    spelling: bool = False
    """Spaces, escapes and keys the other way round, which mean nothing."""
    padding: int = 0
    """Spaces by which each line is longer."""
    together: bool = False
    """A line that asks for nothing arrives with the next, in one piece."""
    pieces: int = 0
    """In how many parts a line arrives; 0: in one."""
    pipe: int = 0
    """Bytes that its pipes hold; 0: as the system has it."""
    delay: float = 0.0
    """Seconds before a game and before its first question."""
    listens: bool = False
    """Whether it is waited for what is written unasked; so no two lines arrive together."""


PLAIN: Final = Twist()
"""Not unkind at all."""


class Unasked(NamedTuple):
    """Something that a bot wrote when nobody had asked it."""

    after: str
    """Type of the message before."""
    data: bytes


class Talk(NamedTuple):
    """What was noted while a process was asked."""

    events: list[Event]
    unasked: list[Unasked]
    tokens: list[str]
    """Of the questions, in order."""


class Unkind(Costed):
    """A channel to a process, which notes what helps to tell what is wrong."""

    def __init__(
        self,
        process: BotProcess,
        channel: PipeChannel,
        kept: int,
        twist: Twist,
        question: Callable[[], tuple[bytes, bytes]],
    ) -> None:
        """``kept``: bytes of standard error. ``question``: gives lines with a start and an act, for
        a bot that is silent before there was any."""
        self.process = process
        self.talk = Talk([], [], [])
        self.why: Why | None = None
        """Why it said nothing in time."""
        self.reply: Reply = b""
        """The last one."""
        self.following = b""
        """What came right after a line that is no answer."""
        self.waited = 0.0
        """Seconds for which an answer that did not come in time was waited for."""
        self.games_over = 0
        self._pipe = channel
        self._twist = twist
        self._question = question
        self._last = ""
        self._acts = 0
        if twist.pipe:
            for descriptor in (process.stdin, process.stdout):
                fcntl.fcntl(descriptor, _SET_PIPE_SIZE, twist.pipe)
        inner: Any = channel
        if twist.pieces:
            inner = _Pieces(channel, twist.pieces)
        if twist.together:
            inner = _Together(channel)
        super().__init__(inner, process, kept, self.talk.events.append, Stopwatch())

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel."""
        line = self._sent(bytes(question))
        kind = self._note(line)
        self.reply = reply = super().ask(line, allowance)
        self._last = kind
        if isinstance(reply, bytes):
            if not _is_message(reply):
                self.following = self._pipe.rest() or heard(self.process, _FOLLOWING)
        elif reply is Silence.TIMED_OUT and allowance is not None and not self._pipe.rest():
            late = min(_LATE_TIMES * allowance / 1e9, _LATE_AT_MOST)
            start, act = (None, line) if kind == "act" else self._question()
            self.waited = allowance / 1e9 + late
            self.why = why_silent(self.process, act, start, late)
            self._peak = max(self._peak, self.process.peak())
        return reply

    def tell(self, line: bytes) -> None:
        """See Channel."""
        line = self._sent(line)
        self._last = self._note(line)
        super().tell(line)

    def look(self) -> None:
        """Note what it writes although nothing is asked any more."""
        self._note_unasked(_LOOK)

    def _sent(self, line: bytes) -> bytes:
        """The line as it is sent, after what is sent, and listened to, before it."""
        twist = self._twist
        self._note_unasked(_LOOK if twist.listens and self._last != "act" else 0.0)
        kind = json.loads(line)["type"]
        if twist.delay and (kind == "start" or (kind == "act" and not self._acts)):
            time.sleep(twist.delay)
        self._acts = 0 if kind == "start" else self._acts + (kind == "act")
        if twist.messages and kind != "hello":
            super().tell(_NEW_MESSAGE)
            time.sleep(_APART if twist.listens else 0.0)
        return twisted(line, twist)

    def _note(self, line: bytes) -> str:
        """The type of a message; of a question its token is kept."""
        message = json.loads(line)
        if message["type"] == "act":
            self.talk.tokens.append(message["id"])
        self.games_over += message["type"] == "over"
        return str(message["type"])

    def _note_unasked(self, seconds: float) -> None:
        if not self._last or self._pipe.is_closed:
            return
        if data := heard(self.process, seconds):
            self.talk.unasked.append(Unasked(self._last, data))
            now = self.talk.events[-1].at if isinstance(self.talk.events[-1], Heard) else 0
            self.talk.events.append(Heard(Way.FROM, data.rstrip(b"\n"), now))

    def exchange(self) -> tuple[bytes, ...]:
        """All that went either way, as the lines of a file."""
        return tuple(written(event) for event in self.talk.events if isinstance(event, Heard))

    def unbegun(self) -> tuple[bytes, ...]:
        """The same of a bot that was never ready, with the game that was to come.

        Empty where it was told nothing but what every referee tells first.
        """
        if not (self._twist.fields or self._twist.spelling or self._twist.padding):
            return ()
        heard = [event for event in self.talk.events if isinstance(event, Heard)]
        last = heard[-1].at if heard else 0
        coming = [twisted(line, self._twist).rstrip(b"\n") for line in self._question()]
        return (*self.exchange(), *(written(Heard(Way.TO, line, last)) for line in coming))

    def costs(self) -> list[Cost]:
        """Of all answers, that of ``ready`` first."""
        return [event for event in self.talk.events if isinstance(event, Cost)]

    def peak(self) -> int:
        """Bytes: the most memory it was seen to hold."""
        return self._peak

    def said(self) -> str:
        """All its standard error, as far as it was kept."""
        parts = [
            event.data
            for event in self.talk.events
            if isinstance(event, Heard) and event.way is Way.ERROR
        ]
        return b"".join(parts).decode("utf-8", "replace")

    def rest(self) -> bytes:
        """See Channel."""
        rest = super().rest()
        self.following = self.following or rest
        return rest

    def close(self, grace: float = 0.0) -> None:
        """See Channel."""
        if not self._pipe.is_closed:
            super().close(grace)
            self.end()


class _Through:
    """A channel to another one, which changes how lines arrive."""

    def __init__(self, channel: PipeChannel) -> None:
        self._channel = channel

    def __getattr__(self, name: str) -> Any:
        return getattr(self._channel, name)


class _Pieces(_Through):
    """Lines arrive in parts."""

    def __init__(self, channel: PipeChannel, pieces: int) -> None:
        super().__init__(channel)
        self._pieces = pieces

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel; the time begins with the last part."""
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


class _Together(_Through):
    """A line that asks for nothing waits for the next."""

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


def twisted(line: bytes, twist: Twist) -> bytes:
    """A message to a bot as an unkind referee writes it; it means the same."""
    if twist.fields or twist.spelling:
        message: dict[str, Any] = json.loads(line)
        if twist.fields:
            message = _with_more(message)
        if twist.spelling:
            line = json.dumps(_turned_round(message)).encode() + b"\n"
        else:
            line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    head, comma, rest = line.partition(b",")  # of the type, which a bot reads first
    return head + comma + b" " * twist.padding * bool(comma) + rest


def _with_more(message: dict[str, Any]) -> dict[str, Any]:
    """A message with fields that nobody knows."""
    for name in _NEW_OBJECTS:
        if isinstance(message.get(name), dict):
            message[name] = {_NEW_FIELD: _NEW_VALUE} | message[name]
    for name in _NEW_LISTS:
        if name in message:
            message[name] = [each | {_NEW_FIELD: _NEW_VALUE} for each in message[name]]
    return {_NEW_FIELD: _NEW_VALUE} | message


def _turned_round(value: Any) -> Any:
    """The same with the keys of every object the other way round."""
    if isinstance(value, dict):
        return {key: _turned_round(value[key]) for key in reversed(value)}
    return [_turned_round(each) for each in value] if isinstance(value, list) else value


def _is_message(line: bytes) -> bool:
    """Return whether the line may be an answer: a JSON object of such a type."""
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("type") in ("ready", "action")
