"""More commands with their options: numbers, plans and questions around the runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.app import AsJson, Debug, app
from arena.cli.console import endings

__all__ = ["app"]


@app.command()
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
        typer.Option(metavar="MODE", help="A sequential test: gain (default) or no-regression."),
    ] = None,
    elo0: Annotated[
        float | None, typer.Option(help="A sequential test of your own: its H0.")
    ] = None,
    elo1: Annotated[float | None, typer.Option(help="Its H1.")] = None,
    scale: Annotated[
        str, typer.Option(help="Of elo0 and elo1: normalized (nElo) or logistic (Elo).")
    ] = "normalized",
    alpha: Annotated[
        float, typer.Option(help="How often it may pass at elo0, or equals with --difference.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(help="How often it may fail at elo1, or with that difference.")
    ] = 0.05,
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
        from arena.cli.planner import PlanOptions, print_plan

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
def sprt(
    pairs: Annotated[
        str | None,
        typer.Option(metavar="LL,LD,DD,WD,WW", help="Pairs of games, from both lost to both won."),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option(metavar="W,D,L", help="Games on deals of their own: won, drawn, lost."),
    ] = None,
    mode: Annotated[
        str | None, typer.Option(metavar="MODE", help="gain (default) or no-regression.")
    ] = None,
    elo0: Annotated[float | None, typer.Option(help="H0, in place of a mode.")] = None,
    elo1: Annotated[float | None, typer.Option(help="H1.")] = None,
    scale: Annotated[
        str, typer.Option(help="Of elo0 and elo1: normalized (nElo) or logistic (Elo).")
    ] = "normalized",
    alpha: Annotated[float, typer.Option(help="How often H1 is accepted if H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often H0 is accepted if H1 is true.")] = 0.05,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Run a sequential test on results from elsewhere.

    Exit codes: 0 H1 is accepted, 1 H0 is, 3 more games are needed, 2 bad input.

    \b
    arena sprt --pairs 365,16618,36229,16974,390 --elo0 0 --elo1 2
    arena sprt --games 21404,40708,21184 --elo0 0.5 --elo1 2.5 --scale logistic
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.sprt import SprtOptions, print_test

        print_test(
            SprtOptions(
                pairs=pairs,
                games=games,
                mode=mode,
                elo0=elo0,
                elo1=elo1,
                scale=scale,
                alpha=alpha,
                beta=beta,
                as_json=as_json,
            )
        )


@app.command()
def reask(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="The folder of a run, a record, the pack of a bot, or a file of wanted decisions.",
        ),
    ],
    bot: Annotated[
        str,
        typer.Argument(metavar="BOT", help="A folder with a bot.yaml, or a command in quotes."),
    ],
    games: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="Only this game: id or number. Repeatable."),
    ] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Only this seat; from 0.")] = None,
    entrant: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="NAME",
            help="Only the seats of this entrant. Default: of the one with the bot's name; "
            "without such a one, and with --seat, of all.",
        ),
    ] = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=1000,
            metavar="N",
            help="Ask all of it N times, and once with other seeds: is the bot deterministic?",
        ),
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="How many differences to print.")] = 5,
    isolation: Annotated[
        str, typer.Option(metavar="LEVEL", help="How far the bot is kept apart.")
    ] = "limits",
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Ask nothing; write the recorded decisions as wanted ones."
        ),
    ] = None,
    plies: Annotated[
        str | None,
        typer.Option(
            metavar="A-B",
            help="With --write: these plies. Default: all with more than one legal action.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="With --write: replace the file.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Ask a bot again what was decided before.

    No game is played: the bot gets what a seat got, and its choices are compared with the recorded
    ones, or with those that a file wants. Exit codes: 0 all the same, 1 a difference, 2 bad input,
    4 the bot could not be asked.

    \b
    arena reask runs/quickstart bots/greedy
    arena reask runs/quickstart bots/greedy --game 3 --repeat 2
    arena reask runs/quickstart bots/greedy --game 3 --write wanted.yaml
    arena reask wanted.yaml bots/greedy
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.reask import ReaskOptions, reask_bot

        reask_bot(
            ReaskOptions(
                source=source,
                bot=bot,
                games=tuple(games or ()),
                seat=seat,
                entrant=entrant,
                isolation=isolation,
                repeat=repeat,
                show=show,
                write=write,
                plies=plies,
                force=force,
                as_json=as_json,
            )
        )


@app.command()
def bisect(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A folder in a git repository.")],
    good: Annotated[
        str, typer.Option("--good", metavar="REV", help="An older revision, still strong.")
    ],
    bad: Annotated[
        str, typer.Option("--bad", metavar="REV", help="A newer one that is worse.")
    ] = "HEAD",
    games: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", metavar="GAME[:SEATS]", help="What to play; also several."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", metavar="FILE", help="On the terms of a tournament file."),
    ] = None,
    loss: Annotated[
        float, typer.Option(metavar="NELO", help="The least loss that matters.")
    ] = 40.0,
    sure: Annotated[float, typer.Option(help="How sure the answer has to be.")] = 0.95,
    max_games: Annotated[
        int, typer.Option("--max-games", "-n", min=1, help="In all matches together.")
    ] = 20_000,
    seed: Annotated[str | None, typer.Option(help="Decides all chance. Default: drawn.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="As a key of a tournament file."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the matches. Default: runs/bisect-BOT-…"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-j", min=1, help="Worker processes. Default: one per core."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the answer.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for each game.")] = False,
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
    with endings(debug=debug, as_json=as_json):
        from arena.cli.bisect import BisectOptions
        from arena.cli.bisect import bisect as find

        code = find(
            BisectOptions(
                bot=bot,
                good=good,
                bad=bad,
                games=tuple(games or ()),
                file=file,
                settings=tuple(settings or ()),
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
def calibrate(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Its folder, or a command in quotes.")],
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME[:SEATS]", help="What to play; one game.")
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
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a key, e.g. clock.move='100 ms'."),
    ] = None,
    seed: Annotated[str | None, typer.Option(help="Decides all chance. Default: drawn.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Keep the runs there. Default: they are deleted."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the result.")] = False,
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
    with endings(debug=debug, as_json=as_json):
        from arena.cli.calibrate import CalibrateOptions
        from arena.cli.calibrate import calibrate as calibrate_bot

        calibrate_bot(
            CalibrateOptions(
                bot=bot,
                game=game,
                games=games,
                workers=workers,
                tests=tests,
                settings=tuple(settings or ()),
                seed=seed,
                output=output,
                quiet=quiet,
                as_json=as_json,
            )
        )


@app.command()
def ratings(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Results, a JSON object per game and line; - for standard input."
        ),
    ],
    anchor: Annotated[
        str | None, typer.Option(metavar="BOT", help="Whose Elo is fixed. Default: the mean.")
    ] = None,
    elo: Annotated[
        float | None, typer.Option(help="Elo of the fixed point. Default: 1000.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full/--short", help="Every panel, or the table alone.")
    ] = True,
    form: Annotated[str, typer.Option("--format", help="txt, md, csv or json.")] = "txt",
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Rate results from anywhere.

    Elo with honest errors, crosstable, differences, ranks, cycles, forfeits, seats. One JSON object
    per game and line: {"deal": "d17", "seats": ["a", "b"], "places": [1, 2]}.

    \b
    arena ratings results.jsonl
    arena ratings results.jsonl --anchor baseline --elo 0 --format md
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.ratings import RatingsOptions, print_ratings

        print_ratings(
            RatingsOptions(
                file=file,
                anchor=anchor,
                elo=elo,
                full=full,
                form="json" if as_json else form,
            )
        )
