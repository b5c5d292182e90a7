from __future__ import annotations

from fractions import Fraction

from arena.extensions.rounds.kinds.swiss import table_of
from arena.extensions.rounds.pairing.scoring import Scoring
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult, shares
from arena.extensions.rounds.pairing.tiebreaks import Standing
from arena.games.luck import Luck
from arena.schedule.keys import TieBreak

LUCK = Luck(b"placings")
NAMES = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")


def table(names: str, *blocks: int, is_played: bool = True) -> TableResult:
    own = tuple(name for name in NAMES if name[0] in names)
    points = shares(blocks) if is_played else tuple(Fraction(each) for each in blocks)
    return TableResult(own, points, blocks, is_played)


def placings(
    names: tuple[str, ...], rounds: list[FinishedRound], luck: Luck = LUCK
) -> list[Standing]:
    order = (TieBreak.OPPONENTS, TieBreak.BLOCKS)
    return table_of(names, rounds, Scoring(seats=3, order=order), luck)


def test_by_points_then_opponents_then_blocks() -> None:
    rounds = [
        FinishedRound((table("abc", 6, 3, 0), table("def", 5, 4, 0)), ("gus",)),
        FinishedRound((table("adg", 4, 5, 0), table("bce", 6, 3, 0)), ("fay",)),
    ]
    found = {each.name: each for each in placings(NAMES, rounds)}
    assert list(found) == ["dan", "ann", "bob", "gus", "fay", "eve", "cyd"]
    assert [found[name].points for name in ("dan", "ann", "bob", "gus", "cyd")] == [
        2, Fraction(3, 2), Fraction(3, 2), 1, Fraction(1, 2),
    ]  # fmt: skip
    # with bob (1½) and cyd (½), then with dan (2) and gus (1)
    assert found["ann"].tie_breaks[TieBreak.OPPONENTS] == Fraction(1) + Fraction(3, 2)
    assert found["gus"].tie_breaks[TieBreak.OPPONENTS] == 1 + Fraction(
        7, 4
    )  # a bye counts as the own score
    assert 2 * found["dan"].tie_breaks[TieBreak.BLOCKS] == 5
    assert not found["dan"].by_lot


def test_a_forfeit_is_points_and_no_meeting() -> None:
    rounds = [FinishedRound((table("abc", 0, 1, 1, is_played=False),))]
    found = {each.name: each for each in placings(NAMES[:3], rounds)}
    assert [found[name].points for name in NAMES[:3]] == [0, 1, 1]
    assert found["bob"].tie_breaks[TieBreak.OPPONENTS] == 1
    assert found["bob"].tie_breaks[TieBreak.BLOCKS] == 0
    assert (found["ann"].by_lot, found["bob"].by_lot, found["cyd"].by_lot) == (False, True, True)


def test_the_lot_is_that_of_the_seed() -> None:
    orders = {
        tuple(each.name for each in placings(NAMES, [], Luck(str(seed).encode())))
        for seed in range(9)
    }
    assert len(orders) > 1
    first, again = (placings(NAMES, []) for _ in range(2))
    assert first == again
