"""The run folder: its files, and how finished games are written so that none is ever lost.

    run.json        what is played: see ``runs.manifest``
    entries.jsonl   how the field changed: see ``runs.field``
    seed.json       the opening of the commitment; readable only by its owner until the run ends
    games.jsonl     a line for each finished game
    voids.jsonl     a line for each time a game failed through no fault of a bot
    records/        the records of the games, as concatenated gzip members
    learned.bin     what bots wrote for later rounds: see ``values.archives``
    lost.jsonl      what was damaged and is played again: see ``runs.damage``
    thinned.jsonl   for runs that keep records for a limited time: see ``runs.thinning``
    live.json       while the run is played: the current games
    logs/           standard error of the bots; arena's own log
    wire/           on request, the exchanges with bots: a folder for each bot, in it a file for
                    each game and seat

A game counts once its line is in ``games.jsonl`` on disk; its record is on disk before that.
A line or record torn by a kill is cut off at the next start, and its game is played again. So is a
game that was damaged later. Of several lines for one game, the first stands.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import logging
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.runs.disk import (
    STORE_LOG,
    AppendLog,
    StoreError,
    cannot_write,
    check_file,
    complete_lines_end,
    in_place,
    read_json,
    reading,
    stored_lines,
    sync,
    to_continue,
    write_atomically,
    writing,
)
from arena.runs.manifest import MANIFEST, Manifest
from arena.runs.thinning import THINNED, removed_on
from arena.runs.voids import VOIDS, Void, VoidLog
from arena.schedule.seeds import Opening
from arena.values.archives import opened
from arena.values.results import (
    GameDone,
    GameResult,
    GameSpec,
    Learned,
    Seat,
    SeatUsage,
)
from arena.values.schema import of_type

SEED: Final = "seed.json"
SECRET: Final = 0o600
"""Mode of seed.json until the run has ended."""
GAMES: Final = "games.jsonl"
RECORDS: Final = "records/0.jsonl.gz"
LEARNED: Final = "learned.bin"
LOST: Final = "lost.jsonl"
_REMOVE: Final = "; remove this line, then continue the run"
_PLAYED: Final = (GAMES, RECORDS, LEARNED, VOIDS, LOST)
HEADING: Final = b"== "
"""Start of a heading in a log: the id of a game, above what the bot wrote in that game."""
_FLUSH_GAMES: Final = 200
_FLUSH_SECONDS: Final = 0.25
_LIKE_A_HEADING: Final = re.compile(rb"^\\*== ", re.MULTILINE)
_ESCAPED: Final = re.compile(rb"^\\(\\*== )", re.MULTILINE)
_STDERR_FILE_LIMIT: Final = 1024 * 1024
WIRE: Final = "wire"
_WIRE_LIMIT: Final = 256 * 1024 * 1024
"""Greatest size of all exchanges together, in bytes; later ones are not kept."""
_LONGEST_STEM: Final = 200
"""Greatest length of a file name before its ending, in bytes; the file system allows 255 in all."""

log = logging.getLogger(STORE_LOG)


class Expired(StoreError):
    """A record was removed by rule. The message says when, but not which record."""


class RecordLocation(msgspec.Struct, frozen=True, gc=False):
    """Place of a record: bytes ``offset`` to ``offset + length`` of a file in the run folder."""

    file: str
    offset: int
    length: int


class Stored(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A line of games.jsonl: a finished game, with the place of its record."""

    result: GameResult
    record: RecordLocation
    played_at: int
    """Time when the game was first stored, in seconds since 1970 UTC, by the clock."""
    voids: str = ""
    """SHA-256, in hex, of voids.jsonl when this line was stored; empty without voids."""
    machine: str = ""
    """Machine that played the game; empty for the machine that holds the run."""
    spent: tuple[SeatUsage, ...] = ()
    """Resources used, by seat."""
    learned: tuple[Learned, ...] = ()
    """Archives of files that bots keep, by seat, in a run with learning: see ``LEARNED``."""


def check_is_new(folder: Path) -> None:
    """Raise StoreError if a run that begins in this folder would adopt games of another run.

    A seed alone is accepted: a process killed between writing it and run.json played nothing.
    """
    if os.path.lexists(folder / "run.json"):
        raise StoreError(f"{folder}/run.json: found something that is no regular file")
    for name in _PLAYED:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            found = (folder / name).lstat()
            if found.st_size or not stat.S_ISREG(found.st_mode):
                raise StoreError(
                    f"{folder}: holds {name} but no run.json, so which run it is of is not known; "
                    "put run.json back, or play into another folder (--output)"
                )


def begin(folder: Path, manifest: Manifest, opening: Opening) -> None:
    """Write seed.json and then run.json, with which the run has begun. Raises StoreError."""
    with writing(folder):
        write_atomically(folder / SEED, encoded(opening), SECRET)
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        write_atomically(folder / MANIFEST, text + b"\n")


def encoded(opening: Opening) -> bytes:
    """Return the content of seed.json."""
    return msgspec.json.encode(opening) + b"\n"


def read_opening(folder: Path) -> Opening:
    """Read seed.json and return the seed of a run. Raises StoreError."""
    opening: Opening = read_json(folder / SEED, Opening)
    return opening


def is_public(folder: Path) -> bool:
    """Return whether everybody may read the seed of a run."""
    try:
        return bool((folder / SEED).stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def stored_voids(folder: Path) -> Iterator[Void]:
    """Yield every void in order; nothing without a file. A torn last line is ignored.

    Raises StoreError, with the line number, at a line that is not a void.
    """
    for _, void in stored_lines(folder / VOIDS, Void, "void game"):
        yield void


def all_lines(folder: Path) -> Iterator[tuple[int, Stored]]:
    """Yield every line of games.jsonl with its number, from 1, including repetitions of a game.

    A torn last line is left out. Raises StoreError at a line that is not a stored game.
    """
    path = folder / GAMES

    def advice() -> str:
        return f"; arena {to_continue(folder)} plays it again"

    for number, stored in stored_lines(path, Stored, "stored game", advice):
        result = stored.result
        places, scores = result.places, result.scores
        if (  # quick test: most results have no fault
            result.faults
            or len(places) != len(result.spec.entrants)
            or len(places) != len(places if scores is None else scores)
            or len(places) != len(result.think_us or places)
        ):
            check_seats(path, number, result, advice())
        yield number, stored


def check_seats(path: Path, line: int, result: GameResult, advice: str = "") -> None:
    """Raise StoreError, which ends with ``advice``, unless all values by seat fit the seats."""
    seats, scores = len(result.spec.entrants), result.scores
    if not (
        len(result.places) == seats
        and (scores is None or len(scores) == seats)
        and len(result.think_us) in (0, seats)
        and (not result.faults or all(0 <= fault.seat < seats for fault in result.faults))
    ):
        raise StoreError(f"{path}:{line}: no stored game: not for {seats} seats{advice}")


def read_record(folder: Path, location: RecordLocation) -> bytes:
    """Return the packed record at a location. Raises StoreError."""
    path, offset, length = folder / location.file, location.offset, location.length
    try:
        if location.file != RECORDS or path.is_symlink() or path.parent.is_symlink():
            check_inside(folder, path)
        check_file(path)
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            if not 0 <= offset <= offset + length <= size:
                raise StoreError(f"{path}: found {size} bytes: records are lost")
            file.seek(offset)
            data = file.read(length)
        if is_blank(data) and (day := removed_on(folder, offset + length)):
            raise Expired(f"removed on {day}, as {THINNED} has it")
        return data
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise StoreError(f"{path}: cannot be read: {error}") from None


def is_blank(data: bytes) -> bool:
    """Return whether ``data`` of a file of records was removed: no record is all zeros."""
    return bool(data) and not data.strip(b"\0")


def check_inside(folder: Path, path: Path) -> None:
    """Raise StoreError if links lead ``path`` out of the run folder. Raises OSError, ValueError."""
    if Path(os.path.realpath(folder)) not in Path(os.path.realpath(path)).parents:
        raise StoreError(f"{path}: a record outside the run folder")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a line of games.jsonl."""
    return of_type(Stored, "games.jsonl")


class _Taken(NamedTuple):
    """A game that waits to be written to disk."""

    stored: Stored
    """Line of the game, without the place of its record and the digest of the voids."""
    record: bytes
    said: Sequence[tuple[str, bytes]]
    wire: Mapping[Seat, bytes]
    """Stderr and exchanges, as the parameters ``said`` and ``wire`` of ``Store.copy``."""
    archives: Sequence[bytes]
    """Archives of what its bots wrote for later rounds, by seat."""


class Loss(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A line of lost.jsonl: something that was damaged, see ``runs.damage``."""

    at: str
    file: str
    why: str
    line: str = ""
    offset: int = 0
    length: int = 0


class Store:
    """Writer of a run folder during play. Use as a context manager.

    The caller holds the lock of the folder. Methods raise StoreError if the folder was damaged or
    cannot be written; after that, nothing more is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pending: list[_Taken] = []
        self._since = time.monotonic()
        self._broken = False
        self._learned_end: int | None = None
        """End of the last archive, in bytes; None if not known yet."""
        self._wire_room: int | None = None
        """Bytes left for exchanges; None if not known yet."""
        with contextlib.ExitStack() as files:
            with writing(folder, folder):
                (folder / "records").mkdir(exist_ok=True)
                (folder / "logs").mkdir(exist_ok=True)
                self._offset = _records_end(folder)
                self._records = AppendLog(folder / RECORDS, self._offset)
                files.callback(self._records.close)
                self._games = AppendLog(folder / GAMES, complete_lines_end(folder / GAMES))
                files.callback(self._games.close)
                self._voids = VoidLog(folder)
                files.callback(self._voids.close)
                sync(folder)
                sync(folder / "records")
            self._files = files.pop_all()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._files:
            if not self._broken:
                self.flush()
                if kind is None:
                    self._check_place()

    def add(self, done: GameDone) -> None:
        """Accept a finished game; it counts after the next flush."""
        wrote = zip(done.result.spec.entrants, done.stderr, strict=True)
        said = [
            (name, escaped(text.encode("utf-8", "replace")) + b"\n") for name, text in wrote if text
        ]
        nowhere = RecordLocation(RECORDS, 0, 0)
        now = int(datetime.datetime.now(datetime.UTC).timestamp())
        stored = Stored(
            done.result, nowhere, now, machine=done.machine, spent=done.spent, learned=done.learned
        )
        self.copy(stored, done.record, said, done.wire, done.archives)

    def copy(
        self,
        stored: Stored,
        record: bytes,
        said: Sequence[tuple[str, bytes]],
        wire: Mapping[Seat, bytes],
        archives: Sequence[bytes] = (),
    ) -> None:
        """Accept a game from another run folder, as ``add`` does.

        ``said``: names of bots, with what each wrote to stderr, as in a log below the heading.
        ``wire``: the exchanges to keep, by seat. ``archives``: those of ``stored.learned``.
        """
        if not self._pending:
            self._since = time.monotonic()
        self._pending.append(_Taken(stored, record, said, wire, archives))
        if len(self._pending) >= _FLUSH_GAMES:
            self.flush()

    def flush_if_due(self) -> None:
        """Flush if the oldest waiting game has waited long enough."""
        if self._pending and time.monotonic() - self._since >= _FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write all accepted games to disk. Raises StoreError; then nothing more may be added."""
        if not self._pending:
            return
        taken, self._pending = self._pending, []
        lines: list[bytes] = []
        offset = self._offset
        for each in taken:
            location = RecordLocation(RECORDS, offset, len(each.record))
            learned, voids = tuple(self._placed(each)), self._voids.digest
            line = msgspec.structs.replace(
                each.stored, record=location, voids=voids, learned=learned
            )
            lines.append(msgspec.json.encode(line))
            offset += len(each.record)
        with self._writing():
            self._records.append(b"".join(each.record for each in taken))
            self._store_archives(taken)
            self._games.append(b"\n".join(lines) + b"\n")
        self._offset = offset
        self._keep_stderr(taken)

    def _store_archives(self, taken: Sequence[_Taken]) -> None:
        """Write the archives of games to disk, where ``_placed`` has put them."""
        if data := b"".join(archive for each in taken for archive in each.archives):
            end = (self._learned_end or 0) - len(data)
            with contextlib.closing(AppendLog(self.folder / LEARNED, end, SECRET)) as log:
                log.append(data)
            sync(self.folder)

    def _placed(self, taken: _Taken) -> Iterator[Learned]:
        """Yield what the bots of a game learnt, with the places of the archives to be stored."""
        for learned, archive in zip(taken.stored.learned, taken.archives, strict=True):
            if archive and self._learned_end is None:
                self._learned_end = _learned_end(self.folder)
            end = self._learned_end or 0
            yield msgspec.structs.replace(learned, offset=end, length=len(archive))
            if archive:
                self._learned_end = end + len(archive)

    def add_void(self, void: Void) -> None:
        """Write ``void``, a game that could not be played, to disk at once."""
        with self._writing():
            self._voids.add(void)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Refuse further writes if the block fails, as a failed fsync leaves contents unknown."""
        if self._broken:
            raise StoreError(f"{self.folder}: nothing is written after a failure")
        try:
            self._check_place()
            yield
            self._check_place()
        except OSError as error:
            self._broken = True
            raise cannot_write(self.folder, error, self.folder) from error
        except BaseException:
            self._broken = True
            raise

    def _check_place(self) -> None:
        """Raise StoreError if files were moved, replaced or changed while they were written."""
        if not self._games.is_in_place():
            raise StoreError(f"{self.folder}: was removed or replaced while it was played into")
        again = "while it was played into; the same again plays what is missing"
        for each in (self._records, self._voids):
            if not each.is_in_place():
                raise StoreError(f"{each.path}: was removed or replaced {again}")
        for log in (self._games, self._records, self._voids):
            if not log.is_as_left():
                raise StoreError(f"{log.path}: was changed {again}")

    def _keep_stderr(self, taken: list[_Taken]) -> None:
        """Write captured stderr and exchanges. Failures are ignored: no result depends on them."""
        for stored, _, said, wire, _ in taken:
            for name, text in said:
                with contextlib.suppress(OSError):
                    self._append_stderr(name, stored.result.spec.game_id, text)
            for seat, exchange in wire.items():
                with contextlib.suppress(OSError):
                    self._keep_exchange(wire_file(self.folder, stored.result.spec, seat), exchange)

    def _keep_exchange(self, path: Path, exchange: bytes) -> None:
        if self._wire_room is None:
            files = (self.folder / WIRE).glob("*/*")
            self._wire_room = _WIRE_LIMIT - sum(file.lstat().st_size for file in files)
        had_room = self._wire_room > 0
        self._wire_room -= len(exchange)
        if self._wire_room > 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "wb", opener=in_place) as file:
                file.write(exchange)
        elif had_room:
            self._wire_room = 0
            told = "%s: holds %d MiB; no more exchanges with bots are kept"
            log.warning(told, path.parents[1], _WIRE_LIMIT >> 20)

    def _append_stderr(self, name: str, game: str, said: bytes) -> None:
        path = self.folder / "logs" / f"{name}.stderr"
        heading = HEADING + game.encode("utf-8", "replace") + b"\n"
        with open(path, "ab", opener=in_place) as file:
            room = _STDERR_FILE_LIMIT - file.tell()
            if room > len(heading):  # half a heading could be read as that of another game
                file.write((heading + said)[:room])


def set_aside_parts(folder: Path) -> Iterator[RecordLocation]:
    """Yield the parts of the file of records that damage has made useless. Raises StoreError."""
    for _, each in stored_lines(folder / LOST, Loss, "loss", lambda: _REMOVE):
        if each.length:
            yield RecordLocation(RECORDS, each.offset, each.length)


def _records_end(folder: Path) -> int:
    """Return where the last record ends; what follows was never counted. Raises StoreError."""
    path = folder / RECORDS
    size = path.stat().st_size if path.exists() else 0
    places = (stored.record for _, stored in all_lines(folder))
    end = max((each.offset + each.length for each in places), default=0)
    if end > size:
        raise StoreError(f"{path}: found {size} bytes, expected {end}: records are lost")
    parts = max((each.offset + each.length for each in set_aside_parts(folder)), default=0)
    return max(end, min(size, parts))


def _learned_end(folder: Path) -> int:
    """Return where the last archive ends; what follows was never counted. Raises StoreError."""
    path = folder / LEARNED
    places = (each for _, stored in all_lines(folder) for each in stored.learned)
    end = max((each.offset + each.length for each in places), default=0)
    if end > (size := path.stat().st_size if path.exists() else 0):
        raise StoreError(f"{path}: found {size} bytes, expected {end}: archives are lost")
    return end


def read_archive(folder: Path, learned: Learned) -> dict[str, bytes]:
    """Return the files of an archive in a run folder; none if nothing was kept.

    Raises StoreError.
    """
    if not learned.digest:
        return {}
    path = folder / LEARNED
    try:
        check_file(path)
        with reading(path), path.open("rb") as file:
            file.seek(learned.offset)
            return opened(file.read(learned.length), learned.digest)
    except ValueError as error:
        raise StoreError(f"{path}: the archive at byte {learned.offset} {error}") from None


def wire_file(folder: Path, spec: GameSpec, seat: Seat) -> Path:
    """Return the path for the exchange of a game with the bot in that seat."""
    stem = spec.game_id.replace("/", ",")
    if len(stem.encode()) > _LONGEST_STEM:
        digest = hashlib.blake2b(stem.encode(), digest_size=8).hexdigest()
        stem = f"{stem[: _LONGEST_STEM // 2]},{digest}"
    return folder / WIRE / spec.entrants[seat] / f"{stem}.seat{seat}.jsonl"


def escaped(said: bytes) -> bytes:
    """Return text of a bot, escaped so that no line of it looks like a heading."""
    return _LIKE_A_HEADING.sub(rb"\\\g<0>", said)


def unescaped(said: bytes) -> bytes:
    """Return the text of a bot from the output of ``escaped``."""
    return _ESCAPED.sub(rb"\1", said)
