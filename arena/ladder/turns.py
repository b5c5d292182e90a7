"""Orders the checks of submissions and decides when there is time for them.

Nothing is played during a check, and a build may take ten minutes. So a check is paid for by time
without checks before the next one begins: all authors together may check for half of the time, one
author for a twentieth. The least recently checked author is first.

Abandoned checks are counted by digest in ``checks.json``. A version is listed from before its check
begins until the check ends in any way. So a version that is listed at a start was being checked
when the ladder was killed or the machine went down. Without this count a build that hangs would
cost ten minutes at each start, and a check that kills the ladder would do so for ever. Nothing was
decided, so the book has no event; if the file is lost, a few checks are repeated. The counts hold
for one machine: with more memory or another kernel the same check may succeed.
"""

from __future__ import annotations

import contextlib
import os
import platform
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena.ladder.days import Clock
from arena.ladder.intake import SubmittedFolder
from arena.runs.disk import StoreError, read_json, write_atomically, writing
from arena.runs.store import SECRET

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
        """Charge a check that took from ``began`` to ``ended``, in seconds of the clock."""
        self._owed = self._at(began) + ended - began
        self.ended = ended

    def _at(self, now: float) -> float:
        return max(0.0, self._owed - (now - self.ended) / self._price)


class Turns:
    """Account of the time that checks of submissions have taken since the ladder was started."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._all = _Debt(_PRICE, STRETCH)
        self._of: defaultdict[str, _Debt] = defaultdict(lambda: _Debt(OWN_PRICE, OWN_STRETCH))

    def is_time(self, author: str | None = None) -> bool:
        """Return whether a check, of ``author`` if given, may begin while games could be played."""
        now = self._clock.seconds()
        return self._all.is_paid(now) and (author is None or self._of[author].is_paid(now))

    def wait(self, author: str) -> float:
        """Return the seconds until the next check of ``author`` may begin, 0 or more."""
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

        Authors whose earlier checks no longer delay them come before the others. Within each group
        comes one submission of each author, then the second of each, and so on: the least recently
        checked author first, then the oldest submission.
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


CHECKS: Final = "checks.json"
MOST_ENDED: Final = 3
"""Number of abandoned checks of a version after which it is quarantined."""
LONG: Final = 60.0
"""Shortest check that can be the reason for stopping the ladder by hand, in seconds."""


def machine() -> str:
    """Describe the properties of this machine on which the result of a check may depend."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    return f"{platform.release()}, {os.cpu_count()} cores, {memory} GiB"


class _Checks(msgspec.Struct):
    """The contents of checks.json."""

    machine: str
    times: dict[str, Annotated[int, msgspec.Meta(ge=1)]]


class Unfinished:
    """Number of abandoned checks of each version."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._path = folder / CHECKS
        self._clock = clock
        self._machine = machine()
        self._times: dict[str, int] = {}
        with contextlib.suppress(StoreError):  # there is none, or it cannot be read
            found: _Checks = read_json(self._path, _Checks)
            if found.machine == self._machine:
                self._times = found.times

    def times(self, digest: str) -> int:
        """Return how many checks of a version were abandoned."""
        return self._times.get(digest, 0)

    def forget(self) -> None:
        """Set the numbers of all versions to 0, so that they may be checked again.

        Raises StoreError.
        """
        self._times = {}
        self._write()

    @contextlib.contextmanager
    def under_way(self, digest: str) -> Iterator[None]:
        """Count the check of version ``digest`` as abandoned until the context ends.

        So a kill during the check is counted. When the check ends, the count of the version is
        reset; after an early KeyboardInterrupt it is restored. Raises StoreError.
        """
        before, began = self.times(digest), self._clock.seconds()
        self._note(digest, before + 1)
        try:
            yield
        except KeyboardInterrupt:
            if self._clock.seconds() - began < LONG:
                self._note(digest, before)
            raise
        except Exception:
            self._note(digest, 0)
            raise
        self._note(digest, 0)

    def _note(self, digest: str, times: int) -> None:
        self._times[digest] = times
        if not times:
            del self._times[digest]
        self._write()

    def _write(self) -> None:
        data = msgspec.json.encode(_Checks(self._machine, self._times)) + b"\n"
        with writing(self._path):
            write_atomically(self._path, data, SECRET)
