"""Order the pairings of one deal for workers that cannot keep all bots running.

The entrants are cut into groups, and pairings of the same groups are played together: a *tile*.
Tiles lie on walks. Each tile of a walk shares a group with the tile before it, and a walk visits
every group about equally often. Walks are the zigzags 0, 1, -1, 2, -2 … modulo the number of
groups, which together contain each pair of groups once.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from arena.schedule.pairings import Pairing

_LEAST_GAIN: Final = 2
"""Least factor by which walks must reduce bot starts to be used.

The comparison is with starting all entrants of every table.
"""


def walks(pairings: Sequence[Pairing], held: int) -> tuple[array[int], ...]:
    """Return the numbers of all pairings, each once, cut into walks for different places.

    On a walk few bots have to be started at a place that keeps the bots of the ``held`` entrants
    that played last. Return an empty tuple if no order helps: if ``held`` covers all entrants, or
    if tiles would contain too few pairings, as in a choice of larger tables.
    """
    names = sorted({name for pairing in pairings for name in pairing})
    seats = max(map(len, pairings), default=1)
    if len(names) <= held or held < seats:
        return ()
    size = held // seats
    groups = -(-len(names) // size)
    group = {name: rank * groups // len(names) for rank, name in enumerate(names)}
    count = (groups + 1) // 2
    found: list[list[tuple[int, tuple[int, ...], int]]] = [[] for _ in range(count)]
    tiles = set()
    for number, pairing in enumerate(pairings):
        met = sorted({group[name] for name in pairing})
        tiles.add(tuple(met))
        one, other = _leading(met)
        walk, place = _place(one, other, count)
        found[walk].append((place, tuple(each for each in met if each not in (one, other)), number))
    if len(tiles) * size * _LEAST_GAIN >= len(pairings) * seats:
        return ()
    return tuple(array("I", [number for *_, number in sorted(walk)]) for walk in found if walk)


def _leading(met: Sequence[int]) -> tuple[int, int]:
    """Return the two groups that place a table's tile on a walk, varied for larger tables."""
    if len(met) == 1:
        return met[0], met[0]
    pairs = list(combinations(met, 2))
    return pairs[sum(met) % len(pairs)]


def _place(one: int, other: int, count: int) -> tuple[int, int]:
    """Return the walk of a pair of groups, out of ``count``, and the position on it.

    The two groups may be the same one. Walk k zigzags from group k to group k + count; these two
    ends hold the tiles of a single group.
    """
    walk = (one + other) % (2 * count) // 2
    steps = sorted((_step(one - walk, count), _step(other - walk, count)))
    return walk, 2 * steps[0] + (one != other)


def _step(offset: int, count: int) -> int:
    """Return the step at which a zigzag reaches the group at ``offset``."""
    offset %= 2 * count
    return 2 * offset - 1 if 0 < offset <= count else -2 * offset % (4 * count)
