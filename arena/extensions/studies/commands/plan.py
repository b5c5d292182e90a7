"""``arena plan``: compute how many games a question needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.cli.command import command
from arena.cli.common import AsJson
from arena.cli.terminal.console import columns, out_text, print_document
from arena.extensions.studies.plan.planner import PlanSettings, plan_of
from arena.extensions.studies.plan.text import plan_text


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

    as_json: AsJson = False


def print_plan(options: PlanOptions) -> None:
    """Compute the plan and print it. Raises BadInput and StoreError."""
    plan = plan_of(options)
    if options.as_json:
        print_document(plan)
    else:
        out_text(plan_text(plan, columns()))


_PANELS: Final = {
    "Pilot": "run pair game",
    "Question": "precision difference mode elo0 elo1 scale alpha beta true",
    "Without a pilot": "deviation draws block_games",
    "Output": "workers form",
}
COMMAND: Final = command(print_plan, panels=_PANELS)
