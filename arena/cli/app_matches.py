"""The commands that compare versions of bots, with their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import choices
from arena.cli.app import app
from arena.cli.common import with_common
from arena.cli.options import (
    Alpha,
    AsJson,
    Beta,
    Debug,
    Elo0,
    Elo1,
    File,
    Games,
    Isolation,
    Quiet,
    Scale,
    Seed,
    Settings,
    Verbose,
    Workers,
    all_settings,
)
from arena.cli.terminal.console import endings
from arena.cli.terminal.signals import outliving_the_terminal

__all__ = ["app"]


@app.command()
@with_common
def compare(
    candidate: Annotated[
        str,
        typer.Argument(
            metavar="CANDIDATE",
            help="The new version: a bot's folder, a folder at a git revision (FOLDER@REV), a "
            "command in quotes, or with --file the name of an entrant.",
        ),
    ],
    baseline: Annotated[
        str,
        typer.Argument(
            metavar="BASELINE", help="What it is compared with; @REV: the same folder at REV."
        ),
    ],
    games: Games = None,
    file: File = None,
    mode: Annotated[
        str,
        typer.Option(
            autocompletion=choices.modes,
            help="gain: is it stronger? no-regression: is it not weaker?",
        ),
    ] = "gain",
    elo0: Elo0 = None,
    elo1: Elo1 = None,
    scale: Scale = "normalized",
    alpha: Alpha = 0.05,
    beta: Beta = 0.05,
    max_games: Annotated[
        int, typer.Option("--max-games", min=1, help="Inconclusive after so many.")
    ] = 10_000,
    max_time: Annotated[
        str | None,
        typer.Option(
            "--max-time",
            metavar="TIME",
            help="Inconclusive after so long, such as '10 min'. Default: no limit.",
        ),
    ] = None,
    max_faults: Annotated[
        str, typer.Option("--max-faults", metavar="SHARE", help="Invalid if a bot has more.")
    ] = "1 %",
    lineup: Annotated[
        str | None,
        typer.Option(
            autocompletion=choices.lineups,
            help="Three and more seats: even, or alone against copies of the baseline.",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--by", autocompletion=choices.measures, help="places, or the margin of scores."
        ),
    ] = None,
    seed: Seed = None,
    settings: Settings = None,
    isolation: Isolation = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The run folder. Default: one below runs/ for each match."
        ),
    ] = None,
    workers: Workers = None,
    allow_identical: Annotated[
        bool,
        typer.Option(
            "--allow-identical", help="Judge bots that play alike, too; else they are invalid."
        ),
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the verdict as JUnit XML.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a summary for people.")
    ] = None,
    badge: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a badge (shields.io endpoint).")
    ] = None,
    debug: Debug = False,
) -> None:
    """Tell whether a new version of a bot is better.

    Plays mirrored deals until a sequential test is decided, and finishes the games in hand, which
    do not count. Exit codes: 0 pass, 1 fail, 3 inconclusive, 4 invalid. The same command again
    answers from the stored games, or goes on.

    \b
    arena compare bots/greedy bots/random -g dragonheart
    arena compare bots/mine @main -g dragonheart --mode no-regression
    arena compare bots/mine @v1.2 -g dragonheart -g dragonkrak:4 --max-games 2000
    """
    with outliving_the_terminal(), endings(debug=debug, as_json=as_json):
        from arena.cli.commands.compare import CompareOptions
        from arena.cli.commands.compare import compare as run_comparison

        run_comparison(
            CompareOptions(
                candidate=candidate,
                baseline=baseline,
                games=tuple(games or ()),
                file=file,
                mode=mode,
                elo0=elo0,
                elo1=elo1,
                scale=scale,
                alpha=alpha,
                beta=beta,
                max_games=max_games,
                max_time=max_time,
                max_faults=max_faults,
                lineup=lineup,
                measure=measure,
                seed=seed,
                settings=all_settings(settings, isolation),
                output=output,
                workers=workers,
                allow_identical=allow_identical,
                quiet=quiet,
                verbose=verbose,
                as_json=as_json,
                junit=junit,
                markdown=markdown,
                badge=badge,
            )
        )


@app.command()
@with_common
def bisect(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A folder in a git repository.")],
    good: Annotated[
        str, typer.Option("--good", metavar="REV", help="An older revision, still strong.")
    ],
    bad: Annotated[
        str, typer.Option("--bad", metavar="REV", help="A newer one that is worse.")
    ] = "HEAD",
    games: Games = None,
    file: File = None,
    loss: Annotated[
        float, typer.Option(metavar="NELO", help="The least loss that matters.")
    ] = 40.0,
    sure: Annotated[float, typer.Option(help="How sure the answer has to be.")] = 0.95,
    max_games: Annotated[
        int, typer.Option("--max-games", min=1, help="In all matches together.")
    ] = 20_000,
    seed: Seed = None,
    settings: Settings = None,
    isolation: Isolation = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the matches. Default: runs/bisect-BOT-…"),
    ] = None,
    workers: Workers = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Find the revision that lost strength.

    Plays revisions of the bot against the good one until one of them is the first bad one, as sure
    as asked. The same command again goes on where it was stopped. Exit codes: 0 found, 2 bad
    input, 3 no loss shown or not enough games, 4 the revisions could not be compared.

    \b
    arena bisect bots/mine --good v1.0 -g dragonheart
    arena bisect bots/mine --good v1.0 --bad main -g dragonkrak:4 --max-games 5000
    """
    with outliving_the_terminal(), endings(debug=debug, as_json=as_json):
        from arena.studies.bisect import BisectOptions
        from arena.studies.bisect import bisect as find

        code = find(
            BisectOptions(
                bot=bot,
                good=good,
                bad=bad,
                games=tuple(games or ()),
                file=file,
                settings=all_settings(settings, isolation),
                seed=seed,
                output=output,
                workers=workers,
                loss=loss,
                sure=sure,
                max_games=max_games,
                quiet=quiet,
                verbose=verbose,
            ),
            as_json=as_json,
        )
        if code:
            raise typer.Exit(code)


@app.command()
@with_common
def plan(
    run: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", help="A pilot: the folder of any run or match."),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Which two of its entrants. Default: the first two."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game", "-g", metavar="NAME", help="Which game of the run. Default: the first."
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(metavar="ELO", help="Games until the 95 % interval is ± so much."),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(metavar="NELO", help="A fixed number of games that shows such a difference."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            autocompletion=choices.modes,
            help="A sequential test: gain (default) or no-regression.",
        ),
    ] = None,
    elo0: Elo0 = None,
    elo1: Elo1 = None,
    scale: Scale = "normalized",
    alpha: Alpha = 0.05,
    beta: Beta = 0.05,
    true: Annotated[
        float | None, typer.Option(help="A row for this true difference besides.")
    ] = None,
    deviation: Annotated[
        float | None,
        typer.Option(help="Without a pilot: of the score of one game. Default: 0.5, the most."),
    ] = None,
    draws: Annotated[
        float | None, typer.Option(help="Instead: the share of draws, with deals not mirrored.")
    ] = None,
    block_games: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Without a pilot: games in a block.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-j", min=1, help="For the time. Default: one per core."),
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Say how many games a question takes.

    A precision, a difference at fixed length, or a sequential test; with how long it lasts, if the
    folder of a run is given as a pilot.

    \b
    arena plan --mode gain
    arena plan --precision 20 --draws 0.3
    arena plan runs/quickstart --pair greedy,collector --difference 40
    """
    with endings(debug=debug, as_json=as_json):
        from arena.studies.plan.planner import PlanOptions, print_plan

        print_plan(
            PlanOptions(
                run=run,
                pair=pair,
                game=game,
                precision=precision,
                difference=difference,
                mode=mode,
                elo0=elo0,
                elo1=elo1,
                scale=scale,
                alpha=alpha,
                beta=beta,
                true=true,
                deviation=deviation,
                draws=draws,
                block_games=block_games,
                workers=workers,
                as_json=as_json,
            )
        )


@app.command()
@with_common
def calibrate(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Its folder, or a command in quotes.")],
    game: Annotated[
        str,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME[:SEATS]",
            autocompletion=choices.disciplines,
            help="What to play; one game.",
        ),
    ],
    games: Annotated[
        int, typer.Option("--games", "-n", min=8, max=10_000_000, help="To play in all, about.")
    ] = 2000,
    workers: Annotated[
        str | None,
        typer.Option(
            "--workers", "-j", metavar="N,N", help="To try. Default: 1, 2, 4 … twice the cores."
        ),
    ] = None,
    tests: Annotated[
        int, typer.Option(min=1, max=100_000, help="Sequential tests to simulate between equals.")
    ] = 1000,
    settings: Settings = None,
    isolation: Isolation = None,
    seed: Seed = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Keep the runs there. Default: they are deleted."),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Play a bot against itself, to know game, machine and test.

    Seat advantage, luck, draws, how far one game spreads; speed and time losses with more and more
    workers on the same deals; how often the sequential test errs between equals. Recommends a
    number of workers and a limit for moves. Exit code 4 if the bot commits too many faults.

    \b
    arena calibrate bots/greedy -g dragonheart
    arena calibrate bots/mine -g dragonkrak:4 -n 500 --set clock.move='200 ms'
    """
    with outliving_the_terminal(), endings(debug=debug, as_json=as_json):
        from arena.studies.calibrate import CalibrateOptions
        from arena.studies.calibrate import calibrate as calibrate_bot

        calibrate_bot(
            CalibrateOptions(
                bot=bot,
                game=game,
                games=games,
                workers=workers,
                tests=tests,
                settings=all_settings(settings, isolation),
                seed=seed,
                output=output,
                quiet=quiet,
                as_json=as_json,
            )
        )
