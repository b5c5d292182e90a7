"""Find damage in the files of a run, and set it aside so that its games are played again.

``lost.jsonl`` has a line for each line, and for each part of the file of records, that counts no
more because of damage:

    at              UTC, ISO 8601
    file            where it stood: games.jsonl, voids.jsonl or the file of records
    why             what is wrong with it
    line            the line, one character for each byte (Latin-1)
    offset, length  of records: these bytes belong to no game any more; they stay in their place

It is on disk before any of the other files is replaced.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.referee.records.format import Record, moves_digest
from arena.referee.records.read import RecordError, SealedRecord, parse_sealed, unpack
from arena.runs.disk import (
    NOT_READABLE,
    STORE_LOG,
    StoreError,
    append_line,
    check_file,
    reading,
    write_atomically,
    writing,
)
from arena.runs.reader import StoredRun
from arena.runs.store import (
    GAMES,
    LOST,
    RECORDS,
    Loss,
    RecordLocation,
    Stored,
    check_seats,
    read_archive,
    read_record,
    set_aside_parts,
)
from arena.runs.voids import VOIDS, Void, digests
from arena.schedule.schedule import Done, Schedule
from arena.values.results import GameResult

_UNUSED: Final = "belongs to no game any more"
_NAMED: Final = 3
"""Number of damaged games that a warning names."""
_STORED: Final = msgspec.json.Decoder(Stored)
_VOID: Final = msgspec.json.Decoder(Void)

log = logging.getLogger(STORE_LOG)


def stated_and_recorded(
    record: Record | SealedRecord, digest: str, result: GameResult
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each value that ``result`` and ``record`` share: its name, and both values."""
    end = record.end
    yield "spec", result.spec, record.header.spec
    yield "digest", result.digest, digest
    yield "termination", result.termination.value, end.termination.value
    yield "places", result.places, end.places
    yield "scores", result.scores, end.scores
    yield "faults", result.faults, end.faults
    yield "ruling", result.ruling, end.ruling
    yield "plies", result.plies, end.plies
    yield "think_us", result.think_us, record.think_us()
    yield "wall_us", result.wall_us, record.measured.wall_us
    yield "moves_digest", result.moves_digest or "none", moves_digest(record.plies, end) or "none"


def fault_of_game(folder: Path, stored: Stored, voids: Container[str]) -> str:
    """Return why a stored game does not prove itself, "" if it does; its rules are not applied.

    ``voids``: digests that voids.jsonl had, as ``digests`` returns them.
    """
    if stored.voids not in voids:
        return f"{VOIDS} is not what it was when the game was stored"
    try:
        record = parse_sealed(unpack(read_record(folder, stored.record)))
    except (RecordError, StoreError) as error:
        return f"record: {error}"
    for what, found, expected in stated_and_recorded(record, record.digest, stored.result):
        if found != expected:
            return f"{what} is {found}, {expected} in the record"
    try:
        for learned in stored.learned:
            read_archive(folder, learned)
    except StoreError as error:
        return str(error)
    return ""


def fault_of_void(line: bytes, schedule: Schedule) -> str:
    """Return why a line of voids.jsonl cannot be one of this run, or ""."""
    try:
        void = _VOID.decode(line)
    except NOT_READABLE as error:
        return f"no void game: {error}"
    spec = schedule.game(void.game)
    is_planned = spec is not None and sorted(spec.entrants) == sorted(void.entrants)
    return "" if is_planned else f"{void.game} is not a game of this run"


def set_damage_aside(folder: Path) -> int:
    """Move what is damaged to lost.jsonl; return the number of games to be played again.

    The caller has locked the folder. A damaged game whose bots do not all play any more stays, with
    a warning. Raises StoreError; also if a game is damaged whose record was removed by rule.
    """
    run = StoredRun(folder)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    if voids := _of_voids(run, now):
        _write(folder, VOIDS, voids, [*voids.values()])
    games, used = _of_games(run, now)
    path = folder / RECORDS  # what follows the last game may never have been stored
    size = path.stat().st_size if path.exists() and games else used.end
    for each in set_aside_parts(folder):
        used.add(each)
    gaps = used.gaps(size)
    unused = [Loss(now, RECORDS, _UNUSED, offset=start, length=length) for start, length in gaps]
    if games or unused:
        _write(folder, GAMES, games, [*games.values(), *unused])
        _warn(folder, games)
    return len(games)


def _of_voids(run: StoredRun, now: str) -> dict[int, Loss]:
    """Return the damaged lines of voids.jsonl by their numbers, from 1."""
    return {
        number: Loss(now, VOIDS, why, line.decode("latin-1"))
        for number, line in _lines(run.folder / VOIDS)
        if (why := fault_of_void(line, run.schedule))
    }


def _of_games(run: StoredRun, now: str) -> tuple[dict[int, Loss], Used]:
    """Return the damaged lines of games.jsonl that can be played again, by their numbers.

    Also returns where the records of the other games are.
    """
    folder, field = run.folder, run.manifest.field
    thinned = 0 if run.thinned is None else run.thinned.lines
    voids, _ = digests(folder)
    found: dict[int, Loss] = {}
    used, done = Used(), Done(run.schedule.numbers)
    ruled = run.manifest.rulings.reader()
    for number, line in _lines(folder / GAMES):
        try:
            stored = _STORED.decode(line)
            check_seats(folder / GAMES, number, stored.result)
        except (*NOT_READABLE, StoreError) as error:
            if number <= thinned:
                text = "its record was removed by rule: put the line back from a copy"
                raise StoreError(f"{folder / GAMES}:{number}: no stored game; {text}") from None
            found[number] = Loss(now, GAMES, f"no stored game: {error}", line.decode("latin-1"))
            continue
        why = "" if number <= thinned else fault_of_game(folder, stored, voids)
        place = run.schedule.number(stored.result.spec.game_id)
        stands = place is not None and ruled(stored.result) is not None
        if not why and (not stands or place is None or done.add(place)):
            used.add(stored.record)
            continue
        gone = [name for name in stored.result.spec.entrants if name in field.left]
        if why and gone:
            told = "%s:%d: %s; %s plays no more, so the game is not played again"
            log.warning(told, folder / GAMES, number, why, gone[0])
            used.add(stored.record)
            continue
        found[number] = Loss(now, GAMES, why or "stored before", line.decode("latin-1"))
    return found, used


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the complete lines of a file with their numbers, from 1; none without a file."""
    check_file(path)
    if not path.exists():
        return
    with reading(path), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield number, line


def _write(folder: Path, name: str, lost: Container[int], losses: Sequence[Loss]) -> None:
    """Write the losses, then the file ``name`` without the lost lines. Raises StoreError."""
    kept = [line for number, line in _lines(folder / name) if number not in lost]
    with writing(folder / name, folder):
        append_line(folder / LOST, msgspec.json.Encoder().encode_lines(losses))
        write_atomically(folder / name, b"".join(kept))


class Used:
    """The parts of the file of records that games use."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, int]] = []

    def add(self, record: RecordLocation) -> None:
        """Add a part; those that follow each other are kept as one."""
        start, end = record.offset, record.offset + record.length
        if record.file != RECORDS:
            return
        if self._parts and self._parts[-1][1] == start:
            start = self._parts.pop()[0]
        self._parts.append((start, end))

    @property
    def end(self) -> int:
        """End of the last part."""
        return max((end for _, end in self._parts), default=0)

    def gaps(self, size: int) -> Iterator[tuple[int, int]]:
        """Yield offset and length of each part of the first ``size`` bytes that nobody uses."""
        last = 0
        for start, end in [*sorted(self._parts), (size, size)]:
            if last < min(start, size):
                yield last, min(start, size) - last
            last = max(last, end)


def _warn(folder: Path, games: dict[int, Loss]) -> None:
    """Log which games are played again."""
    if not games:
        log.warning("%s: records of no game were found: %s names them", folder, LOST)
        return
    for number, loss in [*games.items()][:_NAMED]:
        log.warning("%s:%d: %s", folder / GAMES, number, loss.why)
    told = "%s: %d game%s damaged and played again; what was there is kept in %s"
    are = " is" if len(games) == 1 else "s are"
    log.warning(told, folder, len(games), are, LOST)
