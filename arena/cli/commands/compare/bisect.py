"""``arena bisect``: find the revision that lost strength."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli import common
from arena.cli.command import command
from arena.cli.terminal.console import Exit, columns, ignoring_closed_output, out, print_document
from arena.cli.terminal.stretch import Onlooker
from arena.studies.bisect import LOSS, MAX_GAMES, SURE, BisectOutcome, BisectSettings, search
from arena.views.match.searches import bisection_text

_EXITS: Final = {BisectOutcome.FOUND: Exit.DONE, BisectOutcome.INVALID: Exit.INVALID_RUN}


@dataclass(frozen=True, kw_only=True)
class BisectOptions(BisectSettings):
    """Find the revision that lost strength.

    Plays revisions of the bot against the good one until it is sure enough which is the first bad
    one. The same command again continues where it was stopped. Exit codes: 0 found, 2 bad
    input, 3 no loss shown or not enough games, 4 the revisions could not be compared.

    \b
    arena bisect bots/mine --good v1.0 -g dragonheart
    arena bisect bots/mine --good v1.0 --bad main -g dragonkrak:4 --max-games 5000
    """

    bot: Annotated[str, common.bot_argument("Folder of the bot, in a git repository.")]
    good: Annotated[
        str, typer.Option(metavar="REV", help="Older revision at which the bot was still strong.")
    ]
    bad: Annotated[
        str, typer.Option(metavar="REV", help="Newer revision at which it is worse.")
    ] = "HEAD"
    games: common.Games = ()
    file: common.File = None
    loss: Annotated[
        float, typer.Option(metavar="NELO", help="Smallest loss of strength that matters.")
    ] = LOSS
    sure: Annotated[float, typer.Option(help="How sure the answer has to be.")] = SURE
    max_games: Annotated[int, typer.Option(min=1, help="Most games in all matches together.")] = (
        MAX_GAMES
    )
    seed: common.Seed = None
    settings: common.Settings = ()
    output: Annotated[
        Path | None, common.output_option("Folder for the matches. Default: runs/bisect-BOT-…")
    ] = None
    workers: common.Workers = None
    on: common.On = None
    quiet: common.Quiet = False
    verbose: common.Verbose = False
    as_json: common.AsJson = False


def bisect(options: BisectOptions) -> None:
    """Search for the revision and print the answer. Ends with typer.Exit for every code but 0."""
    found = search(options, Onlooker(quiet=options.quiet, verbose=options.verbose))
    with ignoring_closed_output():
        if options.as_json:
            print_document(found)
        else:
            out(bisection_text(found, columns()))
    if code := _EXITS.get(found.answer, Exit.INCONCLUSIVE):
        raise typer.Exit(code)


_PANELS: Final = {
    "Revisions": "bot good bad loss sure max_games",
    "Play": "games file seed settings isolation workers on",
    "Output": "output form",
}
COMMAND: Final = command(bisect, outlives_terminal=True, panels=_PANELS)
