"""``arena demo``: a first tournament, which needs no file."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import Final

import typer

from arena.cli.command import command
from arena.cli.terminal.announce import announced, build_steps, say_where
from arena.cli.terminal.console import Exit, ignoring_closed_output, print_table, say
from arena.cli.terminal.reporter import Reporter
from arena.games.registry import GAMES
from arena.runs.identity import tournament_of
from arena.runs.live import log_to
from arena.runs.manifest import TournamentSource
from arena.runs.reader import StoredRun
from arena.tournament.building import built_and_opened
from arena.tournament.prepare import play, with_workers
from arena.tournament.run import publish_seed
from arena.values.option import Settings, Workers
from arena.views.standings.standings import table_of, write_tables

_NAME: Final = "demo"
_BOTS: Final = ("builtin:random", "builtin:collector", "builtin:greedy")
_SETTINGS: Final = ("ratings.anchor=random", "ratings.elo=1000")
_DEALS: Final = 50
_SEED: Final = "1"


@dataclasses.dataclass(frozen=True, kw_only=True)
class DemoOptions:
    """Play a first tournament, which needs no file.

    Three builtin bots play Dragonheart, for a few seconds, into runs/demo below the current folder.
    The same command again prints the table again.

    \b
    arena demo
    arena demo --isolation sandbox
    """

    settings: Settings = ()
    workers: Workers = None


def play_demo(options: DemoOptions) -> None:
    """Play, print the table, and say what to try next.

    Ends with typer.Exit if the run was interrupted or could not be played to its end.
    """
    source = TournamentSource(
        game=GAMES.default,
        targets=_BOTS,
        settings=(*_SETTINGS, *options.settings),
        deals=_DEALS,
        name=_NAME,
        cwd=str(Path.cwd()),
    )
    tournament = with_workers(tournament_of(source, _SEED), options.workers)
    folder = Path(tournament.output.folder)
    with contextlib.ExitStack() as stack:
        with build_steps(quiet=False) as steps:
            begun = built_and_opened(tournament, folder, source, steps)
            tournament, run = stack.enter_context(begun)

        reporter = Reporter(quiet=False)
        log_to(folder)
        progress, interrupted, _ = play(tournament, run, announced(tournament, run, reporter))
        if progress.is_finished:
            publish_seed(folder, run.opening)
        table = table_of(StoredRun(folder, run.manifest))
        write_tables(folder, table, [form.value for form in tournament.output.formats])
    with ignoring_closed_output():
        print_table(table, "txt", [])
    say_where(folder, progress, reporter.faulty, interrupted=interrupted)
    if interrupted:
        raise typer.Exit(Exit.INTERRUPTED)
    if not progress.is_complete:
        raise typer.Exit(Exit.INVALID_RUN)
    _suggest_commands(folder, source.game or "")


def _suggest_commands(folder: Path, game: str) -> None:
    say("next:")
    for call, what in (
        (f"arena report {Path(folder.parent.name, folder.name)}", "its games as a page"),
        (f"arena play {game}", "take a seat against builtin:greedy"),
        ("arena init", "begin a tournament file of your own"),
    ):
        say(f"  {call:<24}  {what}")


COMMAND: Final = command(play_demo, outlives_terminal=True)
