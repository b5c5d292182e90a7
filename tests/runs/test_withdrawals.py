"""When bots are given up. Games are made up: only who plays, in which order, and what faults."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import combinations, islice
from pathlib import Path

import msgspec
import pytest

from arena.runs import withdrawals as module
from arena.runs.reader import StoredRun
from arena.runs.store import Store
from arena.runs.voids import Void
from arena.runs.withdrawals import (
    Accused,
    Breaker,
    Ground,
    Withdrawal,
    WithdrawalState,
    brought_down,
)
from arena.schedule.keys import Discipline
from arena.schedule.schedule import Done, Round, Schedule
from arena.values.results import (
    BreakerPolicy,
    Fault,
    FaultKind,
    GameDone,
    GameResult,
    GameSpec,
    RulesSpec,
    Termination,
    Then,
    VoidCause,
)
from tests.runs.manifests import identity_of, manifest_of
from tests.tournament.tables import SEEDS, discipline

POLICY = BreakerPolicy(faults=0.5, after=8, starts=3)
NAMES = ("a", "b", "c", "z")
SOLO = Discipline("solo-1", RulesSpec("toy", 1, {}, {}), NAMES, discipline("a", "b").schedule)

Kinds = Callable[[GameSpec, str], FaultKind | None]
"""Which fault a bot commits in a game."""


def schedule(deals: int = 6) -> Schedule:
    alone = msgspec.structs.replace(
        SOLO, schedule=msgspec.structs.replace(SOLO.schedule, deals=deals)
    )
    return Schedule([discipline(*NAMES, deals=deals), alone], SEEDS)


def games(plan: Schedule) -> list[GameSpec]:
    """In order of play."""
    return [game for block in plan.blocks() for game in block.games]


def result(spec: GameSpec, kinds: Kinds) -> GameResult:
    faults = tuple(
        Fault(seat, kind, 0, "")
        for seat, name in enumerate(spec.entrants)
        if (kind := kinds(spec, name)) is not None
    )
    places = tuple(range(1, len(spec.entrants) + 1))
    return GameResult(spec, Termination.FORFEITED, places, 1, spec.game_id, faults=faults)


def judged(
    plan: Schedule, played: Iterable[GameSpec], kinds: Kinds, policy: BreakerPolicy = POLICY
) -> WithdrawalState:
    """The verdict after these games, in this order of arrival."""
    done = Done(plan.games)
    breaker = Breaker(plan, policy, done)
    for spec in played:
        number = plan.number(spec.game_id)
        assert number is not None
        done.add(number)
        breaker.add(number, result(spec, kinds))
        breaker.judge()
    return breaker.verdict


def always(kind: FaultKind, *names: str) -> Kinds:
    return lambda spec, name: kind if name in names else None


def always_in(kind: FaultKind, bot: str, ids: set[str]) -> Kinds:
    return lambda spec, name: kind if name == bot and spec.game_id in ids else None


def test_a_bot_that_cannot_be_started_is_given_up_after_its_first_games() -> None:
    plan = schedule()
    verdict = judged(plan, games(plan), always(FaultKind.STARTUP, "z"))
    assert verdict.withdrawn == {"z": Withdrawal("z", Ground.STARTUP, 3, {FaultKind.STARTUP: 3}, 8)}
    assert verdict.withdrawn["z"].reason == "could not be started"


def test_a_bot_that_could_be_started_once_is_judged_by_its_share() -> None:
    """Its second game is clean."""
    plan = schedule()
    own = [spec.game_id for spec in games(plan) if "z" in spec.entrants]
    kinds = always_in(FaultKind.STARTUP, "z", {*own} - {own[1]})
    gone = judged(plan, games(plan), kinds).withdrawn["z"]
    assert gone == Withdrawal("z", Ground.FAULTS, 8, {FaultKind.STARTUP: 7}, 16)
    assert gone.reason == "7 of 8 games with a fault (7 startup)"


@pytest.mark.parametrize(
    ("faulty", "gone"),
    [
        ((0, 1, 2, 3, 4), 8),  # seen when the eighth game, a clean one, is counted
        ((3, 4, 5, 6, 7), 8),
        ((0, 2, 4, 6), None),  # half is not more than half
        ((1, 3, 5, 7, 9, 10), 11),
        ((0, 1, 2, 3, 8), 9),
    ],
)
def test_the_share_is_looked_at_after_enough_games_and_after_each(faulty, gone) -> None:
    plan = schedule()
    own = [spec.game_id for spec in games(plan) if "z" in spec.entrants]
    kinds = always_in(FaultKind.CRASH, "z", {own[index] for index in faulty})
    withdrawn = judged(plan, games(plan), kinds).withdrawn
    assert {name: each.games for name, each in withdrawn.items()} == ({"z": gone} if gone else {})


def frail(spec: GameSpec, name: str) -> FaultKind | None:
    """Each bot faults by the dice of its own."""
    rng = random.Random(f"{spec.game_id}{name}")
    chance = {"a": 0.1, "b": 0.45, "c": 0.55, "z": 0.7}[name]
    kind = rng.choice([FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.STARTUP])
    return kind if rng.random() < chance else None


def test_the_order_of_arrival_changes_nothing() -> None:
    plan = schedule(deals=30)
    ordered = games(plan)
    verdict = judged(plan, ordered, frail)
    assert {"c", "z"} <= verdict.withdrawn.keys() < set(NAMES)
    for seed in range(20):
        shuffled = ordered.copy()
        random.Random(seed).shuffle(shuffled)
        assert judged(plan, shuffled, frail) == verdict


def test_games_of_bots_given_up_need_not_be_played() -> None:
    """Whichever of them were played before it was seen, the verdict is the same."""
    plan = schedule(deals=30)
    ordered = games(plan)
    verdict = judged(plan, ordered, frail)
    out = verdict.withdrawn.keys()
    count = sum(out.isdisjoint(spec.entrants) for spec in ordered)
    assert plan.games - plan.games_with(out) == count < plan.games
    for seed in range(4):
        rng = random.Random(seed)
        played: list[GameSpec] = []
        for count, spec in enumerate(ordered):
            if count % 20 == 0:
                gone = judged(plan, played, frail).withdrawn
            if gone.keys().isdisjoint(spec.entrants) or rng.random() < 0.3:
                played.append(spec)
        assert len(played) < len(ordered)
        assert judged(plan, played, frail) == verdict


def test_a_game_that_is_missing_holds_the_judgement_up() -> None:
    plan = schedule()
    first, *rest = games(plan)
    assert judged(plan, rest, always(FaultKind.STARTUP, "z")).withdrawn == {}
    assert "z" in judged(plan, [*rest, first], always(FaultKind.STARTUP, "z")).withdrawn


def test_policies() -> None:
    plan = schedule()
    kinds = always(FaultKind.STARTUP, "z", "b")
    stop = msgspec.structs.replace(POLICY, then=Then.STOP)
    verdict = judged(plan, games(plan), kinds, stop)
    assert (verdict.withdrawn, verdict.stopped and verdict.stopped.name) == ({}, "b")
    ignore = msgspec.structs.replace(POLICY, then=Then.IGNORE)
    assert judged(plan, games(plan), kinds, ignore) == WithdrawalState({}, None)


def test_few_faults_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can be given up, so nobody goes through the games."""
    plan = schedule(deals=30)
    monkeypatch.setattr(module._Fold, "advance", None)
    own = [spec.game_id for spec in games(plan) if "z" in spec.entrants]
    kinds = always_in(FaultKind.CRASH, "z", set(own[:4]))
    assert judged(plan, games(plan), kinds) == WithdrawalState({}, None)


# Workers that die


@pytest.mark.parametrize(
    ("pairs", "guilty"),
    [
        (["az", "bz", "cz"], {"z"}),
        (["az"], set()),  # both have finished games since
        (["ab", "az", "bz", "cz", "bc"], {"b", "z"}),
        (["ab", "cz"], set()),
    ],
)
def test_whoever_brings_workers_down_is_found(pairs: list[str], guilty: set[str]) -> None:
    plan = Schedule([discipline(*NAMES, deals=6)], SEEDS)
    deadly, done = {}, Done(plan.games)
    for number, names in islice(plan.order(), 31):
        if "".join(names) in pairs:
            deadly[number] = names
        else:
            done.add(number)
    found = brought_down(plan, done, deadly)
    assert found.guilty.keys() == guilty
    assert all(each.ground is Ground.WORKER for each in found.guilty.values())


def test_two_bots_alone_are_not_told_apart() -> None:
    plan = Schedule([discipline("a", "z", deals=6)], SEEDS)
    deadly = dict(islice(plan.order(), 8))
    assert brought_down(plan, Done(plan.games), deadly).guilty == {}


def void(spec: GameSpec, cause: VoidCause = VoidCause.WORKER) -> Void:
    return Void(spec.game_id, cause, "its worker died", spec.entrants)


def test_one_death_is_no_evidence() -> None:
    """Workers that die of something else die in games that are finished at the next try."""
    plan = Schedule([discipline(*NAMES, deals=6)], SEEDS)
    breaker = Breaker(plan, POLICY, Done(plan.games))
    for spec in games(plan):
        if "z" in spec.entrants:
            breaker.add_void(void(spec))
            breaker.add_void(void(spec, VoidCause.MACHINE))
            breaker.add_void(void(spec, VoidCause.ARENA))
    assert not breaker.judge()
    for spec in games(plan):
        if "z" in spec.entrants:
            breaker.add_void(void(spec))
    assert breaker.judge()
    assert breaker.verdict.withdrawn["z"].reason == "brought its worker down in 36 games"


def test_a_folder_gives_the_same_verdict(tmp_path: Path) -> None:
    """z has finished its solo games, so nobody is accused of the dead workers."""
    plan = schedule()
    kinds = always(FaultKind.STARTUP, "a")
    deals = msgspec.structs.replace(SOLO.schedule, deals=6)
    alone = msgspec.structs.replace(SOLO, schedule=deals)
    manifest = manifest_of(identity_of(discipline(*NAMES, deals=6), alone, breaker=POLICY))
    with Store(tmp_path) as store:
        for spec in games(plan):
            if spec.discipline == "solo-1" or "z" not in spec.entrants:
                store.add(GameDone(result(spec, kinds), b"", ("",) * len(spec.entrants)))
            else:
                store.add_void(void(spec))
                store.add_void(void(spec))
    withdrawn = StoredRun(tmp_path, manifest).withdrawals().withdrawn
    assert {name: each.ground for name, each in withdrawn.items()} == {"a": Ground.STARTUP}


# Legs: what followed from results stands


def second_leg(plan: Schedule, left: str) -> None:
    """In it everybody else meets everybody; ``left``: who has by then."""
    names = [name for name in NAMES if name != left]
    met = tuple(combinations(names, 2))
    listed = discipline(*names, deals=2, kind="pairings", pairings=met)
    plan.grow(Round((listed,), SEEDS, "round2", frozenset(left)))


def of_all(plan: Schedule, played: Iterable[GameSpec], kinds: Kinds, policy: BreakerPolicy,
           deadly: Iterable[GameSpec] = ()) -> WithdrawalState:  # fmt: skip
    """The verdict when all of these are known at once."""
    done = Done(plan.numbers)
    breaker = Breaker(plan, policy, done)
    for spec in played:
        number = plan.number(spec.game_id)
        assert number is not None
        done.add(number)
        breaker.add(number, result(spec, kinds))
    for spec in deadly:
        breaker.add_void(void(spec))
        breaker.add_void(void(spec))
    breaker.judge()
    return breaker.verdict


@pytest.mark.parametrize("then", [Then.WITHDRAW, Then.STOP])
def test_who_is_found_out_late_changes_nothing_that_was_before(then: Then) -> None:
    """Its games of the first leg count, for the others too."""
    policy = msgspec.structs.replace(POLICY, then=then)
    plan = Schedule([discipline(*NAMES, deals=2)], SEEDS, left=frozenset("a"))
    first = games(plan)
    met = [spec.game_id for spec in first if {"a", "z"} == set(spec.entrants)]
    others = [spec.game_id for spec in first if {"a", "b"} == set(spec.entrants)]
    kinds = always_in(FaultKind.CRASH, "a", {*met, *others[:3]})
    before = of_all(plan, first, kinds, policy)
    assert before.withdrawn.keys() == {"a"}  # not without the games against z
    second_leg(plan, "a")
    later = [spec for spec in games(plan) if "/round2/" in spec.game_id]
    deadly = [spec for spec in later if "z" in spec.entrants]
    played = [*first, *(spec for spec in later if "z" not in spec.entrants)]
    verdict = of_all(plan, played, kinds, policy, deadly)
    assert verdict.withdrawn["a"] == before.withdrawn["a"]
    found = verdict.withdrawn["z"] if then is Then.WITHDRAW else verdict.stopped
    assert found is not None
    assert (found.name, found.ground) == ("z", Ground.WORKER)
    assert plan.leg_of(found.at) == len(first)


def test_a_bot_that_comes_back_is_withdrawn_where_it_had_left() -> None:
    """It was the reason for a stop, and what followed without it stands."""
    policy = msgspec.structs.replace(POLICY, then=Then.STOP)
    kinds = always(FaultKind.CRASH, "a")
    plan = Schedule([discipline(*NAMES, deals=2)], SEEDS)
    first = games(plan)
    stopped = of_all(plan, first, kinds, policy).stopped
    assert stopped is not None
    second_leg(plan, "a")
    assert of_all(plan, first, kinds, policy) == WithdrawalState({"a": stopped}, None)


def test_deadly_games_of_a_leg_before_count_later() -> None:
    """b has left, and nobody could tell the two apart until then."""
    plan = Schedule([discipline("b", "z", deals=2)], SEEDS)
    deadly = dict(plan.order())
    assert brought_down(plan, Done(plan.numbers), deadly) == Accused({}, frozenset("bz"))
    listed = discipline("c", "z", kind="pairings", pairings=(("c", "z"),))
    plan.grow(Round((listed,), SEEDS, closes=frozenset("b")))
    found = brought_down(plan, Done(plan.numbers), dict(plan.order()))
    assert found.guilty == {"z": Withdrawal("z", Ground.WORKER, 6, at=5)}
    again = Schedule([discipline("b", "z", deals=2)], SEEDS)
    again.grow(Round((discipline("b", "c", kind="pairings", pairings=(("b", "c"),)),),
                     SEEDS, closes=frozenset("z")))  # fmt: skip
    done = Done(again.numbers)
    done.add(4)
    found = brought_down(again, done, deadly)
    assert found.guilty == {"z": Withdrawal("z", Ground.WORKER, 4, at=4)}  # and not before


def test_evidence_decides_and_not_the_order_in_which_it_comes() -> None:
    """Whoever was given up first is so no more when another one is as suspect."""
    plan = Schedule([discipline(*NAMES, "y", deals=2)], SEEDS)
    seen: dict[str, list[GameSpec]] = {}
    for spec in games(plan):
        seen.setdefault("".join(sorted(spec.entrants)), []).append(spec)
    breaker = Breaker(plan, POLICY, Done(plan.numbers))
    for pair in ("az", "bz", "cz"):
        breaker.add_void(void(seen[pair][0]))
        breaker.add_void(void(seen[pair][0]))
    assert breaker.judge()
    assert breaker.verdict.withdrawn.keys() == {"z"}
    for pair in ("cy", "bc"):
        breaker.add_void(void(seen[pair][0]))
        breaker.add_void(void(seen[pair][0]))
    assert breaker.judge()
    assert breaker.verdict.withdrawn == {}  # c is in three of them, too
    assert not breaker.judge()


def test_two_who_are_equally_suspect_in_different_games_are_both_found() -> None:
    plan = Schedule([discipline(*NAMES, "y", deals=1)], SEEDS)
    deadly = {
        number: names
        for number, names in plan.order()
        if len({"y", "z"}.intersection(names)) == 1 and number % 2
    }
    found = brought_down(plan, Done(plan.numbers), deadly).guilty
    assert {name: each.games for name, each in found.items()} == {"y": 3, "z": 3}


def test_a_finished_game_can_tell_two_suspects_apart() -> None:
    plan = Schedule([discipline("a", "z", deals=6)], SEEDS)
    specs = games(plan)
    done = Done(plan.numbers)
    breaker = Breaker(plan, POLICY, done)
    for spec in specs[:3]:
        breaker.add_void(void(spec))
        breaker.add_void(void(spec))
    assert not breaker.judge()
    listed = discipline("a", "b", kind="pairings", pairings=(("a", "b"),))
    plan.grow(Round((listed,), SEEDS))
    done.grow(plan.numbers)
    (last,) = [spec for spec in games(plan) if "b" in spec.entrants][-1:]
    number = plan.number(last.game_id)
    assert number is not None
    done.add(number)
    breaker.add(number, result(last, always(FaultKind.CRASH)))
    assert breaker.judge()
    assert breaker.verdict.withdrawn.keys() == {"z"}


@pytest.mark.parametrize("then", list(Then))
def test_a_bot_that_was_never_built_is_out_before_the_first_game(then: Then) -> None:
    """Whatever the breaker does with others, and nobody waits for its games."""
    plan = schedule()
    done = Done(plan.numbers)
    policy = msgspec.structs.replace(POLICY, then=then)
    out = Withdrawal("z", Ground.BUILD, 0, at=-1, why="no compiler")
    breaker = Breaker(plan, policy, done, {"z": out})
    assert breaker.judge()
    assert not breaker.judge()
    assert breaker.verdict == WithdrawalState({"z": out}, None)
    assert out.reason == "could not be built: no compiler"
    for spec in games(plan):
        number = plan.number(spec.game_id)
        if "z" not in spec.entrants and number is not None:
            done.add(number)
            breaker.add(number, result(spec, always(FaultKind.STARTUP, "a")))
    assert breaker.judge() is (then is not Then.IGNORE)
    both = ["z", "a"] if then is Then.WITHDRAW else ["z"]
    assert [*breaker.verdict.withdrawn] == both
    assert (breaker.verdict.stopped is not None) is (then is Then.STOP)
