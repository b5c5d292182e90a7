"""Search for the version that lost strength, by noisy comparisons of versions.

Versions are numbered: 0 is known to be good, the last one is known to be bad, and strength was lost
exactly once between them: every version before the loss is as good as version 0, every later one is
worse by at least the difference that the tests ask for. Matches of a version against version 0 give
a log-likelihood ratio of ``as good`` against ``worse``. With one ratio for each played version, the
likelihood that the loss came with version k is the product of the ratios of the versions before k.
From equal prior probabilities this gives a posterior, which is valid however the number of games
and the versions were chosen.

The next version to play is the one that divides the posterior most evenly (Horstein; Burnashev and
Zigangirov). A first match of a version ends early, with enough evidence to see where games are
needed; when the search returns to the version, its match continues.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import Final, NamedTuple

FIRST_BOUND: Final = log(9)
"""Log-likelihood ratio at which a first match of a version ends: 9 to 1."""
FURTHER: Final = log(9)
"""Change of the log-likelihood ratio, either way, at which a continued match ends."""


class BisectionStep(NamedTuple):
    """Next match to play."""

    version: int
    bound: float
    """Log-likelihood ratio at which to stop, either way; above 0."""


class Bisection:
    """Posterior of the version that lost strength."""

    def __init__(self, versions: int, *, sure: float, excluded: Iterable[int] = ()) -> None:
        """Create a search over ``versions``, which is the number of the bad version, at least 1.

        ``sure``: probability to be reached, below 1. ``excluded``: versions that cannot have
        brought the loss, because an earlier one is the same as a later one; not the first.
        """
        self.sure = sure
        self._versions = versions
        self._excluded = frozenset(excluded) - {1}
        self._ratios: dict[int, float] = {}
        self._skipped: set[int] = set()

    def see(self, version: int, llr: float) -> None:
        """Set the log-likelihood ratio, good against bad, of all games of a version."""
        self._ratios[version] = llr

    def skip(self, version: int) -> None:
        """Mark a version as not playable."""
        self._skipped.add(version)
        self._ratios.pop(version, None)

    def posterior(self) -> list[float]:
        """Return the probability that each version, from 1, brought the loss."""
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
        """Return the most likely versions that no match can distinguish, and their probability.

        This is one version, unless neighbouring versions cannot be played.
        """
        posterior = self.posterior()
        chances = [(sum(posterior[i - 1] for i in group), group) for group in self._groups()]
        chance, group = max(chances, key=lambda each: each[0])
        return group, chance

    def step(self) -> BisectionStep | None:
        """Return the next match; None if the search is sure enough or cannot continue."""
        played = [v for v in range(1, self._versions) if v not in self._skipped]
        if not played or self.suspects()[1] >= self.sure:
            return None
        bad = self._chances_of_bad()
        version = min(played, key=lambda each: abs(bad[each - 1] - 0.5))
        seen = self._ratios.get(version)
        return BisectionStep(version, FIRST_BOUND if seen is None else abs(seen) + FURTHER)

    def _groups(self) -> Sequence[range]:
        """Return the ranges of versions that end at each playable version."""
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
