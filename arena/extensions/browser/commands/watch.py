"""``arena watch``: a run during play, on a terminal, in a log, as a document or as a page.

With ``--web`` the live view is a page, served to this machine only until Ctrl-C.

The page shows results: who played, places, scores, kinds of faults. It never shows a card, a
deal, a seed, a record or what a bot wrote. A deal counts there only when all its seatings are
played: a bot that reads the page while it plays another seating of a deal must learn nothing.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from arena.cli.command import command
from arena.cli.common import AsJson, RunFolder
from arena.cli.terminal.console import columns, is_animated, out, out_text, print_document, say
from arena.cli.terminal.progress import fewer_words
from arena.cli.terminal.signals import interrupting
from arena.extensions.browser.live.read import Reader
from arena.extensions.browser.live.snapshot import Snapshot, document, page_document
from arena.extensions.browser.live.text import text, ticker
from arena.extensions.browser.live.web import STATE, PageFile, parts
from arena.extensions.browser.server import HOST, Answer, Server, Source
from arena.extensions.browser.terminal.redrawing import redrawing
from arena.runs.reader import with_authors
from arena.values.bad_input import BadInput
from arena.values.option import Opt

_LINE_SECONDS: Final = 10.0
"""Seconds between two lines where no line can be rewritten."""
_LOOK_SECONDS: Final = 0.5


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """Look at a run while it is played.

    Shows the standings so far, the running games, the last results, and how near the verdict of a
    match is, until the run is finished or nobody plays it. A terminal shows them redrawn in place,
    --web a page, anything else a line now and then and all of it at the end. The run is only read,
    so you can begin and end to watch at any time. Exit codes: 0 also when the page is ended by
    Ctrl-C, 2 no run, or one that was removed meanwhile, 130 interrupted.

    \b
    arena watch runs/quickstart
    arena watch runs/quickstart --web
    arena watch runs/quickstart --once
    """

    folder: RunFolder
    once: Annotated[bool, Opt("Print the state of the run once, and end.")] = False
    web: Annotated[bool, Opt("Show the run as a page, to this machine only, until Ctrl-C.")] = False
    port: Annotated[
        int | None,
        Opt(
            "With --web: port of the page. Default: any that is free.",
            least=1,
            most=65535,
            metavar="N",
        ),
    ] = None
    as_json: AsJson = False


def watch_run(options: WatchOptions) -> None:
    """Show a run while it is played; its page until a person ends it.

    Raises BadInput and StoreError, the latter also if the folder is removed meanwhile.
    """
    if options.web and (options.once or options.as_json):
        raise BadInput("--web: found --once or --json beside it, expected only one of them")
    if options.port is not None and not options.web:
        raise BadInput(f"--port: found {options.port}, expected it only with --web")
    if options.web:
        serve_run(Reader(options.folder, whole_blocks=True, opened=with_authors), options.port or 0)
        return
    reader = Reader(options.folder, opened=with_authors)
    if options.as_json:
        print_document(document(reader.complete()))
    elif options.once:
        _print(reader.complete())
    elif is_animated(sys.stdout):
        _redraw(reader)
    else:
        _log(reader)


def _print(snapshot: Snapshot) -> None:
    out_text(_shown(snapshot))


def _shown(snapshot: Snapshot) -> str:
    return text(snapshot, width=columns()).rstrip("\n")


def _played(reader: Reader) -> Iterator[Snapshot]:
    """Yield the run again and again while it is played; the last snapshot is that of its end."""
    while True:
        snapshot = reader.refresh()
        yield snapshot
        if snapshot.read < 1:
            continue
        if not snapshot.phase.is_open:
            return
        time.sleep(_LOOK_SECONDS)


def _redraw(reader: Reader) -> None:
    """Redraw the run in place while it is played, with one table; at its end with all tables."""
    with redrawing() as show:
        for snapshot in _played(reader):
            show(_shown(snapshot._replace(sections=snapshot.sections[-1:])))  # that of all games
        show(_shown(snapshot))


def _log(reader: Reader) -> None:
    """Print a line now and then while the run is played, then the full view."""
    said_at = -_LINE_SECONDS
    without: tuple[str, ...] = ()
    for snapshot in _played(reader):
        if snapshot.read < 1 or not snapshot.phase.is_open:
            continue
        if snapshot.figures.withdrawn != without:  # the total falls: say by how much, and why
            without = snapshot.figures.withdrawn
            say(fewer_words(snapshot.figures))
        if time.monotonic() - said_at >= _LINE_SECONDS:
            said_at = time.monotonic()
            say(ticker(snapshot))
    _print(snapshot)


COMMAND: Final = command(watch_run)


_PAGE_SECONDS: Final = 1.0
_IDLE_SECONDS: Final = 10.0
"""Seconds without a request after which the run is no longer read."""


class Desk:
    """Latest answer of the live page. Any thread may read it; one thread updates it."""

    def __init__(self, reader: Reader) -> None:
        """Read the run once. Raises StoreError."""
        self._reader = reader
        self._asked = threading.Event()
        self._asked_at = time.monotonic()
        self._answer = Answer("application/json", b"{}")
        self.look()

    def answer(self) -> Answer:
        """Return the state of the run at the last update."""
        self._asked_at = time.monotonic()
        self._asked.set()
        return self._answer

    def look(self) -> bool:
        """Update the answer; return whether there is more to read at once. Raises StoreError."""
        snapshot = self._reader.refresh()
        data = msgspec.json.encode(page_document(snapshot))
        etag = f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
        self._answer = Answer("application/json", data, etag)
        return snapshot.read < 1

    def attend(self) -> None:
        """Update every second while requests arrive. Raises StoreError."""
        while True:
            if time.monotonic() - self._asked_at > _IDLE_SECONDS:
                self._asked.clear()
                self._asked.wait()
            if not self.look():
                time.sleep(_PAGE_SECONDS)


def serve_run(reader: Reader, port: int) -> None:
    """Serve the live page of a run on ``port`` until a person ends it.

    Raises BadInput, and StoreError if the run is removed.
    """
    desk = Desk(reader)
    sources: dict[str, Source] = {name: _fixed(part) for name, part in parts().items()}
    sources[STATE] = desk.answer
    try:
        server = Server(sources, port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"--port: nothing can listen at {HOST}:{port}: {reason}") from None
    with _ended_by_a_person(), server:
        out(server.address)
        say("only this machine can open it, and only with the whole address; Ctrl-C ends it")
        desk.attend()


def _fixed(part: PageFile) -> Callable[[], Answer]:
    answer = Answer(part.kind, part.data)
    return lambda: answer


@contextmanager
def _ended_by_a_person() -> Iterator[None]:
    """Treat an interrupt as the normal end of the server."""
    with suppress(KeyboardInterrupt), interrupting():
        yield
