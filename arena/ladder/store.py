"""The versions of a ladder's bots: a folder for each digest, which never changes.

bots/DIGEST/        a version, with the files it was admitted with
bots/.new.*         a version being copied; what a kill leaves is removed at the next start
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from arena.documents.problems import ConfigError
from arena.entrants import cache
from arena.entrants.folders import disk_use, folder_digest, is_no_source
from arena.entrants.manifest import load_bot
from arena.hosting.sandbox.isolation import Isolation
from arena.hosting.workspace.trees import is_foreign, private_folder, remove_tree
from arena.runs.disk import replace_folder, writing

BOTS: Final = "bots"
_NEW: Final = ".new."
_COPY: Final = "bot"


def place_of(ladder: Path, digest: str) -> Path:
    """Return the folder of a version."""
    return ladder / BOTS / digest


def disk_use_of(ladder: Path, digest: str, isolation: Isolation) -> int:
    """Return the size of a version and of the results of its builds, in bytes on disk."""
    place = place_of(ladder, digest)
    places = cache.places_of(digest, _commands(place), isolation)
    return disk_use(place) + sum(map(cache.size_of, places))


@lru_cache(maxsize=10_000)
def _commands(place: Path) -> tuple[tuple[str, ...], ...]:
    """Return the build commands of a version, whose files never change."""
    try:
        return load_bot(place).manifest.build
    except ConfigError:  # it is gone, or was damaged
        return ()


class VersionStore:
    """The versions that a ladder holds. The caller holds the ladder's lock."""

    def __init__(self, folder: Path) -> None:
        """Open the folder of versions and remove unfinished ones. Raises StoreError."""
        self._folder = folder / BOTS
        with writing(self._folder):
            private_folder(self._folder)
            for path in self._folder.glob(f"{_NEW}*"):
                remove_tree(path)

    @contextlib.contextmanager
    def taking(self) -> Iterator[Path]:
        """Yield a path for a copy, which is removed afterwards unless ``keep`` has moved it.

        Raises OSError.
        """
        unfinished = Path(tempfile.mkdtemp(prefix=_NEW, dir=self._folder))
        try:
            yield unfinished / _COPY
        finally:
            with contextlib.suppress(OSError):  # the next start removes it
                remove_tree(unfinished)

    def keep(self, copy: Path, digest: str) -> None:
        """Move a copy to its final folder, unless that exists. Raises OSError."""
        place = self._folder / digest
        if place.is_dir():
            return
        replace_folder(copy, place)


def digest_of(copy: Path) -> str:
    """Return the digest of the bot in the folder ``copy``, as a tournament computes it.

    Without a readable manifest, return the digest of all files. Raises FolderError.
    """
    skip = is_foreign
    with contextlib.suppress(ConfigError):
        if load_bot(copy).manifest.build:
            skip = is_no_source
    return folder_digest(copy, skip)
