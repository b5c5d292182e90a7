"""Who gets which block when: pass by pass, and within one so that few bots have to be started.

What is played is for the schedule alone, and so is what is read from it: this is the order in
which it is done. Where a place can keep the bots of all entrants it is the schedule's own.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Sequence, Set

from arena.schedule.schedule import Block, Pass, Schedule
from arena.schedule.walks import walks


class _Stretch:
    """What is left of a walk, or of all pairings of a pass: numbers of pairings."""

    def __init__(self, numbers: Sequence[int], first: int, end: int) -> None:
        self._numbers = numbers
        self._next = first
        self._end = end

    def __len__(self) -> int:
        return self._end - self._next

    def take(self) -> int:
        """The next one."""
        self._next += 1
        return self._numbers[self._next - 1]

    def halved(self) -> _Stretch:
        """The second half, or the last one, which it gives away."""
        middle, end = (self._next + self._end) // 2, self._end
        self._end = middle
        return _Stretch(self._numbers, middle, end)


class Handout:
    """Gives every block that is left to the place that asks, each once.

    Each place gets a walk of its own, and half of what is left of another's when none is over. A
    pass is given out whole before the next one is begun.
    """

    def __init__(
        self,
        schedule: Schedule,
        kept: int | None = None,
        done: Container[int] = (),
        without: Callable[[], Set[str]] = frozenset,
        deals: int | None = None,
        suspects: Callable[[], Set[str]] = frozenset,
        since: int = 0,
    ) -> None:
        """``kept``: processes that a place keeps for sure, one for each bot and seating; None: all.

        ``done``, ``without``, ``deals``: see ``Schedule.blocks``. Who is suspected of having to be
        given up soon plays last in a pass, in the order of the schedule: that decides. ``since``:
        so many rounds are known to be over.
        """
        self._kept = kept
        self._done = done
        self._without = without
        self._suspects = suspects
        self._passes = schedule.passes(deals, since)
        self._pass: Pass | None = None
        self._walks: dict[int, tuple[array[int], ...]] = {}
        self._unclaimed: Iterator[_Stretch] = iter(())
        self._stretches: dict[int, _Stretch] = {}
        """By place."""
        self._put_off: list[int] | None = None
        """Pairings of suspects; None: nothing is put off, and all places have ``_shared``."""
        self._shared = _Stretch((), 0, 0)

    def next(self, place: int) -> Block | None:
        """For a place, any number. None: there is nothing left for any place."""
        while (current := self._pass or self._open()) is not None:
            stretch = self._stretch(place)
            if stretch is None:
                self._close()
                continue
            number = stretch.take()
            met = current.pairings[number]
            if self._put_off is not None and not self._suspects().isdisjoint(met):
                self._put_off.append(number)
            elif (block := current.block(number, self._done, self._without)) is not None:
                return block
        return None

    def _open(self) -> Pass | None:
        """Begin the next pass, if there is one."""
        begun = self._pass = next(self._passes, None)
        if begun is None:
            return None
        if self._kept is not None and begun.first not in self._walks:
            self._walks[begun.first] = walks(begun.pairings, self._kept // begun.seatings)
        ways = self._walks.get(begun.first, ())
        self._unclaimed = iter([_Stretch(way, 0, len(way)) for way in ways])
        self._stretches = {}
        self._put_off = [] if ways else None
        if not ways:
            self._share(begun.own)
        return begun

    def _close(self) -> None:
        """End the pass, or have those play in it that were put off."""
        if self._put_off:
            late, self._put_off = sorted(self._put_off), None
            self._share(late)
        else:
            self._pass = None

    def _share(self, numbers: Sequence[int]) -> None:
        """Have all places play these together, in this order."""
        self._shared = _Stretch(numbers, 0, len(numbers))

    def _stretch(self, place: int) -> _Stretch | None:
        """What the place goes on with; None: nothing is left."""
        if self._put_off is None:
            return self._shared or None
        if own := self._stretches.get(place):
            return own
        found = next(self._unclaimed, None)
        if found is None:
            longest = max(self._stretches.values(), key=len, default=None)
            found = longest.halved() if longest else None
        if found is not None:
            self._stretches[place] = found
        return found
