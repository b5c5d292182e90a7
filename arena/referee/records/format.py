"""The record of one game, format 1: JSON lines.

    header      what was played: ids, rules, entrants by seat
    ply …       one line per applied action; chance has no seat, the autopilot's are marked
    end         how it ended: termination, places, scores, faults, a ruling
    measured    what differs from run to run: times, evidence of faults
    seal        digest of all but the measured line; checksums of each line; digest of all

A file in the run folder's ``records`` has one gzip member per game. So ``zcat`` shows all of them,
and the member of any game can be read alone.

Where the tournament has games end by agreement, the evaluations of both bots are followed. Both
must say the same. So a bot cannot give itself a win or a draw that the other does not see.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol

import msgspec

from arena.games.positions import is_start_position
from arena.values.results import (
    Adjudicate,
    Agreed,
    Evidence,
    Fault,
    GameSpec,
    OnFault,
    RulesSpec,
    Seat,
    Termination,
)
from arena.values.schema import of_lines

FORMAT: Final = 1
GZIP_HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"
"""Header of every gzip member: deflate, no name, no time, fast, unknown system.

So members are the same on every machine.
"""
_GZIP_LEVEL: Final = 1
_WINDOW: Final = -13
"""Binary logarithm of the window, negative for deflate without a header: most records are shorter,
and the setup of a larger window costs more than it saves."""
_MEMORY: Final = 7
_DIGEST_BYTES: Final = 16


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="line"):
    """First line of a record: what was played."""

    format: Literal[1]
    spec: GameSpec
    rules: str
    options: dict[str, Any]
    data_digest: str
    """Digest of the card data, which the run's ``run.json`` holds."""
    bot_seeds: tuple[int, ...]
    """Seeds by seat, as sent in ``start``."""
    on_fault: OnFault
    """Fault policy of the tournament; without effect at one and two seats."""
    adjudicate: Adjudicate | msgspec.UnsetType = msgspec.UNSET
    """When the game ends by agreement of the bots' ``info.eval``; absent without."""


class Ply(msgspec.Struct, frozen=True, tag="ply", tag_field="line", omit_defaults=True):
    """One applied action."""

    ply: int
    action: Any
    seat: Seat | None = None
    """Seat that acted; None for chance."""
    info: Any = None
    """Remark of the bot, kept with the move."""
    autopilot: bool = False
    """True if the action was played for a seat at fault; it is then the first legal one."""


class End(msgspec.Struct, frozen=True, tag="end", tag_field="line", omit_defaults=True):
    """How the game ended."""

    plies: int
    termination: Termination
    places: tuple[int, ...]
    scores: tuple[int, ...] | None
    faults: tuple[Fault, ...]
    ruling: str = ""
    """Id of the ruling that ended the game; absent if the rulebook or a fault did."""


class Measured(msgspec.Struct, frozen=True, tag="measured", tag_field="line", omit_defaults=True):
    """Everything that is not a function of config, seed and bots. Microseconds."""

    think_us: tuple[int, ...]
    """Think time by ply; 0 for chance and the autopilot."""
    wall_us: int
    evidence: tuple[Evidence, ...] = ()


class Seal(msgspec.Struct, frozen=True, tag="seal", tag_field="line"):
    """The last line of a record, with the digests that protect it."""

    digest: str
    """BLAKE2b-128 of header, plies and end with their newlines."""
    sums: str
    """Four hex digits for each line above: the low half of its CRC-32."""
    seal: str
    """BLAKE2b-128 of all lines above."""


class Record(NamedTuple):
    """A record in memory."""

    header: Header
    plies: tuple[Ply, ...]
    end: End
    measured: Measured

    def think_us(self) -> tuple[int, ...]:
        """Return the total think time of each seat, in microseconds."""
        return think_us(self.header, self.plies, self.measured)


class AnyPly(Protocol):
    """A ply whose action may still be JSON."""

    @property
    def seat(self) -> Seat | None:
        """Seat that acted; None for chance."""

    @property
    def action(self) -> Any:
        """Action, perhaps as ``msgspec.Raw``."""

    @property
    def autopilot(self) -> bool:
        """True if the action was played for a seat at fault."""


def think_us(header: Header, plies: Iterable[AnyPly], measured: Measured) -> tuple[int, ...]:
    """Return the total think time of each seat, in microseconds."""
    think = [0] * len(header.spec.entrants)
    for ply, used in zip(plies, measured.think_us, strict=True):
        if ply.seat is not None:
            think[ply.seat] += used
    return tuple(think)


_encoder = msgspec.json.Encoder()


def digest_of(data: bytes) -> str:
    """Return the BLAKE2b-128 digest in hex."""
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def digests_of(data: bytes, first: int) -> tuple[str, str]:
    """Return the digests of the first ``first`` bytes and of all bytes."""
    hasher = hashlib.blake2b(memoryview(data)[:first], digest_size=_DIGEST_BYTES)
    digest = hasher.hexdigest()
    hasher.update(memoryview(data)[first:])
    return digest, hasher.hexdigest()


def data_digest(rules: RulesSpec) -> str:
    """Return the digest of the card data, independent of the order of keys."""
    known = _last_digest[0]
    if known[0] is not rules:
        data = msgspec.json.encode(rules.data, order="deterministic")
        _last_digest[0] = known = rules, digest_of(data)
    return known[1]


_last_digest: Final[list[tuple[RulesSpec | None, str]]] = [(None, "")]
"""The last rules, with the digest of their data: games are played by the same."""


def moves_digest(plies: Sequence[AnyPly], end: End) -> str:
    """Return the digest of what was played, or "" if chance acted or no seat did.

    It covers the actions with their seats and the ending; remarks of bots (``info``) are left out.
    All chance of a deal comes by chance plies, so without any the deal made no difference. Two
    games of the same seats with the same digest are then the same game. A start position of a book
    is no chance in this sense: it comes again when the book is played again.
    """
    if not plies or any(ply.seat is None and _is_chance(ply.action) for ply in plies):
        return ""
    actions = [(ply.seat, ply.action, ply.autopilot) for ply in plies]
    return digest_of(_encoder.encode_lines([*actions, end]))


def _is_chance(action: Any) -> bool:
    """Return whether an action of no seat is more than the start from a book."""
    return not is_start_position(
        msgspec.json.decode(action) if isinstance(action, msgspec.Raw) else action
    )


def pack(record: Record) -> tuple[bytes, str]:
    """Return the record as a gzip member, and its digest."""
    game = _encoder.encode_lines([record.header, *record.plies, record.end])
    measured = _encoder.encode(record.measured) + b"\n"
    text = game + measured
    digest, whole = digests_of(text, len(game))
    seal = Seal(digest, checksums(text.splitlines(keepends=True)), whole)
    return _compressed(text + seal_line(seal)), digest


def seal_line(seal: Seal) -> bytes:
    """Return the seal as the last line."""
    return _encoder.encode(seal) + b"\n"


def _compressed(text: bytes) -> bytes:
    """Return the text as a gzip member."""
    packer = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY)
    body = packer.compress(text) + packer.flush()
    return GZIP_HEADER + body + struct.pack("<LL", zlib.crc32(text), len(text) & 0xFFFFFFFF)


def checksums(lines: Iterable[bytes]) -> str:
    """Return four hex digits for each line, which identify a changed line."""
    checks = [check & 0xFFFF for check in map(zlib.crc32, lines)]
    return struct.pack(f">{len(checks)}H", *checks).hex()


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the lines of a record."""
    types = (Header, Ply, End, Measured, Seal)
    lines = "One of these per line: header, plies, end, measured, seal."
    return of_lines(types, f"arena record {FORMAT}", lines)


_LARGEST_EVAL: Final = 1e9
"""Largest absolute evaluation; larger numbers are ignored as nonsense."""
_WIN: Final = "agreed-win"
_DRAW: Final = "agreed-draw"
AGREED: Final = {
    _WIN: "both bots' evaluations agreed on the winner",
    _DRAW: "both bots' evaluations agreed on a draw",
}
"""Rulings by which such a game ends, in words."""


def evaluation(info: Any) -> float | None:
    """Return the number in ``info.eval``; None for anything else that a bot may have sent."""
    value: Any = info.get("eval") if isinstance(info, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= _LARGEST_EVAL else None  # NaN compares false


class AgreementSoFar:
    """The evaluations of a game of two seats so far, and what they agree on."""

    def __init__(self, adjudicate: Adjudicate) -> None:
        """Begin a game."""
        self.found: Agreed | None = None
        """Result on which both bots agree; it stays once it was found."""
        self._resign = adjudicate.resign
        self._draw = adjudicate.draw
        self._made = [0, 0]
        self._ahead = [0, 0]
        self._behind = [0, 0]
        self._even = [0, 0]

    def add(self, seat: Seat, info: Any) -> None:
        """Add a decision of ``seat`` with its remark, as a value or as JSON."""
        value = evaluation(msgspec.json.decode(info) if isinstance(info, msgspec.Raw) else info)
        self._made[seat] += 1
        if (resign := self._resign) is not None:
            _count(self._ahead, seat, more=value is not None and value >= resign.eval)
            _count(self._behind, seat, more=value is not None and value <= -resign.eval)
            for loser in (0, 1):
                if min(self._behind[loser], self._ahead[1 - loser]) >= resign.moves:
                    places = (2, 1) if loser == 0 else (1, 2)
                    self.found = self.found or Agreed(places, _WIN)
        if (draw := self._draw) is not None:
            _count(self._even, seat, more=value is not None and abs(value) <= draw.eval)
            if min(self._even) >= draw.moves and min(self._made) >= draw.after:
                self.found = self.found or Agreed((1, 1), _DRAW)


def _count(row: list[int], seat: Seat, *, more: bool) -> None:
    """Count one more decision of ``seat`` in a row, or begin again."""
    row[seat] = row[seat] + 1 if more else 0
