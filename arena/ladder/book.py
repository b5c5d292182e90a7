"""What happened to the bots of a ladder: ``submissions.jsonl``, a line for each event.

    at              UTC, ISO 8601
    what            admitted: a new version was checked and plays from the next round on; back: a
                    version that played before does again; refused; left: its folder is gone;
                    broken: it was given up, and plays no more
    author, bot     whose, and which
    digest          SHA-256 of the bot's files, as of a tournament
    reason          for the author
    ranks           of one that was admitted: whether its author's place is its own from now on

All that a ladder knows of its bots follows from these lines. They are only added to.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.runs.disk import Log, cannot_write, complete_lines_end, stored_lines
from arena.runs.store import SECRET

BOOK: Final = "submissions.jsonl"
AUTHOR_JOINT: Final = "."
"""Between an author and a bot, in names of entrants; in no name of an author."""


class Bot(NamedTuple):
    """A bot of an author, whichever version it is."""

    author: str
    bot: str

    @property
    def name(self) -> str:
        """In tables: its author's, where he has it in no folder of his own."""
        own = self.author == self.bot
        return self.bot if own else f"{self.author}{AUTHOR_JOINT}{self.bot}"


class What(StrEnum):
    """What happened."""

    ADMITTED = "admitted"
    BACK = "back"
    REFUSED = "refused"
    LEFT = "left"
    BROKEN = "broken"


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line."""

    at: str
    what: What
    author: str
    bot: str
    digest: str = ""
    reason: str = ""
    ranks: bool = True

    @property
    def own(self) -> Bot:
        """Whose it is."""
        return Bot(self.author, self.bot)


class State:
    """A bot by now."""

    def __init__(self) -> None:
        self.digest = ""
        """Of the version that plays; empty: none."""
        self.since = ""
        """It does; or else when it ceased to."""
        self.seen = ""
        """Digest of what was taken in last, whatever came of it."""
        self.last: Event | None = None


class Book:
    """The events so far, and what follows from them."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError."""
        self._path = folder / BOOK
        self.bots: dict[Bot, State] = {}
        """In the order in which they came first."""
        self.owners: dict[str, Bot] = {}
        """Who was admitted with a digest first."""
        self.broken: dict[str, str] = {}
        """Why versions were given up, by digest."""
        self.takers: dict[str, list[tuple[Bot, str]]] = {}
        """Bots and digests of the versions that took an author's place, by author, in the order of
        admission."""
        self._uploads: Counter[tuple[str, str]] = Counter()
        """By author and day."""
        for _, event in stored_lines(self._path, Event, "event of a ladder"):
            self._take(event)

    def add(self, event: Event) -> None:
        """Put it on disk. Raises StoreError."""
        try:
            end = complete_lines_end(self._path)
            with contextlib.closing(Log(self._path, end, SECRET)) as log:
                log.append(msgspec.json.encode(event) + b"\n")
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self._take(event)

    def _take(self, event: Event) -> None:
        state = self.bots.setdefault(event.own, State())
        state.last = event
        if event.what in (What.ADMITTED, What.BACK, What.REFUSED):
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

    def playing(self) -> Iterator[tuple[Bot, State]]:
        """Those that do, in the order in which they came first."""
        return ((bot, state) for bot, state in self.bots.items() if state.digest)

    def called(self, bot: Bot, digest: str) -> str:
        """Return the name of a version in the run: files keep that of their first admission."""
        return self.owners.get(digest, bot).name

    def holder(self, digest: str) -> Bot | None:
        """Return the bot that plays these files, or else the one that was admitted with them."""
        playing = (bot for bot, state in self.playing() if state.digest == digest)
        return next(playing, self.owners.get(digest))

    def of_author(self, author: str) -> int:
        """How many bots of his play."""
        return sum(bot.author == author for bot, _ in self.playing())

    def uploads(self, author: str, day: str) -> int:
        """How many versions of his were looked at on a day."""
        return self._uploads[author, day]
