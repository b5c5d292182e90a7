"""Jobs for workers: bots of the folder ``tests/bots`` at a table."""

from __future__ import annotations

from typing import Any

from arena.hosting.process import Launch
from arena.results import Limits, RulesSpec, TimeControl
from arena.rules import resolve
from arena.tournament.jobs import Job, Player
from arena.tournament.schedule import Schedule
from arena.tournament.seeds import Seeds
from tests.referee.processes import AMPLE, launch
from tests.rules.games import default_data
from tests.toy import ToyRules

SEEDS = Seeds.of("seed")
TOY = ToyRules(2).spec


def dragonheart() -> RulesSpec:
    return resolve("dragonheart", 2, {}, default_data("dragonheart"))


def player(name: str, bot: str | Launch = "honest", **options: Any) -> Player:
    return Player(name, bot if isinstance(bot, Launch) else launch(bot), options)


def job(*players: Player, rules: RulesSpec = TOY, move: float = AMPLE, **changes: Any) -> Job:
    return Job(
        rules=rules,
        players=players,
        control=TimeControl(move=move, startup=AMPLE),
        limits=Limits(),
        names_shown=changes.get("names_shown", False),
        fresh=changes.get("fresh", False),
        seed_key=SEEDS.key,
    )


def schedule(*names: str, deals: int = 1) -> Schedule:
    return Schedule(names, 2, deals, SEEDS)
