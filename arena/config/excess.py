"""Find settings that need more entrants than there are; the tournament is played without them.

They are no mistake, because others may still enter. But a person should know them before play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from arena.schedule.kinds.kind import counted
from arena.schedule.kinds.registry import count, kind_of
from arena.schedule.schedule import Discipline


def excess(disciplines: Iterable[Discipline]) -> list[str]:
    """Return a sentence for each number that is too large, without repetitions.

    Games that are paired together have the same sentences.
    """
    return list(dict.fromkeys(text for each in disciplines for text in _of(each)))


def _of(discipline: Discipline) -> Iterator[str]:
    plan, seats, names = discipline.schedule, discipline.rules.seats, discipline.entrants
    if seats == 1:
        return
    if plan.max_pairings is not None:
        total = count(len(names), seats, msgspec.structs.replace(plan, max_pairings=None))
        if plan.max_pairings > total:
            yield (
                f"max_pairings: found {plan.max_pairings}, and {discipline.name} has only "
                f"{counted(total, 'pairing')}: all are played"
            )
    yield from kind_of(plan).excess(plan, names, seats)
