"""A run as it was when one of its rounds had ended: every view of a run shows it, unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from arena.runs.reader import Authors, StoredGame, StoredRun, placed_games
from arena.runs.voids import Void
from arena.schedule.schedule import Done
from arena.values.bad_input import BadInput


class PastRun(StoredRun):
    """A run without all that came after the end of a round.

    The next round was drawn from just this: entrants that came or left meanwhile are part of it.
    """

    def __init__(self, run: StoredRun, end: int, number: int) -> None:
        """Cut a run after the first ``end`` changes of its field: round ``number`` had ended."""
        changes = run.manifest.changes[:end]
        earlier = msgspec.structs.replace(run.manifest, changes=changes)
        super().__init__(run.folder, earlier)
        self._run = run
        self._cut = end, number
        self.notices = (f"as it was when round {number} had ended",)

    def __reduce__(self) -> tuple[Any, ...]:
        return PastRun, (self._run, *self._cut)

    @property
    def authors(self) -> Authors | None:
        """Authors of a ladder, see ``StoredRun.authors``."""
        return self._run.authors

    def stored(self, done: Done | None = None) -> Iterator[StoredGame]:
        """Yield the games of these rounds, see ``StoredRun.stored``. Raises StoreError."""
        kept = Done(self.schedule.numbers) if done is None else done
        rulings, whole = self.manifest.rulings, self._run.schedule
        for game in placed_games(self.folder, whole, None, rulings, is_quiet=True):
            if game.number < self.schedule.numbers:
                kept.add(game.number)
                yield game

    def voids(self) -> Iterator[Void]:
        """Yield the games of these rounds that could not be played. Raises StoreError."""
        for void in self._run.voids():
            if self.schedule.number(void.game) is not None:
                yield void


def as_of(run: StoredRun, number: int, option: str) -> StoredRun:
    """Return a run as it was when round ``number``, from 1, had ended; while it lasts, as it is.

    ``option``: the option that asks for it, for messages. Raises BadInput if the run plays no
    rounds, or has ended before.
    """
    manifest = run.manifest
    if not manifest.grows:
        expected = "expected a run by rounds, such as swiss, knockout or a ladder"
        raise BadInput(f"{option}: found a run whose schedule is known before play, {expected}")
    drawn = sum(
        change.follows is not UNSET and bool(change.pairings) for change in manifest.changes
    )
    if number > drawn and manifest.is_over:
        raise BadInput(f"{option}: found {number}, expected one of the rounds 1 to {drawn}")
    later = (
        place
        for place, change in enumerate(manifest.changes)
        if change.follows is not UNSET and change.follows.over >= number and change.pairings
    )
    end = next(later, None)
    return run if end is None else PastRun(run, end, number)
