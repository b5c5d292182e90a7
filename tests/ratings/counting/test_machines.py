"""Machines compared for the same bots, and timeouts tested by blocks: which say what they should,
and how often the test is wrong where machines are alike."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.counting.usage import MachineNumbers, MachineTally, _at_most
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Termination, VoidCause

PLIES = 20
BOTS = {"quick": 1_000, "steady": 20_000, "deep": 300_000}
"""Microseconds of an answer on a machine like most."""


def played(
    block: str,
    entrants: Sequence[str],
    pace: float = 1.0,
    late: Sequence[int] = (),
    kind: FaultKind = FaultKind.TIMEOUT,
    **changes: object,
) -> GameResult:
    """A game on a machine that takes ``pace`` times as long as most."""
    seats = len(entrants)
    think = [round(BOTS[name] * pace * PLIES / seats) for name in entrants]
    for seat in late:
        think[seat] = 10**7
    places = tuple(seats if seat in late else 1 for seat in range(seats))
    result = GameResult(
        spec=GameSpec(f"d/{block}:{'+'.join(entrants)}", block, block, 0, tuple(entrants)),
        termination=Termination.FORFEITED if late else Termination.COMPLETED,
        places=places,
        plies=PLIES,
        digest="",
        scores=None if late else (0,) * seats,
        faults=tuple(Fault(seat, kind, 0, "") for seat in late),
        think_us=tuple(think),
        wall_us=sum(think) + 1000,
    )
    return msgspec.structs.replace(result, **changes)


def pairings(deal: int) -> list[tuple[str, str, str]]:
    """(block, and who sits there first)."""
    names = list(BOTS)
    return [(f"{a}+{b}:{deal}", a, b) for k, a in enumerate(names) for b in names[k + 1 :]]


def games(pace: float, deals: range, *, late: int = 0) -> list[GameResult]:
    """Both seatings of every pairing; in one of ``late`` blocks the slower bot is late twice."""
    found = []
    for number, (block, one, other) in enumerate(b for deal in deals for b in pairings(deal)):
        is_late = bool(late) and number % late == 0
        found.append(played(block, (one, other), pace, (1,) if is_late else ()))
        found.append(played(block, (other, one), pace, (0,) if is_late else ()))
    return found


def numbers(by_machine: dict[str, list[GameResult]]) -> dict[str, MachineNumbers]:
    tally = MachineTally()
    for machine, own in by_machine.items():
        for result in own:
            tally.add(machine, result)
    return {own.name: own for own in tally.numbers()}


def test_two_like_machines_and_a_slow_one_with_timeouts() -> None:
    found = numbers(
        {
            "": games(1.0, range(20)),
            "like": games(1.0, range(20, 40)),
            "slow": games(3.0, range(40, 60), late=4),
        }
    )
    assert list(found) == ["slow", "", "like"]
    slow = found["slow"]
    assert slow.ratio == pytest.approx(3.0, rel=0.02)
    assert (slow.games, slow.compared) == (120, 3)
    assert slow.answer_us == pytest.approx(3 * BOTS["steady"], rel=0.02)
    assert (slow.timeouts, slow.timeout_games, slow.timeout_blocks) == (30, 30, 15)
    assert slow.expected == pytest.approx(5.0)
    assert slow.significant
    assert 0 < slow.p < slow.p_holm < 1e-4
    for name in ("", "like"):
        own = found[name]
        assert own.ratio == pytest.approx(1.0, rel=0.02)
        assert (own.timeouts, own.expected, own.p_holm) == (0, pytest.approx(5.0), 1.0)
        assert not own.significant


@pytest.mark.parametrize("paces", [(1.0, 3.0), (1.0, 1.0, 3.0, 3.0), (1.0, 3.0, 3.0)])
def test_a_machine_is_compared_with_the_middle_one_of_the_others(paces: tuple[float, ...]) -> None:
    """The faster of two middle ones; and each has one voice, however much it played."""
    found = numbers({str(k): games(pace, range(1 + 5 * k)) for k, pace in enumerate(paces)})
    for k, pace in enumerate(paces):
        others = sorted(paces[:k] + paces[k + 1 :])
        expected = pace / others[(len(others) - 1) // 2]
        assert found[str(k)].ratio == pytest.approx(expected, rel=0.03)


def test_a_machine_is_not_slow_because_slow_bots_played_there() -> None:
    here = [played(f"b{k}", ("deep", "deep")) for k in range(20)] + [
        played("c", ("quick", "steady"))
    ]
    there = [played(f"b{k}", ("quick", "steady")) for k in range(20)] + [
        played("c", ("deep", "deep"))
    ]
    found = numbers({"here": here, "there": there})
    assert {own.ratio for own in found.values()} == {1.0}
    assert (found["here"].game_us or 0.0) > 5 * (found["there"].game_us or 0.0)


def test_who_was_at_fault_is_not_timed_and_other_faults_are_no_timeouts() -> None:
    usual = [played(f"a{k}", ("quick", "deep")) for k in range(3)]
    crashed = [played(f"b{k}", ("quick", "deep"), late=(0,), kind=FaultKind.CRASH) for k in "123"]
    found = numbers({"here": usual, "there": [*usual, *crashed]})
    assert (found["there"].timeouts, found["there"].expected) == (0, 0.0)
    assert found["there"].ratio == 1.0


@pytest.mark.parametrize(
    "odd",
    [
        played("b", ("quick", "deep"), think_us=(), wall_us=0),
        played("b", ("quick", "deep"), plies=0),
        played("b", ("quick", "deep"), think_us=(0, 0), wall_us=-5),
        played("b", ("quick", "deep"), late=(0, 1)),
    ],
)
def test_where_nothing_was_measured_there_is_no_number(odd: GameResult) -> None:
    found = numbers({"here": games(1.0, range(2)), "odd": [odd]})
    assert (found["odd"].answer_us, found["odd"].ratio, found["odd"].compared) == (None, None, 0)
    assert found["here"].ratio is None, "nobody else was measured"


def test_void_games_are_counted_by_cause_and_void_results_not_at_all() -> None:
    tally = MachineTally()
    for result in games(1.0, range(2)):
        tally.add("good", result)
    tally.add("bad", played("b", ("quick", "deep"), termination=Termination.VOID))
    for cause, times in ((VoidCause.MACHINE, 3), (VoidCause.WORKER, 2)):
        for _ in range(times):
            tally.add_void("bad", cause)
    found = {own.name: own for own in tally.numbers()}
    assert found["bad"].games == 0
    voids = dict.fromkeys(VoidCause, 0) | {VoidCause.MACHINE: 3, VoidCause.WORKER: 2}
    assert found["bad"].voids == voids
    assert (found["bad"].game_us, found["bad"].ratio, found["bad"].p) == (None, None, 1.0)


def test_order_does_not_matter() -> None:
    stored = [("a", game) for game in games(1.0, range(8), late=5)]
    stored += [("b", game) for game in games(2.0, range(4, 12), late=3)]
    wanted = None
    for seed in range(4):
        random.Random(seed).shuffle(stored)
        tally = MachineTally()
        for machine, result in stored:
            tally.add(machine, result)
        wanted = wanted or tally.numbers()
        assert tally.numbers() == wanted


@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=30), st.data())
def test_the_tail_is_no_smaller_than_that_of_unlike_chances(chances, data) -> None:
    """Against the exact distribution of a sum of unlike trials."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    found = data.draw(st.integers(0, len(chances)))
    assert _at_most(found, len(chances), sum(chances)) >= law[found:].sum() * (1 - 1e-9)


@pytest.mark.parametrize("machines", [2, 5])
def test_like_machines_are_seldom_marked(machines: int) -> None:
    """Bots that are late often and seldom, both seatings of a deal alike; blocks by chance.

    At most 5 % of runs may have a mark: 16 of 200 or more have a chance of 2 % at 5 %.
    """
    wrong = 0
    for seed in range(200):
        chance = random.Random(f"{machines} {seed}")
        tally = MachineTally()
        for deal in range(12):
            for block, one, other in pairings(deal):
                machine = str(chance.randrange(machines))
                rates = {"quick": 0.05, "steady": 0.2, "deep": 0.5}
                late = {name for name in (one, other) if chance.random() < rates[name]}
                for seats in ((one, other), (other, one)):
                    at = [seat for seat in (0, 1) if seats[seat] in late]
                    tally.add(machine, played(block, seats, late=at))
        wrong += any(own.significant for own in tally.numbers())
    assert wrong < 16


def test_a_bot_that_is_late_everywhere_marks_no_machine() -> None:
    """Even if one machine played nearly all of its games."""
    few = [played(f"a{k}", ("deep", "quick"), late=(0,)) for k in range(5)]
    many = [played(f"b{k}", ("deep", "quick"), late=(0,)) for k in range(95)]
    rest = [played(f"c{k}", ("steady", "quick")) for k in range(200)]
    found = numbers({"one": [*few, *rest], "other": many})
    assert found["other"].expected == pytest.approx(95.0)
    assert not any(own.significant for own in found.values())


def test_a_block_counts_once_whoever_was_late_in_it() -> None:
    late = [played("b", ("deep", "quick"), late=(0, 1)), played("b", ("quick", "deep"), late=(0,))]
    found = numbers({"one": late, "other": [played("c", ("deep", "quick"))]})
    assert (found["one"].timeouts, found["one"].timeout_games) == (3, 2)
    assert found["one"].timeout_blocks == 1
    assert Counter(own.expected for own in found.values()).total() == 2
    assert sum(own.expected for own in found.values()) == pytest.approx(1.0, abs=1e-5)
