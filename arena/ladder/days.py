"""Time in a ladder: the current day, and the part of its budget that is used.

Only this module and the loop read the clock; rounds and pairings do not. The clock of a machine can
be wrong by years in either direction, and be corrected at any moment. That removes no records, see
``kept_since``. A wrong clock grants the budget of the wrong day, but only once: the usage of the
last days is stored, so that no day is played twice when the clock returns to it.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena.config.ladder import BudgetFile
from arena.results import GameResult
from arena.runs.disk import StoreError, read_json, write_atomically, writing
from arena.runs.store import SECRET
from arena.tournament.events import Judge
from arena.tournament.progress import Progress
from arena.tournament.run import Run

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
