"""The search for the version that lost strength, by games that only luck makes hard to read.

Versions are counted: 0 is known to be good, the last one is known to be bad, and somewhere between
them strength was lost, once: every version before is as good as version 0, every one from there on
at least so much worse as the tests of it ask. Matches of a version against version 0 give a
log-likelihood ratio of ``as good`` against ``worse``; with one for each version that was played,
the likelihood that the loss came with version k is the product of the ratios of those before k.
From equal chances for all this makes a posterior, which holds whatever decided how many games were
played and of which version.

The next version to play is the one that divides the posterior most evenly (Horstein; Burnashev and
Zigangirov). A first match of a version ends early, with what is good enough to see where the
games are needed; when the search comes back to it, the match goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import Final, NamedTuple

FIRST_BOUND: Final = log(9)
"""Ratio, as a logarithm, at which a first match of a version ends: 9 to 1."""
FURTHER: Final = log(9)
"""By so much a match that goes on has to change the ratio, either way."""


class Step(NamedTuple):
    """What to play next."""

    version: int
    bound: float
    """Log-likelihood ratio at which to stop, either way; above 0."""


class Bisection:
    """What is known about where strength was lost."""

    def __init__(self, versions: int, *, sure: float, excluded: Iterable[int] = ()) -> None:
        """``versions``: after the good one, so that this is the number of the bad one, at least 1.

        ``sure``: the probability to be reached, below 1. ``excluded``: versions that cannot have
        brought the loss, as an earlier one was the same as a later one; not the first.
        """
        self.sure = sure
        self._versions = versions
        self._excluded = frozenset(excluded) - {1}
        self._ratios: dict[int, float] = {}
        self._skipped: set[int] = set()

    def see(self, version: int, llr: float) -> None:
        """All that the games of a version have told: the log-likelihood ratio, good against bad."""
        self._ratios[version] = llr

    def skip(self, version: int) -> None:
        """The version cannot be played."""
        self._skipped.add(version)
        self._ratios.pop(version, None)

    def posterior(self) -> list[float]:
        """The probability for each version, from 1, that it brought the loss."""
        weights, total = [], 0.0
        for version in range(1, self._versions + 1):
            total += self._ratios.get(version - 1, 0.0)
            weights.append(total)
        most = max(w for v, w in enumerate(weights, 1) if v not in self._excluded)
        shares = [
            0.0 if version in self._excluded else exp(weight - most)
            for version, weight in enumerate(weights, 1)
        ]
        return [share / sum(shares) for share in shares]

    def suspects(self) -> tuple[range, float]:
        """The most likely versions that no match can tell apart, and how likely they are.

        One version, unless some beside it cannot be played.
        """
        posterior = self.posterior()
        chances = [(sum(posterior[i - 1] for i in group), group) for group in self._groups()]
        chance, group = max(chances, key=lambda each: each[0])
        return group, chance

    def step(self) -> Step | None:
        """What to play next; None if it is sure enough, or if nothing more can be played."""
        played = [v for v in range(1, self._versions) if v not in self._skipped]
        if not played or self.suspects()[1] >= self.sure:
            return None
        bad = self._chances_of_bad()
        version = min(played, key=lambda each: abs(bad[each - 1] - 0.5))
        seen = self._ratios.get(version)
        return Step(version, FIRST_BOUND if seen is None else abs(seen) + FURTHER)

    def _groups(self) -> Sequence[range]:
        """The versions, cut behind each one that can be played."""
        ends = [v for v in range(1, self._versions) if v not in self._skipped]
        starts = [1, *(end + 1 for end in ends)]
        return [
            range(start, end + 1)
            for start, end in zip(starts, [*ends, self._versions], strict=True)
        ]

    def _chances_of_bad(self) -> list[float]:
        total, chances = 0.0, []
        for share in self.posterior():
            total += share
            chances.append(total)
        return chances
