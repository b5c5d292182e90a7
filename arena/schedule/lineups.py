"""Assign names to seats in the games of a block.

In a match two entrants fill all seats, and every block is fair as a whole. In an even match,
swapping the two names gives the same block. In an alone match, the single entrant takes each seat
once against the other. So between equal entrants the mean of a block is even, regardless of what
the seats are worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb, factorial

from arena.games.luck import Luck
from arena.schedule.keys import Lineup, Schedule, ScheduleKind, Seatings
from arena.schedule.pairings import Pairing


def count(entrants: int, seats: int, plan: Schedule) -> int:
    """Return the number of games of a block."""
    if seats == 1:
        return entrants
    every = plan.seatings is Seatings.ALL
    if plan.kind is not ScheduleKind.MATCH:
        return factorial(seats) if every else seats
    if plan.lineup is Lineup.ALONE:
        return seats
    return comb(seats, seats // 2) * (1 + seats % 2) if every else 2


def lineups(entrants: Pairing, seats: int, plan: Schedule, luck: Luck) -> list[tuple[str, ...]]:
    """Return the names by seat of each game; ``luck`` is used for this block alone."""
    if plan.kind is not ScheduleKind.MATCH:
        order = luck.shuffle("order", 0, entrants)
        if plan.seatings is Seatings.ALL:
            return list(permutations(order))
        return [order[k:] + order[:k] for k in range(seats)]
    return list(_match(entrants, seats, plan, luck))


def _match(entrants: Pairing, seats: int, plan: Schedule, luck: Luck) -> Iterator[tuple[str, ...]]:
    one, other = entrants
    if plan.lineup is Lineup.ALONE:
        one, other = (one, other) if one in plan.focus else (other, one)
        yield from (_placed((seat,), one, other, seats) for seat in range(seats))
    elif plan.seatings is Seatings.ALL:
        for taken in combinations(range(seats), seats // 2):
            yield _placed(taken, one, other, seats)
            if seats % 2:
                yield _placed(taken, other, one, seats)
    else:
        taken = luck.shuffle("order", 0, tuple(range(seats)))[: seats // 2]
        yield _placed(taken, one, other, seats)
        yield _placed(taken, other, one, seats)


def _placed(taken: tuple[int, ...], one: str, other: str, seats: int) -> tuple[str, ...]:
    return tuple(one if seat in taken else other for seat in range(seats))
