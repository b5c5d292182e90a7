"""Output of the page of a run: one file, and a folder beside it for many games."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from arena.extensions.publishing.folders import beside, recover, set_aside
from arena.runs.disk import remove, sync, write_named, writing
from arena.values.bad_input import BadInput

GENERATOR: Final = "arena report"
"""Mark in the head of every page, which distinguishes it from other files."""
INSIDE: Final = 8_000_000
"""Most bytes of packed games within a page; more go into a folder beside it."""
_FILE: Final = 250_000
"""Bytes of a file of the folder after which the next game begins another file."""
_OURS: Final = re.compile(r"\d{3,}\.js")
_HEAD: Final = 2000
"""Bytes of an older page that are read to recognise it."""
_ADD: Final = "arena.store.add("
"""Start of each file of the folder."""
_SAFE: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_UNSAFE: Final = re.compile(r"[^a-z0-9]+")
_DIGEST: Final = 8


def target_of(path: Path, generator: str = GENERATOR) -> Path:
    """Return the file to write. Raises BadInput where writing would destroy something else.

    ``generator``: the command that writes the page, ``arena NAME``.
    """
    shown, folder = str(path), folder_of(path)
    name = f"{generator.split()[-1]}.html"
    try:
        if path.is_dir():
            raise BadInput(f"{shown}: found a folder, expected a file such as {shown}/{name}")
        if not path.parent.is_dir():
            raise BadInput(f"{path.parent}: found no such folder")
        if path.exists() and not (path.is_file() and _is_page(path, generator)):
            other = f"holds something else than a page of {generator}"
            raise BadInput(f"{shown}: {other}; choose another file (-o)")
        if folder.exists() and not _is_ours(folder):
            where = str(folder)
            raise BadInput(f"{where}: holds something else than games; choose another file (-o)")
    except OSError as error:
        raise BadInput(f"{shown}: cannot be written: {error.strerror}") from None
    return path


def folder_of(path: Path) -> Path:
    """Return the folder beside ``path`` for games that do not fit into the page."""
    return path.with_name(f"{path.stem}-games")


def _is_page(path: Path, generator: str) -> bool:
    try:
        with path.open("rb") as file:
            return f'content="{generator}"'.encode() in file.read(_HEAD)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None


def _is_ours(folder: Path) -> bool:
    """Return True if arena wrote all files of the folder, which will be removed."""
    return folder.is_dir() and all(map(_holds_games, folder.iterdir()))


def _holds_games(path: Path) -> bool:
    if not (_OURS.fullmatch(path.name) and path.is_file()):
        return False
    with path.open("rb") as file:
        return file.read(len(_ADD)) == _ADD.encode()


class Files:
    """Store of packed games, in memory as long as they fit into the page.

    Use as a context manager: unfinished output is removed. Methods raise StoreError.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._folder = folder_of(target)
        self.inside: dict[int, str] = {}
        """Packed games for the page, by number."""
        self._bytes = 0
        self._written = 0
        self._places: dict[int, int] = {}
        self._temporary: Path | None = None
        self._pending: dict[int, str] = {}
        self._pending_bytes = 0
        self._files = 0

    def __enter__(self) -> Files:
        recover(self._folder, self._is_written)
        return self

    def __exit__(self, *_: object) -> None:
        if self._temporary is not None:
            remove(self._temporary)

    @property
    def folder(self) -> str:
        """Name of the folder beside the page; empty without one."""
        return "" if self._temporary is None else self._folder.name

    def place(self, number: int) -> int:
        """Return the place of a game: 0 nowhere, 1 in the page, else the number of its file."""
        if number in self.inside:
            return 1
        return self._places.get(number, 0)

    def add(self, number: int, packed: str) -> None:
        """Add the next game, whose document is ``packed``."""
        if self._temporary is not None:
            self._put(number, packed)
            return
        self.inside[number] = packed
        self._bytes += len(packed)
        if self._bytes > INSIDE:
            self._begin_folder()

    def finish(self, html: str) -> int:
        """Move page and folder into their places and return the bytes of both.

        On failure an older page keeps its games.
        """
        data = html.encode("utf-8", "replace")
        self._flush()
        aside = set_aside(self._folder, _digest(data), self._is_written)
        with writing(self._target), aside:
            if self._temporary is not None:
                sync(self._temporary)
                self._temporary.rename(self._folder)
            write_named(self._target, data)
            self._temporary = None
        return len(data) + self._written

    def _is_written(self, digest: str) -> bool:
        """Return whether the page on disk is the one with this digest."""
        return self._target.is_file() and _digest(self._target.read_bytes()) == digest

    def _begin_folder(self) -> None:
        with writing(self._target):
            self._temporary = beside(self._folder)
            self._temporary.mkdir()
        waiting, self.inside = self.inside, {}
        for number, packed in waiting.items():
            self._put(number, packed)

    def _put(self, number: int, packed: str) -> None:
        self._pending[number] = packed
        self._places[number] = self._files + 1
        self._pending_bytes += len(packed)
        if self._pending_bytes >= _FILE:
            self._flush()

    def _flush(self) -> None:
        if not self._pending or self._temporary is None:
            return
        self._files += 1
        games = ",\n".join(f'"{number}":"{text}"' for number, text in self._pending.items())
        data = f"{_ADD}{{{games}}});\n".encode()
        path = self._temporary / f"{self._files:03}.js"
        with writing(path):
            path.write_bytes(data)
            sync(path)
        self._written += len(data)
        self._pending, self._pending_bytes = {}, 0


def _digest(page: bytes) -> str:
    return hashlib.blake2b(page, digest_size=8).hexdigest()


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return the part of an address for each name; all differ even if case is ignored."""
    found: dict[str, str] = {}
    taken = {"index"}
    for name in names:
        slug = name
        if not _SAFE.fullmatch(name) or name in taken:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
            slug = f"{_UNSAFE.sub('-', name.casefold()).strip('-')[:40]}-{digest[:_DIGEST]}"
            slug = slug.lstrip("-")
        while slug in taken:
            slug += "-2"
        taken.add(slug)
        found[name] = slug
    return found


def size_text(size: int) -> str:
    """Return a size as text, such as ``1.2 MB``."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
