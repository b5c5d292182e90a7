"""Allocate blocks to workers pass by pass, in an order that starts few bots.

A pass is one deal of every pairing. The schedule alone decides what is played and how results are
read; this module only decides the order of execution. Where a worker can keep the bots of all
entrants running, that is the order of the schedule.

Else the entrants are cut into groups. The pairings between the same two groups are played together
and are called a *tile*. A *walk* is a sequence of tiles in which each tile shares a group with the
tile before it, and which visits every group about equally often. Walks are the zigzags
0, 1, -1, 2, -2 … modulo the number of groups, which together contain each pair of groups once.

``Passes`` collects finished passes in the order of the schedule, though games finish in any order.
Short games finish first, and the duration of a game depends on who wins it. So a decision on the
blocks that happen to be finished is biased. A decision on the longest finished prefix of the
schedule is not biased, and does not depend on the number of workers.

In a match of two a pass is one block. Passes do not wait for games
of entrants that are out, and blocks of such entrants are dropped even if they were played ahead.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Sequence, Set
from itertools import combinations
from typing import Final, NamedTuple

from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Block, Schedule, SchedulePass
from arena.values.results import GameResult

_LEAST_GAIN: Final = 2
"""Least factor by which walks must reduce bot starts to be used.

The comparison is with starting all entrants of every table.
"""


def walks(pairings: Sequence[Pairing], held: int) -> tuple[array[int], ...]:
    """Return the numbers of ``pairings``, each once, cut into walks for different places.

    ``held``: number of entrants whose bots a place keeps running, those that played last. On a walk
    few other bots have to be started. Returns an empty tuple if no order helps: if ``held`` covers
    all entrants, or if tiles would contain too few pairings, as in a choice of larger tables.
    """
    names = sorted({name for pairing in pairings for name in pairing})
    seats = max(map(len, pairings), default=1)
    if len(names) <= held or held < seats:
        return ()
    size = held // seats
    groups = -(-len(names) // size)
    group = {name: rank * groups // len(names) for rank, name in enumerate(names)}
    count = (groups + 1) // 2
    found: list[list[tuple[int, tuple[int, ...], int]]] = [[] for _ in range(count)]
    tiles = set()
    for number, pairing in enumerate(pairings):
        met = sorted({group[name] for name in pairing})
        tiles.add(tuple(met))
        one, other = _leading(met)
        walk, place = _place(one, other, count)
        found[walk].append((place, tuple(each for each in met if each not in (one, other)), number))
    if len(tiles) * size * _LEAST_GAIN >= len(pairings) * seats:
        return ()
    return tuple(array("I", [number for *_, number in sorted(walk)]) for walk in found if walk)


def _leading(met: Sequence[int]) -> tuple[int, int]:
    """Return the two groups that decide where a table of the groups ``met`` lies on a walk.

    A table of three or four may have more groups, of which different tables use different two.
    """
    if len(met) == 1:
        return met[0], met[0]
    pairs = list(combinations(met, 2))
    return pairs[sum(met) % len(pairs)]


def _place(one: int, other: int, count: int) -> tuple[int, int]:
    """Return the number of the walk with the tile of groups ``one`` and ``other``, and its place.

    ``count``: number of walks. The two groups may be the same. Walk k zigzags from group k to group
    k + count; its two ends are the tiles of a single group.
    """
    walk = (one + other) % (2 * count) // 2
    steps = sorted((_step(one - walk, count), _step(other - walk, count)))
    return walk, 2 * steps[0] + (one != other)


def _step(offset: int, count: int) -> int:
    """Return the step at which a zigzag reaches the group at ``offset``."""
    offset %= 2 * count
    return 2 * offset - 1 if 0 < offset <= count else -2 * offset % (4 * count)


class _Stretch:
    """A queue of the remaining pairings of a walk or of a whole pass, by their numbers."""

    def __init__(self, numbers: Sequence[int], first: int, end: int) -> None:
        self._numbers = numbers
        self._next = first
        self._end = end

    def __len__(self) -> int:
        return self._end - self._next

    def take(self) -> int:
        """Remove and return the next pairing."""
        self._next += 1
        return self._numbers[self._next - 1]

    def halved(self) -> _Stretch:
        """Split off and return the second half of the rest, or the only pairing left."""
        middle, end = (self._next + self._end) // 2, self._end
        self._end = middle
        return _Stretch(self._numbers, middle, end)


class Handout:
    """The allocation of every remaining block to the places (workers) that ask, each once.

    Each place gets a walk of its own. When no walk is unclaimed, it gets half of the longest
    remaining one. A pass is allocated completely before the next one begins.
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
        """``kept``: number of processes that a place keeps, one per bot and seating; None: all.

        ``done``, ``without``, ``deals``: see ``Schedule.blocks``. ``suspects``: returns the
        entrants that may soon be withdrawn. Their pairings are played last in a pass, in the order
        of the schedule, because that order decides about them. ``since``: number of rounds that are
        known to be finished.
        """
        self._kept = kept
        self._done = done
        self._without = without
        self._suspects = suspects
        self._passes = schedule.passes(deals, since)
        self._pass: SchedulePass | None = None
        self._walks: dict[int, tuple[array[int], ...]] = {}
        self._unclaimed: Iterator[_Stretch] = iter(())
        self._stretches: dict[int, _Stretch] = {}
        """Current stretch of each place."""
        self._put_off: list[int] | None = None
        """Postponed pairings of suspects; None: none are postponed, all places use ``_shared``."""
        self._shared = _Stretch((), 0, 0)

    def next(self, place: int) -> Block | None:
        """Return the next block for ``place``, or None if no block is left for any place."""
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

    def _open(self) -> SchedulePass | None:
        """Begin and return the next pass, or return None after the last one."""
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
        """End the pass, or begin its postponed pairings if there are any."""
        if self._put_off:
            late, self._put_off = sorted(self._put_off), None
            self._share(late)
        else:
            self._pass = None

    def _share(self, numbers: Sequence[int]) -> None:
        """Let all places take the pairings ``numbers`` from one queue, in this order."""
        self._shared = _Stretch(numbers, 0, len(numbers))

    def _stretch(self, place: int) -> _Stretch | None:
        """Return the pairings from which ``place`` takes its next, or None if none are left."""
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


class FinishedPass(NamedTuple):
    """A complete pass: the blocks of all entrants that were not out."""

    discipline: str
    blocks: tuple[tuple[GameResult, ...], ...]
    """Games of each block, in the order of its seatings."""


class Passes:
    """A buffer that takes games in any order and yields passes in the order of the schedule."""

    def __init__(self, schedule: Schedule) -> None:
        self._passes = schedule.passes()
        self._pass: SchedulePass | None = next(self._passes, None)
        self._waiting: dict[int, GameResult] = {}
        """Games of passes that are not complete or not due yet, by number."""

    def add(self, number: int, result: GameResult) -> None:
        """Add the result of game ``number``."""
        self._waiting[number] = result

    def finished(self, out: Callable[[], Set[str]]) -> Iterator[FinishedPass]:
        """Yield every pass that is due and complete, each once.

        ``out`` returns the entrants that are out; it is called before each pass.
        """
        while self._pass is not None:
            wanted = [block for block in _wanted(self._pass, out()) if block]
            if not wanted or not all(
                number in self._waiting for block in wanted for number in block
            ):
                return
            blocks = tuple(tuple(self._waiting[number] for number in each) for each in wanted)
            for pairing in self._pass.own:
                for number in self._pass.games(pairing):
                    self._waiting.pop(number, None)
            finished = FinishedPass(self._pass.discipline, blocks)
            self._pass = next(self._passes, None)
            yield finished


def _wanted(begun: SchedulePass, out: Set[str]) -> Iterator[list[int]]:
    """Yield for each block the numbers of the games that are to be played."""
    for pairing in begun.own:
        numbers = enumerate(begun.games(pairing))
        yield [number for game, number in numbers if out.isdisjoint(begun.seated(pairing, game))]
