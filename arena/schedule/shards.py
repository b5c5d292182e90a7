"""Shares of a schedule that are played apart, and together are all of it.

The blocks of a discipline are dealt to the shards like cards, in the order of play. After as many
as pairings and shards have for their least common multiple one shard is passed over: with four
pairings and two shards the first one would otherwise never see half of the pairings. So at any
point of a discipline no shard has more than one block more than another; in one pass neither;
and in every N passes, N the number of shards, each has each pairing once. Where the blocks of a
discipline do not come out even, the next one makes up for it.
"""

from __future__ import annotations

import re
from math import lcm
from typing import Annotated, Final

import msgspec

MOST: Final = 10_000
"""Shards of a run."""

_WRITTEN: Final = re.compile("([1-9][0-9]{0,4})/([1-9][0-9]{0,4})")
_Number = Annotated[int, msgspec.Meta(ge=1, le=MOST)]


class Shard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of several shares."""

    number: _Number
    """From 1, not above ``of``."""
    of: _Number

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def read(cls, text: str) -> Shard:
        """The shard that is written so, such as ``2/5``. Raises ValueError."""
        if (found := _WRITTEN.fullmatch(text)) is None:
            raise ValueError(text)
        shard = cls(*map(int, found.groups()))
        if not shard.number <= shard.of <= MOST:
            raise ValueError(text)
        return shard


WHOLE: Final = Shard(1, 1)
"""All blocks."""


class Deal:
    """Which pairings a shard has in each pass of a discipline."""

    def __init__(self, shard: Shard, due: int, pairings: int, cycles: int) -> None:
        """``due``: the shard, from 0, that gets one block more than others before others do.

        ``pairings``, ``cycles``: of the discipline; the latter are its passes.
        """
        self._shard = shard.number - 1
        self._of = shard.of
        self._pairings = pairings
        self._round = lcm(max(1, pairings), shard.of)
        blocks = pairings * cycles
        self._first = due - blocks // self._round  # so that the last round begins with who is due
        self.due_next = (due + blocks) % shard.of
        """The ``due`` of the discipline after it."""

    def pairings(self, cycle: int) -> range:
        """The numbers of its pairings in a pass, in the order of play."""
        block = cycle * self._pairings
        turn = self._first + block + block // self._round
        return range((self._shard - turn) % self._of, self._pairings, self._of)

    def leftover(self, cycles: int) -> range:
        """The last of the first ``cycles`` passes, fewer than there are shards.

        In those before each pairing is dealt to each shard equally often.
        """
        return range(cycles - cycles % self._of, cycles)
