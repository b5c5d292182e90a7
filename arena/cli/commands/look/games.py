"""``arena games``: list the games of a run, and find some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from arena.cli import choices
from arena.cli.command import command
from arena.cli.options import AsJson, Quiet, RunFolder
from arena.cli.terminal.game_list import GameQuery, print_games
from arena.documents.bad_input import BadInput
from arena.documents.problems import check_one_of, did_you_mean, quote
from arena.documents.ranges import read_range
from arena.results import FaultKind
from arena.runs.reader import StoredRun
from arena.text import clean
from arena.views.game.filters import GameFilter, GameOrder, GameOutcome


@dataclass(frozen=True, kw_only=True)
class GamesOptions:
    """List the games of a run, and find some of them.

    Each game has the number that arena replay takes. A game is listed if one bot in it meets the
    conditions on bot, opponent, result and fault together. A run that is still being played is
    shown with the games so far. Exit code 5 if there is no game yet.

    \b
    arena games runs/quickstart --bot greedy --result lost
    arena games runs/quickstart --sort margin --reverse --limit 5
    arena games runs/quickstart --faults
    arena games runs/quickstart --sort decided --limit 3 --json
    """

    folder: RunFolder
    bots: Annotated[
        tuple[str, ...],
        typer.Option("--bot", metavar="NAME", help="Only games of this bot. Repeatable: of any."),
    ] = ()
    against: Annotated[
        tuple[str, ...],
        typer.Option(
            "--against", metavar="NAME", help="Only games against this bot. Repeatable: any."
        ),
    ] = ()
    result: Annotated[
        str | None,
        typer.Option(help="Only games with this result for --bot."),
        choices.results,
    ] = None
    discipline: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only games of this discipline, e.g. dragonkrak-4."),
    ] = None
    faults: Annotated[
        bool, typer.Option("--faults", help="Only games with a fault, of --bot if it is given.")
    ] = False
    fault: Annotated[
        tuple[str, ...],
        typer.Option(
            "--fault",
            metavar="KIND",
            help="Only games with such a fault, of --bot if it is given: timeout, crash, illegal "
            "and so on. Repeatable: of any of these kinds.",
        ),
        choices.fault_kinds,
    ] = ()
    margin: Annotated[
        str | None,
        typer.Option(
            metavar="A-B",
            help="Only games with this final margin of the first place over the best other bot: "
            "5, 1-20, 5- or -20.",
        ),
    ] = None
    plies: Annotated[
        str | None,
        typer.Option(metavar="A-B", help="Only games of this length in plies: 5, 1-20, 5- or -20."),
    ] = None
    decided: Annotated[
        bool,
        typer.Option(
            "--decided",
            help="Also show since which ply the winner led alone, and the largest swing of the "
            "lead. Replays the records, which takes time.",
        ),
    ] = False
    sort: Annotated[
        str,
        typer.Option(
            help="Sort by number (the default), or by another column, the largest first; decided "
            "and swing replay the records.",
            show_default=False,
        ),
        choices.game_orders,
    ] = GameOrder.NUMBER.value
    is_reversed: Annotated[bool, typer.Option("--reverse", help="Sort the other way round.")] = (
        False
    )
    limit: Annotated[
        int | None, typer.Option(min=1, help="List at most N games. Default: all.")
    ] = None
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="Form of the output; --json is short for json.",
            show_default=False,
        ),
        choices.table_forms,
    ] = "txt"
    quiet: Quiet = False
    as_json: AsJson = False


def list_games(options: GamesOptions) -> None:
    """Print the games that meet the conditions. Raises BadInput, NothingToDo or StoreError."""
    run = StoredRun(options.folder)
    query = GameQuery(
        wanted=_filter(options, run),
        order=GameOrder(options.sort),
        is_reversed=options.is_reversed,
        limit=options.limit,
        has_leads=options.decided,
    )
    print_games(run, query, options.form, quiet=options.quiet)


def _filter(options: GamesOptions, run: StoredRun) -> GameFilter:
    """Return the conditions of the options. Raises BadInput."""
    for option, names in (("--bot", options.bots), ("--against", options.against)):
        for name in names:
            _check_bot(option, name, run.manifest.entrants)
    disciplines = [each.name for each in run.manifest.disciplines]
    if options.discipline is not None:
        check_one_of("--discipline", options.discipline, disciplines)
    if options.result is not None and not options.bots:
        raise BadInput("--result: found without --bot, expected with it")
    return GameFilter(
        bots=options.bots,
        against=options.against,
        outcome=None if options.result is None else GameOutcome(options.result),
        faults=_kinds(options),
        discipline=options.discipline or "",
        margin=read_range("--margin", options.margin),
        plies=read_range("--plies", options.plies),
    )


def _check_bot(option: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"such as {clean.plain(known[0])}"
        raise BadInput(f"{option}: found {quote(name)}, expected a bot of this run ({hint})")


def _kinds(options: GamesOptions) -> frozenset[FaultKind] | None:
    """Return the kinds of faults asked for; None if games without faults are listed too."""
    if options.fault:
        return frozenset(map(FaultKind, options.fault))
    return frozenset(FaultKind) if options.faults else None


COMMAND: Final = command(list_games)
