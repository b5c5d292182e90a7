"""Digests of a bot's files, by which a run detects that its bots have changed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from arena.documents.problems import printable
from arena.entrants.folders import FolderError, FolderSize, file_errors, files_of, opened
from arena.hosting.workspace.trees import Skip, skip_nothing


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

    ``files`` is the digest of the whole folder where all of it counts. Programs found in PATH count
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
                raise FolderError(f"{printable(word)}: {error.strerror}") from None
            except FolderError as error:
                raise FolderError(f"{printable(word)}: {error}") from None
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
