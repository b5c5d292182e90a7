"""``arena replay --html``: a game as a page for a browser."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Final

from arena.cli.commands.replay import opened, told
from arena.cli.terminal.console import out
from arena.documents.bad_input import BadInput
from arena.records.perspective import SPECTATOR
from arena.results import Seat
from arena.runs.disk import cannot_write, write_named
from arena.runs.reader import StoredRun
from arena.text import clean
from arena.views.game.replay import Replay, View, view_of
from arena.views.game.viewer.document import document, key_of
from arena.views.game.viewer.page import page

_LONGEST_NAME: Final = 120
"""Of a file that is named after a game, without what tells the view; in characters."""
_BEGINNING: Final = b"<!doctype html>"
"""Of every page."""
_AWKWARD: Final = re.compile(r"[^A-Za-z0-9._+-]")
"""What not every file system takes in a name, or what a shell reads as something else."""


def write_page(
    folder: Path, game: str, *, seat: int | None, spectator: bool, output: Path | None
) -> None:
    """Write the page of a game and print its path.

    With all views, or with that of ``seat`` or of a spectator alone: then nothing else is in the
    file. Raises BadInput or StoreError.
    """
    if output is not None and os.path.isdir(output):  # Path.is_dir raises for long names
        shown = clean.plain(str(output))
        raise BadInput(f"--output: found the folder {shown}, expected the name of a file")
    if output is not None and not _may_be_written(output):
        shown = clean.plain(str(output))
        raise BadInput(f"--output: {shown} holds something else than a page; choose another file")
    run = StoredRun(folder)
    replay, whose = opened(run, game, seat=seat, spectator=spectator)
    wanted = views(replay) if whose is None else [told(run, replay, whose)]
    path = output or Path(file_name(wanted[0].spec.game_id, whose))
    text = page(document(wanted))
    try:
        write_named(path, text.encode())
    except OSError as error:
        raise cannot_write(path, error) from None
    out(clean.plain(str(path)))


def _may_be_written(path: Path) -> bool:
    """Not a file of another kind; what cannot be looked at shows when it is written."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return True
        with path.open("rb") as file:
            return file.read(len(_BEGINNING)).lower() in (b"", _BEGINNING)
    except OSError:
        return True


def views(replay: Replay) -> list[View]:
    """All views of a game: everything, each seat's, a spectator's unless one plays alone."""
    seats = range(len(replay.record.header.spec.entrants))
    public = [SPECTATOR] if len(seats) > 1 else []
    return [view_of(replay, seat) for seat in (None, *seats, *public)]


def file_name(game_id: str, whose: Seat | None) -> str:
    """A name that every file system takes; ids that differ get different ones."""
    name = _AWKWARD.sub("-", game_id).lstrip("-.")[:_LONGEST_NAME]
    usual = re.sub("[/:]", "-", game_id)
    if name != usual:
        digest = hashlib.sha256(game_id.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{name}-{digest[:8]}"
    view = {"all": "", "spectator": "-spectator"}.get(key_of(whose), f"-seat-{whose}")
    return f"{name}{view}.html"
