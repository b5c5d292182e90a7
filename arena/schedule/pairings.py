"""Sets of entrants that meet: all of one size, or a balanced choice for limited time.

Pure and independent of the seed, so pairings can be published before anything is drawn.

A balanced choice has equal appearances and about equal meetings of each pair, which is known as a
near-balanced incomplete block design. There are three steps. First, seat the members who have
played and met least. Then exchange members until appearances are equal. Then swap members between
subsets as long as meetings become more equal.

Shards are shares of a schedule that are played apart and together form the whole. The blocks of a
discipline are dealt to the shards like cards, in the order of play. One shard is skipped after
every L blocks, L the least common multiple of the numbers of pairings and shards. Otherwise, with
four pairings and two shards, the first shard would never see half of the pairings. So at any point
of a discipline, and within one pass, no shard has more than one block more than another. In every N
passes, N the number of shards, each shard has each pairing once. If the blocks of a discipline
cannot be divided evenly, the next discipline compensates.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb, lcm
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import msgspec

MOST: Final = 10_000
"""Largest number of shards of a run."""

_WRITTEN: Final = re.compile("([1-9][0-9]{0,4})/([1-9][0-9]{0,4})")
_Number = Annotated[int, msgspec.Meta(ge=1, le=MOST)]


class Shard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of several shares of a schedule."""

    number: _Number
    """Number from 1, not above ``of``."""
    of: _Number

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def read(cls, text: str) -> Shard:
        """Parse a shard such as ``2/5``. Raises ValueError."""
        if (found := _WRITTEN.fullmatch(text)) is None:
            raise ValueError(text)
        shard = cls(*map(int, found.groups()))
        if not shard.number <= shard.of <= MOST:
            raise ValueError(text)
        return shard

    def folder(self, whole: Path) -> Path:
        """Return the default folder of the shard, beside the folder of the run."""
        return whole.with_name(f"{whole.name}.{self.number}of{self.of}")


WHOLE: Final = Shard(1, 1)
"""The shard that contains all blocks."""


class ShardPairings:
    """The pairings of a shard in each pass of a discipline."""

    def __init__(self, shard: Shard, due: int, pairings: int, cycles: int) -> None:
        """``due``: the shard, from 0, that is the next to get one block more than others.

        ``pairings``, ``cycles``: numbers of pairings and passes of the discipline.
        """
        self._shard = shard.number - 1
        self._of = shard.of
        self._pairings = pairings
        self._round = lcm(max(1, pairings), shard.of)
        blocks = pairings * cycles
        self._first = due - blocks // self._round  # the last round begins with the due shard
        self.due_next = (due + blocks) % shard.of
        """``due`` of the next discipline."""

    def pairings(self, cycle: int) -> range:
        """Return the numbers of its pairings in pass ``cycle``, in the order of play."""
        block = cycle * self._pairings
        turn = self._first + block + block // self._round
        return range((self._shard - turn) % self._of, self._pairings, self._of)

    def leftover(self, cycles: int) -> range:
        """Return the last of the first ``cycles`` passes, fewer than there are shards.

        In all passes before these, each pairing is dealt to each shard equally often.
        """
        return range(cycles - cycles % self._of, cycles)


_ATTEMPTS: Final = 200
"""Number of swaps tried per subset."""
_MOST_ATTEMPTS: Final = 200_000
"""Largest number of swaps tried in total."""


def balanced(members: int, size: int, count: int) -> list[tuple[int, ...]]:
    """Return ``count`` distinct subsets of ``size`` numbers below ``members``, each sorted.

    Members differ in appearances by one at most. ``count`` is at most half of all subsets.
    """
    design = _Design(members, size)
    for _ in range(count):
        design.seat()
    while design.even_out():
        pass
    design.smooth(min(_ATTEMPTS * count, _MOST_ATTEMPTS))
    return design.tables


class _Design:
    def __init__(self, members: int, size: int) -> None:
        self._size = size
        self._random = random.Random(0)  # use only random(), which is the same on every Python
        self._order = sorted(range(members), key=lambda _: self._random.random())
        self._played = [0] * members
        self._met = [[0] * members for _ in range(members)]
        self._taken: set[tuple[int, ...]] = set()
        self.tables: list[tuple[int, ...]] = []

    def seat(self) -> None:
        """Add a subset of the members who have played least and met each other least."""
        table = next(each for each in self._candidates(()) if each not in self._taken)
        self.tables.append(table)
        self._count(table, 1)

    def even_out(self) -> bool:
        """Replace a member with most appearances by one with fewest.

        Returns False if appearances differ by one at most. More chosen subsets contain ``most``
        without ``least`` than the other way round. So for one of these, the subset with the two
        exchanged is not chosen yet.
        """
        most = max(self._order, key=self._played.__getitem__)
        least = min(self._order, key=self._played.__getitem__)
        if self._played[most] - self._played[least] <= 1:
            return False
        for index, table in enumerate(self.tables):
            if most in table and least not in table:
                changed = _exchanged(table, most, least)
                if changed not in self._taken:
                    self._replace(index, changed)
                    return True
        raise AssertionError("a subset to exchange exists")

    def smooth(self, attempts: int) -> None:
        """Swap members between subsets where that reduces the sum of squared meetings."""
        draw, tables = self._random.random, self.tables
        for _ in range(attempts):
            first, second = int(draw() * len(tables)), int(draw() * len(tables))
            one, two = tables[first], tables[second]
            out, into = one[int(draw() * self._size)], two[int(draw() * self._size)]
            if out in two or into in one or self._gain(one, two, out, into) <= 0:
                continue
            changed, other = _exchanged(one, out, into), _exchanged(two, into, out)
            if changed not in self._taken and other not in self._taken:
                self._replace(first, changed)
                self._replace(second, other)

    def _gain(self, one: Sequence[int], two: Sequence[int], out: int, into: int) -> int:
        """Return by how much a swap of two members reduces half the sum of squared meetings.

        The swap exchanges ``out`` of subset ``one`` and ``into`` of subset ``two``.
        """
        met_out, met_into = self._met[out], self._met[into]
        gain = 0
        for other in one:
            if other != out and other not in two:
                gain += met_out[other] - met_into[other] - 1
        for other in two:
            if other != into and other not in one:
                gain += met_into[other] - met_out[other] - 1
        return gain

    def _candidates(self, seated: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield every subset that contains ``seated``, greedily best first."""
        if len(seated) == self._size:
            yield tuple(sorted(seated))
            return
        played, met = self._played, self._met
        free = [member for member in self._order if member not in seated]
        free.sort(key=lambda member: (played[member], sum(met[member][o] for o in seated)))
        for member in free:
            yield from self._candidates((*seated, member))

    def _replace(self, index: int, table: tuple[int, ...]) -> None:
        self._count(self.tables[index], -1)
        self.tables[index] = table
        self._count(table, 1)

    def _count(self, table: tuple[int, ...], change: int) -> None:
        if change > 0:
            self._taken.add(table)
        else:
            self._taken.remove(table)
        for member in table:
            self._played[member] += change
        for member, other in combinations(table, 2):
            self._met[member][other] += change
            self._met[other][member] += change


def _exchanged(table: Sequence[int], out: int, into: int) -> tuple[int, ...]:
    return tuple(sorted(into if member == out else member for member in table))


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
