"""Find the pairings that newcomers still have to play: a pure function of who takes part.

Pairings among earlier entrants never change. Each newcomer gets the pairings that it would have had
from the start. Where pairings are a balanced choice, it gets about as many as the others have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.schedule.keys import Schedule as Plan
from arena.schedule.keys import ScheduleKind
from arena.schedule.pairings import Pairing, chosen, pairings
from arena.schedule.schedule import Discipline


def with_newcomers(there: Sequence[str], new: Sequence[str], now: Discipline) -> Sequence[Pairing]:
    """Return the pairings of ``new`` with each other and with ``there``, in order of play.

    ``now``: the discipline as it would be if all entrants began now; it has several seats.
    """
    seats, plan = now.rules.seats, now.schedule
    names = tuple(sorted((*there, *new)))
    if not new or plan.kind is ScheduleKind.MATCH or len(names) < seats:
        return ()
    if plan.max_pairings is not None:
        return _balanced(names, new, seats, plan)
    return [each for each in pairings(names, seats, plan) if not set(new).isdisjoint(each)]


def _balanced(names: Sequence[str], new: Sequence[str], seats: int, plan: Plan) -> list[Pairing]:
    """Return about as many pairings for each newcomer as ``max_pairings`` gives the others."""
    most = plan.max_pairings or 0
    focus = [name for name in sorted(plan.focus) if name in names]
    found: dict[Pairing, None] = {}
    for name in sorted(new):
        if plan.kind is ScheduleKind.GAUNTLET and name not in focus:
            tables = _with_each(name, names, focus, seats)
        else:
            others = tuple(each for each in names if each != name and each not in focus)
            shared = max(1, round(most * seats / len(names)))
            limit = -(-most // len(focus)) if name in focus else shared
            tables = iter(tuple(sorted((name, *rest))) for rest in chosen(others, seats - 1, limit))
        found |= dict.fromkeys(tables)
    return list(found)


def _with_each(
    name: str, names: Sequence[str], focus: Sequence[str], seats: int
) -> Iterator[Pairing]:
    """Yield a table with each of ``focus``, and with some of the others if it has more seats."""
    others = tuple(each for each in names if each != name and each not in focus)
    for one, rest in zip(focus, chosen(others, seats - 2, len(focus)) * len(focus), strict=False):
        yield tuple(sorted((name, one, *rest)))
