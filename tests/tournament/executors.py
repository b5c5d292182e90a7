"""An executor that plays in this process, from memory: for what gives out blocks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from arena.schedule.schedule import Block
from arena.tournament.dispatch import NextBlock
from arena.tournament.executor import BlockDone, Event, Joined, Lost
from arena.values.results import GameDone, GameResult, GameSpec, GameVoid, Termination

Play: TypeAlias = Callable[[GameSpec], GameDone | GameVoid | Lost | None]
"""What comes of a game; None: nothing, as of a place that hangs."""


def won(spec: GameSpec) -> GameDone:
    """The first seat wins."""
    places = tuple(range(1, 1 + len(spec.entrants)))
    scores = tuple(len(places) - place for place in places)
    result = GameResult(spec, Termination.COMPLETED, places, 1, f"of {spec.game_id}", scores)
    return GameDone(result, b"", ("",) * len(places))


def in_order(blocks: Iterable[Block]) -> NextBlock:
    """One after another, to whatever place asks."""
    left = iter(blocks)
    return lambda place: next(left, None)


class InMemory:
    """At each ``wait`` one game is played at each place. A lost place joins again in time."""

    def __init__(self, places: int = 1, play: Play = won, *, away: int = 0) -> None:
        """``away``: for how many times ``wait`` a lost place stays so."""
        self._play = play
        self._away = away
        self._joining = dict.fromkeys(range(places), 0)
        self._queues: dict[int, deque[GameSpec | BlockDone]] = {}
        self._hung: set[int] = set()
        self._news: list[Event] = []
        self._stopped = False
        self.given: list[Block] = []
        self.abandoned: list[tuple[int, str]] = []

    @property
    def ahead(self) -> int:
        """See Executor."""
        return 2

    def give(self, place: int, block: Block) -> None:
        """See Executor."""
        self.given.append(block)
        self._queues[place].extend((*block.games, BlockDone(block.block)))

    def wait(self, seconds: float) -> Iterator[Event]:
        """See Executor; never sleeps."""
        news, self._news = self._news, []
        yield from news
        for place, times in list(self._joining.items()):
            self._joining[place] = times - 1
            if times <= 0:
                del self._joining[place]
                self._queues[place] = deque()
                yield place, Joined()
        for place in list(self._queues):
            yield from self._one(place)

    def _one(self, place: int) -> Iterator[Event]:
        queue = self._queues[place]
        if self._stopped:  # the game in hand has been played to its end
            while queue and not isinstance(queue[0], BlockDone):
                queue.popleft()
        if not queue or place in self._hung:
            return
        next_one = queue.popleft()
        if isinstance(next_one, BlockDone):
            yield place, next_one
            return
        match self._play(next_one):
            case None:
                self._hung.add(place)
            case Lost() as lost:
                yield self._lose(place, lost)
            case report:
                yield place, report

    def abandon(self, place: int, why: str) -> None:
        """See Executor."""
        self.abandoned.append((place, why))
        self._hung.discard(place)
        self._news.append(self._lose(place, Lost(why)))

    def _lose(self, place: int, lost: Lost) -> Event:
        del self._queues[place]
        self._joining[place] = self._away
        return place, lost

    def stop(self) -> None:
        """See Executor."""
        self._stopped = True
