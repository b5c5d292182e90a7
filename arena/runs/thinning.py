"""Remove old records of a run; ``thinned.jsonl`` has a line for each removal.

    at              UTC, ISO 8601
    before          records of games stored before this instant were removed
    lines           number of lines, from the top of games.jsonl, whose records were removed
    end             number of bytes, from the start of the file of records, that were removed
    results         SHA-256 of these lines of games.jsonl, in hex: it binds the remaining results
    link            SHA-256 of the previous line, in hex; in line 1, the commitment of the run

Results stay, and offsets do not move: the space of the records is returned to the file system (hole
punching), which reads as zeros there. The line is on disk before the records are removed. So a
record that is gone without such a line was lost or taken away.
"""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import errno
import hashlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.runs.disk import (
    STORE_LOG,
    StoreError,
    append_line,
    check_file,
    stored_lines,
    writing,
)

THINNED: Final = "thinned.jsonl"
CLOCKS: Final = datetime.timedelta(days=7)
"""Greatest difference between the clocks of machines that is no finding."""
_KEEP_SIZE: Final = 1
_PUNCH_HOLE: Final = 2
_NOT_HERE: Final = (errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODEV)

log = logging.getLogger(STORE_LOG)


class Thinned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of thinned.jsonl: one removal of records."""

    at: str
    before: str
    lines: int
    end: int
    results: str
    link: str

    @property
    def line(self) -> bytes:
        """Line as in the file."""
        return msgspec.json.encode(self) + b"\n"


class GameAge(NamedTuple):
    """Facts about a line of games.jsonl that decide the removal; ``runs.store`` reads them."""

    played_at: int
    """Seconds since 1970 UTC."""
    behind: int
    """Offset of the end of the game's record, in bytes."""


def read_thinned(folder: Path, commitment: str) -> tuple[Thinned, ...]:
    """Return the lines of ``thinned.jsonl``, oldest first.

    ``commitment``: the run's, from which the hash chain of the lines begins. Raises StoreError if
    the file cannot be read or its chain is broken.
    """
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
    games: Iterator[GameAge],
    before: datetime.datetime,
    now: datetime.datetime,
    names: tuple[str, str],
) -> int:
    """Remove the records of the first games, as far as all were stored before ``before``.

    ``games``: facts on all lines of games.jsonl, in their order. ``names``: paths of games.jsonl
    and of the file of records, relative to the folder, which is locked and not played into. A
    removal that a kill interrupted is completed first. Returns how many records this call removed.
    Raises StoreError.
    """
    earlier = read_thinned(folder, commitment)
    limit, lines, end = before.timestamp(), 0, 0
    for each in games:
        if each.played_at >= limit:
            break
        lines, end = lines + 1, max(end, each.behind)
    lines_before, end_before = (earlier[-1].lines, earlier[-1].end) if earlier else (0, 0)
    records = folder / names[1]
    with writing(records, folder):
        if not _can_free(records):
            log.warning("%s: its file system cannot give room back: records are kept", records)
            return 0
        if lines <= lines_before:
            _free(records, end_before)
            return 0
        link = hashlib.sha256(earlier[-1].line).hexdigest() if earlier else commitment
        (results,) = results_digests(folder / names[0], [lines])
        own = Thinned(_text(now), _text(before), lines, end, results, link)
        append_line(folder / THINNED, own.line)
        _free(records, end)
    return lines - lines_before


def unfounded(
    removals: Sequence[Thinned],
    games: Iterator[GameAge],
    keep: float,
    began: datetime.datetime,
    now: datetime.datetime,
) -> Iterator[tuple[int, str]]:
    """Yield each removal that the rule of the run does not grant: its line, and why.

    ``games``: as in ``thin``. ``keep``: seconds for which the run keeps records. ``began``: when
    the run began. ``now``: the present; clocks may differ by CLOCKS.
    """
    newest, oldest, end, lines = 0, sys.maxsize, 0, 0
    for number, each in enumerate(removals, 1):
        before, at = _instant(each.before), _instant(each.at)
        if each.lines <= lines:
            yield number, "removes nothing, or the same again"
        for age in islice(games, max(0, each.lines - lines)):
            newest, oldest = max(newest, age.played_at), min(oldest, age.played_at)
            end, lines = max(end, age.behind), lines + 1
        if before is None or at is None:
            yield number, "has no time"
        elif at > now + CLOCKS:
            yield number, f"removes records at {each.at}, which has not come yet"
        elif 0 < oldest < (began - CLOCKS).timestamp():
            yield number, "removes records of games that were played before the run began"
        elif at.timestamp() - before.timestamp() < keep:
            yield number, "removes records earlier than the rule of this run allows"
        elif oldest < 1 or newest >= before.timestamp():
            yield number, f"removes records of games that were played after {each.before}"
        if (each.lines, each.end) != (lines, end):
            yield number, "does not end with the record of a game"


def _instant(text: str) -> datetime.datetime | None:
    with contextlib.suppress(ValueError):
        found = datetime.datetime.fromisoformat(text)
        return found if found.tzinfo is not None else None
    return None


def results_digests(games: Path, lines: Sequence[int]) -> list[str]:
    """Return the SHA-256, in hex, of the first n lines of games.jsonl for each n in ``lines``.

    The numbers in ``lines`` rise. Raises OSError, StoreError.
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
    """Return whether ``data`` of a file of records was removed: no record is all zeros."""
    return bool(data) and not data.strip(b"\0")


def removed_on(folder: Path, end: int) -> str:
    """Return the day on which the record that ends at ``end`` was removed; empty if not known."""
    with contextlib.suppress(StoreError):
        for _, each in stored_lines(folder / THINNED, Thinned, "removal of records"):
            if end <= each.end:
                return each.at[:10]
    return ""


def _text(instant: datetime.datetime) -> str:
    return instant.astimezone(datetime.UTC).isoformat(timespec="seconds")


def _can_free(path: Path) -> bool:
    """Return whether the file system can punch holes. Raises OSError."""
    try:
        _punch(path, path.stat().st_size, 1)  # beyond the end of the file: changes nothing
    except OSError as error:
        if error.errno in _NOT_HERE:
            return False
        raise
    return True


def _free(path: Path, end: int) -> None:
    """Free the disk space of the bytes before ``end``. Raises OSError."""
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
