"""What is given out when, with places that answer from memory."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from arena.schedule.schedule import Block
from arena.schedule.seeds import Seeds
from arena.tournament import dispatch
from arena.tournament.dispatch import ATTEMPTS, Dispatch, longest_game
from arena.tournament.executor import Executor, Lost
from arena.values.results import GameDone, GameSpec, GameVoid, TimeControl, VoidCause
from tests.tournament.executors import InMemory, Play, in_order, won
from tests.tournament.tables import schedule

PLAN = schedule("a", "b", "z", deals=3)
BLOCKS = [replace(block, chance=Seeds.of("its own").chance(block.games)) for block in PLAN.blocks()]
GAMES = [game for block in BLOCKS for game in block.games]


def played(
    executor: Executor,
    patience: float = math.inf,
    during: Callable[[Dispatch, GameDone | GameVoid], object] = lambda dispatch, report: None,
) -> tuple[list[str], list[GameVoid]]:
    """Ids of games in order of arrival, and what was void; no game came twice."""
    done, void = [], []
    playing = Dispatch(executor, patience)
    for report in playing.play(in_order(BLOCKS)):
        match report:
            case GameDone():
                done.append(report.result.spec.game_id)
            case GameVoid():
                void.append(report)
            case None:
                continue
        during(playing, report)
    assert len(set(done)) == len(done)
    return done, void


def has_z(game: GameSpec) -> bool:
    return "z" in game.entrants


def times(times: int, what: Play, when: Callable[[GameSpec], bool] = has_z) -> Play:
    """Each game of that kind comes to this so often, and is then played."""
    tries = Counter[str]()

    def play(spec: GameSpec) -> GameDone | GameVoid | Lost | None:
        tries[spec.game_id] += 1
        return what(spec) if when(spec) and tries[spec.game_id] <= times else won(spec)

    return play


def busy(spec: GameSpec) -> GameVoid:
    return GameVoid(spec.game_id, VoidCause.MACHINE, "for too long")


def died(spec: GameSpec) -> Lost:
    return Lost("died (exit status -9)")


@pytest.mark.parametrize("places", [1, 2, 5, 40])
def test_every_game_is_played_once(places: int) -> None:
    executor = InMemory(places)
    done, void = played(executor)
    assert (sorted(done), void) == (sorted(game.game_id for game in GAMES), [])
    assert executor.given == BLOCKS


def test_everybody_has_a_block_before_anybody_has_two(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = InMemory(2)
    given: list[tuple[int, Block]] = []

    def give(place: int, block: Block) -> None:
        given.append((place, block))
        InMemory.give(executor, place, block)

    monkeypatch.setattr(executor, "give", give)
    played(executor)
    assert given[:4] == [(k % 2, block) for k, block in enumerate(BLOCKS[:4])]


@pytest.mark.parametrize("what", [busy, died])
@pytest.mark.parametrize("places", [1, 3])
@pytest.mark.parametrize("away", [0, 2])
@pytest.mark.parametrize("failures", [1, ATTEMPTS - 1, ATTEMPTS])
def test_a_game_is_given_out_three_times(what: Play, places: int, away: int, failures: int) -> None:
    done, void = played(InMemory(places, times(failures, what), away=away))
    lost = {game.game_id for game in GAMES if has_z(game)} if failures == ATTEMPTS else set()
    assert set(done) == {game.game_id for game in GAMES} - lost
    assert Counter(each.game_id for each in void) == {
        game.game_id: failures for game in GAMES if has_z(game)
    }
    told = (VoidCause.MACHINE, "for too long")
    if what is died:
        told = (VoidCause.WORKER, "its worker died (exit status -9)")
    assert {(each.cause, each.reason) for each in void} == {told}


def test_other_blocks_come_before_another_try() -> None:
    executor = InMemory(1, times(1, busy, lambda spec: spec == GAMES[0]))
    done, _ = played(executor)
    assert [block.games for block in executor.given].index((GAMES[0],)) == 4 + 2
    assert done.index(GAMES[0].game_id) > 4


@pytest.mark.parametrize("seed", range(20))
def test_whatever_dies_nothing_is_lost_or_doubled(seed: int) -> None:
    chance = random.Random(seed)
    places = chance.randint(1, 4)

    def play(spec: GameSpec) -> GameDone | GameVoid | Lost | None:
        plays: list[Play] = [won, won, won, busy, died]
        return chance.choice(plays)(spec)

    done, void = played(InMemory(places, play, away=chance.randint(0, 3)))
    failures = Counter(each.game_id for each in void)
    for game in GAMES:
        assert (game.game_id in done) == (failures[game.game_id] < ATTEMPTS)


def test_of_a_lost_place_only_the_game_in_hand_is_void() -> None:
    """The rest of its block and the next one are given out again at once, in order."""
    executor = InMemory(1, times(1, died, lambda spec: spec == GAMES[0]))
    _, void = played(executor)
    assert [each.game_id for each in void] == [GAMES[0].game_id]
    first, second, third, *_ = BLOCKS
    rest = replace(first, games=first.games[1:])
    assert executor.given[:5] == [first, second, rest, second, third]


@pytest.mark.parametrize("out", [set(), {"b"}])
@pytest.mark.parametrize("what", [busy, died])
def test_a_block_keeps_its_chance_however_often_it_is_given_out(what: Play, out: set[str]) -> None:
    executor = InMemory(2, times(ATTEMPTS - 1, what), away=1)
    played(executor, during=lambda playing, _: playing.leave_out(out))
    chances = {block.block: block.chance for block in BLOCKS}
    assert len(executor.given) > len(BLOCKS)
    assert [each.chance for each in executor.given] == [chances[e.block] for e in executor.given]


def test_a_place_that_is_lost_idle_costs_nothing() -> None:
    executor = InMemory(1)

    def lose(playing: Dispatch, report: GameDone | GameVoid) -> None:
        if isinstance(report, GameDone) and report.result.spec == GAMES[-1]:
            executor.abandon(0, "was no longer wanted")

    done, void = played(executor, during=lose)
    assert (len(done), void) == (len(GAMES), [])


@pytest.mark.parametrize("out", [set(), {"b"}, {"z"}])
def test_bots_that_are_left_out_are_not_tried_again(out: set[str]) -> None:
    executor = InMemory(2, times(ATTEMPTS, busy))
    _, void = played(executor, during=lambda playing, _: playing.leave_out(out))
    tries = Counter(each.game_id for each in void)
    for game in filter(has_z, GAMES):
        assert tries[game.game_id] == (ATTEMPTS if out.isdisjoint(game.entrants) else 1)


def test_a_place_that_hangs_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0
        return now

    monkeypatch.setattr(time, "monotonic", clock)
    executor = InMemory(2, times(1, lambda spec: None, lambda spec: spec == GAMES[0]))
    done, void = played(executor, patience=50.0)
    assert len(done) == len(GAMES)
    assert executor.abandoned == [(0, "was silent for 50 s")]
    assert [(each.game_id, each.cause, each.reason) for each in void] == [
        (GAMES[0].game_id, VoidCause.WORKER, "its worker was silent for 50 s")
    ]


@pytest.mark.parametrize(("places", "deaths"), [(1, 6), (2, 10)])
def test_places_that_only_die_are_given_up(places, deaths, monkeypatch) -> None:
    monkeypatch.setattr(dispatch, "_HOPELESS", 3)
    playing = Dispatch(InMemory(places, died), math.inf)
    void = [each for each in playing.play(in_order(schedule("a", "z", deals=50).blocks())) if each]
    assert playing.gave_up == f"{deaths} worker processes ended one after another"
    assert len(void) == deaths


@pytest.mark.parametrize("places", [0, 1, 2])
def test_a_stopped_dispatch_ends_after_the_games_in_hand(places: int) -> None:
    executor = InMemory(places)
    playing = Dispatch(executor, math.inf)
    if not places:
        playing.stop()  # before the first game
    done = []
    for report in filter(None, playing.play(in_order(BLOCKS))):
        done.append(report)
        playing.stop()
    assert (len(done), len(executor.given)) == (places, 2 * places)


def test_the_game_in_hand_is_the_first_that_a_place_owes() -> None:
    playing = Dispatch(InMemory(3), math.inf)
    block = next(PLAN.blocks())
    _, second = block.games
    reports = playing.play(in_order([block, Block("next", (second,))]))
    assert playing.in_hand() == []
    next(reports)
    *hands, none = playing.in_hand()
    assert none is None
    for hand in hands:
        assert hand is not None
        assert (hand.game, hand.entrants) == (second.game_id, second.entrants)
        assert hand.since == pytest.approx(time.monotonic(), abs=2)


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        (TimeControl(move=1.0, startup=10.0), 4 * 10.0 + 100 * 1.0),
        (TimeControl(move=None, bank=60.0, increment=2.0, startup=10.0), 2 * 80.0 + 100 * 2.0),
        (TimeControl(move=None, bank=60.0, moves=40, startup=10.0), 2 * 20.0 + (2 + 2) * 60.0),
        (TimeControl(move=1.0, margin=0.5, startup=10.0), 4 * 10.0 + 100 * 1.5),
        (TimeControl(move=None), math.inf),
    ],
)
def test_how_long_a_place_may_be_silent(control: TimeControl, expected: float) -> None:
    assert longest_game(control, 2, 100) == expected + dispatch._HANG_MARGIN
