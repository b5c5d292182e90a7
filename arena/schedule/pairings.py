"""Sets of entrants that meet: all of one size, or a balanced choice for limited time.

Pure and independent of the seed, so pairings can be published before anything is drawn.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb
from typing import Final, TypeAlias

from arena.schedule.balance import balanced

Pairing: TypeAlias = tuple[str, ...]
"""Names in alphabetical order."""

MAX_PAIRINGS: Final = 1_000_000
"""Largest number of pairings of one discipline; ``max_pairings`` has to limit larger ones."""


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
