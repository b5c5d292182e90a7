"""Jobs for workers: bots of the folder ``tests/bots`` at a table."""

from __future__ import annotations

import atexit
import os
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.games.registry import resolve
from arena.hosting.sandbox.isolation import Launch
from arena.hosting.workspace.cells import Workspace
from arena.schedule.keys import Discipline
from arena.schedule.keys import Schedule as Plan
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Seeds
from arena.tournament.executor import EntrantSpec, Job, Local, LocalBot
from arena.values.results import Limits, LogWire, OnFault, RulesSpec, TimeControl
from tests.games.games import default_data
from tests.referee.processes import AMPLE, launch
from tests.toy import ToyRules

SEEDS = Seeds.of("seed")
TOY = ToyRules(2).spec
GAME = "toy-2"
"""Name of the discipline."""
_WORKSPACE: Final = "ARENA_WORKSPACE_OF_TESTS"


def dragonheart() -> RulesSpec:
    return resolve("dragonheart", 2, {}, default_data("dragonheart"))


class Sat(NamedTuple):
    """A player with its bot."""

    player: EntrantSpec
    bot: LocalBot


def player(
    name: str, bot: str | Launch = "honest", limits: Limits | None = None, **options: Any
) -> Sat:
    start = bot if isinstance(bot, Launch) else launch(bot)
    return Sat(EntrantSpec(name, options), LocalBot(start, limits or Limits()))


def job(*players: Sat, rules: RulesSpec = TOY, move: float = AMPLE, **changes: Any) -> Job:
    return Job(
        rules={GAME: rules},
        players=tuple(each.player for each in players),
        control=TimeControl(move=move, startup=AMPLE),
        names_shown=changes.get("names_shown", False),
        on_fault=OnFault.AUTOPILOT,
        fresh=changes.get("fresh", False),
        seed_key=SEEDS.key,
        local=Local(
            _workspace(), {each.player.name: each.bot for each in players}, changes.get("kept")
        ),
        pondering=changes.get("pondering", True),
        log_wire=changes.get("log_wire", LogWire.OFF),
    )


def _workspace() -> str:
    """Root of the workspace of all these tests, also of those that run in processes of their own.

    Nobody's, so that no test finds its lock open, and not named like one that was abandoned.
    """
    if _WORKSPACE not in os.environ:
        root = Path(tempfile.mkdtemp(prefix="workspace-of-tests-"))
        root.chmod(0o711)
        (root / "cells").mkdir()
        (root / "cells").chmod(0o711)
        os.environ[_WORKSPACE] = str(root)
        atexit.register(Workspace(root).close)
    return os.environ[_WORKSPACE]


def discipline(
    *names: str, rules: RulesSpec = TOY, name: str = GAME, deals: int = 1, **plan: Any
) -> Discipline:
    return Discipline(name, rules, names, Plan(deals=deals, **plan))


def schedule(*names: str, deals: int = 1) -> Schedule:
    return Schedule([discipline(*names, deals=deals)], SEEDS)
