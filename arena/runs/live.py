"""What only the process that plays a run knows, left for those who watch: ``live.json``.

Which games are in hand, and since when. The file is there while the run is played and is worth
nothing afterwards: no result depends on it, and a failure to write it is passed over. Who finds
it without its process looks at a run that was killed.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from arena.runs.disk import NOT_READABLE, StoreError, check_file

LIVE: Final = "live.json"
_SECONDS: Final = 1.0
"""It is written at most so often."""
_OWN: Final = 0o600
"""Who is playing now is told to nobody else: names may be hidden from bots of other users."""
_LARGEST: Final = 1 << 20
_CHUNK: Final = 4 << 20

T = TypeVar("T")


class InHand(msgspec.Struct, frozen=True):
    """A game that is being played."""

    game: str
    entrants: tuple[str, ...]
    """By seat."""
    since: float
    """By the clock of ``Live``."""


class Pace(msgspec.Struct, frozen=True):
    """Where a session began: what was played since then tells how fast it is."""

    began: float
    """By the clock of ``Live``."""
    finished: dict[str, int] = {}
    """By discipline, the games that were stored then, ..."""
    wall_us: dict[str, int] = {}
    """... and how long they took together."""


class Live(msgspec.Struct, frozen=True):
    """live.json. Times are seconds of ``time.monotonic``, one clock for the whole machine."""

    pid: int
    """Of the process that plays."""
    pace: Pace
    """Of this session."""
    updated: float
    workers: tuple[InHand | None, ...] = ()
    """What each plays; None: nothing, or it is between two games."""
    judge: dict[str, Any] = {}
    """By what the judge of the run decides, in his own words; empty without one."""


class LiveFile:
    """Keeps live.json up to date. Use as a context manager; leaving it removes the file.

    Its caller holds the lock of the folder.
    """

    def __init__(self, folder: Path, pace: Pace, judge: Mapping[str, Any] | None = None) -> None:
        """``pace``, ``judge``: as in ``Live``."""
        self._path = folder / LIVE
        self._temporary = folder / f".{LIVE}"
        self._live = Live(os.getpid(), pace, 0.0, (), dict(judge or {}))
        self._written = -math.inf

    def __enter__(self) -> LiveFile:
        self.update(tuple)
        return self

    def __exit__(self, *_: object) -> None:
        forget_live(self._path.parent)

    def update(self, workers: Callable[[], Sequence[InHand | None]]) -> None:
        """Write what ``workers`` says, if it is time to; it is not asked before."""
        now = time.monotonic()
        if now - self._written < _SECONDS:
            return
        self._written = now
        live = msgspec.structs.replace(self._live, updated=now, workers=tuple(workers()))
        with contextlib.suppress(OSError):
            self._write(msgspec.json.encode(live))

    def _write(self, data: bytes) -> None:
        """Replace the file as a whole; it need not survive the machine, so nothing is synced."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(self._temporary, flags, _OWN)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        self._temporary.replace(self._path)


def forget_live(folder: Path) -> None:
    """Remove what a killed session left. The caller holds the lock of the folder."""
    for name in (LIVE, f".{LIVE}"):
        with contextlib.suppress(OSError):
            (folder / name).unlink(missing_ok=True)


def read_live(folder: Path) -> Live | None:
    """What the process that plays says, or said before it was killed; None if none does.

    Of a file that only its owner may read, it is known that it is there and nothing else.
    """
    path = folder / LIVE
    try:
        check_file(path)
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_LARGEST), type=Live)
    except PermissionError:
        return Live(0, Pace(time.monotonic()), time.monotonic())
    except (OSError, StoreError, *NOT_READABLE):
        pass  # not there, or no file of ours: it proves nothing either way
    return None


def is_alive(live: Live) -> bool:
    """Whether the process that wrote it is still there, as far as this user can see."""
    if live.updated > time.monotonic():  # the machine was started anew since
        return False
    if live.pid <= 0:
        return True
    try:
        os.kill(live.pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # somebody else's
    return True


class Replaced(Exception):
    """The file is another one than before, or was cut."""


class Tail(Generic[T]):
    """Reads a JSON lines file piece by piece while somebody appends to it."""

    def __init__(self, path: Path, kind: type[T], what: str) -> None:
        """``what``: what a line is called in messages."""
        self._path = path
        self._what = what
        self._decoder = msgspec.json.Decoder(kind)
        self._offset = 0
        self._file: tuple[int, int] | None = None
        self.lines = 0
        """Read so far."""
        self.size = 0
        """Bytes of the file when it was last looked at."""

    @property
    def share(self) -> float:
        """How much of the file has been read, 0 to 1."""
        return self._offset / self.size if self.size else 1.0

    def read(self) -> list[tuple[int, T]]:
        """The next complete lines with their numbers, from 1; none if there are no new ones.

        They are not all that there are: read until none come. Raises StoreError at a line that
        is none, Replaced if the file is not the one that was read before.
        """
        data = self._next()
        end = data.rfind(b"\n") + 1
        found = []
        for line in data[:end].splitlines():
            self.lines += 1
            try:
                found.append((self.lines, self._decoder.decode(line)))
            except NOT_READABLE as error:
                where = f"{self._path}:{self.lines}"
                raise StoreError(f"{where}: no {self._what}: {error}") from None
        self._offset += end
        return found

    def _next(self) -> bytes:
        check_file(self._path)
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                self._check(status)
                file.seek(self._offset)
                data = file.read(_CHUNK)
                while b"\n" not in data and (more := file.read(_CHUNK)):
                    data += more  # a line longer than any that arena writes
                return data
        except FileNotFoundError:
            if self._file is not None:
                raise Replaced from None
            return b""
        except OSError as error:
            raise StoreError(f"{self._path}: cannot be read: {error.strerror}") from None

    def _check(self, status: os.stat_result) -> None:
        """A torn last line may be cut away; what was read never is, in the same file."""
        identity = status.st_dev, status.st_ino
        if self._file not in (None, identity) or status.st_size < self._offset:
            raise Replaced
        self._file, self.size = identity, status.st_size
