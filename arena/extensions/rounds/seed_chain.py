"""The seeds of the rounds of a ladder, in hash chains, so that each can be published by itself."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

from arena.games.luck import derive_key

STRETCH: Final = 1 << 14
"""Number of ladder rounds whose seeds form one hash chain; a chain takes 15 ms to compute."""


def seed_before(seed: str) -> str:
    """Return the seed of the previous ladder round.

    It is the SHA-256 in hex of ``arena-chain-1``, a line feed and ``seed``. So all earlier seeds
    can be computed from a seed, but no later one.
    """
    return hashlib.sha256(f"arena-chain-1\n{seed}".encode()).hexdigest()


class SeedChain:
    """The seeds of the rounds of a ladder, 64 hex digits each, all derived from the run's seed.

    A seed can be published without revealing later ones, because a stretch (``STRETCH`` rounds) is
    computed backwards from its last seed. The end of a stretch is the value that would precede its
    first seed. It reveals none of the seeds, and they are verified against it.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def of(self, number: int) -> str:
        """Return the seed of round ``number``, from 1."""
        stretch, place = divmod(number - 1, STRETCH)
        return _stretch(self._seed, stretch, STRETCH)[place + 1]

    def end(self, stretch: int) -> str:
        """Return the end of ``stretch``, from 0. The commitment of the run binds the first one."""
        return _stretch(self._seed, stretch, STRETCH)[0]


@lru_cache(maxsize=2)
def _stretch(seed: str, number: int, length: int) -> tuple[str, ...]:
    """Return the end and the ``length`` seeds of stretch ``number``."""
    found = [derive_key("chain", seed, number).hex()]
    for _ in range(length):
        found.append(seed_before(found[-1]))
    return tuple(reversed(found))
