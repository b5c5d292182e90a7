"""``arena calibrate``: play a bot against itself to measure game, machine and test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli import common
from arena.cli.choices import Formerly
from arena.cli.command import command
from arena.cli.terminal.console import Exit, columns, error, out, print_document
from arena.cli.terminal.stretch import Onlooker
from arena.studies.calibrate import GAMES, TESTS, CalibrateSettings, calibrate
from arena.views.match.planning_text import calibration_text


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions(CalibrateSettings):
    """Play a bot against itself to measure game, machine and test.

    Measures seat advantage, luck, draws and the spread of a game; speed and time losses with more
    and more workers on the same deals; and how often the sequential test errs between equals.
    Recommends a number of workers and a limit for moves. Exit code 4 if the bot commits too many
    faults.

    \b
    arena calibrate bots/greedy -g dragonheart
    arena calibrate bots/mine -g dragonkrak:4 --max-games 500 --set clock.move='200 ms'
    """

    bot: Annotated[
        str,
        common.bot_argument(
            "Folder of the bot (FOLDER@REV: at a git revision), builtin:NAME, or a "
            "command in quotes."
        ),
    ]
    game: Annotated[str, common.game_option("What to play; one game.", with_seats=True)]
    games: Annotated[
        int,
        typer.Option("--max-games", min=8, max=10_000_000, help="Number of games in all, roughly."),
        Formerly("--games"),
    ] = GAMES
    workers: Annotated[
        str | None,
        typer.Option(
            "--workers",
            "-j",
            metavar="N,N",
            help="Numbers of workers to try. Default: 1, 2, 4 … twice the cores.",
        ),
    ] = None
    on: common.On = None
    tests: Annotated[
        int, typer.Option(min=1, max=100_000, help="Sequential tests to simulate between equals.")
    ] = TESTS
    settings: common.Settings = ()
    seed: common.Seed = None
    output: Annotated[
        Path | None,
        common.output_option("Folder in which the runs are kept. Default: they are deleted."),
    ] = None
    quiet: common.Quiet = False
    as_json: common.AsJson = False


def print_calibration(options: CalibrateOptions) -> None:
    """Play the games, compute the calibration and print it.

    Ends with typer.Exit if the bot commits too many faults.
    """
    found = calibrate(options, Onlooker(quiet=options.quiet))
    if isinstance(found, str):
        error(found)
        raise typer.Exit(Exit.INVALID_RUN)
    if options.as_json:
        print_document(found)
    else:
        out(calibration_text(found, columns()))


COMMAND: Final = command(print_calibration, outlives_terminal=True)
