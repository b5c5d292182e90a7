"""Lock of a run folder, and its log file: at most one process plays into a run at a time."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path

from arena.runs.disk import StoreError, cannot_write, check_file, in_place
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
    try:
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
    except OSError as error:
        raise cannot_write(folder, error, folder if is_run(folder) else None) from error
    yield descriptor


def log_to(folder: Path) -> None:
    """Write the log of arena and its workers to the run folder; warnings are also shown."""
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    file = _LogFile(folder / "logs" / "arena.log", delay=True)
    file.setFormatter(formatter)
    logging.raiseExceptions = False  # an unwritable log must neither end the run nor print anything
    logging.basicConfig(level=logging.INFO, handlers=[file], force=True)


class _LogFile(logging.FileHandler):
    """A log handler that opens only the expected regular file, and else discards all lines."""

    def _open(self) -> TextIOWrapper:
        try:
            return open(self.baseFilename, "a", encoding="utf-8", opener=in_place)
        except OSError:
            return open(os.devnull, "a", encoding="utf-8")
