"""Whose submission is looked at next, and whether there is time for it now.

Nothing is played while something is looked at, and a build may take ten minutes. So looking takes
ten minutes at a stretch, or one look that lasts longer, and in the long run half of the time.
Authors take turns, whoever has waited longest first, so that one who sends much holds up himself.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from arena.ladder.days import Clock
from arena.ladder.intake import Found

STRETCH: Final = 600.0
"""Seconds of looking after which as much has to go by as was more than that."""


class Turns:
    """What looking at submissions has taken so far, since the ladder was started."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._owed = 0.0
        """Seconds that looking had taken, less those that went by without: when it ended last."""
        self._ended = clock.seconds()
        self._had_his: dict[str, float] = {}
        """By author, when he had his last turn."""

    def is_time(self) -> bool:
        """Whether a look may begin now, though something else could be done."""
        return self._owed_at(self._clock.seconds()) < STRETCH

    @contextlib.contextmanager
    def taken(self, author: str) -> Iterator[None]:
        """Somebody has his turn meanwhile."""
        began = self._clock.seconds()
        try:
            yield
        finally:
            ended = self._clock.seconds()
            self._owed = self._owed_at(began) + ended - began
            self._ended = self._had_his[author] = ended

    def in_order(self, found: Iterable[Found]) -> list[Found]:
        """One of each author, then the second of each, and so on; of those first him whose last
        turn is longest ago, then what has lain there longest."""
        nth: Counter[str] = Counter()
        keys: dict[Found, tuple[int, float, float]] = {}
        for each in sorted(found, key=lambda each: -each.age):
            author = each.bot.author
            keys[each] = (nth[author], self._had_his.get(author, 0.0), -each.age)
            nth[author] += 1
        return sorted(keys, key=keys.__getitem__)

    def _owed_at(self, now: float) -> float:
        return max(0.0, self._owed - (now - self._ended))
