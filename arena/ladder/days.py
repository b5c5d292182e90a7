"""Time, as a ladder has it: what day it is, and what of the day's budget is used.

Only here and in the loop is the clock looked at: rounds and pairings know none. The clock of a
machine can be wrong by years, forwards or back, and be set right at any moment. That removes
nothing: see ``kept_since``. It gives the budget of the wrong day too, once: what was used of the
last days is remembered, so that nobody plays one twice when the clock returns to it.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Protocol

import msgspec

from arena.config.ladder import BudgetFile
from arena.results import GameResult
from arena.runs.disk import StoreError, cannot_write, read_json, write_atomically
from arena.runs.store import SECRET
from arena.tournament.progress import Progress
from arena.tournament.run import Run

DAY: Final = "day.json"
_DAY: Final = 86_400
_DAYS_REMEMBERED: Final = 7
_SAVED_EVERY: Final = 5.0
"""Seconds of play: a kill gives back no more of the day's time."""


class Clock(Protocol):
    """Where time comes from."""

    def now(self) -> datetime.datetime:
        """In UTC."""

    def seconds(self) -> float:
        """Since whenever; never goes back, whatever the clock is set to."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """That of this machine."""

    def now(self) -> datetime.datetime:
        """See Clock."""
        return datetime.datetime.now(datetime.UTC)

    def seconds(self) -> float:
        """See Clock."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """See Clock."""
        time.sleep(seconds)


def day_of(instant: datetime.datetime) -> str:
    """As it is written: 2026-11-23."""
    return instant.date().isoformat()


def text_of(instant: datetime.datetime) -> str:
    """UTC, ISO 8601, in seconds."""
    return instant.isoformat(timespec="seconds")


def kept_since(keep: float, now: datetime.datetime, played_at: Iterable[int]) -> datetime.datetime:
    """Before which instant records are kept no longer.

    ``keep``: seconds, of whole days; ``played_at``: of all games, seconds since 1970, 0: not known.
    Of the days on which games were stored so many are kept, be they ever so long ago by the clock:
    neither a clock that leaps nor a pause makes records older.
    """
    days, kept = sorted({each // _DAY for each in played_at if each > 0}), round(keep / _DAY)
    first = days[-kept] * _DAY if len(days) >= kept else 0
    since = min(now.timestamp() - keep, first)
    return datetime.datetime.fromtimestamp(since, datetime.UTC)


class _Used(msgspec.Struct):
    """What was played since a day began."""

    games_before: Annotated[int, msgspec.Meta(ge=0)]
    """Stored games of the run when it began."""
    wall: Annotated[float, msgspec.Meta(ge=0)]
    """Seconds of play."""


class _Days(msgspec.Struct):
    """day.json."""

    used: dict[str, _Used]
    """By day, the last ones."""


class Budget:
    """What may be played today. It judges while games are played: see ``tournament.session.Judge``.

    Games are counted by what the run holds, so that no kill loses count of them.
    """

    def __init__(self, folder: Path, terms: BudgetFile, clock: Clock, block: int) -> None:
        """``block``: games of a deal, which are played on one day. Raises StoreError."""
        self._path = folder / DAY
        self._terms = terms
        self._clock = clock
        self._block = block
        self.stored = 0
        """Games that the run holds, as far as they were told."""
        self._since: float | None = None
        """When the time was taken last; None: nothing is played."""
        self._unsaved = 0.0
        self._days: dict[str, _Used] = {}
        """What was used of the last days, today last."""
        self._today, self._used = "", _Used(0, 0.0)
        self.round_over: Callable[[Run, Progress], bool] = lambda run, progress: True
        """Called after each round: whether the next one is to be drawn."""
        if self._path.exists():
            try:
                self._days = read_json(self._path, _Days).used
            except StoreError:  # of no other use than this
                self._days = {day_of(clock.now()): _Used(0, 0.0)}

    def begin(self) -> None:
        """A stretch of play begins: all stored games are told again, and time counts."""
        self._used.games_before = min(self._used.games_before, self.stored)
        self.stored = 0
        self._since = self._clock.seconds()

    def end(self) -> None:
        """It is over. Raises StoreError."""
        self._pass()
        self._since = None
        self._save()

    def add(self, number: int, result: GameResult) -> None:
        """See Judge."""
        self.stored += 1

    @property
    def terms(self) -> Mapping[str, Any]:
        """See Judge."""
        return {}

    @property
    def is_over(self) -> bool:
        """See Judge."""
        return self._is_late or (self._terms.games is not None and self.games >= self._terms.games)

    def has_room(self, owed: int) -> bool:
        """See Rationer: the budget of games is never exceeded."""
        self._pass()
        games = self._terms.games
        return games is None or self.games + owed + self._block <= games

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """See Pacemaker."""
        return self.round_over(run, progress) and not self.is_spent

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is begun today."""
        return self._is_late or not self.has_room(0)

    @property
    def _is_late(self) -> bool:
        """Return whether the time of the day is used up."""
        self._pass()
        return self._terms.wall is not None and self._used.wall >= self._terms.wall

    @property
    def games(self) -> int:
        """Played today."""
        return self.stored - self._used.games_before

    @property
    def wall(self) -> float:
        """Seconds of play today."""
        return self._used.wall

    def _pass(self) -> None:
        """Count the time since it was looked at last; a new day begins with nothing used."""
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
        try:
            write_atomically(self._path, msgspec.json.encode(_Days(self._days)) + b"\n", SECRET)
        except OSError as error:
            raise cannot_write(self._path, error) from error
