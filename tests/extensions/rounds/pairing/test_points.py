"""Tables by points: published ones of football and chess, places, bonuses, and their properties."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.rounds.kinds.swiss import table_of
from arena.extensions.rounds.pairing.history import Points
from arena.extensions.rounds.pairing.scoring import Scoring
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult, shares
from arena.extensions.rounds.pairing.tiebreaks import Standing
from arena.games.luck import Luck
from arena.schedule.keys import Bonus, TieBreak

LUCK: Final = Luck(b"points")
FOOTBALL: Final = Points(win=30, draw=10, loss=0, bye=30)
DE, WIN, SB, KS = (
    TieBreak.DIRECT_ENCOUNTER,
    TieBreak.WINS,
    TieBreak.SONNEBORN_BERGER,
    TieBreak.KOYA,
)


def league(matches: list[TableResult], scoring: Scoring, luck: Luck = LUCK) -> list[Standing]:
    names = sorted({name for each in matches for name in each.names})
    return table_of(names, [FinishedRound(tuple(matches))], scoring, luck, has_rounds=False)


def match(home: str, goals: int, others: int, away: str) -> TableResult:
    return TableResult(
        (home, away), shares((goals, others)), (), margins=(goals - others, others - goals)
    )


def shown(table: list[Standing]) -> list[tuple[object, ...]]:
    return [(each.name, each.points, *each.tie_breaks.values()) for each in table]


GROUP_F: Final = [
    match("Marseille", 1, 2, "Arsenal"), match("Napoli", 2, 1, "Dortmund"),
    match("Arsenal", 2, 0, "Napoli"), match("Dortmund", 3, 0, "Marseille"),
    match("Arsenal", 1, 2, "Dortmund"), match("Marseille", 1, 2, "Napoli"),
    match("Dortmund", 0, 1, "Arsenal"), match("Napoli", 3, 2, "Marseille"),
    match("Dortmund", 3, 1, "Napoli"), match("Arsenal", 2, 0, "Marseille"),
    match("Marseille", 1, 2, "Dortmund"), match("Napoli", 2, 0, "Arsenal"),
]  # fmt: skip
"""UEFA Champions League 2013/14, group F: three clubs with 12 points, each 6 from the others."""


def test_football_three_clubs_are_tied_and_the_goal_difference_decides() -> None:
    scoring = Scoring(points=FOOTBALL, order=(DE, TieBreak.MARGIN))
    assert shown(league(GROUP_F, scoring)) == [
        ("Dortmund", 12, 1, 5),
        ("Arsenal", 12, 1, 3),
        ("Napoli", 12, 1, 1),
        ("Marseille", 0, 1, -9),
    ]  # fmt: skip


def test_the_mini_table_of_the_tied_decides_and_then_that_of_those_still_tied() -> None:
    """Of three with 9 points ann beat both others, and bob beat cyd, who has the best margin."""
    games = [
        *(match("ann", 1, 0, other) for other in ("bob", "cyd", "dan")),
        *(match("eve", 1, 0, "ann"), match("fay", 1, 0, "ann")),
        *(match("bob", 1, 0, other) for other in ("cyd", "dan", "eve")),
        *(match("cyd", 5, 0, other) for other in ("dan", "eve", "fay")),
        *(match("fay", 1, 0, "bob"), match("fay", 1, 1, "dan")),
        *(match("dan", 1, 1, "eve"), match("eve", 1, 1, "fay")),
    ]
    found = league(games, Scoring(points=FOOTBALL, order=(DE, TieBreak.MARGIN)))
    assert [(each.name, each.points) for each in found[:3]] == [("ann", 9), ("bob", 9), ("cyd", 9)]
    assert [each.tie_breaks[DE] for each in found[:3]] == [1, 2, 3]


CANDIDATES: Final = {
    "Caruana": "** =. =1 == == == =1 ==",
    "Karjakin": "=. ** 10 == == == 1= =1",
    "Anand": "=0 01 ** == 1. =1 =0 1=",
    "Giri": "== == == ** == == == =.",
    "Svidler": "== == 0. == ** =1 == ==",
    "Aronian": "== == =0 == =0 ** 1. 1=",
    "Nakamura": "=0 0= =1 == == 0. ** 11",
    "Topalov": "== =0 0= =. == 0= 00 **",
}
"""Candidates Tournament 2016 before the last round."""


def test_chess_a_published_crosstable() -> None:
    """Karjakin led: his game with Caruana was drawn, and he had won one more (rule 3.7)."""
    names = [*CANDIDATES]
    points = {"1": 2, "=": 1, "0": 0}
    games = [
        TableResult((name, other), shares((points[own], 2 - points[own])))
        for name, row in CANDIDATES.items()
        for other, results in zip(names, row.split(), strict=True)
        for own in results
        if names.index(name) < names.index(other) and own in points
    ]
    found = league(games, Scoring(order=(DE, WIN, SB, KS)))
    assert [each.name for each in found[:3]] == ["Karjakin", "Caruana", "Anand"]
    assert [each.points * 2 for each in found] == [15, 15, 14, 13, 13, 13, 13, 8]
    assert [each.tie_breaks[WIN] for each in found[:3]] == [3, 2, 4]
    assert [each.tie_breaks[DE] for each in found[:3]] == [1, 1, 1]


def test_places_bring_points_and_equal_places_share_theirs() -> None:
    scoring = Scoring(seats=4, places=tuple(map(Fraction, (10, 6, 3, 1))), order=())
    table = TableResult(("a", "b", "c", "d"), shares((5, 9, 5, 2)))
    assert scoring.of(table) == (Fraction(9, 2), 10, Fraction(9, 2), 1)
    assert scoring.of(TableResult(("a", "b", "c", "d"), shares((7, 7, 7, 7)))) == (5, 5, 5, 5)
    forfeit = TableResult(("a", "b"), (Fraction(0), Fraction(1)), is_played=False)
    assert scoring.of(forfeit) == (0, 10)


@pytest.mark.parametrize(
    ("margins", "expected"),
    [
        ((7, -7), (4, 0)), ((6, -6), (3, 0)), ((3, -3), (3, Fraction(1))), ((-2, 2), (3, 0)),
        ((), (3, 0)),
    ],
)  # fmt: skip
def test_a_bonus_for_a_high_win_and_for_a_close_loss(
    margins: tuple[int, ...], expected: tuple[Fraction, ...]
) -> None:
    """A match of several games may be won with a worse score: then it is no close loss."""
    scoring = Scoring(points=FOOTBALL, bonus=Bonus(margin=7, within=3))
    won = TableResult(("a", "b"), shares((3, 1)))
    if margins:
        won = TableResult(("a", "b"), shares((3, 1)), margins=margins)
    found = scoring.of(won)
    assert found == ((3, 1) if margins == (-2, 2) else expected)
    assert [each.points for each in league([won], scoring)] == sorted(found, reverse=True)
    drawn = TableResult(("a", "b"), shares((1, 1)), margins=(8, -8))
    assert scoring.of(drawn) == (1, 1)


ORDERS: Final = st.permutations([each for each in TieBreak if each is not TieBreak.POINTS])


@given(
    st.integers(2, 3),
    st.lists(
        st.tuples(st.permutations("abcde"), st.lists(st.integers(0, 3), min_size=3, max_size=3)),
        max_size=14,
    ),
    ORDERS,
    st.integers(0, 5),
    st.randoms(use_true_random=False),
)
def test_the_order_is_total_and_that_of_games_does_not_matter(
    seats, drawn, order, few, mixer
) -> None:
    scoring = Scoring(
        seats=seats,
        points=FOOTBALL,
        places=() if few % 2 else (Fraction(5), Fraction(2), Fraction(1)),
        bonus=Bonus(margin=2),
        order=tuple(order[:few]),
    )
    matches = [
        TableResult(
            tuple(names[:seats]), shares(scores[:seats]), tuple(scores[:seats]),
            margins=tuple(2 * own - sum(scores[:seats]) for own in scores[:seats]),
        )
        for names, scores in drawn
    ]  # fmt: skip
    found = league(matches, scoring)
    assert sorted(each.name for each in found) == sorted({n for e in matches for n in e.names})
    assert [each.points for each in found] == sorted((e.points for e in found), reverse=True)
    paid = sum((sum(scoring.of(each)) for each in matches), Fraction())
    assert sum((each.points for each in found), Fraction()) == paid
    keys = [
        (each.points, *(-v if k is DE else v for k, v in each.tie_breaks.items())) for each in found
    ]
    assert keys == sorted(keys, reverse=True)
    assert [each.by_lot for each in found] == [keys.count(key) > 1 for key in keys]
    mixed = list(matches)
    mixer.shuffle(mixed)
    turned = [
        TableResult(
            each.names[::-1], each.points[::-1], each.blocks[::-1], margins=each.margins[::-1]
        )
        for each in mixed
    ]
    assert league(turned, scoring) == found
