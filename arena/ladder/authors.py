"""The authors of a ladder by the entrants of its run, for the table and all views of the run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from arena.config.ladder import LADDER_FILE, RUN
from arena.ladder.book import Book, LadderBot
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.runs.rounds.authors import Authors
from arena.runs.rounds.played import player_of


def authors_of(book: Book, manifest: Manifest) -> Authors:
    """Return the authors of the entrants, and the entrants that took the authors' places."""
    bots = {bot.name: bot for bot in book.bots}
    called: dict[tuple[LadderBot, str], str] = {}
    of = {}
    for name, entrant in manifest.players.items():
        bot = bots.get(player_of(name))
        if bot is not None:
            of[name] = bot.author
            called[bot, entrant.digest] = name
    takers = {
        author: [called[each] for each in taken if each in called]
        for author, taken in book.takers.items()
    }
    return Authors(of, takers)


def with_authors(folder: Path, manifest: Manifest | None = None) -> StoredRun:
    """Open a run; if it belongs to a ladder, with the authors of its bots.

    The authors are read from the book when they are needed. ``manifest`` is that of ``StoredRun``.
    Raises StoreError.
    """
    ladder = folder.absolute().parent
    if folder.absolute().name != RUN or not (ladder / LADDER_FILE).is_file():
        return StoredRun(folder, manifest)
    return StoredRun(folder, manifest, partial(_read, ladder))


def _read(ladder: Path, manifest: Manifest) -> Authors:
    return authors_of(Book(ladder), manifest)
