"""The files of a bot's folder: which of them count, and how much they may be."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Final

from arena.tournament.problems import printable

MAX_FILES: Final = 20_000
"""Files and folders together: they are copied for every process that is started."""
MAX_BYTES: Final = 1 << 30
MAX_DEPTH: Final = 100

SKIPPED: Final = frozenset({".git", "__pycache__"})
"""Names that count at no depth."""
MADE: Final = ("build", os.path.join("node_modules", ".cache"))
"""What a build makes, relative to the folder of a bot: no part of its source."""
_BLOCK: Final = 512
"""Bytes, as ``st_blocks`` counts."""


class FolderError(Exception):
    """The files cannot be read or are too many; the message says which."""


class Tally:
    """Counts files and folders, and bytes."""

    def __init__(self) -> None:
        self._entries = self._bytes = 0

    def add_entry(self) -> None:
        """Count a file or folder. Raises FolderError beyond MAX_FILES."""
        self._entries += 1
        if self._entries > MAX_FILES:
            raise FolderError(f"more than {MAX_FILES:,} files and folders")

    def add_bytes(self, size: int) -> None:
        """Count what a file holds. Raises FolderError beyond MAX_BYTES."""
        self._bytes += size
        if self._bytes > MAX_BYTES:
            raise FolderError("more than 1 GiB")


def files_of(folder: Path, *, source: bool) -> Iterator[str]:
    """Relative paths of all that counts, folders themselves left out.

    ``source``: without what a build makes. Raises OSError, FolderError beyond MAX_FILES or
    MAX_DEPTH.
    """
    yield from _files(folder, "", MADE if source else (), 0, Tally())


def _files(
    folder: Path, below: str, left_out: tuple[str, ...], depth: int, tally: Tally
) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise FolderError(f"more than {MAX_DEPTH} folders deep")
    with os.scandir(folder / below) as entries:
        for entry in entries:
            relative = os.path.join(below, entry.name)
            if entry.name in SKIPPED or relative in left_out:
                continue
            tally.add_entry()
            if entry.is_dir(follow_symlinks=False):
                yield from _files(folder, relative, left_out, depth + 1, tally)
            else:
                yield relative


def check_size(folder: Path) -> None:
    """Raises FolderError if the folder cannot be read or holds too much to be copied."""
    tally = Tally()
    with told():
        for relative in files_of(folder, source=False):
            tally.add_bytes(os.lstat(folder / relative).st_size)


def check_growth(folders: Iterable[str]) -> None:
    """Raises FolderError if the folders, which are being written to, hold too much together.

    What takes no room on the disk does not count, nor does what comes or goes meanwhile.
    """
    growth = _Growth()
    with told():
        for folder in folders:
            growth.add_folder(folder)


class _Growth:
    """Adds up the room that folders take; works with descriptors, as paths may change."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._seen: set[tuple[int, int]] = set()
        """Files with more than one name."""

    def add_folder(self, name: str, parent: int | None = None, depth: int = 0) -> None:
        """Raises OSError, FolderError."""
        if depth > MAX_DEPTH:
            raise FolderError(f"more than {MAX_DEPTH} folders deep")
        try:
            folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
        except (FileNotFoundError, NotADirectoryError):
            return
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._tally.add_entry()
                    if entry.is_dir(follow_symlinks=False):
                        self.add_folder(entry.name, folder, depth + 1)
                    else:
                        self._add_file(entry)
        finally:
            os.close(folder)

    def _add_file(self, entry: os.DirEntry[str]) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        place = found.st_dev, found.st_ino
        if place not in self._seen:
            self._tally.add_bytes(found.st_blocks * _BLOCK)
        if found.st_nlink > 1:
            self._seen.add(place)


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
