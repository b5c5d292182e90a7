"""The commands with their options. Each imports what it needs when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import Color, choose_color, endings

_HELP = """Tournaments for game-playing bots: fair deals, nothing lost, honest numbers."""

_EXIT_CODES = (
    "Exit codes: 0 done, or a test passed; 1 it failed, or a difference was found; 2 bad input; 3 "
    "not enough games to tell; 4 a run that could not be played as it should; 70 a bug in arena; "
    "130 interrupted, everything saved."
)

app = typer.Typer(
    help=_HELP,
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks of bugs in arena.")]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]


def _version(asked: bool) -> None:
    if asked:
        from arena import __version__

        typer.echo(f"arena {__version__}")
        raise typer.Exit


@app.callback()
def common(
    color: Annotated[Color, typer.Option(help="Whether to colour what is printed.")] = Color.AUTO,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Tournaments for game-playing bots: fair deals, nothing lost, honest numbers."""
    choose_color(color)


@app.command()
def run(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|RUN|BOT...",
            help="A tournament file, the folder of a run to go on with, or with -g the bots: "
            "folders with a bot.yaml, or commands in quotes.",
        ),
    ],
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="Play these rules without a file.")
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            "--seats", "-s", help="With -g: seats at a table. Default: the fewest, but not 1."
        ),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="FILE", help="With -g: your own card data, as YAML.")
    ] = None,
    deals: Annotated[
        int | None, typer.Option("--deals", "-n", help="Deals per pairing, in all seatings each.")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Decides all chance. Default: the file's, else drawn.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Set a key of the file, e.g. clock.move='2 s'."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the run.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The run folder. Default: runs/NAME.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-j", min=1, help="Worker processes. Default: one per core."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be played, and stop.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the result.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for each game.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Play a tournament, or go on with it.

    The same command again resumes a run that was stopped, however it was stopped.

    \b
    arena run tournaments/quickstart.yaml
    arena run -g dragonheart bots/random bots/greedy -n 50
    arena run -g dragonkrak -s 1 bots/random bots/greedy -n 50
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.run import RunOptions, run_tournament

        run_tournament(
            RunOptions(
                targets=tuple(targets),
                game=game,
                seats=seats,
                data=data,
                deals=deals,
                seed=seed,
                settings=tuple(settings or ()),
                name=name,
                output=output,
                workers=workers,
                dry_run=dry_run,
                quiet=quiet,
                verbose=verbose,
                as_json=as_json,
            )
        )


@app.command()
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
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--game", "-g", metavar="GAME[:SEATS]", help="May be repeated: one verdict for all."
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="A tournament file with games, clock, limits and isolation; -g then chooses among "
            "its games."
        ),
    ] = None,
    mode: Annotated[
        str, typer.Option(help="gain: is it stronger? no-regression: is it not weaker?")
    ] = "gain",
    elo0: Annotated[
        float | None, typer.Option(help="Fails at this strength. Default: 0; no-regression: -40.")
    ] = None,
    elo1: Annotated[
        float | None, typer.Option(help="Passes at this strength. Default: 40; no-regression: 0.")
    ] = None,
    scale: Annotated[str, typer.Option(help="Of both: normalized or logistic Elo.")] = "normalized",
    alpha: Annotated[float, typer.Option(help="Share of passes if the strength is elo0.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Share of fails if the strength is elo1.")] = 0.05,
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
        typer.Option(help="Three and more seats: even, or alone against copies of the baseline."),
    ] = None,
    measure: Annotated[
        str | None, typer.Option("--by", help="places, or the margin of scores.")
    ] = None,
    seed: Annotated[str | None, typer.Option(help="Decides all chance. Default: drawn.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="As in a file: clock.move='2 s'."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The run folder. Default: one below runs/ for each match."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-j", min=1, help="Worker processes. Default: one per core."),
    ] = None,
    allow_identical: Annotated[
        bool,
        typer.Option(
            "--allow-identical", help="Judge bots that play alike, too; else they are invalid."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the verdict.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for each game.")] = False,
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

    Plays mirrored deals until a sequential test is decided, and no game more. Exit codes: 0 pass, 1
    fail, 3 inconclusive, 4 invalid. The same command again answers from the stored games, or goes
    on.

    \b
    arena compare bots/greedy bots/random -g dragonheart
    arena compare bots/mine @main -g dragonheart --mode no-regression
    arena compare bots/mine @v1.2 -g dragonheart -g dragonkrak:4 --max-games 2000
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.compare import CompareOptions
        from arena.cli.compare import compare as run_comparison

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
                settings=tuple(settings or ()),
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
def standings(
    folder: RunFolder,
    form: Annotated[str, typer.Option("--format", help="txt, md, csv or json.")] = "txt",
    full: Annotated[
        bool, typer.Option("--full", help="With crosstable, differences, ranks, cycles and more.")
    ] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Print the table of a run.

    Also while it is being played: then with the games so far.

    \b
    arena standings runs/quickstart
    arena standings runs/quickstart --full
    arena standings runs/quickstart --format md
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.standings import print_pages, print_standings

        show = print_pages if full else print_standings
        show(folder, "json" if as_json else form)


@app.command()
def replay(
    folder: RunFolder,
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="The id of a game, or its number: 1 is the first stored game in the order of "
            "the schedule, whichever was finished first.",
        ),
    ],
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat saw; seats count from 0.")
    ] = None,
    plies: Annotated[
        str | None,
        typer.Option(
            metavar="A-B", help="Print only these plies: 5, 1-20, 5- or -20; they count from 0."
        ),
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Step through a game.

    With keys on a terminal (? shows them); all of it at once elsewhere, with --plies or --json.

    \b
    arena replay runs/quickstart 1
    arena replay runs/quickstart dragonheart-2/greedy+random:0:0
    arena replay runs/quickstart dragonheart-2/greedy+random:0:0 --seat 0 --plies 1-20
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.replay import replay_game

        replay_game(folder, game, seat=seat, plies=plies, as_json=as_json)


@app.command()
def verify(
    folder: RunFolder,
    commitment: Annotated[
        str | None, typer.Option(metavar="HEX", help="What was shown when the run began.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Prove a run from its records.

    Applies every record again and checks digests, deals, outcomes and tables. Exit code 1 if
    anything is not as it should be. With the commitment that was shown when the run began it also
    proves that seed and config are those of then.

    \b
    arena verify runs/quickstart
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.verify import verify_run

        verify_run(folder, commitment=commitment, as_json=as_json)


@app.command()
def export(
    folder: RunFolder,
    bot: Annotated[
        str | None,
        typer.Option("--for", metavar="BOT", help="The pack of this entrant: its own games."),
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="The pack for everybody: all games, for spectators.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A folder, or a zip file if it ends in .zip. Default: NAME-for-BOT.zip or "
            "NAME-public.zip here.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an older pack.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Write a pack of games to hand out.

    For a competitor his own games as his bot saw them, with its own output, times and faults; or
    for everybody what all seats were shown. Never the seed, nor what one bot may not know of
    another. While a run is being played: the games of deals that are through.

    \b
    arena export runs/quickstart --for greedy
    arena export runs/quickstart --public -o public
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.export import export_run

        export_run(folder, bot=bot, public=public, output=output, force=force, as_json=as_json)


@app.command()
def doctor(
    isolation: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="End with code 4 unless bots can be kept apart so."),
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Say what this machine can do.

    Tries each isolation level, and looks at what makes measured times unsteady.

    \b
    arena doctor
    arena doctor --isolation sandbox
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.doctor import examine

        examine(isolation, as_json=as_json)


@app.command()
def rules(
    name: Annotated[str | None, typer.Argument(metavar="GAME", help="Default: list all.")] = None,
    ruling: Annotated[str | None, typer.Option(help="Show one ruling, e.g. DH-04.")] = None,
    debug: Debug = False,
) -> None:
    """Explain the rules of a game.

    Components, turn, what a seat sees, options, and a ruling for every open question. Laid out on a
    terminal, Markdown source elsewhere.

    \b
    arena rules
    arena rules dragonheart --ruling DH-04
    """
    with endings(debug=debug):
        from arena.cli.rules import print_rules

        print_rules(name, ruling)


@app.command()
def schema(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="protocol, tournament, bot, record, or a game.")
    ],
    debug: Debug = False,
) -> None:
    """Print a JSON Schema.

    Of the protocol, of a tournament file, a bot.yaml or a record, or of a game's observations,
    events and actions.

    \b
    arena schema protocol
    arena schema dragonheart
    """
    with endings(debug=debug):
        from arena.cli.schema import print_schema

        print_schema(what)
