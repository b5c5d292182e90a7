"""Answers to authors: a text file for each bot, which contains only what its author may know.

    answers/AUTHOR/BOT.txt      answers/BOT.txt for a bot that is its own author

Folders are created for their owner only. A user who may read a folder may read the answers in it.
So an organiser gives a group access to an author's answers through the mode of the author's folder.
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
from arena.ladder.book import BookEvent, LadderBot, What
from arena.runs.disk import write_atomically, writing
from arena.text import clean

ANSWERS: Final = "answers"
_ALL: Final = 0o777
_FILE: Final = 0o666
"""Permissions that an answer's file takes from its folder."""
ON: Final = "; the version before plays on"
"""Addition to an answer if another version of the bot plays."""
_LEFT: Final = "where they left off"


def answer_event(folder: Path, event: BookEvent, called: str, *, has_other: bool) -> None:
    """Write an answer that explains ``event`` of the book to the bot's author.

    ``called`` is the name of the version in the run; ``has_other`` is True if a version of the bot
    plays. Raises StoreError.
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
    """Return the first line of an answer that refuses a version.

    ``has_other``: true if another version of the bot plays.
    """
    return f"refused{ON if has_other else ''}"


def answer(folder: Path, bot: LadderBot, at: str, first: str, more: Iterable[str] = ()) -> None:
    """Write the answer to a bot's author, if it differs from the present one. Raises StoreError.

    ``at`` is the time of the event, UTC, ISO 8601; ``first`` is the summary in one line.
    """
    steps = [bot.bot] if bot.author == bot.bot else [bot.author, bot.bot]
    path = folder.joinpath(ANSWERS, *steps[:-1], f"{steps[-1]}.txt")
    said: Sequence[str] = [f"{'/'.join(steps)}, {at}", first, *more]
    data = "".join(f"{clean.plain(without_places(line, folder))}\n" for line in said).encode()
    with writing(path):
        for above in dict.fromkeys((folder / ANSWERS, path.parent)):
            private_folder(above)
        mode = path.parent.stat().st_mode & _FILE
        if not path.is_file() or path.stat().st_mode & _ALL != mode or path.read_bytes() != data:
            write_atomically(path, data, mode)


def without_places(line: str, folder: Path) -> str:
    """Return ``line`` with the paths of the organiser's machine shortened to their last name.

    Shortened are paths in the ladder's ``folder``, the cache of builds and the temporary folder.
    """
    roots = {os.path.abspath(each) for each in (folder, cache_folder(), tempfile.gettempdir())}
    roots |= set(map(os.path.realpath, roots))
    longest_first = "|".join(map(re.escape, sorted(roots, key=len, reverse=True)))
    return re.sub(rf"(?:{longest_first})(?:(?:/[^\s/'\":]+)*(?=/))?", "…", line)
