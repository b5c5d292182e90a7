"""Read a packed record into a Record; every error is reported with its line."""

from __future__ import annotations

import contextlib
import zlib
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from arena.referee.records.format import (
    GZIP_HEADER,
    End,
    Header,
    Measured,
    Ply,
    Record,
    Seal,
    checksums,
    digest_of,
    digests_of,
    seal_line,
    think_us,
)

T = TypeVar("T")

MAX_BYTES = 64 * 1024 * 1024
"""Largest size of an unpacked record, in bytes."""
_GZIP: Final = 16 + zlib.MAX_WBITS
"""Window size that makes zlib expect a gzip member."""
_HEADER: Final = msgspec.json.Decoder(Header)
_PLY: Final = msgspec.json.Decoder(Ply)
_END: Final = msgspec.json.Decoder(End)
_MEASURED: Final = msgspec.json.Decoder(Measured)
_ENCODER: Final = msgspec.json.Encoder()
_SEAL: Final = msgspec.json.Decoder(Seal)


class RecordError(ValueError):
    """The bytes are no intact record. ``line`` is 1-based; 0 where no line is known."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line


NO_INFO: Final = msgspec.Raw()
"""Placeholder of a remark, compared by identity."""


class SealedPly(Ply, frozen=True, gc=False):
    """A ply whose action and remark are still JSON, as in the record."""

    action: msgspec.Raw
    info: msgspec.Raw = NO_INFO
    """Remark of the bot; NO_INFO without one."""


_SEALED_PLY: Final = msgspec.json.Decoder(SealedPly)


class SealedRecord(NamedTuple):
    """A record whose seal fits, read for its contents alone."""

    header: Header
    plies: list[SealedPly]
    end: End
    measured: Measured
    digest: str
    """Digest as ``parse`` returns it."""

    def think_us(self) -> tuple[int, ...]:
        """Return the total think time of each seat, in microseconds."""
        return think_us(self.header, self.plies, self.measured)


def parse_sealed(text: bytes) -> SealedRecord:
    """Return a record at a third of the cost of ``parse``, which also checks how it is written.

    Raises RecordError if the text differs from what was sealed.
    """
    with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        first = text.index(b"\n") + 1
        last = text.rindex(b"\n", 0, -1) + 1
        measured = text.rindex(b"\n", 0, last - 1) + 1
        end = text.rindex(b"\n", 0, measured - 1) + 1
        seal = _SEAL.decode(text[last:])
        if (seal.digest, seal.seal) == digests_of(text[:last], measured):
            plies = _SEALED_PLY.decode_lines(text[first:end])
            found = SealedRecord(
                _HEADER.decode(text[:first]),
                plies,
                _END.decode(text[end:measured]),
                _MEASURED.decode(text[measured:last]),
                seal.digest,
            )
            is_whole = found.end.plies == len(plies) == len(found.measured.think_us)
            if is_whole and [ply.ply for ply in plies] == [*range(len(plies))]:
                return found
    parse(text)
    raise RecordError(0, "cannot be read")


def unpack(data: bytes) -> bytes:
    """Return the text of a packed record, at most MAX_BYTES. Raises RecordError."""
    if not data.startswith(GZIP_HEADER):
        raise RecordError(0, f"starts with {data[: len(GZIP_HEADER)].hex()}, not as a record does")
    inflater = zlib.decompressobj(wbits=_GZIP)
    try:
        text = inflater.decompress(data, MAX_BYTES)
    except zlib.error as error:
        raise RecordError(_damaged_line(data), f"the gzip member is damaged ({error})") from None
    if inflater.unconsumed_tail:
        raise RecordError(0, f"more than {MAX_BYTES} bytes unpacked")
    if not inflater.eof or inflater.unused_data:
        found = f"{len(data)} bytes are not one whole gzip member"
        raise RecordError(_damaged_line(data), found)
    return text


def parse(text: bytes) -> tuple[Record, str]:
    """Return the record and its digest. Raises RecordError if it differs from what was sealed."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 4:
        raise RecordError(0, f"{len(lines)} lines, expected at least 4")
    body, last = lines[:-1], len(lines)
    seal = _decode(lines[-1], last, Seal)
    above = text[: -len(lines[-1])]
    digest, whole = digests_of(above, len(above) - len(body[-1]))
    if lines[-1] != seal_line(Seal(digest, checksums(body), whole)):
        raise RecordError(_changed_line(body, seal), "was changed after it was written")
    header, *plies, end, measured = _decoded(body, above)
    for number, ply in enumerate(plies):
        if ply.ply != number:
            raise RecordError(number + 2, f"ply is {ply.ply}, expected {number}")
    if end.plies != len(plies) or len(measured.think_us) != len(plies):
        raise RecordError(last - 2, f"{end.plies} plies announced, {len(plies)} found")
    return Record(header, tuple(plies), end, measured), seal.digest


def _decoded(body: list[bytes], above: bytes) -> list[Any]:
    """Return header, plies, end and measured values; ``above``: their lines in one."""
    with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        values: list[Any] = [_HEADER.decode(body[0]), *map(_PLY.decode, body[1:-2])]
        values += _END.decode(body[-2]), _MEASURED.decode(body[-1])
        if _ENCODER.encode_lines(values) == above:
            return values
    kinds: list[type[Any]] = [Header, *[Ply] * (len(body) - 3), End, Measured]
    lines = enumerate(zip(body, kinds, strict=True), 1)
    return [_decode(line, number, kind) for number, (line, kind) in lines]


def _changed_line(body: list[bytes], seal: Seal) -> int:
    """Return the first line that was changed; the seal if all lines above it are intact."""
    if digest_of(b"".join(body)) == seal.seal:
        return len(body) + 1
    for number, line in enumerate(body, 1):
        if checksums([line]) != seal.sums[4 * number - 4 : 4 * number]:
            return number
    return len(body) + 1


def _decode(line: bytes, number: int, kind: type[T]) -> T:
    try:
        value = msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(number, f"expected the {kind.__name__.lower()} line: {error}") from None
    if msgspec.json.encode(value) + b"\n" != line:  # a repeated or unknown key
        raise RecordError(number, f"is no {kind.__name__.lower()} line as arena writes it")
    return value


def _damaged_line(data: bytes) -> int:
    """Return the first line of a damaged member that is visibly wrong.

    Without an intact seal, that is the first line that is not JSON: at the place where the inflater
    noticed the damage, or before it.
    """
    lines = _inflated(data).splitlines(keepends=True)
    for number, line in enumerate(lines[:-1], 1):
        if not _is_json(line):
            return number
    try:
        return _changed_line(lines[:-1], _decode(b"".join(lines[-1:]), len(lines), Seal))
    except RecordError:
        return max(1, len(lines))


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _inflated(data: bytes) -> bytes:
    """Return all bytes that inflate before the damage; feed single bytes to lose none."""
    text, inflater = bytearray(), zlib.decompressobj(wbits=_GZIP)
    with contextlib.suppress(zlib.error):
        for byte in data:
            text += inflater.decompress(bytes((byte,)))
    return bytes(text)
