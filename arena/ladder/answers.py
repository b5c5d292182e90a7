"""What authors are told: a file for each bot, in which nothing but what is theirs is said.

answers/AUTHOR/BOT.txt      answers/BOT.txt for a bot that is its own author

Folders are made for their owner alone. Whoever may read in a folder may read the answers in it, so
an organiser opens the answers of an author to a group by the mode of the author's folder.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from arena.entrants.cache import cache_folder
from arena.hosting.workspace.trees import private_folder
from arena.ladder.book import Bot, Event, What
from arena.runs.disk import cannot_write, write_atomically
from arena.text import clean

ANSWERS: Final = "answers"
_ALL: Final = 0o777
_FILE: Final = 0o666
"""Permissions that a file takes over from its folder."""
ON: Final = "; the version before plays on"
"""Added where another version of the bot plays."""
_LEFT: Final = "where they left off"


def answer_event(folder: Path, event: Event, called: str, *, has_other: bool) -> None:
    """Write what an event of the book means to the author. Raises StoreError.

    ``called``: name of the version in the run; ``has_other``: whether a version of the bot plays.
    """
    match event.what:
        case What.ADMITTED:
            first = "admitted: it plays from the next round on"
            if not event.ranks:
                first += "; your place stays with the bot that author.yaml names"
        case What.BACK if called == event.own.name:
            first = f"back: these files have played before, and play on {_LEFT}"
        case What.BACK:
            first = f"back: these files have played before as {called}, and play on under that "
            first += f"name, in the tables too, {_LEFT}"
        case What.REFUSED:
            first = refused(has_other=has_other)
        case What.LEFT:
            first = "left: its folder is gone; its games stand"
        case What.BROKEN:
            first = "plays no more; it comes back with other files"
    answer(folder, event.own, event.at, first, event.reason.splitlines())


def refused(*, has_other: bool) -> str:
    """Return the line of an answer that begins a refusal."""
    return f"refused{ON if has_other else ''}"


def answer(folder: Path, bot: Bot, at: str, first: str, more: Iterable[str] = ()) -> None:
    """Write what its author is to know, if that is not what stands there. Raises StoreError.

    ``at``: since when, UTC, ISO 8601; ``first``: in a line.
    """
    steps = [bot.bot] if bot.author == bot.bot else [bot.author, bot.bot]
    path = folder.joinpath(ANSWERS, *steps[:-1], f"{steps[-1]}.txt")
    said: Sequence[str] = [f"{'/'.join(steps)}, {at}", first, *more]
    data = "".join(f"{clean.plain(without_places(line, folder))}\n" for line in said).encode()
    try:
        for above in dict.fromkeys((folder / ANSWERS, path.parent)):
            private_folder(above)
        mode = path.parent.stat().st_mode & _FILE
        if not path.is_file() or path.stat().st_mode & _ALL != mode or path.read_bytes() != data:
            write_atomically(path, data, mode)
    except OSError as error:
        raise cannot_write(path, error) from error


def without_places(line: str, folder: Path) -> str:
    """Return a line without the places of the organiser's machine: of a path the last step stays.

    Such places are the ladder in ``folder``, the cache of builds and the temporary files.
    """
    roots = {os.path.abspath(each) for each in (folder, cache_folder(), tempfile.gettempdir())}
    roots |= set(map(os.path.realpath, roots))
    longest_first = "|".join(map(re.escape, sorted(roots, key=len, reverse=True)))
    return re.sub(rf"(?:{longest_first})(?:(?:/[^\s/'\":]+)*(?=/))?", "…", line)
