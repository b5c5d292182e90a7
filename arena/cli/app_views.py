"""Commands to look instead of read, with their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import choices
from arena.cli.app_tools import app
from arena.cli.common import with_common
from arena.cli.options import AsJson, Debug, Isolation, Quiet, RunFolder, Settings, all_settings
from arena.cli.terminal.console import endings

__all__ = ["app"]


@app.command()
@with_common
def report(
    folder: RunFolder,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: report.html in the run."),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="Games to step through: all, none, faults, or at most so many. Default: 1000, "
            "those with faults before others.",
        ),
    ] = None,
    view: Annotated[
        str,
        typer.Option(
            metavar="VIEW",
            autocompletion=choices.views,
            help="all, or spectator: only what everybody may know.",
        ),
    ] = "all",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Processes that prepare games. Default: one per core."
        ),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Write a run as a page for the browser.

    Tables, charts and games to step through in one file, which needs no network. Games of more
    than 8 MB are put into a folder beside it, report-games for report.html, which has to go where
    the file goes. Also while a run is being played: then with the games so far. Exit code 5 if
    there is no game yet.

    \b
    arena report runs/quickstart --open
    arena report runs/quickstart --games faults -o faults.html
    arena report runs/quickstart --view spectator -o public.html
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.commands.report import ReportOptions, write_run_page

        write_run_page(
            ReportOptions(
                folder=folder,
                output=output,
                games=games,
                view=view,
                jobs=jobs,
                open_it=open_it,
                quiet=quiet,
                as_json=as_json,
            )
        )


@app.command()
@with_common
def watch(
    folder: RunFolder,
    once: Annotated[bool, typer.Option("--once", help="Print how it stands, and end.")] = False,
    web: Annotated[
        bool, typer.Option("--web", help="Serve a page, to this machine only, until Ctrl-C.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65535, metavar="N", help="With --web: where. Default: any that is free."
        ),
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Look at a run while it is played.

    Standings so far, the games in hand, the last results, and of a match how near the verdict is;
    on a terminal as a screen, with --web in the browser, elsewhere a line now and then until the
    run ends. The run is only read: who watches can begin and end at any time. Exit codes: 0 also
    when the page is ended by Ctrl-C, 2 no run, or one that was removed meanwhile, 130 interrupted.

    \b
    arena watch runs/quickstart
    arena watch runs/quickstart --web
    arena watch runs/quickstart --once
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.commands.watch import watch_run

        watch_run(folder, once=once, as_json=as_json, web=web, port=port)


@app.command()
@with_common
def play(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            autocompletion=choices.games,
            help="The rules, as `arena rules` lists them.",
        ),
    ],
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="BOT...", help="More of them; the same as with --against."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="BOT",
            help="A folder with a bot.yaml, or a command in quotes. Repeatable; the last one also "
            "takes the seats that are left.",
        ),
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option("--seats", "-s", help="Seats at the table. Default: the fewest, but not 1."),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(min=0, help="Yours, from 0. Default: each of them in turn.")
    ] = None,
    name: Annotated[str, typer.Option(help="Yours, in tables and records.")] = "human",
    seed: Annotated[str | None, typer.Option(help="Decides all chance. Default: drawn.")] = None,
    settings: Settings = None,
    isolation: Isolation = None,
    data: Annotated[
        str | None, typer.Option(metavar="FILE", help="Your own card data, as YAML.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Default: a table's own, in runs."),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Line by line, also on a terminal.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Play with bots yourself.

    You see what a bot in your seat would see, and have all the time you want. Every game is kept
    like one of a run; the same command deals the next one, so results add up. On a terminal with
    keys (? shows them and the rules), elsewhere line by line. Exit code 130 if you leave a game: it
    is not counted.

    \b
    arena play dragonheart --against bots/greedy
    arena play dragonkrak -s 4 --against bots/greedy bots/random
    arena play dragonkrak -s 1
    """
    with endings(debug=debug):
        from arena.cli.commands.play import PlayOptions, play_with_bots

        play_with_bots(
            PlayOptions(
                game=game,
                bots=(*(against or ()), *(bots or ())),
                seats=seats,
                seat=seat,
                name=name,
                seed=seed,
                settings=all_settings(settings, isolation),
                data=data,
                output=output,
                plain=plain,
            )
        )
