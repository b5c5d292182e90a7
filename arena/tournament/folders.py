"""The files of a bot's folder: which of them count, and how much they may be."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Final

from arena.tournament.problems import printable

MAX_FILES: Final = 100_000
MAX_BYTES: Final = 1 << 30
MAX_DEPTH: Final = 100

SKIPPED: Final = frozenset({".git", "__pycache__"})
"""Names that count at no depth."""
MADE: Final = ("build", os.path.join("node_modules", ".cache"))
"""What a build makes, relative to the folder of a bot: no part of its source."""


class FolderError(Exception):
    """The files cannot be read or are too many; the message says which."""


class Tally:
    """Counts files and bytes."""

    def __init__(self) -> None:
        self._files = self._bytes = 0

    def add(self, size: int) -> None:
        """Count one file. Raises FolderError beyond MAX_FILES or MAX_BYTES."""
        self._files, self._bytes = self._files + 1, self._bytes + size
        if self._files > MAX_FILES or self._bytes > MAX_BYTES:
            raise FolderError(f"more than {MAX_FILES:,} files or 1 GiB")


def files_of(folder: Path, *, source: bool) -> Iterator[str]:
    """Relative paths of all that counts, folders themselves left out.

    ``source``: without what a build makes. Raises OSError, FolderError.
    """
    yield from _files(folder, "", MADE if source else (), 0)


def _files(folder: Path, below: str, left_out: tuple[str, ...], depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise FolderError(f"more than {MAX_DEPTH} folders deep")
    with os.scandir(folder / below) as entries:
        for count, entry in enumerate(entries):
            if count > MAX_FILES:
                raise FolderError(f"more than {MAX_FILES:,} files")
            relative = os.path.join(below, entry.name)
            if entry.name in SKIPPED or relative in left_out:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(folder, relative, left_out, depth + 1)
            else:
                yield relative


def check_size(folder: Path) -> None:
    """Raises FolderError if the folder cannot be read or holds too much to be copied."""
    tally = Tally()
    with told():
        for relative in files_of(folder, source=False):
            tally.add(os.lstat(folder / relative).st_size)


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """The regular file at ``path``, opened without following a link or waiting.

    Raises OSError; FolderError if it is something else.
    """
    _check_kind(path, os.lstat(path).st_mode)
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        _check_kind(path, os.fstat(descriptor).st_mode)
        yield file


def _check_kind(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise FolderError(f"{printable(str(path))} is neither file, folder nor link")


@contextmanager
def told() -> Iterator[None]:
    """Turns an OSError into a FolderError that names the file."""
    try:
        yield
    except OSError as error:
        name = printable(os.fsdecode(error.filename)) if error.filename else "the folder"
        raise FolderError(f"{name}: {error.strerror or type(error).__name__}") from None
