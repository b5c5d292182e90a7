"""Remove old records of a ladder, and check that; ``runs.thinning`` reads what was removed."""

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

from msgspec import UNSET

from arena.runs.disk import STORE_LOG, StoreError, append_line, flush, writing
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES, RECORDS, all_lines
from arena.runs.thinning import THINNED, Thinned, read_thinned, results_digests
from arena.runs.verify import Discrepancy

CLOCKS: Final = datetime.timedelta(days=7)
"""Greatest difference between the clocks of machines that is no finding."""
_KEEP_SIZE: Final = 1
_PUNCH_HOLE: Final = 2
_NOT_HERE: Final = (errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODEV)

log = logging.getLogger(STORE_LOG)


class GameAge(NamedTuple):
    """Facts about a line of games.jsonl that decide the removal."""

    played_at: int
    """Seconds since 1970 UTC."""
    behind: int
    """Offset of the end of the game's record, in bytes."""


def game_ages(folder: Path) -> Iterator[GameAge]:
    """Yield the facts about each line of games.jsonl by which records are removed."""
    for _, stored in all_lines(folder):
        yield GameAge(stored.played_at, stored.record.offset + stored.record.length)


def thin(
    folder: Path,
    commitment: str,
    games: Iterator[GameAge],
    before: datetime.datetime,
    now: datetime.datetime,
) -> int:
    """Remove the records of the first games, as far as all were stored before ``before``.

    ``games``: facts on all lines of games.jsonl, in their order. The folder is locked and not
    played into. A removal that a kill interrupted is completed first. Returns how many records this
    call removed. Raises StoreError.
    """
    earlier = read_thinned(folder, commitment)
    limit, lines, end = before.timestamp(), 0, 0
    for each in games:
        if each.played_at >= limit:
            break
        lines, end = lines + 1, max(end, each.behind)
    lines_before, end_before = (earlier[-1].lines, earlier[-1].end) if earlier else (0, 0)
    records = folder / RECORDS
    with writing(records, folder):
        if not _can_free(records):
            log.warning("%s: its file system cannot give room back: records are kept", records)
            return 0
        if lines <= lines_before:
            _free(records, end_before)
            return 0
        link = hashlib.sha256(earlier[-1].line).hexdigest() if earlier else commitment
        (results,) = results_digests(folder / GAMES, [lines])
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


def checked(run: StoredRun) -> Iterator[Discrepancy]:
    """Yield each removal of records that the rule of a run does not grant.

    A file that cannot be read, and removals of a run that keeps all records, are found without
    this.
    """
    manifest, keep = run.manifest, run.manifest.kind.kept(run.manifest.identity.keep)
    if keep is UNSET:
        return
    try:
        found = read_thinned(run.folder, manifest.commitment)
    except StoreError:
        return
    try:
        began = datetime.datetime.fromisoformat(manifest.created)
        for number, text in unfounded(found, game_ages(run.folder), keep, began, _now()):
            yield Discrepancy(f"{THINNED} line {number}", text)
        lines = [each.lines for each in found]
        digests = results_digests(run.folder / GAMES, lines) if lines else []
        for number, (each, results) in enumerate(zip(found, digests, strict=True), 1):
            if results != each.results:
                text = f"the results of the first {each.lines} games are not those of then"
                yield Discrepancy(f"{THINNED} line {number}", text)
    except (StoreError, OSError) as error:
        yield Discrepancy(THINNED, str(error))


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


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
    call = getattr(ctypes.CDLL(None, use_errno=True), "fallocate", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), str(path))
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        mode, size = _KEEP_SIZE | _PUNCH_HOLE, ctypes.c_int64
        if call(descriptor, mode, size(start), size(length)):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
        flush(descriptor)
    finally:
        os.close(descriptor)
