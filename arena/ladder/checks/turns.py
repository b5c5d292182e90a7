"""Orders the checks of submissions and decides when there is time for them.

Nothing is played during a check, and a build may take ten minutes. So a check is paid for by time
without checks before the next one begins: all authors together may check for half of the time, one
author for a twentieth. The least recently checked author is first.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from arena.ladder.days import Clock
from arena.ladder.intake import SubmittedFolder

STRETCH: Final = 600.0
"""Unpaid check time of all authors below which another check may begin, in seconds."""
_PRICE: Final = 1.0
"""Seconds without checks that pay for one second of a check."""
OWN_STRETCH: Final = 60.0
"""Unpaid check time of one author below which that author's next check may begin, in seconds."""
OWN_PRICE: Final = 20.0
"""Seconds without checks of an author that pay for one second of that author's checks."""


class _Debt:
    """Seconds of checks that are not paid for yet."""

    def __init__(self, price: float, most: float) -> None:
        """Begin without debt.

        ``price`` is the time in seconds that pays for one second of a check; ``most`` is the unpaid
        time in seconds below which a check may begin.
        """
        self._price = price
        self._most = most
        self._owed = 0.0
        """Unpaid seconds when the last check ended."""
        self.ended = 0.0
        """End of the last check, in seconds of the clock."""

    def wait(self, now: float) -> float:
        """Return the seconds until a check may begin, 0 or more."""
        return max(0.0, (self._at(now) - self._most) * self._price)

    def is_paid(self, now: float) -> bool:
        """Return whether a check may begin."""
        return self._at(now) < self._most

    def add(self, began: float, ended: float) -> None:
        """Charge a check."""
        self._owed = self._at(began) + ended - began
        self.ended = ended

    def _at(self, now: float) -> float:
        return max(0.0, self._owed - (now - self.ended) / self._price)


class Turns:
    """Time that checks of submissions have taken since the ladder was started."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._all = _Debt(_PRICE, STRETCH)
        self._of: defaultdict[str, _Debt] = defaultdict(lambda: _Debt(OWN_PRICE, OWN_STRETCH))

    def is_time(self, author: str | None = None) -> bool:
        """Return whether a check, of ``author`` if given, may begin while games could be played."""
        now = self._clock.seconds()
        return self._all.is_paid(now) and (author is None or self._of[author].is_paid(now))

    def wait(self, author: str) -> float:
        """Return the seconds until the earlier checks of ``author`` are paid for, 0 or more."""
        return self._of[author].wait(self._clock.seconds())

    @contextlib.contextmanager
    def taken(self, author: str) -> Iterator[None]:
        """Charge the time inside the context to all authors and to ``author``."""
        began = self._clock.seconds()
        try:
            yield
        finally:
            ended = self._clock.seconds()
            for debt in (self._all, self._of[author]):
                debt.add(began, ended)

    def in_order(self, found: Iterable[SubmittedFolder]) -> list[SubmittedFolder]:
        """Return submissions in the order of their checks.

        Authors whose checks are paid for come before the others. Within each group comes one
        submission of each author, then the second of each, and so on: the least recently checked
        author first, then the oldest submission.
        """
        now = self._clock.seconds()
        nth: Counter[str] = Counter()
        keys: dict[SubmittedFolder, tuple[bool, int, float, float]] = {}
        for each in sorted(found, key=lambda each: -each.age):
            author = each.bot.author
            debt = self._of[author]
            keys[each] = (not debt.is_paid(now), nth[author], debt.ended, -each.age)
            nth[author] += 1
        return sorted(keys, key=keys.__getitem__)
