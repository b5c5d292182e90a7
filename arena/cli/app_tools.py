"""Commands on what was played before, here or elsewhere, with their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import choices
from arena.cli.app_matches import app
from arena.cli.common import with_common
from arena.cli.options import Alpha, AsJson, Beta, Debug, Elo0, Elo1, Scale
from arena.cli.terminal.console import endings
from arena.cli.terminal.signals import outliving_the_terminal

__all__ = ["app"]


@app.command()
@with_common
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
        str,
        typer.Option(
            metavar="LEVEL", autocompletion=choices.isolation, help="How far the bot is kept apart."
        ),
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
    with outliving_the_terminal(), endings(debug=debug, as_json=as_json):
        from arena.cli.commands.reask import ReaskOptions, reask_bot

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
@with_common
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
    form: Annotated[
        str, typer.Option("--format", autocompletion=choices.forms, help="txt, md, csv or json.")
    ] = "txt",
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
        from arena.cli.commands.ratings import RatingsOptions, print_ratings

        print_ratings(
            RatingsOptions(
                file=file,
                anchor=anchor,
                elo=elo,
                full=full,
                form=form,
            )
        )


@app.command()
@with_common
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
        str | None,
        typer.Option(
            metavar="MODE", autocompletion=choices.modes, help="gain (default) or no-regression."
        ),
    ] = None,
    elo0: Elo0 = None,
    elo1: Elo1 = None,
    scale: Scale = "normalized",
    alpha: Alpha = 0.05,
    beta: Beta = 0.05,
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
        from arena.cli.commands.sprt import SprtOptions, print_test

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
