"""Reports events of a ladder to a program of the organiser: one JSON object each, see LadderEvent.

Events are those of the book and the entries of the feed of ``arena site``, with the same ids. The
program is started for one event at a time, in a thread, and killed when its time has passed. So it
never holds up play. Each event is offered at least once: ``notified.json`` lists it afterwards. So
after a kill, the last event may be offered again.
"""

from __future__ import annotations

import queue
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from arena.extensions.browser.site.feed import NAMESPACE, FeedEntry, entries, entry_id
from arena.extensions.browser.site.history import StepRatings
from arena.extensions.browser.site.model import Site
from arena.extensions.ladder.book import BOOK, BookEvent, What
from arena.extensions.ladder.bounded import run_bounded
from arena.extensions.ladder.file import Ladder
from arena.runs.disk import StoreError, read_json, stored_lines, write_atomically, writing
from arena.runs.manifest import is_run
from arena.runs.reader import StoredRun, with_authors
from arena.runs.store import SECRET
from arena.values.numbers import count

NOTIFIED: Final = "notified.json"
SECONDS: Final = 10.0
"""Time of the program for one event, in seconds."""
_LAST: Final = 30.0
"""Time for all waiting events when the ladder is stopped, in seconds."""
_MOST: Final = 1_000
"""Most events that wait; further ones are left out."""
_POLL: Final = 0.1
_TITLES: Final = {
    What.ADMITTED: "is admitted",
    What.BACK: "plays again",
    What.REFUSED: "is refused",
    What.LEFT: "has left",
    What.BROKEN: "plays no more",
}


class LadderEvent(
    msgspec.Struct, frozen=True, kw_only=True, tag="arena.event/1", tag_field="schema"
):
    """An event, as the program gets it on standard input."""

    id: str
    """Equal if the event is offered again; that of the feed's entry if it has one."""
    ladder: str
    kind: str
    """Kind of event: one of the book, or begin, enter, leave, over, lead, won or ruling."""
    when: str
    """UTC, ISO 8601."""
    title: str
    text: str = ""
    address: str = ""
    """Page of the site about it."""
    author: str = ""
    bot: str = ""
    digest: str = ""
    commit: str = ""


class _Notified(msgspec.Struct):
    """The contents of notified.json."""

    book: int = 0
    """Number of lines of the book."""
    feed: list[str] = []
    """Ids of the newest entries of the feed."""


class _PendingEvent(NamedTuple):
    event: LadderEvent
    line: int
    """Line of the book; 0 for an entry of the feed."""


class Notifier:
    """Reports events to the program of the organiser; use as a context manager."""

    def __init__(self, ladder: Ladder, say: Callable[[str], None]) -> None:
        """Read what was offered; without a list of it, earlier events count as offered."""
        self._ladder = ladder
        self._say = say
        self._path = ladder.folder / NOTIFIED
        self._command: Sequence[str] = ladder.file.notify.command if ladder.file.notify else ()
        self._done, self._line = _Notified(), 0
        self._known: set[str] = set()
        """Entries of the feed that were offered or wait; ``_line`` is the last line of the book."""
        self._size = -1
        self._marks: Sequence[StepRatings] = ()
        self._queue: queue.Queue[_PendingEvent] = queue.Queue(_MOST)
        self._lock = threading.Lock()
        self._failed: list[str] = []
        self._failures = self._dropped = 0
        self._closing, self._stopped = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Notifier:
        if self._command:
            try:
                self._done = read_json(self._path, _Notified)
            except StoreError:  # there is none, or it cannot be read
                run = with_authors(self._ladder.run) if is_run(self._ladder.run) else None
                feed = [] if run is None else [*self._entries(run)]
                self._done = _Notified(sum(1 for _ in self._book()), feed)
                self._save()
            self._line, self._known = self._done.book, {*self._done.feed}
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._command:
            return
        self._closing.set()
        try:
            self._thread.join(_LAST)
        finally:
            self._stopped.set()
            self._thread.join()
        self._tell()

    def _book(self) -> Iterator[tuple[int, BookEvent]]:
        return stored_lines(self._ladder.folder / BOOK, BookEvent, "event of a ladder")

    def look(self, run: StoredRun | None = None) -> None:
        """Offer the new events of the book, and of the feed of ``run``. Raises StoreError."""
        if not self._command:
            return
        self._tell()
        path = self._ladder.folder / BOOK
        size = path.stat().st_size if path.exists() else 0
        if size != self._size:
            self._size = size
            for line, each in self._book():
                if line > self._line:
                    self._line = line
                    self._put(self._of_book(line, each), line)
        if run is not None:
            self._feed(run)

    def _entries(self, run: StoredRun) -> dict[str, FeedEntry]:
        """Return the entries of the feed by their ids, oldest first. Raises StoreError."""
        site = Site(run, extremes=0, costs=False, known=self._marks)
        self._marks = site.marks
        return {entry_id(site, each.key): each for each in reversed(entries(site))}

    def _feed(self, run: StoredRun) -> None:
        found = self._entries(run)
        with self._lock:
            self._done.feed = [oid for oid in self._done.feed if oid in found]
        for oid, each in found.items():
            if oid not in self._known:
                self._known.add(oid)
                kind, _, _ = each.key.partition(" ")
                event = LadderEvent(
                    id=oid,
                    ladder=run.manifest.title,
                    kind=kind,
                    when=each.when,
                    title=each.title,
                    text=each.text,
                    address=each.address,
                )
                self._put(event, 0)

    def _of_book(self, line: int, event: BookEvent) -> LadderEvent:
        key = f"{line} {msgspec.json.encode(event).decode()}"
        return LadderEvent(
            id=uuid.uuid5(NAMESPACE, key).urn,
            ladder=self._ladder.plan.name,
            kind=event.what,
            when=event.at,
            title=f"{event.own.name} {_TITLES[event.what]}",
            text=event.reason,
            author=event.author,
            bot=event.bot,
            digest=event.digest,
            commit=event.commit,
        )

    def _put(self, event: LadderEvent, line: int) -> None:
        try:
            self._queue.put_nowait(_PendingEvent(event, line))
        except queue.Full:
            self._dropped += 1
            if self._dropped & (self._dropped - 1) == 0:
                self._say(
                    f"warning: notify: {count(self._dropped, 'event')} left out: too many wait"
                )

    def _tell(self) -> None:
        """Report failures to the organiser."""
        while self._failed:
            self._say(self._failed.pop(0))

    def _work(self) -> None:
        """Offer one event after another; runs in a thread."""
        while not self._stopped.is_set():
            try:
                event, line = self._queue.get(timeout=_POLL)
            except queue.Empty:
                if self._closing.is_set():
                    return
                continue
            problem = self._offer(event)
            if self._stopped.is_set():
                return
            with self._lock:
                self._done.book = max(self._done.book, line)
                if not line:
                    self._done.feed.append(event.id)
            try:
                self._save()
            except StoreError as error:
                problem = problem or str(error)
            self._failures = self._failures + 1 if problem else 0
            if problem and self._failures & (self._failures - 1) == 0:
                times = count(self._failures, "failure")
                self._failed.append(f"warning: notify: {event.title}: {problem} ({times})")

    def _save(self) -> None:
        with self._lock, writing(self._path):
            write_atomically(self._path, msgspec.json.encode(self._done) + b"\n", SECRET)

    def _offer(self, event: LadderEvent) -> str:
        """Run the program for an event, and return its failure in words; else empty."""
        try:
            with tempfile.TemporaryFile() as given:
                given.write(msgspec.json.encode(event) + b"\n")
                given.seek(0)
                until = time.monotonic() + SECONDS
                status = run_bounded(
                    self._command, until, self._stopped, given=given, folder=self._ladder.folder
                )
        except OSError as error:
            return f"{self._command[0]} cannot be started: {error.strerror}"
        if status is None:
            return f"no end within {SECONDS:g} s"
        return f"ended with status {status}" if status else ""
