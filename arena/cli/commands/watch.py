"""``arena watch``: a run while it is played, on a terminal, in a log, as a document or a page."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

from arena.cli.terminal.console import is_interactive, out, say
from arena.cli.terminal.screen import Screen
from arena.documents.bad_input import BadInput
from arena.text import clean
from arena.views.live.read import Reader
from arena.views.live.screen import Glance, screen
from arena.views.live.snapshot import Snapshot, answer
from arena.views.live.text import text, ticker

_LINE_SECONDS: Final = 10.0
"""Between two lines where nothing can be rewritten."""
_SCREEN_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.5


def watch_run(folder: Path, *, once: bool, as_json: bool, web: bool, port: int | None) -> None:
    """Show a run until a person ends it, or it ends where there is no person.

    Raises BadInput and StoreError, the latter also if the folder is removed meanwhile.
    """
    if web and (once or as_json):
        raise BadInput("--web: found --once or --json beside it, expected only one of them")
    if port is not None and not web:
        raise BadInput(f"--port: found {port}, expected it only with --web")
    if web:
        from arena.cli.commands.watch_web import serve_run

        serve_run(Reader(folder, whole_blocks=True), port or 0)
        return
    reader = Reader(folder)
    if as_json:
        out(_json(reader.complete()))
    elif once:
        _print(reader.complete())
    elif is_interactive():
        _on_terminal(reader)
    else:
        _follow(reader)


def _json(snapshot: Snapshot) -> str:
    encoded = msgspec.json.format(msgspec.json.encode(answer(snapshot)), indent=2)
    return clean.json_text(encoded)


def _print(snapshot: Snapshot) -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    out(text(snapshot, width=width).rstrip("\n"))


def _follow(reader: Reader) -> None:
    """A line now and then as long as the run is played, then everything."""
    snapshot, told = reader.complete(), -_LINE_SECONDS
    while snapshot.phase.is_open:
        if time.monotonic() - told >= _LINE_SECONDS:
            told = time.monotonic()
            say(ticker(snapshot))
        time.sleep(_LOOK_SECONDS)
        snapshot = reader.refresh()
    _print(snapshot if snapshot.read == 1 else reader.complete())


class _Due:
    """When to look again; keys neither hasten nor delay it."""

    def __init__(self) -> None:
        self.set(0.0)

    def set(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def left(self) -> float:
        return max(0.0, self._at - time.monotonic())


def _on_terminal(reader: Reader) -> None:
    glance, snapshot, due = Glance(), reader.refresh(), _Due()
    with Screen() as terminal:
        _draw(terminal, snapshot, glance)
        for keys in terminal.presses(due.left):
            for key in keys:
                pressed = glance.press(key, snapshot, *terminal.room)
                if pressed is None:
                    return
                glance = pressed
            if not due.left():
                snapshot = reader.refresh()
                due.set(_SCREEN_SECONDS if snapshot.read == 1 else 0.0)
            _draw(terminal, snapshot, glance)


def _draw(terminal: Screen, snapshot: Snapshot, glance: Glance) -> None:
    terminal.draw(screen(snapshot, glance, *terminal.room))
