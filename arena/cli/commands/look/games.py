"""``arena games``: list the games of a run, and find some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from arena.cli import choices
from arena.cli.command import command
from arena.cli.common import AsJson, Quiet, RunFolder, form_option
from arena.cli.game_filter import GameFilterOptions, read_filter
from arena.cli.terminal.game_list import GameQuery, print_games
from arena.documents.option import Opt
from arena.runs.reader import StoredRun
from arena.views.game.rows import GameOrder


@dataclass(frozen=True, kw_only=True)
class GamesOptions(GameFilterOptions):
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
    decided: Annotated[
        bool,
        Opt(
            "Also show since which ply the winner led alone, and the largest swing of the "
            "lead. Replays the records, which takes time."
        ),
    ] = False
    sort: Annotated[
        str,
        Opt(
            "Sort by number (the default), or by another column, the largest first; decided "
            "and swing replay the records.",
            shows_default=False,
            one_of=choices.game_orders,
        ),
    ] = GameOrder.NUMBER.value
    is_reversed: Annotated[bool, Opt("Sort the other way round.", "--reverse")] = False
    limit: Annotated[int | None, Opt("List at most N games. Default: all.", least=1)] = None
    form: Annotated[str, form_option(choices.table_forms)] = "txt"
    quiet: Quiet = False
    as_json: AsJson = False


def list_games(options: GamesOptions) -> None:
    """Print the games that meet the conditions. Raises BadInput, NothingToDo or StoreError."""
    run = StoredRun(options.folder)
    query = GameQuery(
        wanted=read_filter(options, [run.manifest]),
        order=GameOrder(options.sort),
        is_reversed=options.is_reversed,
        limit=options.limit,
        has_leads=options.decided,
    )
    print_games(run, query, options.form, quiet=options.quiet)


COMMAND: Final = command(list_games)
