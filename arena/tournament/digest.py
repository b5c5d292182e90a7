"""Digests of what a bot is made of, so that a run can tell whether its bots have changed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from arena.tournament.folders import MAX_BYTES, FolderError, Tally, files_of, opened, told
from arena.tournament.problems import printable


def folder_digest(folder: Path, *, source: bool = False) -> str:
    """SHA-256 over the sorted relative paths with contents and executable bits.

    What counts, also as ``source``, is told at ``files_of``. Symbolic links are not followed:
    their text counts. Raises FolderError for other special files, for unreadable ones and
    beyond the bounds of ``folders``.
    """
    total, tally = hashlib.sha256(), Tally()
    with told():
        for relative in sorted(files_of(folder, source=source)):
            content, length = _file_digest(folder / relative)
            tally.add(length)
            total.update(framed(os.fsencode(relative)) + content)
    return total.hexdigest()


def command_digest(words: Sequence[str], folder: Path, files: str = "") -> str:
    """SHA-256 over a command and the content of every file of ``folder`` that it names.

    ``files`` is the digest of the whole folder where all of it counts. Programs found in PATH
    count by name alone. Raises FolderError.
    """
    total = hashlib.sha256(files.encode())
    for word in words:
        total.update(framed(os.fsencode(word)))
        path = folder / word
        if os.path.isfile(path):
            try:
                content, length = _file_digest(Path(os.path.realpath(path)))
            except OSError as error:
                raise FolderError(f"{printable(word)}: {error.strerror}") from None
            if length > MAX_BYTES:
                raise FolderError(f"{printable(word)}: more than 1 GiB")
            total.update(content)
    return total.hexdigest()


def framed(data: bytes) -> bytes:
    """The data behind its length, so that no two sequences of data read the same."""
    return len(data).to_bytes(8, "big") + data


def _file_digest(path: Path) -> tuple[bytes, int]:
    """A kind byte with the SHA-256 of the content, and its length. Raises OSError, FolderError."""
    if os.path.islink(path):
        text = os.fsencode(os.readlink(path))
        return b"l" + hashlib.sha256(text).digest(), len(text)
    with opened(path) as file:
        kind = b"x" if os.fstat(file.fileno()).st_mode & stat.S_IXUSR else b"f"
        digest = hashlib.file_digest(file, "sha256").digest()
        return kind + digest, file.tell()
