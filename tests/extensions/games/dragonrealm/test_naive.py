"""Scoring, written a second time as the rulebook tells it, agrees with the engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.games.dragonrealm.rules import scoring
from arena.values.results import Outcome

GOBLINS = "goblins"
Paid = tuple[tuple[int, ...], int | None]


def naive_pay(
    reward: tuple[int, int], adventurers: tuple[int, ...], goblins: int, *, min_share_one: bool
) -> Paid:
    """Each contender takes its place in the ranking; then the places are paid one by one."""
    present: dict[object, int] = {seat: n for seat, n in enumerate(adventurers) if n > 0}
    if goblins > 0:
        present[GOBLINS] = goblins
    coins: dict[object, int] = dict.fromkeys(range(len(adventurers)), 0)
    card: int | None = None

    def share(money: int, among: list[object]) -> None:
        for contender in among:
            coins[contender] = money // len(among)
            if min_share_one and len(among) > 1 and coins[contender] < 1:
                coins[contender] = 1

    ranking: list[list[object]] = []
    for number in sorted(set(present.values()), reverse=True):
        ranking.append([who for who, has in present.items() if has == number])
    if len(present) == 1:
        share(reward[0] + reward[1], ranking[0])
    elif ranking and len(ranking[0]) > 1:
        share(reward[0] + reward[1], ranking[0])
        for rank in ranking[1:]:
            for who in rank:
                coins[who] = 1
    elif ranking:
        share(reward[0], ranking[0])
        share(reward[1], ranking[1])
        for rank in ranking[2:]:
            for who in rank:
                coins[who] = 1
    if ranking:
        players = [who for who in ranking[0] if isinstance(who, int)]
        if len(players) == 1:
            card = players[0]
    return tuple(coins[seat] for seat in range(len(adventurers))), card


def naive_outcome(coins: tuple[int, ...], stones: tuple[int, ...]) -> Outcome:
    """The bonus is handed out, then the seats line up."""
    total = list(coins)
    owners = [seat for seat, has in enumerate(stones) if has == max(stones) and has > 0]
    for seat in owners:
        total[seat] += 5 if len(owners) == 1 else 3
    line = sorted(range(len(coins)), key=lambda seat: (total[seat], stones[seat]), reverse=True)
    places = [0] * len(coins)
    for index, seat in enumerate(line):
        before = line[index - 1]
        tied = index > 0 and (total[before], stones[before]) == (total[seat], stones[seat])
        places[seat] = places[before] if tied else index + 1
    return Outcome(tuple(total), tuple(places))


SEATS = st.integers(2, 4)
REWARD = st.tuples(st.integers(1, 13), st.integers(1, 8))


@given(REWARD, SEATS.flatmap(lambda n: st.tuples(*[st.integers(0, 5)] * n)), st.integers(0, 6))
@pytest.mark.parametrize("min_share_one", [False, True])
def test_locations_pay_alike(min_share_one, reward, adventurers, goblins) -> None:
    assert scoring.pay(reward, adventurers, goblins, min_share_one=min_share_one) == naive_pay(
        reward, adventurers, goblins, min_share_one=min_share_one
    )


@given(
    SEATS.flatmap(
        lambda n: st.tuples(
            st.tuples(*[st.integers(0, 12)] * n), st.tuples(*[st.integers(0, 6)] * n)
        )
    )
)
def test_the_end_is_alike(ending: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    coins, stones = ending
    bonus = scoring.stone_bonus(stones)
    total = tuple(map(sum, zip(coins, bonus, strict=True)))
    assert scoring.outcome(total, stones) == naive_outcome(coins, stones)


CASES: list[tuple[str, tuple[int, int], tuple[int, ...], int, Paid]] = [
    ("the rulebook's example", (6, 5), (2, 3, 1), 2, ((2, 6, 1), 1)),
    ("a lone seat has both rewards", (6, 5), (0, 1, 0), 0, ((0, 11, 0), 1)),
    ("lone goblins are paid nothing, the card is gone", (6, 5), (0, 0), 5, ((0, 0), None)),
    ("nobody is there", (6, 5), (0, 0), 0, ((0, 0), None)),
    ("first, second, others", (8, 4), (3, 2, 1, 1), 0, ((8, 4, 1, 1), 0)),
    ("goblins first: their coins and the card are lost", (8, 4), (2, 1), 3, ((4, 1), None)),
    ("goblins second: their coins are lost", (8, 4), (3, 1), 2, ((8, 1), 0)),
    ("a tie for the second place", (8, 5), (3, 1, 1), 0, ((8, 2, 2), 0)),
    ("goblins in a tie for the second place", (8, 5), (3, 1, 1), 1, ((8, 1, 1), 0)),
    ("a tie for the first place", (8, 5), (2, 2, 1), 0, ((6, 6, 1), None)),
    ("a tie of all", (8, 5), (2, 2, 2), 0, ((4, 4, 4), None)),
    ("a tie with goblins only keeps the card", (8, 5), (2, 1), 2, ((6, 1), 0)),
    ("a tie of two seats and goblins loses it", (8, 5), (2, 2), 2, ((4, 4), None)),
    ("DR-31 one seat and goblins: two places", (6, 5), (3, 0), 1, ((6, 0), 0)),
    ("DR-31 and the goblins may be first", (6, 5), (1, 0), 2, ((5, 0), None)),
    ("DR-43 goblins tie at the end as always", (12, 7), (1, 0), 1, ((9, 0), 0)),
    ("DR-30 a share may round down to nothing", (4, 2), (2, 1, 1, 1), 0, ((4, 0, 0, 0), 0)),
]


@pytest.mark.parametrize(
    ("reward", "adventurers", "goblins", "paid"),
    [row[1:] for row in CASES],
    ids=[row[0] for row in CASES],
)
def test_what_a_location_pays(reward, adventurers, goblins, paid) -> None:
    assert scoring.pay(reward, adventurers, goblins, min_share_one=False) == paid
    assert naive_pay(reward, adventurers, goblins, min_share_one=False) == paid


def test_a_share_is_at_least_one_by_option() -> None:
    """DR-30."""
    paid = scoring.pay((4, 2), (2, 1, 1, 1), 0, min_share_one=True)
    assert paid == ((4, 1, 1, 1), 0)
