"""Divide a schedule into shards: shares that are played apart and together form the whole.

The blocks of a discipline are dealt to the shards like cards, in the order of play. One shard is
skipped after every L blocks, L the least common multiple of the numbers of pairings and shards.
Otherwise, with four pairings and two shards, the first shard would never see half of the pairings.
So at any point of a discipline, and within one pass, no shard has more than one block more than
another. In every N passes, N the number of shards, each shard has each pairing once. If the blocks
of a discipline cannot be divided evenly, the next discipline compensates.
"""

from __future__ import annotations

import re
from math import lcm
from typing import Annotated, Final

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
