"""Blocks that repeat an earlier block, and how many of them a test may count.

Games without chance between bots that repeat their moves are one game, however often they are
played. Equal blocks form a cluster. With m blocks in each cluster the mean of all blocks has the
variance of the mean of n = (sum m)² / sum m² independent ones (Kish, *Survey Sampling*, 1965,
11.7): the effective number of blocks. Every block counts in a score; errors and tests count n of
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from arena.results import GameResult

Played: TypeAlias = tuple[tuple[tuple[str, ...], str], ...]
"""Content of a block: entrants by seat and digest of the moves of each game, sorted."""


class Repeats:
    """Counts of equal blocks of a discipline. A block with a game of chance equals no other."""

    def __init__(self) -> None:
        self.distinct = 0
        """Number of different blocks."""
        self.since_new = 0
        """Number of blocks since the last one that differed from all earlier blocks."""
        self.games = 0
        """Number of games that repeat an earlier one."""
        self._blocks: Counter[Played] = Counter()
        self._seen: set[tuple[tuple[str, ...], str]] = set()

    def add(self, results: Sequence[GameResult]) -> int:
        """Count a block and return the number of equal blocks before it."""
        known = [(each.spec.entrants, each.moves_digest) for each in results if each.moves_digest]
        self.games += len(known) - len(set(known) - self._seen)
        self._seen.update(known)
        played = tuple(sorted(known)) if len(known) == len(results) else None
        before = 0 if played is None else self._blocks[played]
        if played is not None:
            self._blocks[played] += 1
        self.distinct += not before
        self.since_new = self.since_new + 1 if before else 0
        return before


class Values:
    """Blocks by value, with weights that allow for repeated blocks."""

    def __init__(self) -> None:
        self.counts: Counter[float] = Counter()
        """Number of blocks by value."""
        self.total = 0
        """Number of blocks."""
        self._squares = 0
        """Sum over clusters of the square of their number of blocks."""

    def add(self, value: float, before: int) -> None:
        """Count a block; ``before`` is the number of equal blocks that were counted earlier."""
        self.counts[value] += 1
        self.total += 1
        self._squares += 2 * before + 1

    @property
    def effective(self) -> float:
        """Number of independent blocks whose mean would vary as much as that of these blocks."""
        return self.total**2 / self._squares if self.total else 0.0

    @property
    def weights(self) -> Mapping[float, float]:
        """Number of effective blocks by value: the counts themselves without repeated blocks."""
        if self._squares == self.total:
            return self.counts
        share = self.total / self._squares
        return {value: share * count for value, count in self.counts.items()}
