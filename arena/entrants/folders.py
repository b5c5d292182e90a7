"""The files of a bot's folder: which of them count, bounds on them, and their digest.

One rule decides which files count, ``is_foreign`` of ``hosting.workspace.trees`` or
``is_no_source``. It is the same for the digest and for the copy that is played or built.

By the digest a run detects that its bots have changed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Final, NamedTuple

from arena.hosting.workspace.trees import Skip, is_foreign, skip_nothing
from arena.values.bad_input import ArenaError
from arena.values.units import SIZE

MAX_FILES: Final = 20_000
"""Largest number of files and folders; at some levels they are copied for every process."""
MAX_BYTES: Final = 1 << 30
MAX_DEPTH: Final = 100

_MADE: Final = ("build", os.path.join("node_modules", ".cache"))
"""Folders that a build fills, relative to that of the bot."""
_BLOCK: Final = 512
"""Unit of ``st_blocks``, in bytes."""


class FolderError(ArenaError):
    """The files cannot be read or are too many; the message has the details."""


class Bounds(NamedTuple):
    """Bounds on the content of a folder."""

    size: int
    """Largest size of all files, in bytes."""
    files: int
    """Largest number of files and folders together."""


class FolderSize:
    """Counter of the entries and bytes of a folder, with bounds on both."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        """``bounds``: None means MAX_BYTES and MAX_FILES."""
        self._bounds = bounds or Bounds(MAX_BYTES, MAX_FILES)
        self._entries = self._bytes = 0

    def add_entry(self) -> None:
        """Count a file or folder. Raises FolderError beyond the bounds."""
        self._entries += 1
        if self._entries > self._bounds.files:
            raise FolderError(f"more than {self._bounds.files:,} files and folders")

    def add_bytes(self, size: int) -> None:
        """Count the bytes of a file. Raises FolderError beyond the bounds."""
        self._bytes += size
        if self._bytes > self._bounds.size:
            raise FolderError(f"more than {SIZE.format(self._bounds.size)}")


def is_no_source(path: str, is_folder: bool) -> bool:
    """Return whether a path is not a source of a build: not part of the bot, or made by a build.

    Only folders count as made by a build: a file or link with a name in ``_MADE`` may be the
    program that builds.
    """
    return is_foreign(path, is_folder) or (is_folder and path in _MADE)


def files_of(
    folder: Path, skip: Skip = skip_nothing, bounds: Bounds | None = None
) -> Iterator[str]:
    """Yield the relative paths of all that ``copy_tree`` copies, in no order.

    Folders are among them only if they are empty.

    Raises OSError, FolderError beyond the bounds on files or MAX_DEPTH.
    """
    yield from _files(folder, "", skip, 0, FolderSize(bounds))


def _files(
    folder: Path, below: str, skip: Skip, depth: int, tally: FolderSize
) -> Generator[str, None, bool]:
    """Yield the relative paths below ``folder``, and return whether the folder itself counts.

    A folder does not count if all its entries are left out.
    """
    if depth > MAX_DEPTH:
        raise FolderError(f"more than {MAX_DEPTH} folders deep")
    is_empty, counts = True, False
    with os.scandir(folder / below) as entries:
        for entry in entries:
            is_empty = False
            relative, is_folder = os.path.join(below, entry.name), _is_folder(entry)
            if skip(relative, is_folder):
                continue
            tally.add_entry()
            if is_folder:
                counts |= yield from _files(folder, relative, skip, depth + 1, tally)
            else:
                counts = True
                yield relative
    if is_empty and below:
        yield below
    return counts or is_empty


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def check_size(folder: Path, skip: Skip = skip_nothing, bounds: Bounds | None = None) -> None:
    """Check that a folder can be read and is small enough to copy. Raises FolderError."""
    tally = FolderSize(bounds)
    with file_errors(folder):
        for relative in files_of(folder, skip, bounds):
            tally.add_bytes(os.lstat(folder / relative).st_size)


def disk_use(folder: Path) -> int:
    """Return the size of a folder on disk, in bytes; holes in its files count as if written.

    Unreadable files do not count.
    """
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found = os.lstat(os.path.join(above, name))
                total += max(found.st_size, found.st_blocks * _BLOCK)
    return total


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """Open the regular file at ``path`` without following a link or waiting.

    Raises OSError, also if it is no regular file.
    """
    _check_kind(path, os.lstat(path).st_mode)
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        _check_kind(path, os.fstat(descriptor).st_mode)
        yield file


def _check_kind(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "neither file, folder nor link", str(path))


@contextmanager
def file_errors(*folders: Path) -> Iterator[None]:
    """Turn an OSError into a FolderError that names the file, by its path in one of ``folders``."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        name = os.fsdecode(error.filename or "")
        for folder in folders:
            if Path(name).is_relative_to(folder):
                name = os.path.relpath(name, folder)
        shown = "the folder" if name in ("", os.curdir) else name
        raise FolderError(f"{shown}: {why}") from None


def folder_digest(folder: Path, skip: Skip = skip_nothing) -> str:
    """Return the SHA-256 over the sorted relative paths with contents and executable bits.

    It equals the digest of the whole copy that ``copy_tree`` makes with the same ``skip``. Symbolic
    links are not followed: their text counts. Raises FolderError for other special files, for
    unreadable ones and beyond the bounds of ``folders``.
    """
    total, tally = hashlib.sha256(), FolderSize()
    with file_errors(folder):
        for relative in sorted(files_of(folder, skip)):
            content = _file_digest(folder / relative, tally)
            total.update(framed(os.fsencode(relative)) + content)
    return total.hexdigest()


def command_digest(words: Sequence[str], folder: Path, files: str = "") -> str:
    """Return the SHA-256 over a command and the content of every file of ``folder`` that it names.

    ``files``: digest of the whole folder, if all of its files count. Programs found in PATH count
    by name alone. Raises FolderError.
    """
    total = hashlib.sha256(files.encode())
    for word in words:
        total.update(framed(os.fsencode(word)))
        path = folder / word
        if os.path.isfile(path):
            try:
                total.update(_file_digest(Path(os.path.realpath(path)), FolderSize()))
            except OSError as error:
                raise FolderError(f"{word}: {error.strerror}") from None
            except FolderError as error:
                raise FolderError(f"{word}: {error}") from None
    return total.hexdigest()


def framed(data: bytes) -> bytes:
    """Return the data after its length, so that different sequences of data never read the same."""
    return len(data).to_bytes(8, "big") + data


def _file_digest(path: Path, tally: FolderSize) -> bytes:
    """Return a kind byte and the SHA-256 of the content, whose size ``tally`` checks first.

    A folder has no digest. Raises OSError, FolderError.
    """
    mode = os.lstat(path).st_mode
    if stat.S_ISDIR(mode):
        return b"d"
    if stat.S_ISLNK(mode):
        text = os.fsencode(os.readlink(path))
        tally.add_bytes(len(text))
        return b"l" + hashlib.sha256(text).digest()
    with opened(path) as file:
        found = os.fstat(file.fileno())
        tally.add_bytes(found.st_size)
        kind = b"x" if found.st_mode & stat.S_IXUSR else b"f"
        return kind + hashlib.file_digest(file, "sha256").digest()
