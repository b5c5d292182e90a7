"""Time in a ladder: the current day, and the part of its budget that is used.

Only this module and the loop read the clock; rounds and pairings do not. The clock of a machine can
be wrong by years in either direction, and be corrected at any moment. That removes no records, see
``kept_since``. A wrong clock grants the budget of the wrong day, but only once: the usage of the
last days is stored, so that no day is played twice when the clock returns to it.

``Turns`` orders the checks of submissions. Nothing is played during a check, and a build may take
ten minutes. So a check is paid for by time without checks before the next one begins: all authors
together may check for half of the time, one author for a twentieth. The least recently checked
author is first.

Abandoned checks are counted by digest in ``checks.json``. A version is listed from before its check
begins until the check ends in any way. So a version that is listed at a start was being checked
when the ladder was killed or the machine went down. Without this count a build that hangs would
cost ten minutes at each start, and a check that kills the ladder would do so for ever. Nothing was
decided, so the book has no event; if the file is lost, a few checks are repeated. The counts hold
for one machine: with more memory or another kernel the same check may succeed.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final, TypeVar

import msgspec

from arena.extensions.ladder.file import BudgetFile
from arena.extensions.ladder.intake import SubmittedFolder
from arena.runs.disk import StoreError, read_json, write_atomically, writing
from arena.runs.store import SECRET
from arena.tournament.events import Judge
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.values.numbers import count
from arena.values.results import GameResult

T = TypeVar("T")

DAY: Final = "day.json"
_DAY: Final = 86_400
_DAYS_REMEMBERED: Final = 7
_SAVED_EVERY: Final = 5.0
"""Seconds of play between two writes, and so the most that a kill gives back to the day."""


class Clock:
    """The clock of this machine."""

    def now(self) -> datetime.datetime:
        """Return the current time in UTC."""
        return datetime.datetime.now(datetime.UTC)

    def seconds(self) -> float:
        """Return seconds since an arbitrary start, which never decrease when the clock is set."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for ``seconds``."""
        time.sleep(seconds)


def day_of(instant: datetime.datetime) -> str:
    """Return the day as text: 2026-11-23."""
    return instant.date().isoformat()


def text_of(instant: datetime.datetime) -> str:
    """Return the time as text: UTC, ISO 8601, to the second."""
    return instant.isoformat(timespec="seconds")


def backed_off(
    failed: Counter[T],
    what: T,
    delays: tuple[float, int, float],
    say: Callable[[str], None],
    why: str,
) -> tuple[float, str]:
    """Count a failed attempt; return seconds until the next one, and words on all of them.

    ``failed``: failed attempts at each thing since one succeeded. ``delays``: the first, the factor
    from each to the next, and the longest. ``why``: for the log, in which attempts 1, 2, 4, 8 and
    so on are noted by ``say``, so that a log of months stays short.
    """
    failed[what] = times = failed[what] + 1
    first, factor, longest = delays
    delay = min(first * factor ** min(times - 1, 8), longest)
    attempts = count(times, "attempt")
    if times & (times - 1) == 0:
        say(f"{why} ({attempts}; next in {delay:g} s)")
    return delay, f"{attempts} so far"


def kept_since(keep: float, now: datetime.datetime, played_at: Iterable[int]) -> datetime.datetime:
    """Return the instant before which records are no longer kept.

    ``keep``: time to keep records, in seconds that make whole days. ``played_at``: times of all
    games, in seconds since 1970, or 0 if unknown. The records of as many days on which games were
    played are kept in any case. So neither a clock that leaps nor a pause removes records.
    """
    days, kept = sorted({each // _DAY for each in played_at if each > 0}), round(keep / _DAY)
    first = days[-kept] * _DAY if len(days) >= kept else 0
    since = min(now.timestamp() - keep, first)
    return datetime.datetime.fromtimestamp(since, datetime.UTC)


class _Used(msgspec.Struct):
    """The part of a day's budget that is used."""

    games_before: Annotated[int, msgspec.Meta(ge=0)]
    """Number of stored games of the run when the day began."""
    wall: Annotated[float, msgspec.Meta(ge=0)]
    """Time of play, in seconds."""


class _Days(msgspec.Struct):
    """The contents of day.json."""

    used: dict[str, _Used]
    """Usage of the last days, by day."""


class Budget(Judge):
    """The budget of the present day, checked during play: see ``tournament.events.Judge``.

    Games are counted by the run's contents, so a kill does not lose the count.
    """

    def __init__(self, folder: Path, terms: BudgetFile, clock: Clock, block: int) -> None:
        """Read the usage in ``folder``. Raises StoreError.

        ``terms`` is the budget; ``block`` is the number of games of a deal, which are played on one
        day.
        """
        self._path = folder / DAY
        self._terms = terms
        self._clock = clock
        self._block = block
        self.stored = 0
        """Number of games that the run holds, as far as ``add`` has reported them."""
        self._since: float | None = None
        """Last time at which play was counted, in seconds of the clock; None when idle."""
        self._unsaved = 0.0
        self._days: dict[str, _Used] = {}
        """Usage of the last days, today last."""
        self._today, self._used = "", _Used(0, 0.0)
        self.round_over: Callable[[Run, Progress], bool] = lambda run, progress: True
        """Called after each round; returns whether to draw the next one."""
        if self._path.exists():
            try:
                self._days = read_json(self._path, _Days).used
            except StoreError:  # it cannot be read and serves nothing else
                self._days = {day_of(clock.now()): _Used(0, 0.0)}

    def resume(self) -> None:
        """Begin to count the time of play.

        Afterwards ``add`` must be called for every stored game again, as a new session does.
        """
        self._used.games_before = min(self._used.games_before, self.stored)
        self.stored = 0
        self._since = self._clock.seconds()

    def pause(self) -> None:
        """End a period of play. Raises StoreError."""
        self._pass()
        self._since = None
        self._save()

    def add(self, number: int, result: GameResult) -> None:
        """See Judge."""
        self.stored += 1

    @property
    def is_over(self) -> bool:
        """See Judge."""
        return self._is_late or (self._terms.games is not None and self.games >= self._terms.games)

    def has_room(self, owed: int) -> bool:
        """Return whether a block and ``owed`` games fit into the day's limit of games."""
        self._pass()
        games = self._terms.games
        return games is None or self.games + owed + self._block <= games

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """See Judge."""
        return self.round_over(run, progress) and not self.is_spent

    @property
    def is_spent(self) -> bool:
        """True if no further game may begin today."""
        return self._is_late or not self.has_room(0)

    @property
    def _is_late(self) -> bool:
        """True if the time of the day is used up."""
        self._pass()
        return self._terms.wall is not None and self._used.wall >= self._terms.wall

    @property
    def games(self) -> int:
        """Number of games played today."""
        return self.stored - self._used.games_before

    @property
    def wall(self) -> float:
        """Time of play today, in seconds."""
        return self._used.wall

    def _pass(self) -> None:
        """Count the time since the last call; a new day begins with nothing used."""
        today, now = day_of(self._clock.now()), self._clock.seconds()
        if self._today != today:
            self._today, self._used = today, self._days.pop(today, _Used(self.stored, 0.0))
            self._days[today] = self._used
            for day in [*self._days][:-_DAYS_REMEMBERED]:
                del self._days[day]
            self._since = None if self._since is None else now
            self._save()
        if self._since is not None:
            passed = now - self._since
            self._used.wall += passed
            self._unsaved += passed
            self._since = now
            if self._unsaved >= _SAVED_EVERY:
                self._save()

    def _save(self) -> None:
        self._unsaved = 0.0
        with writing(self._path):
            write_atomically(self._path, msgspec.json.encode(_Days(self._days)) + b"\n", SECRET)


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
