"""Secrets of a ladder that git would publish with its repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.config.ladder import LADDER_FILE, Ladder
from arena.entrants.git import Git
from arena.runs.store import SEED

_ANY_OWNER: Final = ("-c", "safe.directory=*")
"""Options for git: only file names are read from the repository, so its owner does not matter."""


def tracked_secrets(ladder: Ladder) -> Iterator[Path]:
    """Yield the files with the seed of a ladder that git tracks.

    Readers of that repository know all deals to come. Without git no file is tracked.
    """
    if _is_tracked(ladder.run / SEED):
        yield ladder.run / SEED
    if ladder.file.seed is not None and _is_tracked(ladder.folder / LADDER_FILE):
        yield ladder.folder / LADDER_FILE


def _is_tracked(path: Path) -> bool:
    return bool(Git(str(path.parent)).ask(*_ANY_OWNER, "ls-files", "--", path.name))
