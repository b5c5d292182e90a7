"""Digests of what a bot is made of, so that a run can tell whether its bots have changed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from arena.tournament.problems import printable

MAX_FILES: Final = 100_000
MAX_BYTES: Final = 1 << 30
MAX_DEPTH: Final = 100

BUILD_FOLDER: Final = "build"
"""Of a bot, for what its build writes; no part of its digest."""

_STAMP: Final = ".arena-digest"
_SKIPPED: Final = frozenset({".git", "__pycache__"})
_SKIPPED_PATHS: Final = frozenset({BUILD_FOLDER, os.path.join("node_modules", ".cache")})


class DigestError(Exception):
    """The files cannot be read or are too many; the message says which."""


def folder_digest(folder: Path) -> str:
    """SHA-256 over the sorted relative paths with contents and executable bits.

    ``.git``, ``__pycache__``, ``build/`` and ``node_modules/.cache`` do not count. Symbolic
    links are not followed: their text counts. Raises DigestError for other special files,
    for unreadable ones and beyond MAX_FILES or MAX_BYTES.
    """
    total = hashlib.sha256()
    size = count = 0
    try:
        for relative in sorted(_files(folder, "", 0)):
            content, length = _file_digest(folder / relative)
            size, count = size + length, count + 1
            if count > MAX_FILES or size > MAX_BYTES:
                raise DigestError(f"more than {MAX_FILES:,} files or 1 GiB")
            total.update(_framed(os.fsencode(relative)) + content)
    except OSError as error:
        name = printable(str(error.filename))
        raise DigestError(f"{name}: {error.strerror or type(error).__name__}") from None
    return total.hexdigest()


def command_digest(words: Sequence[str], folder: Path) -> str:
    """SHA-256 over a command and the content of every file of ``folder`` that it names.

    Programs found in PATH count by name alone. Raises DigestError.
    """
    total = hashlib.sha256()
    for word in words:
        total.update(_framed(os.fsencode(word)))
        path = folder / word
        if os.path.isfile(path):
            try:
                content, length = _file_digest(Path(os.path.realpath(path)))
            except OSError as error:
                raise DigestError(f"{printable(word)}: {error.strerror}") from None
            if length > MAX_BYTES:
                raise DigestError(f"{printable(word)}: more than 1 GiB")
            total.update(content)
    return total.hexdigest()


def is_built(folder: Path, digest: str) -> bool:
    """Whether the bot was built, and its files had that digest afterwards."""
    try:
        return (folder / BUILD_FOLDER / _STAMP).read_text("ascii") == digest
    except (OSError, ValueError):
        return False


def mark_built(folder: Path, digest: str) -> None:
    """Remember that the bot was built and what its digest was then. Raises OSError."""
    (folder / BUILD_FOLDER).mkdir(exist_ok=True)
    (folder / BUILD_FOLDER / _STAMP).write_text(digest, "ascii")


def _files(folder: Path, below: str, depth: int) -> Iterator[str]:
    """Relative paths of all that counts, folders themselves left out. Raises OSError."""
    if depth > MAX_DEPTH:
        raise DigestError(f"more than {MAX_DEPTH} folders deep")
    with os.scandir(folder / below) as entries:
        for count, entry in enumerate(entries):
            if count > MAX_FILES:
                raise DigestError(f"more than {MAX_FILES:,} files")
            relative = os.path.join(below, entry.name)
            if entry.name in _SKIPPED or relative in _SKIPPED_PATHS:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(folder, relative, depth + 1)
            else:
                yield relative


def _file_digest(path: Path) -> tuple[bytes, int]:
    """A kind byte with the SHA-256 of the content, and its length. Raises OSError."""
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        text = os.fsencode(os.readlink(path))
        return b"l" + hashlib.sha256(text).digest(), len(text)
    if not stat.S_ISREG(mode):
        raise DigestError(f"{printable(str(path))} is neither file, folder nor link")
    kind = b"x" if mode & stat.S_IXUSR else b"f"
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
        return kind + digest, file.tell()


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big") + data
