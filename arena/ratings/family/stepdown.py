"""Several candidates against one baseline: a sequential test each, and one error for all.

With K candidates each passes at α/K at first, and as soon as r have passed the others do at α/(K-r)
(Holm 1979; of sequential tests De and Baron, Sequential Analysis 2012). The chance that any
candidate passes that is no better than H0 is then at most α, whatever the results of the candidates
have to do with each other: before the first wrong pass all r are right, so at most K-r candidates
are no better, and the ratio of each of them ever gets over ln((K-r)/α) with a chance of at most
α/(K-r). Who failed stays counted.
"""

from __future__ import annotations


class StepDown:
    """The error that the next candidate may pass with."""

    def __init__(self, candidates: int, alpha: float) -> None:
        self._left = candidates
        self._alpha = alpha

    @property
    def alpha(self) -> float:
        """Of each candidate that has not passed."""
        return self._alpha / max(1, self._left)

    def passed(self, number: int) -> None:
        """So many more have passed."""
        self._left -= number
