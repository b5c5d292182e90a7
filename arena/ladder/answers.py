"""What authors are told: a file for each bot, in which nothing but what is theirs is said.

answers/AUTHOR/BOT.txt      answers/BOT.txt for a bot that is its own author

Folders are made for their owner alone. Whoever may read in a folder may read the answers in it, so
an organiser opens the answers of an author to a group by the mode of the author's folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from arena.hosting.workspace.trees import private_folder
from arena.ladder.book import Bot
from arena.runs.disk import cannot_write, write_atomically
from arena.text import clean

ANSWERS: Final = "answers"
_ALL: Final = 0o777
_FILE: Final = 0o666
"""Permissions that a file takes over from its folder."""


def answer(folder: Path, bot: Bot, at: str, first: str, more: Iterable[str] = ()) -> None:
    """Write what its author is to know, if that is not what stands there. Raises StoreError.

    ``at``: since when, UTC, ISO 8601; ``first``: in a line.
    """
    steps = [bot.bot] if bot.author == bot.bot else [bot.author, bot.bot]
    path = folder.joinpath(ANSWERS, *steps[:-1], f"{steps[-1]}.txt")
    said: Sequence[str] = [f"{'/'.join(steps)}, {at}", first, *more]
    data = "".join(f"{clean.plain(line)}\n" for line in said).encode()
    try:
        for above in dict.fromkeys((folder / ANSWERS, path.parent)):
            private_folder(above)
        mode = path.parent.stat().st_mode & _FILE
        if not path.is_file() or path.stat().st_mode & _ALL != mode or path.read_bytes() != data:
            write_atomically(path, data, mode)
    except OSError as error:
        raise cannot_write(path, error) from error
