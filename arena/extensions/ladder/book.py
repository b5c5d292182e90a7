"""The events of a ladder's bots: ``submissions.jsonl``, one line for each event.

    at              UTC, ISO 8601
    what            admitted: a new version was checked and plays from the next round on; back: a
                    version that played before plays again; refused; left: its folder is gone;
                    broken: it was withdrawn because of its faults
    author, bot     the author, and the author's name for the bot
    digest          SHA-256 of the bot's files, computed as in a tournament
    reason          for the author
    ranks           for an admitted version: true if it takes its author's place
    commit          of the author's repository, whose files were decided on; empty without one

All knowledge of a ladder about its bots follows from these lines. Lines are only ever appended.

Each author gets answers: a text file for each bot, which contains only what its author may know.

    answers/AUTHOR/BOT.txt      answers/BOT.txt for a bot that is its own author

Folders are created for their owner only. A user who may read a folder may read the answers in it.
So an organiser gives a group access to an author's answers through the mode of the author's folder.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.entrants.cache import cache_folder
from arena.hosting.workspace.trees import private_folder
from arena.runs.disk import append_line, stored_lines, write_atomically, writing
from arena.runs.manifest import Manifest
from arena.runs.reader import Authors
from arena.runs.store import SECRET
from arena.values import clean
from arena.values.results import player_of

BOOK: Final = "submissions.jsonl"
AUTHOR_JOINT: Final = "."
"""Separator of author and bot in names of entrants; no author's name contains it."""


class LadderBot(NamedTuple):
    """A bot of an author, independent of its version."""

    author: str
    bot: str

    @property
    def name(self) -> str:
        """Name of the bot in tables: only the author's if the bot is its own author."""
        own = self.author == self.bot
        return self.bot if own else f"{self.author}{AUTHOR_JOINT}{self.bot}"


class What(StrEnum):
    """Kind of an event."""

    ADMITTED = "admitted"
    BACK = "back"
    REFUSED = "refused"
    LEFT = "left"
    BROKEN = "broken"


DECISIONS: Final = frozenset({What.ADMITTED, What.BACK, What.REFUSED})
"""Kinds of events that decide on submitted files."""


class BookEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event of the book."""

    at: str
    what: What
    author: str
    bot: str
    digest: str = ""
    reason: str = ""
    ranks: bool = True
    commit: str = ""

    @property
    def own(self) -> LadderBot:
        """Bot that the event concerns."""
        return LadderBot(self.author, self.bot)


class BotState:
    """The present state of a bot, as the events of the book give it."""

    def __init__(self) -> None:
        self.digest = ""
        """Digest of the version that plays; empty if none does."""
        self.since = ""
        """Time since which the version plays, or at which the bot ceased to play."""
        self.seen = ""
        """Digest of the version last admitted or refused; empty once its folder is gone."""
        self.last: BookEvent | None = None


class Book:
    """The events so far, and the state that follows from them."""

    def __init__(self, folder: Path) -> None:
        """Read the book in ``folder``. Raises StoreError."""
        self._path = folder / BOOK
        self.bots: dict[LadderBot, BotState] = {}
        """Bots in the order of their first event."""
        self.owners: dict[str, LadderBot] = {}
        """Bots by the digest with which they were the first to be admitted."""
        self.broken: dict[str, str] = {}
        """Reasons why versions were withdrawn, by digest."""
        self.takers: dict[str, list[tuple[LadderBot, str]]] = {}
        """Versions that took an author's place, by author, in the order of admission. Each version
        is given by its bot and digest."""
        self._uploads: Counter[tuple[str, str]] = Counter()
        """Number of versions admitted (also again) or refused, by author and day."""
        for _, event in stored_lines(self._path, BookEvent, "event of a ladder"):
            self._take(event)

    def add(self, event: BookEvent) -> None:
        """Append an event on disk and apply it. Raises StoreError."""
        with writing(self._path):
            append_line(self._path, msgspec.json.encode(event) + b"\n", SECRET)
        self._take(event)

    def _take(self, event: BookEvent) -> None:
        state = self.bots.setdefault(event.own, BotState())
        state.last = event
        if event.what in DECISIONS:
            self._uploads[event.author, event.at[:10]] += 1
            state.seen = event.digest
        match event.what:
            case What.ADMITTED | What.BACK:
                state.digest, state.since = event.digest, event.at
                if event.what is What.ADMITTED:
                    self.owners.setdefault(event.digest, event.own)
                    if event.ranks or event.author not in self.takers:
                        self.takers.setdefault(event.author, []).append((event.own, event.digest))
            case What.LEFT:
                state.digest, state.since, state.seen = "", event.at, ""
            case What.BROKEN:
                self.broken[event.digest] = event.reason
                if state.digest == event.digest:
                    state.digest, state.since = "", event.at
            case What.REFUSED:
                pass

    def playing(self) -> Iterator[tuple[LadderBot, BotState]]:
        """Return the bots that play, with their states, in the order of their first event."""
        return ((bot, state) for bot, state in self.bots.items() if state.digest)

    def called(self, bot: LadderBot, digest: str) -> str:
        """Return the name in the run of ``bot`` with the files ``digest``.

        The same files keep the name of their first admission.
        """
        return self.owners.get(digest, bot).name

    def holder(self, digest: str) -> LadderBot | None:
        """Return the bot that plays with the files ``digest``, else the one admitted with them."""
        playing = (bot for bot, state in self.playing() if state.digest == digest)
        return next(playing, self.owners.get(digest))

    def of_author(self, author: str) -> int:
        """Return how many bots of ``author`` play."""
        return sum(bot.author == author for bot, _ in self.playing())

    def uploads(self, author: str, day: str) -> int:
        """Return how many versions of ``author`` were admitted, also again, or refused on a day."""
        return self._uploads[author, day]


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


def read_authors(ladder: Path, manifest: Manifest) -> Authors:
    """Return the authors by the book of a ladder. Raises StoreError."""
    return authors_of(Book(ladder), manifest)


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
    commit = [f"commit {event.commit}"] if event.commit else []
    answer(folder, event.own, event.at, first, [*commit, *event.reason.splitlines()])


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
