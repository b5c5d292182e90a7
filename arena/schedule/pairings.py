"""Find the sets of entrants that meet: all of them, or a balanced choice for limited time.

Pure and independent of the seed, so pairings can be published before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import Final, TypeAlias, assert_never

from arena.schedule.balance import balanced
from arena.schedule.keys import Lineup, Schedule, ScheduleKind

Pairing: TypeAlias = tuple[str, ...]
"""Names in alphabetical order."""

MAX_PAIRINGS: Final = 1_000_000
"""Largest number of pairings of one discipline; ``max_pairings`` has to limit larger ones."""


def pairings(entrants: Sequence[str], seats: int, schedule: Schedule) -> tuple[Pairing, ...]:
    """Return every set of entrants that meets once per cycle, in order of play.

    ``entrants`` are distinct and at least ``seats`` in number, at least two in a match. With one
    seat everybody plays the same deals, so all entrants are one set.
    """
    names = tuple(sorted(entrants))
    if seats == 1:
        return (names,)
    match schedule.kind:
        case ScheduleKind.ROUND_ROBIN:
            return chosen(names, seats, schedule.max_pairings)
        case ScheduleKind.GAUNTLET:
            return tuple(_gauntlet(names, seats, schedule))
        case ScheduleKind.PAIRINGS:
            return tuple(tuple(sorted(pairing)) for pairing in schedule.pairings)
        case ScheduleKind.MATCH:
            listed = tuple(tuple(sorted(pairing)) for pairing in schedule.pairings)
            return listed or tuple(combinations(names, 2))
        case ScheduleKind.SWISS | ScheduleKind.KNOCKOUT | ScheduleKind.STAGES | ScheduleKind.LADDER:
            return ()  # they follow from results


def count(entrants: int, seats: int, schedule: Schedule) -> int:
    """Return the number of sets that ``pairings`` returns, without computing them."""
    if seats == 1:
        return 1
    match schedule.kind:
        case ScheduleKind.ROUND_ROBIN:
            total = comb(entrants, seats)
        case ScheduleKind.GAUNTLET:
            focus = len(schedule.focus)
            total = focus * comb(max(0, entrants - focus), seats - 1)
        case ScheduleKind.PAIRINGS:
            return len(schedule.pairings)
        case ScheduleKind.MATCH:
            return len(schedule.pairings) or comb(entrants, 2)
        case ScheduleKind.SWISS | ScheduleKind.KNOCKOUT | ScheduleKind.STAGES | ScheduleKind.LADDER:
            return 0
        case _:
            assert_never(schedule.kind)
    return total if schedule.max_pairings is None else min(total, schedule.max_pairings)


def fewest(seats: int, schedule: Schedule) -> int:
    """Return the smallest possible number of entrants."""
    return min(2, seats) if schedule.kind is ScheduleKind.MATCH else seats


def is_complete(schedule: Schedule) -> bool:
    """Return whether every pairing of a match determines who sits alone, if anybody does."""
    if schedule.lineup is not Lineup.ALONE:
        return not schedule.focus
    if not schedule.pairings:
        return len(schedule.focus) == 1
    return all(sum(name in schedule.focus for name in each) == 1 for each in schedule.pairings)


def _gauntlet(names: Sequence[str], seats: int, schedule: Schedule) -> Iterator[Pairing]:
    """Yield each of ``focus`` against every choice of the others.

    They take turns, so that a partial table is fair.
    """
    focus = sorted(schedule.focus)
    others = tuple(name for name in names if name not in focus)
    limits: list[int | None] = [None] * len(focus)
    if schedule.max_pairings is not None:
        share, rest = divmod(schedule.max_pairings, len(focus))
        limits = [share + (number < rest) for number in range(len(focus))]
    fields = [chosen(others, seats - 1, limit) for limit in limits]
    for number in range(max(map(len, fields))):
        for name, field in zip(focus, fields, strict=True):
            if number < len(field):
                yield tuple(sorted((name, *field[number])))


@cache
def chosen(names: tuple[str, ...], size: int, limit: int | None) -> tuple[Pairing, ...]:
    """Return every set of ``size`` names, or ``limit`` of them chosen for balance.

    A choice contains each name equally often, give or take one, and each pair of names about
    equally often. The same nearly holds for its first sets.
    """
    total = comb(len(names), size)
    if limit is None or limit >= total:
        return tuple(combinations(names, size))
    wanted = min(limit, total - limit)  # of nearly all sets, choose those to leave out
    found = [
        tuple(names[member] for member in table) for table in balanced(len(names), size, wanted)
    ]
    if wanted == limit:
        return tuple(found)
    left_out = set(found)
    return tuple(each for each in combinations(names, size) if each not in left_out)
