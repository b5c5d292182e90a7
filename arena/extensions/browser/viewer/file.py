"""The page of a game as a file: what it is called, and what it may replace."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Final

from arena.extensions.browser.page.html import page_of
from arena.extensions.browser.viewer.document import all_views
from arena.runs.disk import write_named, writing
from arena.runs.reader import StoredRun
from arena.values.bad_input import BadInput
from arena.values.results import Seat
from arena.views.game.find import handed_out
from arena.views.game.replay import Replay, key_of

_LONGEST_NAME: Final = 120
"""Longest file name made from a game id, in characters, without the suffix that names the view."""
_BEGINNING: Final = b"<!doctype html>"
"""First bytes of every page that arena writes."""
_AWKWARD: Final = re.compile(r"[^A-Za-z0-9._+-]")
"""Characters that some file systems reject or that a shell interprets."""


def write_page(run: StoredRun, replay: Replay, whose: Seat | None, output: Path | None) -> Path:
    """Write a game as a page and return its path.

    A page has all views, or only that of one seat or of a spectator; then nothing else is in the
    file. ``whose``: seat of the view, SPECTATOR, or None for all. ``output``: path of the page;
    None: named after the game, in the current folder. Raises BadInput or StoreError.
    """
    if output is not None and os.path.isdir(output):  # Path.is_dir raises for long names
        shown = str(output)
        raise BadInput(f"--output: found the folder {shown}, expected the name of a file")
    if output is not None and not _may_be_written(output):
        shown = str(output)
        raise BadInput(f"--output: {shown} holds something else than a page; choose another file")
    wanted = all_views(replay) if whose is None else [handed_out(run, replay, whose)]
    path = output or Path(file_name(wanted[0].header.spec.game_id, whose))
    with writing(path):
        write_named(path, page_of(wanted).encode())
    return path


def _may_be_written(path: Path) -> bool:
    """Return False for an existing file that is no page of arena.

    A path that cannot be read counts as writable; writing it reports the error.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return True
        with path.open("rb") as file:
            return file.read(len(_BEGINNING)).lower() in (b"", _BEGINNING)
    except OSError:
        return True


def file_name(game_id: str, whose: Seat | None) -> str:
    """Return the name of the page with a view of a game, valid on every file system.

    Different games and views get different names.
    """
    name = _AWKWARD.sub("-", game_id).lstrip("-.")[:_LONGEST_NAME]
    usual = re.sub("[/:]", "-", game_id)
    if name != usual:
        digest = hashlib.sha256(game_id.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{name}-{digest[:8]}"
    view = {"all": "", "spectator": "-spectator"}.get(key_of(whose), f"-seat-{whose}")
    return f"{name}{view}.html"
