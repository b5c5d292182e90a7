"""Preserve the file with the seed of a run, and publish it when the run ends."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from arena.runs.disk import STORE_LOG, cannot_write, write_atomically
from arena.runs.store import SECRET, SEED, encoded
from arena.schedule.seeds import Opening

_OPENED: Final = 0o644

log = logging.getLogger(STORE_LOG)


def publish_seed(folder: Path, opening: Opening) -> None:
    """Make the seed of a finished run readable for everybody. Raises StoreError."""
    path = folder / SEED
    try:
        if not _holds(path, opening, _OPENED):
            _put_back(path, opening, _OPENED)
    except OSError as error:
        raise cannot_write(path, error) from error


def keep_seed(folder: Path, opening: Opening, mode: int | None = None) -> None:
    """Restore the seed's file if it was changed, so that the run can continue; ignore disk errors.

    ``mode``: permissions for an unchanged file; None: as they are. A restored file gets SECRET.
    """
    with contextlib.suppress(OSError):
        if not _holds(folder / SEED, opening, mode):
            _put_back(folder / SEED, opening, SECRET)


def _holds(path: Path, opening: Opening, mode: int | None = None) -> bool:
    """Return whether a regular file at ``path`` holds ``opening``; if so, set its mode.

    Raises OSError.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        found = os.fstat(descriptor)
        expected = encoded(opening)
        if not stat.S_ISREG(found.st_mode) or os.read(descriptor, len(expected) + 1) != expected:
            return False
        if mode is not None and stat.S_IMODE(found.st_mode) != mode:
            os.fchmod(descriptor, mode)
        return True
    finally:
        os.close(descriptor)


def _put_back(path: Path, opening: Opening, mode: int) -> None:
    if path.is_dir() and not path.is_symlink():  # a file cannot replace a folder
        path.rename(path.with_name(f"{SEED}.{secrets.token_hex(4)}"))
    write_atomically(path, encoded(opening), mode)
    log.warning("%s: was not what this run had written; it was put back", path)
