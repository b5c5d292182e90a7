"""``arena watch --web``: the live view as a page, served to this machine only until Ctrl-C.

The page shows results: who played, places, scores, kinds of faults. It never shows a card, a
deal, a seed, a record or what a bot wrote. A deal counts there only when all its seatings are
played: a bot that reads the page while it plays another seating of a deal must learn nothing.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import msgspec

from arena.cli.terminal.console import out, say
from arena.cli.terminal.signals import interrupting
from arena.cli.web.server import HOST, Answer, Server, Source
from arena.documents.bad_input import BadInput
from arena.views.live.read import Reader
from arena.views.live.snapshot import page_document
from arena.views.live.web import STATE, PageFile, parts

_LOOK_SECONDS: Final = 1.0
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
                time.sleep(_LOOK_SECONDS)


def serve_run(reader: Reader, port: int) -> None:
    """Serve until a person ends it. Raises BadInput, and StoreError if the run is removed."""
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
