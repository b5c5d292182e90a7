"""The commands with their options. Each imports what it needs when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import choices
from arena.cli.common import ColorText, read_color, refuse, with_common
from arena.cli.options import (
    AsJson,
    Debug,
    Isolation,
    Quiet,
    RunFolder,
    Settings,
    Verbose,
    Workers,
    all_settings,
)
from arena.cli.terminal.console import endings
from arena.cli.terminal.signals import outliving_the_terminal
from arena.documents.bad_input import BadInput

_HELP = """Tournaments for game-playing bots: fair deals, nothing lost, honest numbers."""

_EXIT_CODES = (
    "Exit codes: 0 done, or a test passed; 1 it failed, or a difference was found; 2 bad input; 3 "
    "not enough games to tell; 4 a run that could not be played as it should; 5 nothing "
    "to report yet; 70 a bug in arena; 130 interrupted, everything saved."
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


def _version(asked: bool) -> None:
    if asked:
        from arena import __version__

        typer.echo(f"arena {__version__}")
        raise typer.Exit


@app.callback()
def common(
    color: ColorText = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Tournaments for game-playing bots: fair deals, nothing lost, honest numbers."""
    try:
        read_color(color)
    except BadInput as problem:
        refuse(str(problem))


@app.command()
@with_common
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
        str | None,
        typer.Option(
            "--game", "-g", autocompletion=choices.games, help="Play these rules without a file."
        ),
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
    settings: Settings = None,
    isolation: Isolation = None,
    name: Annotated[str | None, typer.Option(help="Name of the run.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The run folder. Default: runs/NAME.")
    ] = None,
    workers: Workers = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be played, and stop.")
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
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
    with outliving_the_terminal(), endings(debug=debug, as_json=as_json):
        from arena.cli.commands.run import RunOptions, run_tournament

        run_tournament(
            RunOptions(
                targets=tuple(targets),
                game=game,
                seats=seats,
                data=data,
                deals=deals,
                seed=seed,
                settings=all_settings(settings, isolation),
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
@with_common
def standings(
    folder: RunFolder,
    form: Annotated[
        str, typer.Option("--format", autocompletion=choices.forms, help="txt, md, csv or json.")
    ] = "txt",
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
        from arena.views.standings.standings import print_pages, print_standings

        show = print_pages if full else print_standings
        show(folder, form)


@app.command()
@with_common
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
    spectator: Annotated[
        bool, typer.Option("--spectator", help="Show only what everybody saw.")
    ] = False,
    plies: Annotated[
        str | None,
        typer.Option(
            metavar="A-B", help="Print only these plies: 5, 1-20, 5- or -20; they count from 0."
        ),
    ] = None,
    as_html: Annotated[
        bool,
        typer.Option(
            "--html",
            help="Write a page for a browser, one file, with all views; with --seat or "
            "--spectator it holds that view and nothing else.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="With --html: the file. Default: named after the game, in the current folder.",
        ),
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Step through a game.

    With keys on a terminal (? shows them); all of it at once elsewhere, with --plies or --json.
    With --html in a browser, from a file that needs nothing else.

    \b
    arena replay runs/quickstart 1
    arena replay runs/quickstart 1 --html -o game.html
    arena replay runs/quickstart dragonheart-2/greedy+random:0:0
    arena replay runs/quickstart dragonheart-2/greedy+random:0:0 --seat 0 --plies 1-20
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.commands.replay import check_forms, replay_game

        check_forms(as_html=as_html, output=output, plies=plies, as_json=as_json)
        if as_html:
            from arena.cli.commands.replay_page import write_page

            write_page(folder, game, seat=seat, spectator=spectator, output=output)
            return
        replay_game(folder, game, seat=seat, spectator=spectator, plies=plies, as_json=as_json)


@app.command()
@with_common
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
        from arena.cli.commands.verify import verify_run

        verify_run(folder, commitment=commitment, as_json=as_json)


@app.command()
@with_common
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
        from arena.cli.commands.export import export_run

        export_run(folder, bot=bot, public=public, output=output, force=force, as_json=as_json)


@app.command()
@with_common
def doctor(
    isolation: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            autocompletion=choices.isolation,
            help="End with code 4 unless bots can be kept apart so.",
        ),
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
        from arena.cli.commands.doctor import examine

        examine(isolation, as_json=as_json)


@app.command()
@with_common
def rules(
    name: Annotated[
        str | None,
        typer.Argument(metavar="GAME", autocompletion=choices.games, help="Default: list all."),
    ] = None,
    ruling: Annotated[
        str | None,
        typer.Option(autocompletion=choices.rulings, help="Show one ruling, e.g. DH-04."),
    ] = None,
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
        from arena.cli.commands.rules import print_rules

        print_rules(name, ruling)


@app.command()
@with_common
def schema(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            autocompletion=choices.schemas,
            help="protocol, tournament, bot, record, or a game.",
        ),
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
        from arena.cli.commands.schema import print_schema

        print_schema(what)
