"""``arena replay``: get a game as text, or step through it and get a page by an extension."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from arena import extensions
from arena.cli.command import command
from arena.cli.common import AsJson, RunFolder, output_option
from arena.cli.terminal.console import is_interactive, out, out_text
from arena.referee.records.perspective import SPECTATOR
from arena.runs.reader import StoredRun
from arena.values.bad_input import BadInput
from arena.values.option import Arg, Opt
from arena.values.results import Seat
from arena.views.game.find import find, handed_out, load, ply_range
from arena.views.game.replay import Replay
from arena.views.game.text import json_text, text


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

    The path of a page is printed. Raises BadInput or StoreError.
    """
    check_forms(options)
    if options.game is None:
        _list_games(options)
        return
    further = extensions.places("replays")
    page_of = extensions.need("--html", "replays", "page") if options.as_html else None
    is_stepped = is_interactive() and options.plies is None and not options.as_json
    run = StoredRun(options.folder)
    replay, whose = opened(run, options)
    if page_of is not None:
        out(str(page_of(run, replay, whose, options.output)))
        return
    if is_stepped and "keys" in further:
        extensions.load(further["keys"])(replay, whose)
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


COMMAND: Final = command(replay_game)
