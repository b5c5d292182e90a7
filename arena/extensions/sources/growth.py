"""Check how much a build has written, while it writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from arena.entrants import folders
from arena.entrants.folders import FolderError, FolderSize, file_errors

_BLOCK: Final = 512
"""Unit of ``st_blocks``, in bytes."""


def check_growth(named: Iterable[str]) -> None:
    """Check that the folders ``named``, which are being written to, are not too large together.

    Files that take no room on the disk do not count, nor do files that appear or disappear
    meanwhile. Raises FolderError.
    """
    growth = _Growth()
    with file_errors():
        for folder in named:
            growth.add_folder(folder)


class _Growth:
    """A sum of the disk space of folders; uses descriptors, because paths may change."""

    def __init__(self) -> None:
        self._tally = FolderSize()
        self._seen: set[tuple[int, int]] = set()
        """Files with more than one name."""

    def add_folder(self, name: str, parent: int | None = None, depth: int = 0) -> None:
        """Add a folder. Raises OSError, FolderError."""
        if depth > folders.MAX_DEPTH:
            raise FolderError(f"more than {folders.MAX_DEPTH} folders deep")
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
