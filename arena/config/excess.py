"""Find settings that need more entrants than there are; the tournament is played without them.

They are no mistake, because others may still enter. But a person should know them before play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from arena.schedule.keys import Schedule, ScheduleKind
from arena.schedule.pairings import count
from arena.schedule.rounds.ladder import owner_of
from arena.schedule.schedule import Discipline

_SEMI_FINALS: Final = 4
"""Number of players from which both semi-finals have a loser."""


def excess(disciplines: Iterable[Discipline]) -> list[str]:
    """Return a sentence for each number that is too large, without repetitions.

    Games that are paired together have the same sentences.
    """
    return list(dict.fromkeys(text for each in disciplines for text in _of(each)))


def most_rounds(players: int) -> int:
    """Return the most rounds of a Swiss tournament at two seats.

    In these no two players meet twice, and none has two byes.
    """
    return players - 1 + players % 2


def _of(discipline: Discipline) -> Iterator[str]:
    schedule, seats = discipline.schedule, discipline.rules.seats
    there = len(discipline.entrants)
    if seats == 1:
        return
    if schedule.max_pairings is not None:
        all_there_are = count(there, seats, msgspec.structs.replace(schedule, max_pairings=None))
        if schedule.max_pairings > all_there_are:
            yield (
                f"max_pairings: found {schedule.max_pairings}, and {discipline.name} has only "
                f"{_counted(all_there_are, 'pairing')}: all are played"
            )
    if schedule.kind is ScheduleKind.LADDER and len(set(map(owner_of, discipline.entrants))) < 2:
        yield f"all {there} bots are of one author: nobody meets until another one enters"
    parts = schedule.parts
    for number, plan in enumerate(parts):
        head = "" if len(parts) < 2 else f"stage {number + 1}, {plan.kind.replace('_', ' ')}: "
        first = schedule.stages[number].first if schedule.stages else None
        if first is not None and first > there:
            yield f"{head}first: found {first}, and only {there} are left: all of them go on"
        there = there if first is None else min(first, there)
        yield from (f"{head}{text}" for text in _too_much(plan, there, seats))


def _too_much(plan: Schedule, there: int, seats: int) -> Iterator[str]:
    """Yield sentences on a stage, or on a tournament without stages."""
    bots = _counted(there, "bot")
    if plan.kind is ScheduleKind.SWISS and seats == 2 and (plan.rounds or 0) > most_rounds(there):
        most = _counted(most_rounds(there), "round")
        yield f"rounds: found {plan.rounds}, and {bots} can meet in {most} at most: then it is over"
    if plan.kind is ScheduleKind.KNOCKOUT:
        if (plan.seeded or 0) > there:
            yield f"seeded: found {plan.seeded}, and there are only {bots}: nobody is drawn"
        if plan.third_place and there < _SEMI_FINALS:
            yield f"third_place: {bots} have no two semi-finals: nobody plays for the third place"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s'[: number != 1]}"
