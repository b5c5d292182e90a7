"""A round of a Swiss tournament, by the players of a run."""

from __future__ import annotations

from collections.abc import Mapping

from arena.runs.rounds.pairing import Met, Now
from arena.schedule.rounds.dutch import NoPairing
from arena.schedule.rounds.history import Result
from arena.schedule.rounds.swiss import Swiss, next_round, rules_of
from arena.schedule.schedule import Discipline


def swiss(discipline: Discipline) -> Swiss:
    """The rules by which it is paired."""
    return Swiss(rounds=discipline.schedule.rounds or 0, seats=discipline.rules.seats, short=False)


def rules(discipline: Discipline) -> str:
    """Their name."""
    return rules_of(discipline.rules.seats)


def pair(now: Now) -> Met | None:
    """The next round; None: there is none."""
    plan = swiss(now.discipline)
    if len(now.before) >= plan.rounds or len(now.there) < plan.seats:
        return None
    away: Mapping[str, Result] = {
        name: Result.ZERO_BYE for name in now.players if name not in now.there
    }
    try:
        found = next_round(now.players, [each.round for each in now.before], plan, now.luck, away)
    except NoPairing:
        return None
    return Met(found.tables, found.byes)
