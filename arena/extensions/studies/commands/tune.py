"""``arena tune``: find the options that make a bot strongest."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

import typer

from arena.cli import common
from arena.cli.command import command
from arena.cli.terminal import console
from arena.cli.terminal.reporter import Reporter
from arena.extensions.matches.outputs import exit_code
from arena.extensions.studies.tune.tuning import TuneSettings, tune


@dataclass(frozen=True, kw_only=True)
class TuneOptions(TuneSettings):
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

    quiet: common.Quiet = False
    verbose: common.Verbose = False
    as_json: common.AsJson = False


def print_tuned(options: TuneOptions) -> None:
    """Search for the best options and print them. Ends with typer.Exit for every code but 0."""
    found = tune(options, Reporter(quiet=options.quiet, verbose=options.verbose))
    with console.ignoring_closed_output():
        if options.as_json:
            console.print_document(found)
        else:
            from arena.extensions.studies.tune.text import tuning_text

            console.out_text(
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
