"""What every executor keeps, whatever plays for it.

A new one is a line in ``EXECUTORS``, here or beside the tests of its extension.
"""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from msgspec.structs import replace

from arena.schedule.schedule import Block
from arena.schedule.seeds import Seeds
from arena.tournament.dispatch import Dispatch
from arena.tournament.executor import BlockDone, Event, Executor, Joined, Lost
from arena.tournament.pool import Pool
from arena.values.results import GameDone, GameVoid, VoidCause
from tests.tournament.executors import InMemory, in_order
from tests.tournament.tables import SEEDS, dragonheart, job, player, schedule

NAMES: Final = ("a", "b", "c")
PLAN: Final = schedule(*NAMES, deals=2)
PLANNED: Final = [game.game_id for block in PLAN.blocks() for game in block.games]
PATIENCE: Final = 600.0

Start: TypeAlias = Callable[[int], AbstractContextManager[Executor]]
"""An executor with so many places that plays the games of PLAN."""


def in_memory(places: int) -> AbstractContextManager[Executor]:
    return nullcontext(InMemory(places, away=2))


def pool(places: int) -> AbstractContextManager[Executor]:
    return Pool(job(*map(player, NAMES), rules=dragonheart()), places, pin=False)


def of_extensions() -> Iterator[Any]:
    """The ``EXECUTORS`` of ``tests/extensions/NAME/executors.py``."""
    for path in sorted((Path(__file__).parents[1] / "extensions").glob("*/executors.py")):
        yield from import_module(f"tests.extensions.{path.parent.name}.executors").EXECUTORS


EXECUTORS: Final = [
    in_memory,
    pytest.param(pool, marks=[pytest.mark.slow, pytest.mark.process]),
    *of_extensions(),
]


class Noted:
    """Hands everything on, and sees that what happens is what an executor may tell."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._owed: dict[int, deque[Block]] = {}
        self._games: dict[int, list[str]] = {}
        """Of the first block of each place, those that were not reported."""
        self._stopped = False
        self.joined: Counter[int] = Counter()
        self.lost: list[tuple[int, str]] = []
        self.to_abandon: list[tuple[int, str]] = []
        """Before the next ``wait``, as a dispatch does it."""

    @property
    def ahead(self) -> int:
        return self._executor.ahead

    def give(self, place: int, block: Block) -> None:
        self._owed[place].append(block)
        self._begin(place)
        self._executor.give(place, block)

    def wait(self, seconds: float) -> Iterator[Event]:
        while self.to_abandon:
            self.abandon(*self.to_abandon.pop())
        for place, event in self._executor.wait(seconds):
            self._look_at(place, event)
            yield place, event

    def abandon(self, place: int, why: str) -> None:
        self._executor.abandon(place, why)

    def stop(self) -> None:
        self._stopped = True
        self._executor.stop()

    def _begin(self, place: int) -> None:
        if place not in self._games and self._owed[place]:
            self._games[place] = [game.game_id for game in self._owed[place][0].games]

    def _look_at(self, place: int, event: object) -> None:
        assert isinstance(event, Joined) or place in self._owed, "it was lost"
        match event:
            case Joined():
                assert place not in self._owed, "it had joined"
                self._owed[place] = deque()
                self.joined[place] += 1
            case Lost(why):
                del self._owed[place]
                self._games.pop(place, None)
                self.lost.append((place, why))
            case BlockDone(block):
                assert block == self._owed[place].popleft().block
                assert self._stopped or not self._games[place], "a game was not reported"
                del self._games[place]
                self._begin(place)
            case GameDone() | GameVoid():
                done = isinstance(event, GameDone)
                game = event.result.spec.game_id if done else event.game_id
                assert game == self._games[place].pop(0), "the games of a block come in order"


@pytest.fixture(scope="module", params=EXECUTORS, ids=lambda start: start.__name__)
def start(request: pytest.FixtureRequest) -> Start:
    found: Start = request.param
    return found


@pytest.fixture(autouse=True)
def _nothing_is_left(leaves_nothing: None) -> Iterator[None]:
    yield
    gc.collect()  # descriptors of ended processes are closed when their objects go


Digests: TypeAlias = dict[str, str]
"""By game."""


def play(
    start: Start,
    places: int,
    during: Callable[[Dispatch, Noted, int], None] = lambda dispatch, noted, reports: None,
    done: tuple[int, ...] = (),
    seeds: Seeds | None = None,
) -> tuple[Digests, list[GameVoid], Noted]:
    """What came of PLAN without the games ``done``; no game twice.

    ``during`` is called after each report with how many there were. ``seeds``: by which blocks
    bring their chance; None: they bring none.
    """
    found: Digests = {}
    void: list[GameVoid] = []
    with start(places) as executor:
        noted = Noted(executor)
        dispatch = Dispatch(noted, PATIENCE)
        blocks = PLAN.blocks(done)
        if seeds is not None:
            blocks = (replace(each, chance=seeds.chance(each.games)) for each in blocks)
        for report in dispatch.play(in_order(blocks)):
            match report:
                case GameDone():
                    assert report.result.spec.game_id not in found
                    found[report.result.spec.game_id] = report.result.digest
                case GameVoid():
                    void.append(report)
                case None:
                    continue
            during(dispatch, noted, len(found) + len(void))
    return found, void, noted


@pytest.fixture(scope="module")
def undisturbed(start: Start) -> Digests:
    return play(start, 1)[0]


@pytest.mark.parametrize("places", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_every_game_is_played_once_and_the_same_at_any_number_of_places(
    start: Start, places: int, undisturbed: Digests
) -> None:
    found, void, noted = play(start, places)
    assert sorted(found) == sorted(PLANNED)
    assert found == undisturbed
    assert (void, noted.lost) == ([], [])
    assert noted.joined == dict.fromkeys(range(places), 1)


def test_without_blocks_it_is_done(start: Start) -> None:
    found, void, noted = play(start, 2, done=tuple(range(PLAN.games)))
    assert (found, void, noted.lost) == ({}, [], [])


@pytest.mark.parametrize("places", [2, pytest.param(1, marks=pytest.mark.soak)])
def test_stopped_it_ends_the_games_in_hand_and_another_plays_the_rest(
    start: Start, places: int, undisturbed: Digests
) -> None:
    def stop(dispatch: Dispatch, noted: Noted, reports: int) -> None:
        if reports == 3:
            dispatch.stop()

    found, void, _ = play(start, places, stop)
    assert void == []
    assert 3 <= len(found) < len(PLANNED)
    finished = tuple(n for game in found if (n := PLAN.number(game)) is not None)
    rest, _, _ = play(start, places, done=finished)
    assert not found.keys() & rest.keys()
    assert found | rest == undisturbed


@pytest.mark.parametrize("places", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_an_abandoned_place_is_lost_with_the_reason_given_and_joins_again(
    start: Start, places: int, undisturbed: Digests
) -> None:
    """What it owed is played there or elsewhere; only the game in hand may have been void."""

    def abandon(dispatch: Dispatch, noted: Noted, reports: int) -> None:
        if reports in (3, 7):
            noted.to_abandon.append((0, f"was left at {reports}"))

    found, void, noted = play(start, places, abandon)
    assert found == undisturbed
    assert noted.lost == [(0, "was left at 3"), (0, "was left at 7")]
    assert len(void) <= 2
    assert {(each.cause, each.reason) for each in void} <= {
        (VoidCause.WORKER, f"its worker {why}") for _, why in noted.lost
    }
    assert places > 1 or noted.joined[0] == 3


def test_a_block_that_brings_its_chance_is_dealt_by_it_however_often_it_is_given_out(
    start: Start, undisturbed: Digests
) -> None:
    """As those of a round do that has a seed of its own."""

    def abandon(dispatch: Dispatch, noted: Noted, reports: int) -> None:
        if reports in (2, 6):
            noted.to_abandon.append((0, "was left"))

    own, _, _ = play(start, 1, seeds=Seeds.of("of a later round"))
    found, _, noted = play(start, 1, abandon, seeds=Seeds.of("of a later round"))
    assert noted.lost != []
    assert found == own
    is_played = any(digest != f"of {game}" for game, digest in own.items())
    assert not is_played or all(own[game] != undisturbed[game] for game in own)
    assert play(start, 1, seeds=SEEDS)[0] == undisturbed
