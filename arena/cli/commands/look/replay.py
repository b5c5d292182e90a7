"""``arena replay``: step through a game on a terminal, or get it as text or as a page."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Annotated, Final

from arena import extensions
from arena.cli.command import command
from arena.cli.common import AsJson, RunFolder, output_option
from arena.cli.terminal.console import is_interactive, out, out_text
from arena.cli.terminal.screen import Screen
from arena.referee.records.perspective import SPECTATOR
from arena.runs.disk import write_named, writing
from arena.runs.reader import StoredRun
from arena.values.bad_input import BadInput
from arena.values.option import Arg, Opt
from arena.values.results import Seat
from arena.views.game.find import find, handed_out, load, ply_range
from arena.views.game.replay import Replay, all_views, key_of
from arena.views.game.screen import Line, screen
from arena.views.game.stepper import Stepper
from arena.views.game.text import json_text, text

_LONGEST_NAME: Final = 120
"""Longest file name made from a game id, in characters, without the suffix that names the view."""
_BEGINNING: Final = b"<!doctype html>"
"""First bytes of every page that arena writes."""
_AWKWARD: Final = re.compile(r"[^A-Za-z0-9._+-]")
"""Characters that some file systems reject or that a shell interprets."""


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """Step through a game.

    On a terminal, keys step through the game (? shows them). Elsewhere, and with --plies or --json,
    the game is printed. With --html, writes a page for a browser, which needs no other file.

    \b
    arena replay runs/quickstart
    arena replay runs/quickstart 1
    arena replay runs/quickstart 1 --html -o game.html
    arena replay runs/quickstart dragonheart-2/greedy+random:0:0
    arena replay runs/quickstart dragonheart-2/greedy+random:0:0 --seat 0 --plies 1-20
    """

    folder: RunFolder
    game: Annotated[
        str | None,
        Arg(
            "The id of a game, or its number: 1 is the first stored game in the order of "
            "the schedule, whichever was finished first. Default: list the games, as arena "
            "games does.",
            metavar="GAME",
        ),
    ] = None
    seat: Annotated[int | None, Opt("Show only what this seat saw; seats count from 0.")] = None
    spectator: Annotated[bool, Opt("Show only what everybody saw.")] = False
    plies: Annotated[
        str | None,
        Opt("Print only these plies: 5, 1-20, 5- or -20; they count from 0.", metavar="A-B"),
    ] = None
    as_html: Annotated[
        bool,
        Opt(
            "Write a page for a browser, one file, with all views; with --seat or "
            "--spectator it holds that view and nothing else.",
            "--html",
        ),
    ] = False
    output: Annotated[
        Path | None,
        output_option(
            "With --html: the file. Default: named after the game, in the current folder.", "FILE"
        ),
    ] = None
    as_json: AsJson = False


def replay_game(options: ReplayOptions) -> None:
    """Show a game: step by step on a terminal, as text elsewhere, or as a page with ``--html``.

    A page has all views, or only that of one seat or of a spectator; then nothing else is in the
    file. Its path is printed. Raises BadInput or StoreError.
    """
    check_forms(options)
    if options.game is None:
        _list_games(options)
        return
    if options.as_html:
        _write_page(options)
        return
    run = StoredRun(options.folder)
    replay, whose = opened(run, options)
    if is_interactive() and options.plies is None and not options.as_json:
        step_through(replay, whose)
        return
    view = handed_out(run, replay, whose)
    shown = ply_range(options.plies, len(view.plies))
    if options.as_json:
        out_text(json_text(view, shown).rstrip("\n"))
    else:
        for line in text(view, shown):
            out(line)


def _list_games(options: ReplayOptions) -> None:
    """Print the list of games. Raises BadInput for options that need a game."""
    own = ReplayOptions(folder=options.folder, as_json=options.as_json)
    if options != own:
        raise BadInput("GAME: missing; without other options arena replay lists the games")
    from arena.cli.games import GamesOptions, list_games

    list_games(GamesOptions(folder=options.folder, form="json" if options.as_json else "txt"))


def check_forms(options: ReplayOptions) -> None:
    """Raise BadInput for flags that do not go together."""
    if not options.as_html:
        if options.output is not None:
            raise BadInput("--output: found without --html, expected with it")
        return
    for flag, is_given in (("--plies", options.plies is not None), ("--json", options.as_json)):
        if is_given:
            raise BadInput(f"found both --html and {flag}, expected one of them")


def opened(run: StoredRun, options: ReplayOptions) -> tuple[Replay, Seat | None]:
    """Return the game and the view asked for: a seat, SPECTATOR, or None for all.

    Raises BadInput or StoreError.
    """
    seat, spectator = options.seat, options.spectator
    if spectator and seat is not None:
        raise BadInput("found both --seat and --spectator, expected one of them")
    found = find(run, options.game or "")
    seats = range(len(found.stored.result.spec.entrants))
    if seat is not None and seat not in seats:
        raise BadInput(f"--seat: found {seat}, expected {' or '.join(map(str, seats))}")
    if spectator and len(seats) == 1:
        raise BadInput(
            "--spectator: a game with one seat has no spectators; "
            "--seat 0 shows what the bot saw, neither flag shows all"
        )
    return load(run, found), SPECTATOR if spectator else seat


def _write_page(options: ReplayOptions) -> None:
    """Write the game as a page and print its path. Raises BadInput or StoreError."""
    if not (place := extensions.place_of("game_page")):
        raise BadInput("--html: no extension writes pages of games; pip install botarena")
    output = options.output
    if output is not None and os.path.isdir(output):  # Path.is_dir raises for long names
        shown = str(output)
        raise BadInput(f"--output: found the folder {shown}, expected the name of a file")
    if output is not None and not _may_be_written(output):
        shown = str(output)
        raise BadInput(f"--output: {shown} holds something else than a page; choose another file")
    run = StoredRun(options.folder)
    replay, whose = opened(run, options)
    wanted = all_views(replay) if whose is None else [handed_out(run, replay, whose)]
    path = output or Path(file_name(wanted[0].header.spec.game_id, whose))
    page: str = extensions.load(place)(wanted)
    with writing(path):
        write_named(path, page.encode())
    out(str(path))


def _may_be_written(path: Path) -> bool:
    """Return False for an existing file that is no page of arena.

    A path that cannot be read counts as writable; writing it reports the error.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return True
        with path.open("rb") as file:
            return file.read(len(_BEGINNING)).lower() in (b"", _BEGINNING)
    except OSError:
        return True


def file_name(game_id: str, whose: Seat | None) -> str:
    """Return the name of the page with a view of a game, valid on every file system.

    Different games and views get different names.
    """
    name = _AWKWARD.sub("-", game_id).lstrip("-.")[:_LONGEST_NAME]
    usual = re.sub("[/:]", "-", game_id)
    if name != usual:
        digest = hashlib.sha256(game_id.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{name}-{digest[:8]}"
    view = {"all": "", "spectator": "-spectator"}.get(key_of(whose), f"-seat-{whose}")
    return f"{name}{view}.html"


COMMAND: Final = command(replay_game)


def step_through(replay: Replay, seat: Seat | None) -> None:
    """Show the game until the person quits.

    ``seat``: whose view is shown first, may be SPECTATOR; None: all.
    """
    with Screen() as terminal:
        terminal.show(Stepping(Stepper.begin(replay, seat)))


class Stepping:
    """Screen content that shows a stepper and advances it while it plays automatically."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self.is_over = False
        self._period: float | None = None
        self._due = inf

    def lines(self, columns: int, rows: int) -> list[Line]:
        """See Shown."""
        return screen(self.stepper, columns, rows)

    def press(self, key: bytes, columns: int, rows: int) -> None:
        """See Shown."""
        pressed = self.stepper.press(key)
        if pressed is None:
            self.is_over = True
        else:
            self.stepper = pressed

    def wait(self) -> float | None:
        """Return the seconds until the next automatic step; None: never."""
        return None if self._due == inf else self._due - time.monotonic()

    def tick(self) -> None:
        """Advance if a step is due. A change of speed begins a new period."""
        now = time.monotonic()
        is_due = self.stepper.period == self._period and now >= self._due
        if is_due:
            self.stepper = self.stepper.tick()
        if is_due or self.stepper.period != self._period:
            self._period = self.stepper.period
            self._due = inf if self._period is None else now + self._period
