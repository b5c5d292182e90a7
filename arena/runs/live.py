"""Hold a run folder while it is played: its lock, its log, and its state for observers.

At most one process plays into a run at a time. ``live.json`` says which games are being played, and
since when. The file exists while the run is played and is worthless afterwards: no result depends
on it, and a failure to write it is ignored. A file without its process means that the run was
killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.runs.disk import NOT_READABLE, StoreError, check_file, in_place, is_running, writing
from arena.runs.manifest import is_run
from arena.runs.store import RECORDS, check_inside


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of ``folder``, which is created if needed, until the block ends.

    The operating system releases the lock if this process dies. Raises StoreError if another
    process holds the lock or the folder cannot be created.
    """
    with contextlib.ExitStack() as held:
        for descriptor in _opened(folder, held):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"{folder}: another arena is playing this run") from None
            except OSError as error:
                raise StoreError(f"{folder}: cannot be locked: {error.strerror}") from None
        yield


def _opened(folder: Path, held: contextlib.ExitStack) -> Iterator[int]:
    """Yield open descriptors of the folder and the file of records, which are to be locked.

    Over a network file system, other machines do not see a lock on the folder. So the file of
    records is locked too, and the process that plays detects if it is removed.
    """
    records = folder / RECORDS
    with writing(folder, folder if is_run(folder) else None):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        held.callback(os.close, descriptor)
        yield descriptor
        records.parent.mkdir(exist_ok=True)
        check_inside(folder, records)
        check_file(records)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
        descriptor = os.open(records, flags, 0o644)
        held.callback(os.close, descriptor)
    yield descriptor


def log_to(folder: Path) -> None:
    """Write the log of arena and its workers to the run folder, from now on and nowhere else."""
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    file = _LogFile(folder / "logs" / "arena.log", delay=True)
    file.setFormatter(formatter)
    logging.raiseExceptions = False  # an unwritable log must neither end the run nor print anything
    logging.basicConfig(level=logging.INFO, handlers=[file], force=True)


@contextlib.contextmanager
def logging_to(folder: Path) -> Iterator[None]:
    """Log as ``log_to`` does while the block runs, and then as before: a program may call arena."""
    root = logging.getLogger()
    handlers, level, shown = [*root.handlers], root.level, logging.raiseExceptions
    root.handlers.clear()  # or they would be closed
    log_to(folder)
    try:
        yield
    finally:
        for own in root.handlers:
            own.close()
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.raiseExceptions = shown


class _LogFile(logging.FileHandler):
    """A log handler that opens only the expected regular file, and else discards all lines."""

    def _open(self) -> TextIOWrapper:
        try:
            return open(self.baseFilename, "a", encoding="utf-8", opener=in_place)
        except OSError:
            return open(os.devnull, "a", encoding="utf-8")


LIVE: Final = "live.json"
_SECONDS: Final = 1.0
"""Shortest time between two writes, in seconds."""
_OWN: Final = 0o600
"""Mode of the file: bots of other users must not see current players, whose names may be hidden."""
_LARGEST: Final = 1 << 20


class InHand(msgspec.Struct, frozen=True):
    """A game that is being played."""

    game: str
    entrants: tuple[str, ...]
    """Names, by seat."""
    since: float
    """Start, by the clock of ``Live``."""


class SessionStart(msgspec.Struct, frozen=True):
    """State at the start of a session; later games show its speed."""

    began: float
    """Start, by the clock of ``Live``."""
    finished: dict[str, int] = {}
    """Number of games stored at the start, by discipline."""
    wall_us: dict[str, int] = {}
    """Wall time of these games together, in microseconds, by discipline."""


class Live(msgspec.Struct, frozen=True):
    """Content of live.json. Times are seconds of ``time.monotonic``, one clock per machine."""

    pid: int
    """Process that plays."""
    pace: SessionStart
    """Pace of this session."""
    updated: float
    workers: tuple[InHand | None, ...] = ()
    """Game that each worker plays; None between two games or without work."""
    judge: dict[str, Any] = {}
    """State of the judge of the run, in the judge's own format; empty without a judge."""
    building: str | None = None
    """Bot that is being built before play, ``7/30 team07``; "" before the first, None in play."""


class LiveFile:
    """Context manager that keeps live.json up to date and removes it at the end.

    The caller holds the lock of the folder.
    """

    def __init__(
        self,
        folder: Path,
        pace: SessionStart,
        judge: Mapping[str, Any] | None = None,
        building: str | None = None,
    ) -> None:
        """Prepare the file. ``pace``, ``judge``, ``building``: as in ``Live``."""
        self._path = folder / LIVE
        self._temporary = folder / f".{LIVE}"
        self._live = Live(os.getpid(), pace, 0.0, (), dict(judge or {}), building)
        self._written = -math.inf

    def __enter__(self) -> LiveFile:
        self.update(tuple)
        return self

    def __exit__(self, *_: object) -> None:
        forget_live(self._path.parent)

    def update(self, workers: Callable[[], Sequence[InHand | None]]) -> None:
        """Write the games that ``workers`` returns, if the file is due; else do not call it."""
        now = time.monotonic()
        if now - self._written < _SECONDS:
            return
        self._written = now
        live = msgspec.structs.replace(self._live, updated=now, workers=tuple(workers()))
        with contextlib.suppress(OSError):
            self._write(msgspec.json.encode(live))

    def building(self, bot: str) -> None:
        """Write at once which bot is being built."""
        self._live = msgspec.structs.replace(self._live, building=bot)
        self._written = -math.inf
        self.update(tuple)

    def _write(self, data: bytes) -> None:
        """Replace the file as a whole. No fsync: it need not survive a crash of the machine."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(self._temporary, flags, _OWN)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        self._temporary.replace(self._path)


def forget_live(folder: Path) -> None:
    """Remove the files of a killed session. The caller holds the lock of the folder."""
    for name in (LIVE, f".{LIVE}"):
        with contextlib.suppress(OSError):
            (folder / name).unlink(missing_ok=True)


def read_live(folder: Path) -> Live | None:
    """Return the last state that a playing process wrote, perhaps before a kill, or None.

    If only its owner may read the file, the result states merely that the file exists.
    """
    path = folder / LIVE
    try:
        check_file(path)
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_LARGEST), type=Live)
    except PermissionError:
        return Live(0, SessionStart(time.monotonic()), time.monotonic())
    except (OSError, StoreError, *NOT_READABLE):
        pass  # no such file, or not a file of arena: proves nothing
    return None


def is_alive(live: Live) -> bool:
    """Return whether the process that wrote ``live`` still runs, as far as this user can see."""
    if live.updated > time.monotonic():  # the machine has rebooted since
        return False
    return live.pid <= 0 or is_running(live.pid)
