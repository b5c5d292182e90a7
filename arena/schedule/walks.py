"""In which order the pairings of one deal are played where not all bots can be kept running.

The entrants are cut into groups, and pairings of the same groups are played together: a *tile*.
Tiles lie on walks, on which each tile has a group of the one before it, and on which every group
is come by about equally often: the zigzags 0, 1, -1, 2, -2 … modulo the number of groups, which
hold each pair of groups once between them.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from arena.schedule.pairings import Pairing

_LEAST_GAIN: Final = 2
"""Times fewer starts than of each table's entrants anew, for an order that is worth it."""


def walks(pairings: Sequence[Pairing], held: int) -> tuple[array[int], ...]:
    """The numbers of all pairings, each once, cut into walks for different places.

    At a place that keeps the bots of the ``held`` entrants that played last, few have to be started
    on a walk. None if that many are all there are, or tiles would hold too few pairings, as of a
    choice of larger tables: then no order helps.
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
    """The two groups of a larger table by which its tile lies on a walk: not always the same."""
    if len(met) == 1:
        return met[0], met[0]
    pairs = list(combinations(met, 2))
    return pairs[sum(met) % len(pairs)]


def _place(one: int, other: int, count: int) -> tuple[int, int]:
    """Of a pair of groups, or of one with itself: its walk of ``count``, and where on it.

    Walk k zigzags from group k to group k + count; at these two the tiles of one group lie.
    """
    walk = (one + other) % (2 * count) // 2
    steps = sorted((_step(one - walk, count), _step(other - walk, count)))
    return walk, 2 * steps[0] + (one != other)


def _step(offset: int, count: int) -> int:
    """At which step a zigzag comes by a group."""
    offset %= 2 * count
    return 2 * offset - 1 if 0 < offset <= count else -2 * offset % (4 * count)
