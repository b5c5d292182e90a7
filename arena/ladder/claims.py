"""Claims to files and names: why a submission cannot enter now under its files or its name.

The same files are one bot for good. Their author may move them to another folder: they keep the
name of their first admission, and so their games. A reason given here can cease to hold, so none is
written to the book.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.entrants.entrants import Entrant
from arena.ladder.book import Book, LadderBot


def obstacle(book: Book, anchors: Iterable[Entrant], bot: LadderBot, digest: str) -> str:
    """Return why files with this digest cannot enter as ``bot``; empty if they can."""
    if digest in book.broken:
        return f"these files were given up: {book.broken[digest].splitlines()[0]}"
    owner, name = book.owners.get(digest, bot), book.called(bot, digest)
    if owner.author != bot.author:
        return f"the same files as {owner.name}, which was there before: it is the same bot"
    for anchor in anchors:
        if digest == anchor.digest:
            return f"the same files as the anchor {anchor.name}: it is the same bot"
        if name.lower() == anchor.name.lower():
            return f"an anchor is called {anchor.name}"
    for other, state in book.playing():
        if other == bot:
            continue
        if state.digest == digest:
            return f"the same files as {other.name}, which plays: it is the same bot"
        if book.called(other, state.digest) == name:
            if digest in book.owners:
                return f"these files are a version of {name}, of which {other.name} plays another"
            return f"{other.name} plays as {name}: give this bot another name"
    for known in book.owners.values():
        if known.name != name and known.name.lower() == name.lower():
            return f"a bot is called {known.name}, and capitals make no difference"
    return ""
