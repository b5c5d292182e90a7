"""``arena tune``: find the options that make a bot strongest."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli import common
from arena.cli.command import command
from arena.cli.outputs import exit_code
from arena.cli.terminal import console
from arena.cli.terminal.stretch import Onlooker
from arena.studies.match.play import criteria_of
from arena.studies.options import HypothesisOptions
from arena.studies.tune.search import GAMES, MORE_GAMES, TuneSettings, tune


@dataclass(frozen=True, kw_only=True)
class TuneOptions(TuneSettings, HypothesisOptions):
    """Find the options that make a bot strongest.

    The bot plays itself with different options on mirrored deals; what looks best then plays the
    default on new deals until a sequential test is decided. The same command again continues, and
    with more --search-games searches on. Exit codes: 0 better than the default, 1 not, 2 bad input,
    3 inconclusive, 4 invalid.

    The bot declares its options in bot.yaml and finds them in the message start; a bot of new-bot
    asks for them by game.option("depth", 4).

    \b
    arena tune bots/mine --param depth=2:8 --param risk=0:1 -g dragonheart
    arena tune bots/mine --param style=bold,careful --param ponder -g dragonkrak:4
    """

    bot: Annotated[
        str,
        common.bot_argument(
            "A folder with a bot.yaml that declares options (FOLDER@REV: at a git revision)."
        ),
    ]
    params: Annotated[
        tuple[str, ...],
        typer.Option(
            "--param",
            metavar="NAME=LOW:HIGH",
            help="Option to search, with its range; NAME=A,B of a choice; NAME alone: all "
            "that is declared.",
        ),
    ] = ()
    games: Annotated[
        tuple[str, ...],
        common.game_option("Rules to play. Repeatable: best in all together.", with_seats=True),
    ] = ()
    file: common.File = None
    search_games: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000_000,
            help=f"Most games of the search. Default: {GAMES}, and {MORE_GAMES} more for each "
            "parameter after the second.",
        ),
    ] = None
    max_games: Annotated[
        int, typer.Option(min=1, help="Most games; after them it is inconclusive.")
    ] = 10_000
    seed: common.Seed = None
    settings: common.Settings = ()
    output: Annotated[
        Path | None, common.output_option("Folder of the runs. Default: runs/tune-BOT-…")
    ] = None
    workers: common.Workers = None
    on: common.On = None
    quiet: common.Quiet = False
    verbose: common.Verbose = False
    as_json: common.AsJson = False


def print_tuned(options: TuneOptions) -> None:
    """Search for the best options and print them. Ends with typer.Exit for every code but 0."""
    test = criteria_of(
        elo0=options.elo0,
        elo1=options.elo1,
        alpha=options.alpha,
        beta=options.beta,
        max_games=options.max_games,
    )
    found = tune(options, test, Onlooker(quiet=options.quiet, verbose=options.verbose))
    with console.ignoring_closed_output():
        if options.as_json:
            console.print_document(found)
        else:
            from arena.views.match.tuning_text import tuning_text

            console.out(
                tuning_text(found, console.columns(), color=console.has_color(sys.stdout)).rstrip(
                    "\n"
                )
            )
    if code := exit_code(found.verdict):
        raise typer.Exit(code)


_PANELS: Final = {
    "Search": "bot params games file search_games",
    "Match against the default": "elo0 elo1 alpha beta max_games",
    "Play": "seed settings isolation workers on",
    "Output": "output form",
}
COMMAND: Final = command(print_tuned, outlives_terminal=True, panels=_PANELS)
