from __future__ import annotations

from fractions import Fraction

from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult, shares
from arena.extensions.rounds.pairing.tiebreaks import placings
from arena.games.luck import Luck

LUCK = Luck(b"placings")
NAMES = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")


def table(names: str, *blocks: int, is_played: bool = True) -> TableResult:
    own = tuple(name for name in NAMES if name[0] in names)
    points = shares(blocks) if is_played else tuple(Fraction(each) for each in blocks)
    return TableResult(own, points, blocks, is_played)


def test_by_points_then_opponents_then_blocks() -> None:
    rounds = [
        FinishedRound((table("abc", 6, 3, 0), table("def", 5, 4, 0)), ("gus",)),
        FinishedRound((table("adg", 4, 5, 0), table("bce", 6, 3, 0)), ("fay",)),
    ]
    found = {each.name: each for each in placings(NAMES, rounds, LUCK)}
    assert list(found) == ["dan", "ann", "bob", "gus", "fay", "eve", "cyd"]
    assert [found[name].score for name in ("dan", "ann", "bob", "gus", "cyd")] == [
        2, Fraction(3, 2), Fraction(3, 2), 1, Fraction(1, 2),
    ]  # fmt: skip
    # with bob (1½) and cyd (½), then with dan (2) and gus (1)
    assert found["ann"].opponents == Fraction(1) + Fraction(3, 2)
    assert found["gus"].opponents == 1 + Fraction(7, 4)  # a bye counts as the own score
    assert found["dan"].blocks == 5
    assert not found["dan"].by_lot


def test_a_forfeit_is_points_and_no_meeting() -> None:
    rounds = [FinishedRound((table("abc", 0, 1, 1, is_played=False),))]
    found = {each.name: each for each in placings(NAMES[:3], rounds, LUCK)}
    assert [found[name].score for name in NAMES[:3]] == [0, 1, 1]
    assert found["bob"].opponents == 1
    assert found["bob"].blocks == 0
    assert (found["ann"].by_lot, found["bob"].by_lot, found["cyd"].by_lot) == (False, True, True)


def test_the_lot_is_that_of_the_seed() -> None:
    orders = {
        tuple(each.name for each in placings(NAMES, [], Luck(str(seed).encode())))
        for seed in range(9)
    }
    assert len(orders) > 1
    first, again = (placings(NAMES, [], LUCK) for _ in range(2))
    assert first == again
