"""``arena plan``: compute how many games a question needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli import choices
from arena.cli.command import command
from arena.cli.common import Alpha, AsJson, Beta, Elo0, Elo1, TestScale
from arena.cli.terminal.console import columns, out, print_document
from arena.studies.plan.planner import PlanSettings, plan_of
from arena.views.match.planning_text import plan_text


@dataclass(frozen=True, kw_only=True)
class PlanOptions(PlanSettings):
    """Compute how many games a question needs.

    The question is a precision, a difference at fixed length, or a sequential test. If RUN is given
    as a pilot, the time that the games take is estimated too.

    \b
    arena plan --mode gain
    arena plan --precision 20 --draws 0.3
    arena plan runs/quickstart --pair greedy,collector --difference 40
    """

    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="RUN",
            autocompletion=choices.runs,
            help="Folder of a run or match whose games serve as a pilot.",
        ),
    ] = None
    pair: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Two entrants of the pilot. Default: the first two."),
    ] = None
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", metavar="GAME", help="Game of the pilot. Default: the first."),
    ] = None
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="ELO",
            help="Ask how many games it takes until the 95 % interval is ± this much.",
        ),
    ] = None
    difference: Annotated[
        float | None,
        typer.Option(metavar="NELO", help="Ask what fixed number of games shows this difference."),
    ] = None
    mode: Annotated[
        str | None,
        typer.Option(help="Ask how many games a sequential test takes. Default: gain."),
        choices.modes,
    ] = None
    elo0: Elo0 = None
    elo1: Elo1 = None
    scale: TestScale = "normalized"
    alpha: Alpha = 0.05
    beta: Beta = 0.05
    true: Annotated[float | None, typer.Option(help="Add a row for this true difference.")] = None
    deviation: Annotated[
        float | None,
        typer.Option(
            help="Without a pilot: standard deviation of the score of one game. Default: "
            "0.5, the largest."
        ),
    ] = None
    draws: Annotated[
        float | None,
        typer.Option(help="In place of --deviation: share of draws, with deals not mirrored."),
    ] = None
    block_games: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Without a pilot: games in a block.")
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", "-j", min=1, help="Worker processes, for the time. Default: one per core."
        ),
    ] = None
    as_json: AsJson = False


def print_plan(options: PlanOptions) -> None:
    """Compute the plan and print it. Raises BadInput and StoreError."""
    plan = plan_of(options)
    if options.as_json:
        print_document(plan)
    else:
        out(plan_text(plan, columns()))


_PANELS: Final = {
    "Pilot": "run pair game",
    "Question": "precision difference mode elo0 elo1 scale alpha beta true",
    "Without a pilot": "deviation draws block_games",
    "Output": "workers form",
}
COMMAND: Final = command(print_plan, panels=_PANELS)
