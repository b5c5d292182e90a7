from __future__ import annotations

from fractions import Fraction

import pytest

from arena.extensions.rounds.kinds.swiss import Swiss, history, next_round
from arena.extensions.rounds.pairing.history import Colour, PlayerRound, Result
from arena.extensions.rounds.pairing.scoring import Scoring
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult, Tables, shares
from arena.games.luck import Luck

LUCK = Luck(b"swiss")
WON = (Fraction(1), Fraction(0))
NAMES = ("ann", "bob", "cyd", "dan", "eve")


def test_a_tournament_of_two_seats_with_a_late_entrant_and_a_pause() -> None:
    plan = Swiss(rounds=4)
    first = next_round(NAMES, [], plan, LUCK, {"eve": Result.ZERO_BYE})
    assert first == Tables((("ann", "cyd"), ("bob", "dan")))
    rounds = [FinishedRound(tuple(TableResult(each, WON, (7, 3)) for each in first.tables))]
    second = next_round(NAMES, rounds, plan, LUCK, {"cyd": Result.HALF_BYE})
    assert second == Tables((("ann", "bob"), ("dan", "eve")))
    forfeit = TableResult(("ann", "bob"), WON, is_played=False)
    rounds.append(
        FinishedRound((forfeit, TableResult(("dan", "eve"), WON)), away={"cyd": Result.HALF_BYE})
    )
    known = history(NAMES, rounds, plan)
    assert [player.turns for player in known.players] == [
        (PlayerRound(Result.WIN, 3, blocks=7), PlayerRound(Result.FORFEIT_WIN, 2)),
        (PlayerRound(Result.WIN, 4, blocks=7), PlayerRound(Result.FORFEIT_LOSS, 1)),
        (PlayerRound(Result.LOSS, 1, blocks=3), PlayerRound(Result.HALF_BYE)),
        (PlayerRound(Result.LOSS, 2, blocks=3), PlayerRound(Result.WIN, 5)),
        (PlayerRound(Result.ZERO_BYE), PlayerRound(Result.LOSS, 4)),
    ]
    third = next_round(NAMES, rounds, plan, LUCK)
    assert third.byes == ("eve",)
    assert ("ann", "bob") in third.tables  # a forfeit is no meeting


def test_colours_are_kept_where_they_count() -> None:
    plan = Swiss(rounds=3, colours=True)
    found = next_round(NAMES[:4], [], plan, LUCK)
    assert found.tables == (("ann", "cyd"), ("dan", "bob"))
    rounds = [FinishedRound(tuple(TableResult(each, WON) for each in found.tables))]
    known = history(NAMES[:4], rounds, plan)
    assert [player.turns[0].colour for player in known.players] == [
        Colour.WHITE,
        Colour.BLACK,
        Colour.BLACK,
        Colour.WHITE,
    ]


def test_tables_of_four() -> None:
    plan = Swiss(rounds=3, scoring=Scoring(seats=4))
    first = next_round(NAMES, [], plan, LUCK)
    assert [len(each) for each in first.tables] == [4]
    rounds = [FinishedRound((TableResult(first.tables[0], shares([3, 2, 1, 0])),), first.byes)]
    second = next_round(NAMES, rounds, plan, LUCK)
    assert set(second.byes).isdisjoint(first.byes)
    gone = next_round(NAMES, rounds, plan, LUCK, {second.byes[0]: Result.ZERO_BYE})
    assert (gone.byes, len(gone.tables[0])) == ((), 4)


@pytest.mark.parametrize(
    "table",
    [
        TableResult(("ann", "bob"), (Fraction(1, 3), Fraction(2, 3))),
        TableResult(("ann", "bob"), (Fraction(1, 2), Fraction(1, 2)), is_played=False),
        TableResult(("ann", "bob", "cyd"), shares([1, 2, 3])),
    ],
)
def test_points_that_are_none_of_a_match(table: TableResult) -> None:
    with pytest.raises(ValueError, match="no result of a match"):
        history(NAMES, [FinishedRound((table,))], Swiss(rounds=3))
