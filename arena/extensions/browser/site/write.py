"""Writes the site of a competition; the entry point for commands and ladders."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

import msgspec

from arena import __version__
from arena.extensions.browser.site.folder import Built, Folder, Options
from arena.runs.disk import StoreError, check_file
from arena.runs.field import ENTRIES
from arena.runs.manifest import MANIFEST
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES
from arena.runs.thinning import THINNED
from arena.runs.voids import VOIDS


def write_site(
    run: StoredRun,
    target: Path,
    options: Options,
    step: Callable[[int, int], object] = lambda done, wanted: None,
) -> Built:
    """Write new and changed files of the site of a run, and remove files that are no part of it.

    ``target``: folder of the site. ``step`` is called with the numbers of prepared games and of
    games to prepare. Equal runs and options give equal bytes. Raises BadInput for a folder
    that holds something else, and StoreError.
    """
    inputs = _all_inputs(run, options)
    with Folder(target, run.manifest.commitment, _made_by()) as folder:
        if folder.is_made_of(inputs):
            return Built(folder.untouched(), folder.counts)
        from arena.extensions.browser.site import (
            writer,  # slow to import, and often nothing has changed
        )

        return writer.written(run, folder, options, step, inputs)


def _all_inputs(run: StoredRun, options: Options) -> bytes:
    """Return a digest of all inputs of a site. Raises StoreError.

    Read before anything else, so that games stored meanwhile are noticed the next time.
    """
    hasher = hashlib.sha256()
    for name in (MANIFEST, ENTRIES, GAMES, VOIDS, THINNED):
        path = run.folder / name
        check_file(path)
        try:
            with path.open("rb") as file:
                hasher.update(hashlib.file_digest(file, "sha256").digest())
        except FileNotFoundError:
            hasher.update(b"none")
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    own = options._replace(jobs=1), run.is_opened, run.authors
    hasher.update(msgspec.json.encode(own))
    return hasher.digest()


def _made_by() -> bytes:
    """Return a key that differs between programs that may write different bytes for equal pages."""
    hasher = hashlib.sha256(__version__.encode())
    for text in _sources():
        hasher.update(text.encode())
    return hasher.digest()


def _sources() -> Iterator[str]:
    """Yield the texts of all code and templates of pages."""
    page, site = resources.files("arena.extensions.browser.page"), resources.files(__package__)
    for folder in (site, page, page / "counting", page / "templates"):
        for each in sorted(folder.iterdir(), key=lambda path: path.name):
            if each.name.endswith((".py", ".jinja")):
                yield each.read_text("utf-8")
