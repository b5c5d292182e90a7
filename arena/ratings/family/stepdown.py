"""Step-down tests of several candidates against one baseline, with a common error rate.

With K candidates each first passes at α/K. As soon as r have passed, the others pass at α/(K-r)
(Holm 1979; of sequential tests De and Baron, Sequential Analysis 2012). The probability that any
candidate passes that is no better than H0 is then at most α, even if the results of the candidates
depend on each other: before the first wrong pass all r passes are right, so at most K-r candidates
are no better, and the ratio of each of them ever exceeds ln((K-r)/α) with probability at most
α/(K-r). A candidate that failed stays counted.
"""

from __future__ import annotations


class StepDown:
    """Error rates at which candidates may pass."""

    def __init__(self, candidates: int, alpha: float) -> None:
        self._left = candidates
        self._alpha = alpha

    @property
    def alpha(self) -> float:
        """Error rate of each candidate that has not passed."""
        return self._alpha / max(1, self._left)

    def passed(self, number: int) -> None:
        """Record that ``number`` more candidates have passed."""
        self._left -= number
