"""Records that a run keeps no longer: ``thinned.jsonl``, a line for each time some were removed.

    at              UTC, ISO 8601
    before          those of games that were stored before that instant
    lines           of the first so many lines of games.jsonl
    end             of the file of records the bytes before that
    results         SHA-256 of these lines of games.jsonl, in hex: what is known of the games now
    link            SHA-256 of the line before, in hex; in the first line the commitment of the run

Results stay, and no offset moves: the room of the records is given back to the file system, which
reads as zeros there. The line is on disk before the records go, so a record that is gone without
one was lost or taken away.
"""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import errno
import hashlib
import logging
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.runs.disk import (
    STORE_LOG,
    Log,
    StoreError,
    cannot_write,
    check_file,
    complete_lines_end,
    stored_lines,
)

THINNED: Final = "thinned.jsonl"
_KEEP_SIZE: Final = 1
_PUNCH_HOLE: Final = 2
_NOT_HERE: Final = (errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODEV)

log = logging.getLogger(STORE_LOG)


class Thinned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of thinned.jsonl."""

    at: str
    before: str
    lines: int
    end: int
    results: str
    link: str

    @property
    def line(self) -> bytes:
        """As it stands in the file."""
        return msgspec.json.encode(self) + b"\n"


class Stored(NamedTuple):
    """What is asked of a line of games.jsonl."""

    played_at: int
    """Seconds since 1970 UTC; 0: not known."""
    behind: int
    """Where its record ends."""


def read_thinned(folder: Path, commitment: str) -> tuple[Thinned, ...]:
    """All lines, oldest first. Raises StoreError, also where the chain is broken."""
    path, found, link = folder / THINNED, list[Thinned](), commitment
    for number, each in stored_lines(path, Thinned, "removal of records"):
        if each.link != link:
            raise StoreError(f"{path}:{number}: does not follow the line before")
        link = hashlib.sha256(each.line).hexdigest()
        found.append(each)
    return tuple(found)


def thin(
    folder: Path,
    commitment: str,
    games: Iterator[Stored],
    before: datetime.datetime,
    now: datetime.datetime,
    names: tuple[str, str],
) -> int:
    """Remove the records of the first games that were all stored before that instant.

    ``games``: of all lines of games.jsonl, in their order. ``names``: of games.jsonl and of the
    file of records, below the folder, which is locked and not played into. Gives how many records
    went now; what a kill has left half done is done first. Raises StoreError.
    """
    earlier = read_thinned(folder, commitment)
    limit, lines, end = before.timestamp(), 0, 0
    for each in games:
        if not 0 < each.played_at < limit:
            break
        lines, end = lines + 1, max(end, each.behind)
    lines_before, end_before = (earlier[-1].lines, earlier[-1].end) if earlier else (0, 0)
    records = folder / names[1]
    try:
        if not _can_free(records):
            log.warning("%s: its file system cannot give room back: records are kept", records)
            return 0
        if lines <= lines_before:
            _free(records, end_before)
            return 0
        link = hashlib.sha256(earlier[-1].line).hexdigest() if earlier else commitment
        (results,) = results_digests(folder / names[0], [lines])
        own = Thinned(_text(now), _text(before), lines, end, results, link)
        path = folder / THINNED
        with contextlib.closing(Log(path, complete_lines_end(path))) as written:
            written.append(own.line)
        _free(records, end)
    except OSError as error:
        raise cannot_write(records, error, folder) from error
    return lines - lines_before


def results_digests(games: Path, lines: Sequence[int]) -> list[str]:
    """SHA-256 of the first so many lines of games.jsonl, in hex, of rising numbers.

    Raises OSError, StoreError.
    """
    check_file(games)
    total, read, found = hashlib.sha256(), 0, []
    with games.open("rb") as file:
        for wanted in lines:
            for line in islice(file, max(0, wanted - read)):
                total.update(line)
            read = max(read, wanted)
            found.append(total.hexdigest())
    return found


def is_blank(data: bytes) -> bool:
    """Whether bytes of a file of records were given back: no record has one zero after another."""
    return bool(data) and not data.strip(b"\0")


def removed_on(folder: Path, end: int) -> str:
    """The day on which the record that ends there was removed; empty if no line says so."""
    with contextlib.suppress(StoreError):
        for _, each in stored_lines(folder / THINNED, Thinned, "removal of records"):
            if end <= each.end:
                return each.at[:10]
    return ""


def _text(instant: datetime.datetime) -> str:
    return instant.astimezone(datetime.UTC).isoformat(timespec="seconds")


def _can_free(path: Path) -> bool:
    """Whether the file system can give room back. Raises OSError."""
    try:
        _punch(path, path.stat().st_size, 1)  # behind the end: nothing
    except OSError as error:
        if error.errno in _NOT_HERE:
            return False
        raise
    return True


def _free(path: Path, end: int) -> None:
    """The bytes before ``end`` take no room any more. Raises OSError."""
    if end > 0:
        _punch(path, 0, end)


def _punch(path: Path, start: int, length: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        mode, size = _KEEP_SIZE | _PUNCH_HOLE, ctypes.c_int64
        if libc.fallocate(descriptor, mode, size(start), size(length)):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
