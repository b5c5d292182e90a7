"""The messages of protocol 1, one struct each, their framing, and the only code that decodes them.

Messages of a bot are checked completely here. Every error in them is a ``BadMessage``, never
another exception. ``protocol.md`` is the contract in words, ``arena schema protocol`` the same for
programs. Nothing here knows rules of games, pipes or clocks.

Public names, which other rooms may import:

    Act, ALL_PARTS, BadMessage, Bye, Choice, decode, encode, encode_into, Hello, LineBuffer,
    LineTooLong, MESSAGES, Over, pack_info, Part, PROTOCOL, Ready, SeatFault, Start, USUAL_PARTS
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, Literal, TypeAlias

import msgspec

from arena.values.results import FaultKind, Limits, Seat, Termination, TimeControl


class LineTooLong(ValueError):
    """More bytes without a newline than a line may have."""


class LineBuffer:
    """A buffer that takes bytes and returns lines; holds at most one read beyond the limit."""

    __slots__ = ("_limit", "has_blank", "held")

    def __init__(self, limit: int) -> None:
        """``limit``: longest line in bytes, its newline included."""
        self._limit = limit
        self.held = b""
        """Bytes that are not returned yet; only ``feed``, ``take`` and ``put_back`` change them."""
        self.has_blank = False
        """True if blank lines were left out since the last line that was returned."""

    def __len__(self) -> int:
        """Return the number of bytes held."""
        return len(self.held)

    def rest(self) -> bytes:
        """Return the bytes that are not returned yet, from the first that is no blank.

        Returns a line end if only blank lines came.
        """
        return self.held.lstrip() or b"\n" * self.has_blank

    def beginning(self, size: int) -> LineBuffer:
        """Return a buffer with the first ``size`` bytes of this one."""
        part = LineBuffer(self._limit)
        part.held = self.held[:size]
        return part

    def feed(self, data: bytes) -> None:
        """Add bytes that were read."""
        self.held = self.held + data if self.held else data

    def put_back(self, line: bytes) -> None:
        """Hold a line again that ``take`` has returned."""
        self.held = line + b"\n" + self.held

    def take(self) -> bytes | None:
        """Return the next non-blank line without its line end; None if no line is complete.

        A line ends at ``\\n``; one ``\\r`` before it belongs to the line end. Raises LineTooLong.
        """
        data, start = self.held, 0
        while (end := data.find(b"\n", start, start + self._limit)) >= 0:
            line = data[start:end]
            start = end + 1
            if line.endswith(b"\r"):
                line = line[:-1]
            if line.strip():
                self.held, self.has_blank = data[start:], False
                return line
            self.has_blank = True
        self.held = data[start:]
        if len(self.held) >= self._limit:
            raise LineTooLong(f"a line of more than {self._limit} bytes")
        return None


PROTOCOL: Final = 1
INFO_LIMIT: Final = 4096
"""Longest ``info`` of an action that is kept, in bytes of JSON."""
DEPTH_LIMIT: Final = 64
"""Deepest nesting of arrays and objects in a bot's message, the message itself included."""

Part: TypeAlias = Literal["observation", "events", "legal", "texts"]
"""Parts that an ``act`` may carry besides its id and clock."""
USUAL_PARTS: Final[tuple[Part, ...]] = ("observation", "events", "legal")
ALL_PARTS: Final[tuple[Part, ...]] = (*USUAL_PARTS, "texts")


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """Referee to bot, once, first: which protocols it speaks and what it allows."""

    protocol: tuple[int, ...]
    referee: str
    limits: Limits
    startup: float
    """Time from the start of the process to ``ready``, in seconds."""


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Bot to referee, the answer to ``hello``, and to ``start`` if the bot prepares for games."""

    protocol: int
    name: str = ""
    version: str = ""
    wants: tuple[Part, ...] = USUAL_PARTS
    """Parts that every ``act`` shall carry."""
    prepares: bool = False
    """True if the bot answers every ``start``, and has the start-up time to do so."""


class Start(msgspec.Struct, frozen=True, tag="start", omit_defaults=True):
    """Referee to bot: a game begins. The answer is ``ready`` if the bot prepares, else none."""

    game: str
    """Opaque name of this game."""
    rules: str
    options: dict[str, Any]
    data: dict[str, Any]
    """Public card data, such as the deck list."""
    seat: Seat
    seats: int
    clock: TimeControl
    seed: int
    """Seed for the bot's own random choices, 0 … 2**53-1; reveals nothing about the cards."""
    bot_options: dict[str, Any] = {}
    """Options set for this entrant in the tournament file."""
    names: tuple[str, ...] | None = None
    """Entrant by seat, if the tournament shows names."""


class Act(msgspec.Struct, frozen=True, tag="act"):
    """Referee to bot: decide. Parts that the bot does not want are absent."""

    id: str
    """Fresh and unpredictable id; the answer must carry it."""
    time_left: float | None
    """Time for this answer, in seconds; None without a limit."""
    observation: Any = msgspec.UNSET
    events: Any = msgspec.UNSET
    """Events that the seat saw since it was last asked, oldest first."""
    legal: Any = msgspec.UNSET
    """All legal actions."""
    texts: Any = msgspec.UNSET
    """Texts of the legal actions for people; absent too if the game has none."""
    banks: Any = msgspec.UNSET
    """Time left in the bank of each seat, in seconds by seat; absent without banks."""


class Choice(msgspec.Struct, frozen=True, tag="action"):
    """Bot to referee: the decision."""

    id: str
    action: int | dict[str, Any]
    """Index into ``legal``, or the action itself."""
    info: Any = None
    """Remark to keep with the move: recorded, never shown to another bot."""
    said: str = ""
    """Text of the program that the bot speaks for: evidence of a fault in place of the line."""


class SeatFault(msgspec.Struct, frozen=True):
    """A fault as other bots learn of it."""

    seat: Seat
    kind: FaultKind


class Over(msgspec.Struct, frozen=True, tag="over"):
    """Referee to bot: the game ended, also after another bot's fault. No answer."""

    places: tuple[int, ...]
    scores: tuple[int, ...] | None
    reason: Termination
    faults: tuple[SeatFault, ...]


class Bye(msgspec.Struct, frozen=True, tag="bye"):
    """Referee to bot: no more games; standard input closes next."""


ToBot: TypeAlias = Hello | Start | Act | Over | Bye
FromBot: TypeAlias = Ready | Choice


class BadMessage(ValueError):
    """The line is no message of this protocol; the text has what was found and expected."""


MESSAGES: Final = (Hello, Ready, Start, Act, Choice, Over, Bye)
"""Types of all messages, in both directions."""
_decoder: msgspec.json.Decoder[FromBot] = msgspec.json.Decoder(FromBot)
_encoder = msgspec.json.Encoder()
_QUOTES_OF_PLAIN_CHOICE: Final = 10  # three keys and two texts: no room for a repeated key
_TOO_DEEP: Final = f"nested deeper than {DEPTH_LIMIT} levels"


def encode(message: ToBot) -> bytes:
    """Return the message as one line, its newline included."""
    return _encoder.encode(message) + b"\n"


def encode_into(message: ToBot, line: bytearray) -> None:
    """Write the message to a buffer as ``encode`` does, replacing its content without a copy."""
    _encoder.encode_into(message, line)
    line += b"\n"


def decode(line: bytes) -> FromBot:
    """Return the message in a line (without its newline).

    Raises BadMessage for anything but exactly one message: not UTF-8, not JSON, a repeated key, NaN
    or an infinity, a wrong or missing type, nesting too deep. Unknown fields are accepted.
    """
    try:
        message = _decoder.decode(line)
        if type(message) is not Choice or line.count(b'"') != _QUOTES_OF_PLAIN_CHOICE:
            _check_closely(line)
    except RecursionError:
        raise BadMessage(_TOO_DEEP) from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadMessage(_reason(line, error)) from None
    return message


def _reason(line: bytes, error: Exception) -> str:
    """Return why a line is no message. The decoder calls half of a surrogate pair truncated."""
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    except UnicodeEncodeError as half:
        return f"half of a surrogate pair, \\u{ord(half.object[half.start]):x}, is no character"
    except (ValueError, RecursionError):
        pass
    return str(error) or type(error).__name__


def pack_info(info: Any) -> msgspec.Raw | None:
    """Return ``info`` as JSON; None if absent or longer than INFO_LIMIT. Raises BadMessage."""
    if info is None:
        return None
    try:
        data = _encoder.encode(info)
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadMessage(f"info: {error}") from None
    return msgspec.Raw(data) if len(data) <= INFO_LIMIT else None


def _check_closely(line: bytes) -> None:
    """Check what the decoder ignores: repeated keys, deep nesting, values in unknown fields."""
    value = json.loads(
        line.decode(), object_pairs_hook=_refuse_repeated_keys, parse_float=_finite_number
    )
    level, depth = [value], 1
    while level := [child for parent in level for child in _children(parent)]:
        depth += 1
        if depth > DEPTH_LIMIT:
            raise ValueError(_TOO_DEEP)


def _children(value: Any) -> list[Any]:
    """Return the arrays and objects directly in an array or object."""
    values = value.values() if isinstance(value, dict) else value
    return [child for child in values if isinstance(child, dict | list)]


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number out of range")
    return number


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"repeated key {repeated!r}")
    return found
